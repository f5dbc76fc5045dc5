"""Runs code on a device: op and protocol in, measurements and a trace file out."""
