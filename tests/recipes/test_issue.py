"""An issue from end to end: its reproducer runs without this package, nothing private is left."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.render.issue.dossiers import CHECK, FULL, PROTOCOL
from tracelens.api import check_issue, read_issue, report_run, write_issue
from tracelens.cli import cli
from tracelens.errors import ExportError, OpFileError, UsageError
from tracelens.formats import open_run_folder, read_run
from tracelens.formats.run_json import encode_run
from tracelens.model.measurement import Capture, Run, Subject, SubjectRun
from tracelens.model.report import Environment

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"

HOST = replace(PROTOCOL, device="cpu", warmup_calls=1, warmup_ns=0, samples=5, batch=2, inputs=())


def run_folder(folder, source, *subjects, protocol=HOST, trace=None, environment=None):
    """Keep a run of an op file that was never measured: only what it says of itself counts here."""
    op_path = folder / "op.py"
    op_path.write_text(source)
    capture = Capture(path="trace.json.gz", window="tracelens::call", replay_window=None)
    found = tuple(
        SubjectRun(
            subject=subject,
            protocol=protocol,
            check=CHECK,
            measurements=(replace(FULL, samples_ns=(900,) * 5),),
            capture=capture if trace else None,
        )
        for subject in subjects or (Subject(),)
    )
    run = Run(op="op", environment=environment or Environment(torch="2.11"), subjects=found)
    with open_run_folder(folder / "op.run", op_path) as kept:
        if trace:
            kept.trace_path.write_bytes(gzip.compress(trace.encode()))
        return kept.keep(replace(run, report=report_run(run, kept.path)))


def reproduced(folder, *arguments):
    """Run repro.py where this package cannot be imported."""
    hidden = (
        f"import runpy, sys; sys.modules['tracelens'] = None; sys.argv[1:] = {list(arguments)}; "
    )
    return subprocess.run(
        [sys.executable, "-c", hidden + "runpy.run_path('repro.py', run_name='__main__')"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=300,
    )


ROW = r"{} +eager +here +[\d,.]+ +[\d,.]+ +[\d,.]+ +{}\Z"
"""A row of what a reproducer prints: the quantity, its figures, and samples."""

PLAIN = """
from __future__ import annotations
import torch
tolerance = {"atol": 0.0, "rtol": 0.0}
cases = {"a": {"n": 3}, "b": {"n": 5}}
time = statistics = repro = None  # names that a script might take for its own
def inputs(n):
    base = torch.randn(n, 2 * n)
    return base[:, ::2], base.t()[:1].expand(n, n), torch.arange(n), torch.rand(n) > 0.5, 1.5
def op(x, y, index, mask, scale):
    return torch.where(mask, x, y) * scale, x[index]
def reference(x, y, index, mask, scale):
    return torch.where(mask, x, y) * scale, x[index]
if __name__ == "__main__" and len(cases) == 2:
    raise SystemExit("an op file's own program does not run")
"""


def test_a_reproducer_checks_and_prints_the_same_words_without_this_package(tmp_path):
    run = run_folder(tmp_path, PLAIN, Subject(case="a"), Subject(case="b"))
    done = reproduced(write_issue(run, output=tmp_path / "i"))
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[:2] == [
        "op · a",
        "check: passed, largest error 0 from the reference (atol 0, rtol 0)",
    ]
    assert re.match(ROW.format("full call", 5), lines[4])
    assert re.match(r"  ratio \d[\d.]*, most was 0.90 +run +0.90 +0.90 +0.90 +5\Z", lines[5])
    assert re.match(ROW.format("submit", 5), lines[6])
    assert re.match(ROW.format("amortised", 20), lines[7])
    assert lines[9] == "op · b"
    assert max(map(len, lines)) <= 80
    assert re.match(r"here: .* · torch \S+ .*· Python 3\.\d+", lines[-2])
    assert lines[-1] == "run:  torch 2.11"


IN_PLACE = """
import torch
variants = {"fast": lambda x: x.add_(1), "plain": lambda x: x.add_(1)}
baseline = "plain"
def inputs():
    return (torch.zeros(4),)
"""
OWN_NAMES = """
import torch
def sum(x): return torch.sum(x)
def print(*words): raise SystemExit("that was not meant")
len = map = max = all = sorted = None
repro_seed = REPRO_RUN = "mine"
if __name__ != "__main__":
    ONE = 1  # as where it is imported
tolerance = {"atol": 0.0, "rtol": 0.0}
def inputs():
    return torch.tensor([1.0, float("inf")]), {"a": torch.zeros(2)}
def op(x, other):
    return {"t": x * ONE, "n": 3, "s": "yes", "none": None}, sum(other["a"])
def reference(x, other):
    total = other["a"].sum()
    other["a"].add_(1)
    return {"t": x, "n": 3.0, "s": "yes", "none": None}, total
"""
STARRED = """
from torch import *
mode = None
def inputs():
    return (randn(4),)
def op(x):
    return relu(x)
def reference(x):
    return clamp(x, min=0)
"""
MISSING = "import no_such_package\ndef inputs(): return ()\ndef op(): return 1\n"
READS = "DATA = open('data.txt').read()\ndef inputs(): return ()\ndef op(): return 1\n"
WRONG = IN_PLACE.replace("x.add_(1), ", "x.add_(2), ")
BACKWARD = """
import torch
mode = "forward+backward"
weight = torch.ones(3, requires_grad=True)
def inputs():
    return (torch.randn(3, requires_grad=True),)
def op(x):
    return torch.tanh(x * weight)
def reference(x):
    return torch.tanh(x * weight)
"""
KERNELBENCH = """
import torch
class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = torch.nn.Linear(n, n)
    def forward(self, x):
        return self.linear(x)
class ModelNew(Model):
    pass
def get_inputs():
    return [torch.randn(2, 3)]
def get_init_inputs():
    return [3]
"""


@pytest.mark.parametrize(
    ("source", "variant", "code", "said"),
    [
        (IN_PLACE, "fast", 0,
         "check: passed, largest error 0 from the baseline (atol 1e-05, rtol 1.3e-06)\n"
         "inputs that the op changes, restored before each sample: 1\n"),
        (OWN_NAMES, None, 0, "check: passed, largest error 0 from the reference (atol 0, rtol 0)"),
        (STARRED, None, 0, "check: passed, largest error 0 from the reference"),
        (MISSING, None, 1, "This reproducer needs no_such_package, which is not found here.\n"),
        (READS, None, 1, "This reproducer needs data.txt, which is not found here.\n"),
        (WRONG, "fast", 1, "check: failed: the result: 4 of 4 elements lie outside"),
        (BACKWARD, None, 0, "check: passed, largest error 0 from the reference"),
        (KERNELBENCH, "ModelNew", 0, "check: passed, largest error 0 from the reference"),
    ],
    ids=["in place", "own names", "star", "missing", "file", "wrong", "backward", "KernelBench"],
)  # fmt: skip
def test_a_reproducer_keeps_the_ops_contract(tmp_path, source, variant, code, said):
    run = run_folder(tmp_path, source, Subject(variant=variant))
    done = reproduced(write_issue(run, output=tmp_path / "i"))
    assert said in done.stdout + done.stderr
    assert done.returncode == code


NEIGHBOURLY = """
any = next = print = None
from lib import double
from pack.ops import ONE
import torch
def inputs(): return (torch.ones(3),)
def op(x): return double(x) * ONE
def reference(x): return x + x
"""
NEIGHBOURS = {
    "lib.py": "import inspect\ndef double(x):\n    assert 'x * 2' in inspect.getsource(double)\n"
    '    return x * 2  # by bob@acme.example.com, """ \'repro_\' \\ \n',
    "pack/ops.py": "from .deep import ONE\nrepro_seed = 1\n",
    "pack/deep.py": "ONE = 1\n",
}


def test_a_reproducer_takes_the_files_along_that_lay_beside_the_op(tmp_path):
    for name, source in NEIGHBOURS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    folder = write_issue(run_folder(tmp_path, NEIGHBOURLY), output=tmp_path / "i")
    for name in NEIGHBOURS:
        (tmp_path / name).unlink()
    done = reproduced(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "check: passed, largest error 0 from the reference" in done.stdout
    assert (
        "- `repro.py` holds these files too, which lay beside the op file: `lib.py`, "
        "`pack/deep.py`, `pack/ops.py`\n"
    ) in (folder / "issue.md").read_text()
    assert "acme" not in everything(folder)


@pytest.mark.parametrize("source", [b"def (", b"x = 1\0", b"if 1:\n  x\n y\n", b"\xff"])
def test_a_copy_of_an_op_that_somebody_spoiled_is_an_error(tmp_path, source):
    run = run_folder(tmp_path, PLAIN)
    (run / "op.py").write_bytes(source)
    with pytest.raises(OpFileError):
        write_issue(run, output=tmp_path / "i")
    assert not (tmp_path / "i").exists()


def test_an_op_file_with_a_byte_order_mark_becomes_a_script_without(tmp_path):
    run = run_folder(tmp_path, "\ufeff" + PLAIN)
    compile((write_issue(run, output=tmp_path / "i") / "repro.py").read_text(), "repro.py", "exec")


def test_an_attached_trace_is_not_called_by_a_private_name_of_its_case(tmp_path):
    case = "for bob@acme.example.com"
    run = run_folder(tmp_path, PLAIN, Subject(case=case), Subject(case="a"))
    for name in ("trace-1-for-bob-acme-example-com.json.gz", "trace-2-a.json.gz"):
        shutil.copyfile(TRACES / "add_small.json.gz", run / name)
    found = read_run(run)
    captures = [
        replace(
            subject,
            capture=Capture(path=name, window="tracelens::call", replay_window=None),
        )
        for subject, name in zip(
            found.subjects,
            ("trace-1-for-bob-acme-example-com.json.gz", "trace-2-a.json.gz"),
            strict=True,
        )
    ]
    (run / "run.json").write_bytes(encode_run(replace(found, subjects=tuple(captures))))
    folder = write_issue(run, output=tmp_path / "i")
    assert sorted(path.name for path in folder.glob("*.gz")) == [
        "trace-1.json.gz",
        "trace-2-a.json.gz",
    ]


def test_a_trace_that_ends_early_says_so_beside_the_issue(tmp_path):
    whole = (TRACES / "add_small.json.gz").read_bytes()
    (tmp_path / "t.json.gz").write_bytes(whole[:3_000])
    folder = write_issue(tmp_path / "t.json.gz", output=tmp_path / "i")
    issue = (folder / "issue.md").read_text()
    assert "what the recorded file lacks: its gzip data ends early, after byte 3,000\n" in issue
    assert "every sum and count is a lower bound" in issue


def test_the_reproducer_of_a_gpu_run_ends_with_a_sentence_where_there_is_no_gpu(tmp_path):
    run = run_folder(tmp_path, "raise SystemExit('never reached')", protocol=PROTOCOL)
    done = reproduced(write_issue(run, output=tmp_path / "i"))
    if "never reached" in done.stderr:
        pytest.skip("this machine has a CUDA device")
    assert (done.returncode, done.stdout) == (1, "")
    wanted = r"This was measured on a CUDA device, and torch sees none here: \S+\n"
    assert re.fullmatch(wanted, done.stderr)


def test_a_recorded_op_becomes_a_reproducer_and_says_what_the_trace_did_not_record(tmp_path):
    folder = write_issue(TRACES / "mm_4096.json.gz", op="aten::mm", output=tmp_path / "i")
    assert "made([4096, 4096], torch.bfloat16, [4096, 1]),\n" in (folder / "repro.py").read_text()
    issue = (folder / "issue.md").read_text()
    assert "| `aten::mm(c10::BFloat16[4096, 4096], c10::BFloat16[4096, 4096])` | 40 |" in issue
    assert "  - values of tensors: random numbers stand for them, 0 and 1 for integers\n" in issue


def test_a_recorded_op_of_the_cpu_runs_on_the_cpu_and_records_a_trace(tmp_path):
    arguments = {
        "Input Dims": [[4, 3], [], []],
        "Input Strides": [[1, 4], [], []],
        "Input type": ["float", "Scalar", "Scalar"],
        "Concrete Inputs": ["", "-1", "True"],
    }
    event = {
        "ph": "X",
        "cat": "cpu_op",
        "name": "aten::sort",
        "pid": 1,
        "tid": 1,
        "ts": 1,
        "dur": 2,
    }
    source = tmp_path / "t.json"
    source.write_text(json.dumps({"traceEvents": [{**event, "args": arguments}]}))
    folder = write_issue(source, op="aten::sort", output=tmp_path / "i")
    done = reproduced(folder, "--with-trace", "mine.json")
    assert done.returncode == 0
    events = json.loads((folder / "mine.json").read_text())["traceEvents"]
    assert sum(event["name"] == "tracelens::call" for event in events) == 20
    assert "trace: written to mine.json" in done.stdout
    assert "check: the result is not checked, for the op has no reference" in done.stdout
    assert re.search(r"^full call +eager ", done.stdout, re.MULTILINE)


def test_an_op_that_was_not_recorded_is_an_error_that_names_those_that_were(tmp_path):
    with pytest.raises(UsageError) as raised:
        write_issue(TRACES / "mm_4096.json.gz", op="aten::zz", output=tmp_path / "i")
    assert raised.value.fact == (
        "the trace has no op 'aten::zz'; its commonest: aten::matmul, aten::mm"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", [path.name for path in sorted(CASES.glob("issue_*.expected.json"))]
)
def test_the_issue_of_a_case_tells_nothing_private_and_all_that_matters(tmp_path, name):
    expected = json.loads((CASES / name).read_text())
    folder = write_issue(CASES / expected["trace_file"], output=tmp_path / "i")
    written = everything(folder)
    truth = expected["expected"]
    assert [word for word in truth["issue_text_must_not_contain"] if word in written] == []
    issue = (folder / "issue.md").read_text()
    assert [word for word in truth["issue_text_should_contain"] if word not in issue] == []


def test_an_issue_says_where_the_source_of_its_op_was_changed(tmp_path):
    source = "path = '/data/weights.pt'\ndef inputs(): return ()\ndef op(): return 1\n"
    folder = write_issue(run_folder(tmp_path, source), output=tmp_path / "i")
    assert "path = 'REDACTED_PATH'" in (folder / "repro.py").read_text()
    assert (
        "- private strings replaced in the op's source, and so in `repro.py`: 1; it cannot run "
        "where it needs one of them\n"
    ) in (folder / "issue.md").read_text()


def everything(folder):
    """All that a folder's files and their names say, one text; traces unpacked."""
    texts = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes()
        texts += [path.name, (gzip.decompress(data) if path.suffix == ".gz" else data).decode()]
    return "\n".join(texts)


def test_check_shows_what_is_replaced_and_every_string_that_is_left(tmp_path):
    shown = check_issue(CASES / "issue_redact_paths.json")
    replaced, left = shown.split("\nWould leave this machine:\n")
    assert "/home/bob/clients/acme-llm/serve.py" in replaced
    assert "== issue.md, all of it" in left
    assert "\n  aten::softmax\n" in left.split("== trace.json.gz")[1]
    assert "acme" not in left
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_an_issue_once_and_reads_its_numbers_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trace = str(TRACES / "add_small.json.gz")
    done = CliRunner().invoke(cli, ["issue", trace, "--no-trace"], standalone_mode=False)
    assert done.exception is None
    assert sorted(path.name for path in Path("add_small.issue").iterdir()) == ["issue.md"]
    read = CliRunner().invoke(cli, ["issue", "--read", "add_small.issue/issue.md"])
    document = json.loads(read.stdout)
    assert document["subjects"][0]["metrics"]["trace/kernel/count"] == 45
    again = CliRunner().invoke(cli, ["issue", trace], standalone_mode=False)
    assert isinstance(again.exception, ExportError)
    nothing = CliRunner().invoke(cli, ["issue"], standalone_mode=False)
    assert isinstance(nothing.exception, UsageError)


RUNS = Path(__file__).parents[2] / "fixtures" / "runs"


def test_an_issue_of_two_runs_has_a_reproducer_and_a_trace_of_each(tmp_path):
    base, cand = RUNS / "add_small.run", RUNS / "triton_add.run"
    folder = write_issue(base, candidate=cand, output=tmp_path / "i")
    assert sorted(path.name for path in folder.iterdir()) == [
        "baseline-trace.json.gz",
        "candidate-trace.json.gz",
        "issue.md",
        "repro-baseline.py",
        "repro-candidate.py",
    ]
    assert (folder / "issue.md").read_text().startswith("# `add_small` → `triton_add`: two builds")
    assert "triton" in (folder / "repro-candidate.py").read_text().split("It needs")[1][:20]


def test_an_issue_of_a_run_and_a_trace_is_an_error(tmp_path):
    with pytest.raises(UsageError) as raised:
        write_issue(RUNS / "add_small.run", candidate=TRACES / "mm_m1.json.gz")
    assert raised.value.fact == "an issue of two builds is made of two run folders, without --op"


def test_the_issue_that_is_committed_reads_back():
    path = Path(__file__).parents[2] / "docs" / "issues" / "flag_gems_sigmoid_4096.md"
    (subject,) = json.loads(read_issue(path))["subjects"]
    report = read_run(RUNS / "gems_sigmoid_4096.run").report
    for tag in ("full/eager/median", "kernel/eager/busy/median"):
        assert subject["metrics"][tag] == report.metric(tag).value


def test_a_version_of_four_numbers_stays_and_an_address_beside_it_does_not(tmp_path):
    source = "# 8.8.4.4, mylib==9.1.0.70\n" + IN_PLACE
    environment = Environment(torch="2.11", packages={"mylib": "9.1.0.70"}, cpu="x at 8.8.4.4")
    run = run_folder(tmp_path, source, environment=environment)
    issue = write_issue(run, output=tmp_path / "i")
    written = [(issue / name).read_text() for name in ("issue.md", "repro.py")]
    assert [("mylib" in text, "9.1.0.70" in text, "8.8.4.4" in text) for text in written] == [
        (True, True, False),
        (True, True, False),
    ]
