from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tracelens.errors import RunFolderError, TracelensError
from tracelens.measure.options import Options
from tracelens.model.invocation import Variation
from tracelens.model.measurement import (
    Capture,
    Failure,
    Measurement,
    Noticed,
    Outline,
    Record,
    Stage,
    Subject,
)
from tracelens.model.op import Choice
from tracelens.model.report import Finding
from tracelens.model.sweep import Sweep, SweepPoint
from tracelens.processes.child import run_in_children

QUICK = Options(
    functions=False,
    samples=5,
    batches=5,
    batch=2,
    warmup_ns=0,
    warmup_calls=1,
    head_calls=1,
    profiled_calls=2,
)
HEAD = "import os, sys, time, torch\ndef inputs():\n    return (torch.ones(4),)\n"

Ran = Callable[..., list[Record]]


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """Write an op file, measure it in a child, return the records; the log is beside it."""

    def run(body: str, **options: object) -> list[Record]:
        path = tmp_path / "op_here.py"
        path.write_text(HEAD + body, encoding="utf-8")
        return run_in_children(path, folder=tmp_path, options=QUICK, **options)  # type: ignore[arg-type]  # a test's own keywords

    return run


def tags(records: list[Record]) -> list[str]:
    return [record.tag for record in records if isinstance(record, Measurement)]


def captures(records: list[Record]) -> list[Capture]:
    return [record for record in records if isinstance(record, Capture)]


def failure(records: list[Record]) -> Failure:
    (found,) = (record for record in records if isinstance(record, Failure))
    assert records[-1] == found
    return found


def test_an_op_that_works_sends_every_record_and_no_failure(ran: Ran, tmp_path: Path) -> None:
    seen: list[Record] = []

    records = ran("def op(x):\n    return x + 1", on_record=seen.append)

    assert records == seen
    assert records[0] == Stage(name="load")
    assert tags(records) == [
        "cold/first_call",
        "cold/second_call",
        "full/eager",
        "submit/eager",
        "amortised/eager",
        "full_profiled/eager",
    ]
    assert captures(records) == [
        Capture(path="trace.json.gz", window="tracelens::call", replay_window=None)
    ]
    assert (tmp_path / "trace.json.gz").stat().st_size > 0


def test_what_the_op_prints_is_in_the_log_and_not_on_our_output(
    ran: Ran, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ran(
        "def op(x):\n    print('by print')\n    os.write(1, b'by descriptor')\n"
        "    os.system('echo by a shell >&2')\n    return x"
    )

    log = (tmp_path / "op.log").read_text()
    assert all(text in log for text in ("by print", "by descriptor", "by a shell"))
    assert capfd.readouterr() == ("", "")


def test_the_op_file_sees_no_arguments_of_ours(ran: Ran) -> None:
    records = ran("assert sys.argv == [__file__]\ndef op(x):\n    return x")

    assert len(captures(records)) == 1


def test_a_failure_reaches_the_one_who_watches_too(ran: Ran) -> None:
    seen: list[Record] = []

    records = ran("def op(x):\n    os._exit(1)", on_record=seen.append)

    assert seen == records


def test_the_op_reads_nothing_from_our_input(ran: Ran) -> None:
    records = ran("def op(x):\n    assert sys.stdin.read() == ''\n    return x")

    assert len(captures(records)) == 1


def test_a_crash_keeps_what_came_before_and_names_signal_and_stage(ran: Ran) -> None:
    records = ran(
        "calls = 0\ndef op(x):\n    global calls\n    calls += 1\n"
        "    if calls > 12:\n        os.kill(os.getpid(), 11)\n    return x"
    )

    assert failure(records) == Failure(
        stage="eager full calls",
        kind="crashed",
        fact="The measuring process was killed by SIGSEGV in the stage 'eager full calls'.",
        hint="op.log ends with the stack at that moment.",
    )
    assert tags(records) == ["cold/first_call", "cold/second_call"]


def test_a_crash_leaves_the_stack_in_the_log(ran: Ran, tmp_path: Path) -> None:
    ran("def op(x):\n    os.abort()")

    assert 'op_here.py", line 5 in op' in (tmp_path / "op.log").read_text()


def test_a_process_that_ends_while_its_inputs_are_varied_keeps_all_else_and_has_not_failed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(
        HEAD + "def op(x):\n    if x.dtype != torch.float32:\n        os._exit(7)\n    return x + 1"
    )

    options = replace(QUICK, variations=True)
    records = run_in_children(path, folder=tmp_path, options=options)

    assert not [record for record in records if isinstance(record, Failure)]
    assert records[-1] == Noticed(
        finding=Finding(
            tag="stage/lost",
            severity="warning",
            fact="The measuring process ended with exit code 7 in the stage 'variations: dtype': "
            "all else had been measured",
            advice="See op.log; an op must return, not end the process.",
        )
    )
    varied = [record.name for record in records if isinstance(record, Variation)]
    assert (varied[0], varied[-1]) == ("other tensors", "strides, expanded")
    assert len(captures(records)) == 1


def test_a_sweep_is_measured_in_one_child(tmp_path: Path) -> None:
    path = tmp_path / "op_here.py"
    body = "def op(x):\n    return x + 1\ndef inputs(n):\n    return (torch.ones(n),)"
    path.write_text(HEAD + body)

    sweep = Sweep(parameter="n", sizes=(4, 8))
    records = run_in_children(path, folder=tmp_path, options=QUICK, sweep=sweep)

    assert [record.size for record in records if isinstance(record, SweepPoint)] == [4, 8]
    assert [record for record in records if isinstance(record, Outline)] == [
        Outline(subjects=(Subject(),))
    ]


def test_a_process_killed_from_outside_is_put_down_to_host_memory(ran: Ran) -> None:
    found = failure(ran("def op(x):\n    os.kill(os.getpid(), 9)"))

    assert found.fact == "The measuring process was killed by SIGKILL in the stage 'first call'."
    assert "host memory" in found.hint


@pytest.mark.parametrize("code", [0, 3])
def test_an_op_that_ends_the_process_is_a_failure_with_exit_code_0_too(ran: Ran, code: int) -> None:
    found = failure(ran(f"def op(x):\n    os._exit({code})"))

    assert (found.kind, found.fact) == (
        "crashed",
        f"The measuring process ended with exit code {code} in the stage 'first call'.",
    )


@pytest.mark.parametrize(
    ("statement", "fact"),
    [
        ("sys.exit(3)", "The op called sys.exit(3)."),
        ("raise KeyboardInterrupt", "The op raised KeyboardInterrupt in op_here.py:5."),
        ("raise ValueError('bad shape')", "The op raised ValueError in op_here.py:5: bad shape."),
        ("raise GeneratorExit", "The op raised GeneratorExit in op_here.py:5."),
    ],
)
def test_whatever_the_op_raises_is_a_failure_and_its_traceback_in_the_log(
    ran: Ran, tmp_path: Path, statement: str, fact: str
) -> None:
    found = failure(ran(f"def op(x):\n    {statement}"))

    assert (found.stage, found.kind, found.fact) == ("first call", "raised", fact)
    assert found.hint.endswith("op.log has the traceback.")
    assert statement in (tmp_path / "op.log").read_text()


def test_an_op_file_that_breaks_the_contract_is_an_input_failure(ran: Ran) -> None:
    found = failure(ran("def opp(x):\n    return x"))

    assert (found.stage, found.kind) == ("load", "input")
    assert found.fact.endswith(
        "op_here.py has no op(); line 4 of op_here.py has 'opp', which nothing reads: "
        "is 'op' meant?"
    )


def test_a_file_whose_name_is_no_text_is_an_input_failure(tmp_path: Path) -> None:
    records = run_in_children(tmp_path / os.fsdecode(b"op_\xff.py"), folder=tmp_path, options=QUICK)

    assert failure(records).fact == f"There is no file {tmp_path}/op_?.py."


def test_a_hang_is_stopped_after_the_timeout_and_leaves_its_stack(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HurriedClock()
    monkeypatch.setattr("tracelens.processes.process.time.monotonic", clock.monotonic)

    records = ran(
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "def op(x):\n    time.sleep(1000)",
        timeout_s=60,
        on_record=clock.hurry_in_first_call,
    )

    found = failure(records)
    assert (found.kind, found.fact) == ("timeout", "Stopped after 60 s in the stage 'first call'.")
    assert 'op_here.py", line 7 in op' in (tmp_path / "op.log").read_text()


class HurriedClock:
    """It stands still until the first call begins, then goes on 10 s with every look at it."""

    now_s = 0.0
    step_s = 0.0

    def monotonic(self) -> float:
        self.now_s += self.step_s
        return self.now_s

    def hurry_in_first_call(self, record: Record) -> None:
        if record == Stage(name="first call"):
            self.step_s = 10.0


def test_ctrl_c_ends_the_child_and_keeps_what_came_before(ran: Ran) -> None:
    def interrupt(record: Record) -> None:
        if record == Stage(name="eager warm-up"):
            raise KeyboardInterrupt

    records = ran("def op(x):\n    return x", on_record=interrupt)

    assert failure(records) == Failure(
        stage="eager warm-up",
        kind="interrupted",
        fact="Interrupted in the stage 'eager warm-up'.",
        hint="Run it again to measure the rest.",
    )
    assert tags(records) == ["cold/first_call", "cold/second_call"]


@pytest.mark.parametrize(
    "leaving",
    [
        "",
        "        os.setsid()\n",
        "        os.setsid()\n        if os.fork():\n            os._exit(0)\n",
    ],
    ids=["in our session", "in its own", "without a parent"],
)
def test_a_process_that_the_op_leaves_behind_neither_hangs_us_nor_lives_on(
    ran: Ran, tmp_path: Path, leaving: str
) -> None:
    held = tmp_path / "held_while_it_lives"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)

    records = ran(
        f"def op(x):\n    os.open({str(held)!r}, os.O_WRONLY)\n"
        f"    if os.fork() == 0:\n{leaving}        time.sleep(1000)\n"
        "    time.sleep(0.1)\n    os._exit(1)"
    )

    assert failure(records).kind == "crashed"
    assert select.select([reader], [], [], 60)[0], "the process still holds its end"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_forked_copy_of_the_op_that_returns_sends_no_records_of_its_own(ran: Ran) -> None:
    records = ran(
        "forked = False\ndef op(x):\n    global forked\n    if not forked:\n"
        "        forked = True\n        os.fork()\n    return x"
    )

    assert tags(records).count("cold/first_call") == 1
    assert len(captures(records)) == 1


def test_bytes_that_are_no_record_are_a_failure_not_a_traceback(ran: Ran) -> None:
    records = ran(
        "def op(x):\n    for fd in os.listdir('/proc/self/fd'):\n"
        "        if 'pipe:[' in os.path.realpath(f'/proc/self/fd/{fd}'):\n"
        "            os.write(int(fd), b'hello\\n')\n    return x"
    )

    found = failure(records)
    assert (found.kind, found.fact) == (
        "crashed",
        "The measuring process sent 5 bytes that are no record in the stage 'first call'.",
    )


def test_an_op_that_closes_every_descriptor_ends_as_a_failure(ran: Ran) -> None:
    records = ran("def op(x):\n    os.closerange(3, 100)\n    return x")

    assert failure(records).kind == "crashed"


def test_the_cpu_asked_for_hides_every_cuda_device_from_the_op(tmp_path: Path) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(
        f"{HEAD}def op(x):\n    print(repr(os.environ['CUDA_VISIBLE_DEVICES']))\n    return x"
    )

    run_in_children(path, folder=tmp_path, options=Options(device="cpu", samples=1, warmup_ns=0))

    assert (tmp_path / "op.log").read_text().startswith("''\n")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"op\.log cannot be written"):
        run_in_children(tmp_path / "op.py", folder=tmp_path / "missing", options=QUICK)


def test_a_python_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(TracelensError) as caught:
        run_in_children(tmp_path / "op.py", folder=tmp_path, options=QUICK, python="no/python")

    assert caught.value.fact == "no/python cannot be started: No such file or directory."


def test_the_parent_never_imports_torch() -> None:
    code = "import sys, tracelens.processes.child; sys.exit('torch' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


CASES = (
    "import os, torch\n"
    "cases = {'small': {'n': 4}, 'bad/one': {'n': 5}, 'large': {'n': 8}}\n"
    "def inputs(n):\n    return (torch.ones(n),)\n"
    "def plain(x):\n    return x + 1\n"
    "def fast(x):\n    print('called for', len(x))\n"
    "    if len(x) == 5:\n        os.abort()\n    return x.add(1)\n"
    "variants = {'plain': plain, 'fast': fast}\n"
)


def of(subject: Subject, records: list[Record]) -> list[Record]:
    """Return the records that are about a subject."""
    found: list[Record] = []
    about = None
    for record in records:
        about = record if isinstance(record, Subject) else about
        if about == subject:
            found.append(record)
    return found


def test_a_case_that_crashes_costs_neither_its_other_variant_nor_the_other_cases(
    tmp_path: Path,
) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(CASES)

    records = run_in_children(path, folder=tmp_path, options=QUICK)

    (outline,) = (record for record in records if isinstance(record, Outline))
    names = [(s.case, s.variant, s.baseline) for s in outline.subjects]
    assert names == [
        ("small", "plain", True),
        ("small", "fast", False),
        ("bad/one", "plain", True),
        ("bad/one", "fast", False),
        ("large", "plain", True),
        ("large", "fast", False),
    ]
    assert ["full/eager" in tags(of(s, records)) for s in outline.subjects] == [
        *(True, True),
        *(True, False),
        *(True, True),
    ]
    found = [r for s in outline.subjects for r in of(s, records) if isinstance(r, Failure)]
    assert [(f.kind, f.stage) for f in found] == [("crashed", "first call")]
    assert [capture.path for capture in captures(records)] == [
        *["trace-1-small.json.gz"] * 2,
        *["trace-3-large.json.gz"] * 2,
    ]
    assert [capture.window for capture in captures(records)] == [
        *["tracelens::call[plain]", "tracelens::call[fast]"] * 2
    ]
    log = (tmp_path / "op.log").read_text()
    assert all(f"called for {n}" in log for n in (4, 5, 8))


def test_only_the_chosen_cases_and_variants_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(CASES)
    choice = Choice(cases=("large",), variants=("fast",))

    records = run_in_children(path, folder=tmp_path, options=QUICK, choice=choice)

    assert {record for record in records if isinstance(record, Subject)} == {
        Subject(case="large", variant="fast", baseline=False)
    }
    assert "full/eager" in tags(records)


@pytest.mark.parametrize(
    ("choice", "fact", "hint"),
    [
        (
            Choice(cases=("huge",)),
            "The op file has no case named 'huge'.",
            "Choose from small, bad/one, large.",
        ),
        (
            Choice(variants=("slow",)),
            "The op file has no variant named 'slow'.",
            "Choose from plain, fast.",
        ),
    ],
)
def test_a_case_or_variant_that_is_not_there_is_a_usage_failure_that_says_which_are(
    tmp_path: Path, choice: Choice, fact: str, hint: str
) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(CASES)

    records = run_in_children(path, folder=tmp_path, options=QUICK, choice=choice)

    assert failure(records) == Failure(stage="load", kind="usage", fact=fact, hint=hint)


def test_ctrl_c_ends_the_cases_that_are_to_come_too(tmp_path: Path) -> None:
    path = tmp_path / "op_here.py"
    path.write_text(CASES)

    def interrupt(record: Record) -> None:
        if record == Stage(name="first call"):
            raise KeyboardInterrupt

    records = run_in_children(path, folder=tmp_path, options=QUICK, on_record=interrupt)

    assert failure(records).kind == "interrupted"
    assert {record.case for record in records if isinstance(record, Subject)} == {"small"}
