"""Fields of a Chrome trace that may leave the machine: those that torch.profiler and Kineto write.

What is not listed is left out of a trace that is attached to an issue, unless it is a number: some
writers put their whole environment beside the events.
"""

from __future__ import annotations

HEADER = frozenset(
    {
        "schemaVersion",
        "deviceProperties",
        "displayTimeUnit",
        "baseTimeNanoseconds",
        "record_shapes",
        "profile_memory",
        "with_stack",
        "with_modules",
        "with_flops",
        "cupti_version",
        "cuda_runtime_version",
        "cuda_driver_version",
        "hip_runtime_version",
        "hip_driver_version",
        "roctracer_version",
    }
)

DEVICE = frozenset({"id", "name"})
"""Texts of one entry of `deviceProperties`; all else there is a number."""

EVENT = frozenset({"ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "s", "bp", "args"})

ARGUMENTS = frozenset(
    {
        "External id",
        "external id",
        "correlation",
        "device",
        "context",
        "stream",
        "queued",
        "grid",
        "block",
        "registers per thread",
        "shared memory",
        "blocks per SM",
        "warps per SM",
        "est. achieved occupancy %",
        "bytes",
        "memory bandwidth (GB/s)",
        "cbid",
        "kernel",
        "graph id",
        "graph node id",
        "cuda_sync_kind",
        "wait_on_stream",
        "wait_on_cuda_event_record_corr_id",
        "Input Dims",
        "Input dims",
        "Input type",
        "Input Strides",
        "Concrete Inputs",
        "Sequence number",
        "Fwd thread id",
        "Record function id",
        "Ev Idx",
        "Python id",
        "Python parent id",
        "Python module id",
        "Collective name",
        "dtype",
        "Group size",
        "In msg nelems",
        "In split size",
        "Out split size",
        "Out msg nelems",
        "Op count",
        "kernel_backend",
        "kernel_kwargs",
        "kernel_name",
        "kind",
        "num_warps",
        "num_stages",
        "name",
        "labels",
        "sort_index",
    }
)
"""Arguments whose texts are kept, after what is private in them was replaced."""
