from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import tracelens
from tracelens.errors import InterruptedRunError, RunFolderError, WrongResultError
from tracelens.formats import RunFolder
from tracelens.measure.options import Options
from tracelens.model.measurement import Failure, Subject
from tracelens.model.op import Tolerance

QUICK = Options(
    functions=False,
    device="cpu",
    samples=5,
    batches=5,
    batch=2,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
)


def profiled(call: Any, *inputs: Any, **more: Any) -> Any:
    return tracelens.profile(call, *inputs, options=QUICK, **more)


def test_a_function_is_profiled_where_it_is_and_its_report_shows_itself() -> None:
    report = profiled(torch.add, torch.ones(4), torch.ones(4))

    shown = report._repr_mimebundle_()
    assert report.metric("full/eager/median").value > 0
    assert shown["text/plain"] == str(report)
    # on a busy machine a warning that the run was disturbed stands before it
    assert "on the CPU with " in str(report)
    assert shown["text/html"].startswith("<pre ")


def test_what_a_notebook_shows_is_never_taken_for_markup() -> None:
    def hostile(x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("<script>alert(1)</script>"):
            return x + 1

    shown = profiled(hostile, torch.ones(4), reference=lambda x: x + 1)._repr_mimebundle_()

    assert "<script>" not in shown["text/html"]
    assert shown["text/html"].count("<") == 2, "the pre element, opened and closed"


def test_a_wrong_result_is_raised() -> None:
    with pytest.raises(WrongResultError, match=r"^Wrong result: the result at \[0\] is 2; "):
        profiled(torch.add, torch.ones(4), 1, reference=lambda x, y: x)


def test_a_folder_that_takes_no_more_in_the_end_does_not_cost_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> Path:
        raise RunFolderError("op.run: the run cannot be written: No space left on device", "-o")

    monkeypatch.setattr(RunFolder, "keep", full)
    op = tmp_path / "op.py"
    op.write_text("import torch\ndef inputs(): return (torch.ones(4),)\nop = torch.relu\n")

    kept = tracelens.profile_file(op, output=tmp_path / "op.run", options=QUICK)

    assert (kept.folder, kept.timed) == (None, True)
    assert kept.report.metric("full/eager/median").value > 0
    assert str(kept.failure) == "op.run: the run cannot be written: No space left on device"


def test_a_tolerance_may_differ_by_dtype() -> None:
    loose = {"float32": Tolerance(atol=2.0, rtol=0.0)}

    report = profiled(torch.add, torch.ones(4), 1, reference=lambda x, y: x, tolerance=loose)

    assert report.metric("check/max_abs_error").value == 1.0


def test_an_interrupted_run_is_kept_and_ends_as_shells_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = tmp_path / "op.py"
    op.write_text("def inputs(): return ()\ndef op(): return None\n", encoding="utf-8")
    asked = Failure(stage="check", kind="interrupted", fact="Interrupted.", hint="Run it again.")
    monkeypatch.setattr(
        "tracelens.processes.child.run_in_children", lambda *_, **__: [Subject(), asked]
    )

    kept = tracelens.profile_file(op, output=tmp_path / "kept.run")

    assert isinstance(kept.failure, InterruptedRunError)
    assert (kept.failure.exit_code, kept.failure.fact) == (
        130,
        f"Interrupted. Its log is kept in {tmp_path / 'kept.run'}.",
    )
