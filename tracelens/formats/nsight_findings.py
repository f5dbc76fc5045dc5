"""What an Nsight Systems export leaves out or tells otherwise, in words."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.model.report import Finding


def nsight_findings(*, whole_graphs: int, shared_ids: int, unnamed: int) -> Iterator[Finding]:
    """Say what differs from a trace of torch.profiler.

    `whole_graphs` are graph launches recorded as one piece, `shared_ids` processes that use the
    same correlation ids, `unnamed` records without a name.
    """
    if whole_graphs:
        yield Finding(
            tag="nsight/whole_graphs",
            severity="warning",
            fact=f"graph launches that are recorded whole: {whole_graphs:,}; each counts as one "
            "kernel, with the gaps and the copies between its nodes",
            advice="Record with `nsys profile --cuda-graph-trace=node` to see the nodes.",
        )
    if shared_ids:
        yield Finding(
            tag="nsight/shared_ids",
            severity="info",
            fact=f"{shared_ids} processes use the same correlation ids: those of all but the first "
            "are shown raised by multiples of 4294967296",
            advice="The remainder of that division is the id in the file.",
        )
    if unnamed:
        yield Finding(
            tag="nsight/unnamed",
            severity="warning",
            fact=f"records without a name in the file: {unnamed:,}",
            advice="Export the report again with the version of nsys that recorded it.",
        )
    yield Finding(
        tag="nsight/no_ops",
        severity="info",
        fact="Nsight Systems records no framework ops: host dispatch is not split by op",
        advice="Record with torch.profiler to see the ops.",
    )
