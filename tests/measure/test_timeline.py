from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tracelens.errors import RunFolderError
from tracelens.measure.timeline import TorchTimeline, torch_timeline


def recorded() -> TorchTimeline:
    with torch_timeline(cuda=False) as timeline, timeline.window("named here"):
        torch.ones(2, 3).add(1)
    return timeline


def names(text: bytes) -> set[str]:
    return {event.get("name") for event in json.loads(text)["traceEvents"]}


def test_a_window_is_an_annotation_around_the_ops_inside_it(tmp_path: Path) -> None:
    recorded().write(tmp_path / "trace.json")

    assert {"named here", "aten::add"} <= names((tmp_path / "trace.json").read_bytes())


def test_a_name_that_ends_in_gz_is_compressed(tmp_path: Path) -> None:
    recorded().write(tmp_path / "trace.json.gz")

    with gzip.open(tmp_path / "trace.json.gz") as file:
        assert "named here" in names(file.read())


def test_a_trace_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"The trace cannot be written to .*/missing/t\.json"):
        recorded().write(tmp_path / "missing" / "t.json.gz")


def test_sessions_are_counted_for_those_who_must_come_first() -> None:
    before = TorchTimeline.opened

    recorded()

    assert TorchTimeline.opened == before + 1


def test_a_session_does_not_import_inductor_and_leaves_torch_able_to() -> None:
    script = (
        "import sys, torch\n"
        "from tracelens.measure.timeline import torch_timeline\n"
        "with torch_timeline(cuda=False): pass\n"
        "assert 'torch._inductor' not in sys.modules\n"
        "assert hasattr(torch, '_inductor')\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)
