"""Processes beside this one: an op measured in a child, sides that take turns."""
