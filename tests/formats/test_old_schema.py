"""Traces of 2021: capitalised categories, steps among the operators."""

import json
from pathlib import Path

from tracelens.api import analyze_trace


def event(cat: str, name: str, ts: int, dur: int, **args: int) -> dict[str, object]:
    place = {"pid": 0, "tid": 7} if cat == "Kernel" else {"pid": 99, "tid": 99}
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "args": args, **place}


def test_the_steps_among_the_operators_are_windows_and_no_host_ops(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    events = [
        event("Operator", "ProfilerStep#1", 1000, 100),
        event("Operator", "aten::add", 1010, 20),
        event("Runtime", "cudaLaunchKernel", 1015, 5, correlation=1),
        event("Kernel", "k", 1030, 10, correlation=1, device=0, stream=7),
        event("Operator", "ProfilerStep#2", 1100, 50),
    ]
    path.write_text(json.dumps({"traceEvents": events}))
    report = analyze_trace(path)
    assert [row[0] for row in report.table("windows").rows] == ["ProfilerStep#1", "ProfilerStep#2"]
    assert report.metric("trace/host_op/busy").value == 20_000
