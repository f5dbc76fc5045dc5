"""The command line: exit codes, streams, and errors in words and in JSON."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tracelens.cli import cli

ROOT = Path(__file__).parent.parent


def run(*arguments: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tracelens", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        timeout=120,
    )


def test_a_missing_trace_is_one_message_with_a_hint_and_exit_1(tmp_path):
    done = run("analyze", "nowhere.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: nowhere.json: cannot be read: No such file or directory\nhint: Check the path.\n"
    )


def test_a_failure_under_json_is_one_object_on_standard_output(tmp_path):
    done = run("analyze", "nowhere.json", "--format", "json", cwd=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "schema": "tracelens.error/1",
        "fact": "nowhere.json: cannot be read: No such file or directory",
        "advice": "Check the path.",
    }


def test_a_usage_error_exits_2_in_words_and_in_json(tmp_path):
    words = run("analyze", "--nonsense", cwd=tmp_path)
    assert words.returncode == 2
    assert "--nonsense" in words.stderr
    machine = run("analyze", "--nonsense", "--format=json", cwd=tmp_path)
    assert machine.returncode == 2
    assert json.loads(machine.stdout)["schema"] == "tracelens.error/1"


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("to", "why"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")]
)
def test_output_that_cannot_be_written_is_one_message(to, why, form):
    trace = ROOT / "fixtures/cases/deferred_steps.json"
    command = f"{sys.executable} -m tracelens analyze {trace} --format {form} {to}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        f"error: standard output cannot be written: {why}\n"
        "hint: Send it to where there is room, such as a file on another disk.\n",
    )


def test_a_path_with_escapes_is_spelled_out_where_it_is_named(tmp_path):
    trace, target = ROOT / "fixtures/cases/deferred_steps.json", "a\x1b[31m\nb.json"
    done = run("analyze", str(trace), "--export", "perfetto", "-o", target, cwd=tmp_path)
    assert done.stderr == ("written to a\\x1b[31m b.json: open it at https://ui.perfetto.dev\n")


def test_without_a_command_the_help_is_shown_and_it_is_a_usage_error(tmp_path):
    done = run(cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("profile", "op.py", "--timeout"),
        ("diff", "a.py", "b.py", "--threshold"),
        ("diff", "a.py", "b.py", "--subtract-us"),
    ],
)
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_number_that_is_not_finite_is_a_usage_error(arguments, number, tmp_path):
    done = run(*arguments, number, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{number} is no finite number" in done.stderr


@pytest.mark.parametrize("other", ["--strict", "--variations"])
def test_a_sweep_is_instead_of_what_a_whole_profile_does(other, tmp_path):
    done = run("profile", "op.py", "--sweep", "n=1..4", other, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --sweep measures sizes instead of a whole profile")


def test_a_sweep_of_no_argument_is_about_none_of_the_variants(tmp_path):
    (tmp_path / "op.py").write_text(
        "def inputs(n=4):\n    return (n,)\nvariants = {'a': lambda n: n, 'b': lambda n: n}\n"
    )
    done = run("profile", "op.py", "--sweep", "m=1..4", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "error: inputs() has no argument 'm' to sweep; its arguments: n.\n"
        "hint: Write `def inputs(m=1024): ...` and make tensors of that size.\n",
    )


def test_a_window_that_does_not_exist_names_those_that_do(tmp_path):
    trace = ROOT / "fixtures/cases/deferred_steps.json"
    done = run("analyze", str(trace), "--window", "nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert "ProfilerStep#10" in done.stderr


def test_a_reader_that_leaves_early_ends_the_command_quietly(tmp_path):
    trace = ROOT / "fixtures/cases/deferred_steps.json"
    command = f"'{sys.executable}' -m tracelens analyze '{trace}' --format json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("{", "")


def test_kernel_names_are_answered_in_the_order_of_standard_input(tmp_path):
    names = ["unheard_of", "splitKreduce_kernel", "unheard_of"]
    done = run("kernels", "-", "--format", "json", cwd=tmp_path, stdin="\n".join(names))
    assert [answer["name"] for answer in json.loads(done.stdout)] == names


@pytest.mark.parametrize(
    ("source", "code", "fact"),
    [
        ("runs/op.run", 2, "error: runs/op.run is a folder, not a name or a file of names"),
        ("op.run", 2, "error: op.run is a folder, not a name or a file of names"),
        ("./runs", 2, "error: ./runs is a folder, not a name or a file of names"),
        ("lost.json.gz", 1, "error: lost.json.gz: no such file"),
        ("./lost.txt", 1, "error: ./lost.txt: no such file"),
        ("op.py", 2, "error: op.py is a Python file, not one of kernel names"),
    ],
)
def test_a_path_is_not_decoded_as_if_it_were_a_kernels_name(tmp_path, source, code, fact):
    for folder in (tmp_path / "runs" / "op.run", tmp_path / "op.run"):
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
    (tmp_path / "op.py").touch()
    done = run("kernels", source, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (code, "", fact)


@pytest.mark.parametrize("command", ["analyze", "issue"])
def test_what_is_no_recording_is_told_from_a_broken_one(tmp_path, command):
    op_file = run(command, "op.py", cwd=tmp_path)
    assert (op_file.returncode, op_file.stderr) == (
        2,
        "error: op.py is an op file: nothing was recorded there\n"
        "hint: measure it first: tracelens profile op.py\n",
    )
    part = run(command, "op.run/run.json", cwd=tmp_path)
    assert (part.returncode, part.stderr) == (
        2,
        "error: op.run/run.json is one file of a run\nhint: pass the whole folder, op.run\n",
    )


def test_a_name_that_a_folder_has_too_is_a_name(tmp_path):
    (tmp_path / "softmax").mkdir()
    answers = json.loads(run("kernels", "softmax", "--format", "json", cwd=tmp_path).stdout)
    assert [answer["name"] for answer in answers] == ["softmax"]


def test_no_names_are_an_empty_list_and_a_word_on_standard_error(tmp_path):
    done = run("kernels", "-", "--format", "json", cwd=tmp_path, stdin="\n \n")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (
        0,
        [],
        "no kernel name was found\n",
    )


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_has_help_with_an_example(command):
    shown = CliRunner().invoke(cli, [command, "--help"]).output
    assert f"tracelens {command} " in shown.partition("\n")[2]
    assert max(map(len, shown.splitlines())) <= 80


PROFILED = """
import torch

def inputs():
    return (torch.arange(8.0),)

def op(x):
    print("the op speaks")
    return x + 1
"""


def test_profile_without_a_gpu_reports_what_it_can_and_keeps_the_run(tmp_path):
    (tmp_path / "add.py").write_text(PROFILED)
    done = run(
        *("profile", "add.py", "--device", "cpu", "--samples", "5", "--format", "json", "-q"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    metrics = {m["tag"]: m["value"] for s in report["sections"] for m in s["metrics"]}
    assert metrics["full/eager/median"] > 0
    assert metrics["submit/eager/median"] <= metrics["full/eager/median"]
    assert metrics["kernel/eager/busy/median"] is None
    tags = {f["tag"] for s in report["sections"] for f in s["findings"]}
    assert "device/none" in tags
    kept = {path.name for path in (tmp_path / "add.run").iterdir()}
    functions = {"functions.svg", "functions.speedscope.json"}
    assert kept == {"run.json", "op.py", "op.log", "trace.json.gz", *functions}
    assert "the op speaks" in (tmp_path / "add.run/op.log").read_text()
    assert "the op speaks" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "add.py"),
        ("def op(:\n", "add.py:1"),
        ("def inputs():\n    return ()\n", "op"),
        ("def inputs():\n    return (1,)\ndef op(x):\n    raise ValueError('boom')\n", "boom"),
        ("def inputs():\n    return (1,)\ndef op(x):\n    pass\n", "None"),
    ],
    ids=["missing", "syntax error", "no op", "raises", "returns nothing"],
)
def test_a_broken_op_file_ends_as_one_message_with_a_hint(source, said, tmp_path):
    if source is not None:
        (tmp_path / "add.py").write_text(source)
    done = run("profile", "add.py", "-q", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    first, *rest = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert said in done.stderr
    assert sum(line.startswith("hint: ") for line in rest) == 1


def test_export_writes_the_split_says_where_and_overwrites_nothing(tmp_path):
    trace = str(ROOT / "fixtures/traces/add_small.json.gz")
    command = ("analyze", trace, "--export", "perfetto", "--format", "json")
    done = run(*command, cwd=tmp_path)
    name = "add_small.perfetto.json.gz"
    assert done.stderr == f"written to {name}: open it at https://ui.perfetto.dev\n"
    tables = [table for s in json.loads(done.stdout)["sections"] for table in s["tables"]]
    windows = next(table for table in tables if table["tag"] == "windows")
    named = [column["name"] for column in windows["columns"]]
    events = json.loads(gzip.decompress((tmp_path / name).read_bytes()))["traceEvents"]
    ours = [event for event in events if event.get("cat") == "tracelens"]
    for part in ("kernel", "memory", "launch", "sync", "host_dispatch", "return"):
        shown = [e["dur"] for e in ours if e["name"] == part.replace("_", " ")]
        table_ns = sum(row[named.index(f"{part}_ns")] for row in windows["rows"])
        assert sum(round(1_000 * dur) for dur in shown) == table_ns
    again = run(*command, cwd=tmp_path)
    assert again.returncode == 1
    assert json.loads(again.stdout)["fact"] == f"{name} exists, and an export overwrites nothing"


def test_a_gzip_bomb_is_an_error_that_names_the_option_that_lets_it_in(tmp_path):
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b"[" + b" " * 999))
    done = run("analyze", "bomb.json.gz", "--max-expanded-bytes", "999", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "it expands to more than 999 bytes" in done.stderr
    assert "--max-expanded-bytes" in done.stderr
    done = run("analyze", "bomb.json.gz", "--max-expanded-bytes", "1000", cwd=tmp_path)
    assert "it holds no events" in done.stderr


def test_an_output_without_an_export_is_a_usage_error(tmp_path):
    done = run("analyze", "trace.json", "-o", "out.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "error: -o names a file to export to, and nothing is exported\nhint: add --export\n"
    )


CASES = """
import torch
cases = {"good": {"n": 4}, "bad": {"n": 5}}
def inputs(n):
    return (torch.ones(n),)
def op(x):
    if len(x) == 5:
        raise ValueError("boom")
    return x + 1
"""


def test_a_case_that_fails_leaves_the_report_of_the_others_and_exit_1(tmp_path):
    (tmp_path / "add.py").write_text(CASES)
    options = ("--device", "cpu", "--samples", "5", "--no-functions", "-q")

    done = run("profile", "add.py", *options, "--format", "json", cwd=tmp_path)

    assert done.returncode == 1
    report = json.loads(done.stdout)
    values = {(s["case"], m["tag"]): m["value"] for s in report["sections"] for m in s["metrics"]}
    assert values["good", "full/eager/median"] > 0
    assert values["bad", "full/eager/median"] is None
    assert done.stderr.startswith("error: 1 of 2 failed: bad. The first: The op raised ValueError")


def test_a_chosen_case_is_the_only_one_and_an_unknown_one_exits_2(tmp_path):
    (tmp_path / "add.py").write_text(CASES)
    options = ("--device", "cpu", "--samples", "5", "--no-functions", "-q", "--format", "json")

    done = run("profile", "add.py", "--case", "good", *options, cwd=tmp_path)
    unknown = run("profile", "add.py", "--case", "huge", *options, cwd=tmp_path)

    assert done.returncode == 0
    assert {section["case"] for section in json.loads(done.stdout)["sections"]} == {"good"}
    assert unknown.returncode == 2
    assert json.loads(unknown.stdout)["fact"] == "The op file has no case named 'huge'."


def test_a_statement_is_profiled_and_its_op_file_is_kept(tmp_path):
    done = run(
        *("profile", "--setup", "x = torch.ones(4)", "--stmt", "x + 1"),
        *("--device", "cpu", "--samples", "5", "--no-functions", "-q", "-o", "sum.run"),
        cwd=tmp_path,
    )

    assert done.returncode == 0
    # on a busy machine a warning that the run was disturbed stands before it
    assert "on the CPU with " in done.stdout
    assert "return x + 1" in (tmp_path / "sum.run/op.py").read_text()


def test_an_op_file_and_a_statement_exclude_each_other(tmp_path):
    done = run("profile", "add.py", "--stmt", "1", cwd=tmp_path)

    assert done.returncode == 2
    assert done.stderr.startswith("error: either an op file or --stmt is needed")
