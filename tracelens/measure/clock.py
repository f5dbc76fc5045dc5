"""The host clock. It is bound when this module is imported, before any op file runs.

An op that replaces `time.perf_counter_ns` later changes nothing here.
"""

from time import perf_counter_ns as now_ns

CLOCK = "time.perf_counter_ns"

__all__ = ["CLOCK", "now_ns"]
