"""Trace or measurements in, sections out. Pure numpy: no file, no print, no plot."""
