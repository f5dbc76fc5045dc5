import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tracelens.errors import OpFileError, RunFolderError
from tracelens.formats import open_run_folder, read_run
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.functions import Frame, FunctionSamples, Stack
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.layered import Layered, LayerTimes
from tracelens.model.measurement import (
    Capture,
    Check,
    Failure,
    Measurement,
    Noticed,
    Predicted,
    Protocol,
    Run,
    Subject,
    SubjectRun,
    Trial,
    Withheld,
    Work,
)
from tracelens.model.report import Column, Environment, Finding, Metric, Report, Section, Table
from tracelens.model.sweep import SweepPoint

WITHHELD = Finding(tag="graph/capture", severity="warning", fact="not capturable", advice="none")
RUN = Run(
    op="softmax",
    environment=Environment(device="NVIDIA H200", torch="2.11.0"),
    subjects=(
        SubjectRun(
            subject=Subject(case="small", variant="fast", baseline=False),
            protocol=Protocol(
                device="cuda:0",
                seed=0,
                grad_mode="no_grad",
                warmup_calls=10,
                warmup_ns=100_000_000,
                samples=3,
                batch=50,
                profiled_calls=10,
                head_calls=3,
                cache_state="warm",
                clock="perf_counter_ns",
            ),
            stated=StatedKernels(
                configs={"gemv": ("NW",)},
                expected=(ExpectedKernel(kernel="gemv", fields={"NW": 16, "split": True}),),
            ),
            trials=(Trial(name="new values", proves="fresh", status="passed", fact="seen"),),
            work=Work(flops=2, bytes_moved=None),
            predicted=Predicted(claims=("kernel: -20% +/- 3%",)),
            noticed=(Noticed(finding=WITHHELD),),
            check=Check(
                status="passed", max_abs_error=1e-3, atol=1e-2, rtol=0.0, outputs=("f32[2]",)
            ),
            measurements=(
                Measurement(
                    tag="full/eager",
                    samples_ns=(18300, 18100, 19500),
                    clock="perf_counter_ns",
                    includes="from before the call to after the synchronisation",
                ),
            ),
            withheld=(Withheld(tags=("full/graph",), finding=WITHHELD),),
            layered=Layered(
                layers=(LayerTimes(name="op", full_ns=(3, 4), submit_ns=(1, 2)),), protocol="p"
            ),
            repetition=Repetition(first_ns=9, second_ns=8, submit_ns=(7, 6)),
            variations=(
                Variation(name="size", change="a -> b", status="measured", before_ns=(5, 5)),
            ),
            sweep=(SweepPoint(parameter="n", size=8, full_ns=(2, 3)),),
            functions=FunctionSamples(
                way="signal",
                frames=(Frame(function="op", file="<op file>", line=7, defined=6),),
                stacks=(Stack(frames=(0, 0), count=9), Stack(frames=(), count=1)),
                samples=10,
                batch=10,
                sampled_ns=(101, 99),
                plain_ns=(100,),
                instead_of="it may not be read",
            ),
            capture=Capture(path="trace.json.gz", window="tracelens::call", replay_window=None),
            failure=Failure(stage="replay", kind="raised", fact="it raised", hint="none"),
        ),
        SubjectRun(subject=Subject(case="large", variant=None)),
    ),
    failure=Failure(stage="load", kind="input", fact="it is no op file", hint="none"),
    report=Report(
        command="profile softmax.py",
        environment=Environment(),
        sections=(
            Section(
                title="Kernels",
                metrics=(Metric(tag="a", name="a", value=1.5, unit="ns", description=""),),
                tables=(Table(tag="t", columns=(Column(name="name"),), rows=(("add",),)),),
                findings=(WITHHELD,),
            ),
        ),
    ),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder that holds one op file."""
    monkeypatch.chdir(tmp_path)
    Path("softmax.py").write_text("def op(): ...\n")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def test_a_kept_run_is_there_whole_and_reads_back_the_same(folder: Path) -> None:
    with open_run_folder(None, Path("softmax.py")) as run_folder:
        run_folder.trace_path.write_bytes(b"trace")
        run_folder.log_path.write_text("hello\n")
        assert run_folder.keep(RUN) == Path("softmax.run")
    assert names(folder) == [
        "softmax.py",
        "softmax.run",
        "softmax.run/op.log",
        "softmax.run/op.py",
        "softmax.run/run.json",
        "softmax.run/trace.json.gz",
    ]
    assert read_run(Path("softmax.run")) == RUN
    assert Path("softmax.run/op.py").read_text() == "def op(): ...\n"


def test_another_file_can_be_added_and_is_kept_with_the_run(folder: Path) -> None:
    with open_run_folder(None, Path("softmax.py")) as run_folder:
        run_folder.add("functions.svg", b"<svg/>")
        place = run_folder.keep(RUN)
    assert (place / "functions.svg").read_bytes() == b"<svg/>"


def test_a_file_that_cannot_be_added_is_an_error_of_the_run_folder(folder: Path) -> None:
    run_folder = open_run_folder(None, Path("softmax.py"))
    with pytest.raises(RunFolderError, match="the run cannot be written: Is a directory"):
        run_folder.add(".", b"")
    run_folder.discard()


def test_nothing_is_left_of_a_run_that_was_not_kept(folder: Path) -> None:
    with open_run_folder(None, Path("softmax.py")) as run_folder:
        run_folder.trace_path.write_bytes(b"half a tra")
    assert names(folder) == ["softmax.py"]


def test_a_kept_run_stays_when_it_is_discarded_afterwards() -> None:
    run_folder = open_run_folder(None, Path("softmax.py"))
    place = run_folder.keep(RUN)
    run_folder.discard()
    assert read_run(place) == RUN


def test_without_a_target_the_next_free_name_is_taken(folder: Path) -> None:
    Path("softmax-2.run").symlink_to("nowhere")
    places = []
    for _ in range(3):
        with open_run_folder(None, Path("softmax.py")) as run_folder:
            places.append(run_folder.keep(RUN).name)
    assert places == ["softmax.run", "softmax-3.run", "softmax-4.run"]


def test_two_runs_at_once_for_one_target_are_both_kept() -> None:
    first = open_run_folder(Path("a.run"), Path("softmax.py"))
    second = open_run_folder(Path("a.run"), Path("softmax.py"))
    assert [first.keep(RUN), second.keep(RUN)] == [Path("a.run"), Path("a-2.run")]


def test_a_run_lands_where_it_was_asked_for_when_the_op_changes_folder(folder: Path) -> None:
    with open_run_folder(Path("new/deep/a.run"), Path("softmax.py")) as run_folder:
        os.chdir("/")
        assert run_folder.keep(RUN) == Path("new/deep/a.run")
    assert read_run(folder / "new/deep/a.run") == RUN


def test_the_copy_is_the_op_as_it_was_when_the_run_began() -> None:
    with open_run_folder(None, Path("softmax.py")) as run_folder:
        Path("softmax.py").write_text("edited meanwhile\n")
        place = run_folder.keep(RUN)
    assert (place / "op.py").read_text() == "def op(): ...\n"


def test_a_run_folder_can_be_entered_like_any_new_folder() -> None:
    Path("plain").mkdir()
    with open_run_folder(None, Path("softmax.py")) as run_folder:
        place = run_folder.keep(RUN)
    assert place.stat().st_mode == Path("plain").stat().st_mode


def test_force_replaces_a_run_folder_when_the_new_one_is_kept() -> None:
    open_run_folder(Path("a.run"), Path("softmax.py")).keep(RUN)
    Path("a.run/note.txt").write_text("of the old run")
    with open_run_folder(Path("a.run"), Path("softmax.py"), force=True) as run_folder:
        assert Path("a.run/note.txt").exists()
        assert run_folder.keep(RUN) == Path("a.run")
    assert not Path("a.run/note.txt").exists()
    assert read_run(Path("a.run")) == RUN


def test_force_replaces_nothing_that_is_no_run_folder(folder: Path) -> None:
    Path("home").mkdir()
    Path("home/precious").write_text("kept")
    with pytest.raises(RunFolderError, match=r"home is no run folder: it will not be replaced"):
        open_run_folder(Path("home"), Path("softmax.py"), force=True)
    assert names(folder) == ["home", "home/precious", "softmax.py"]


@pytest.mark.parametrize(
    ("target", "more"),
    [("a.run", " --force replaces this one."), ("file", ""), (".", ""), ("empty", "")],
)
def test_a_target_that_exists_is_refused_before_anything_is_measured(
    target: str, more: str
) -> None:
    open_run_folder(Path("a.run"), Path("softmax.py")).keep(RUN)
    Path("file").write_text("")
    Path("empty").mkdir()
    with pytest.raises(RunFolderError) as error:
        open_run_folder(Path(target), Path("softmax.py"))
    assert (error.value.fact, error.value.hint) == (
        f"{target} exists, and nothing is overwritten unasked",
        f"Pass another folder with -o.{more}",
    )


@pytest.mark.parametrize("force", [False, True])
def test_a_target_that_is_a_symbolic_link_is_refused(force: bool) -> None:
    open_run_folder(Path("a.run"), Path("softmax.py")).keep(RUN)
    Path("link").symlink_to("a.run")
    with pytest.raises(RunFolderError, match=r"link is a symbolic link: a new folder was expected"):
        open_run_folder(Path("link"), Path("softmax.py"), force=force)


def test_a_target_under_a_file_cannot_be_written(folder: Path) -> None:
    Path("file").write_text("")
    with pytest.raises(RunFolderError, match=r"file/a.run: the run cannot be written: "):
        open_run_folder(Path("file/a.run"), Path("softmax.py"))
    assert names(folder) == ["file", "softmax.py"]


def test_a_target_in_a_closed_folder_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Path.mkdir

    def closed(path: Path, *args: int, **options: bool) -> None:  # a mode would not stop root
        if path.parent.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        make(path, *args, **options)

    Path("closed").mkdir()
    monkeypatch.setattr(Path, "mkdir", closed)
    with pytest.raises(RunFolderError, match=r"closed/a.run: .* cannot be written: Permission"):
        open_run_folder(Path("closed/a.run"), Path("softmax.py"))


def test_a_working_folder_that_is_gone_cannot_be_written(folder: Path) -> None:
    gone = folder / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()

    with pytest.raises(RunFolderError) as raised:
        open_run_folder(None, folder / "softmax.py")

    assert raised.value.fact == (
        "softmax.run: the run cannot be written: No such file or directory"
    )


def test_a_name_that_is_too_long_cannot_be_written(folder: Path) -> None:
    with pytest.raises(RunFolderError, match="the run cannot be written: File name too long"):
        open_run_folder(Path("x" * 300), Path("softmax.py"))
    assert names(folder) == ["softmax.py"]


def test_a_full_disk_is_said_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with open_run_folder(Path("a.run"), Path("softmax.py")) as run_folder:
        with pytest.raises(RunFolderError) as error:
            run_folder.keep(RUN)
        assert error.value.fact == "a.run: the run cannot be written: No space left on device"
    assert names(folder) == ["softmax.py"]


def test_an_op_file_that_is_missing_is_said_and_leaves_nothing(folder: Path) -> None:
    with pytest.raises(OpFileError, match=r"^gone.py is not there$"):
        open_run_folder(None, Path("gone.py"))
    assert names(folder) == ["softmax.py"]


def test_a_folder_in_place_of_an_op_file_is_said_and_of_a_run_what_reads_it(folder: Path) -> None:
    Path("some").mkdir()
    Path("old.run").mkdir()
    Path("old.run/run.json").touch()
    with pytest.raises(OpFileError, match=r"^some is a folder, not an op file$"):
        open_run_folder(None, Path("some"))
    with pytest.raises(OpFileError, match=r"^old.run is a run's folder, not an op file$") as error:
        open_run_folder(None, Path("old.run"))
    assert "tracelens analyze old.run" in error.value.hint


def test_what_a_killed_run_left_is_removed_by_the_next_and_a_living_one_is_not(
    folder: Path,
) -> None:
    living = open_run_folder(Path("living.run"), Path("softmax.py"))
    killed = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, signal\n"
            "from pathlib import Path\n"
            "from tracelens.formats import open_run_folder\n"
            "folder = open_run_folder(Path('killed.run'), Path('softmax.py'))\n"
            "folder.trace_path.write_bytes(b'half a tra')\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n",
        ],
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.glob(".tracelens-*"))) == 2

    open_run_folder(Path("next.run"), Path("softmax.py")).keep(RUN)

    assert list(folder.glob(".tracelens-*")) == [living.path]
    assert living.keep(RUN) == Path("living.run")


def test_a_link_that_looks_abandoned_is_left_alone(folder: Path) -> None:
    Path("precious").mkdir()
    Path(".tracelens-0.unfinished").symlink_to("precious")
    open_run_folder(None, Path("softmax.py")).discard()
    assert names(folder) == [".tracelens-0.unfinished", "precious", "softmax.py"]


def test_what_is_no_run_folder_is_said_to_be_none() -> None:
    Path("empty").mkdir()
    Path("strange").mkdir()
    Path("strange/run.json").mkdir()
    facts = []
    for name in ("gone.run", "softmax.py", "empty", "strange"):
        with pytest.raises(RunFolderError) as error:
            read_run(Path(name))
        assert error.value.hint == (
            "Pass a folder that `tracelens profile` wrote, such as softmax.run."
        )
        facts.append(error.value.fact)
    assert facts == [
        "gone.run: no such folder",
        "softmax.py: not a folder",
        "empty is no run folder: it has no run.json",
        "strange/run.json: cannot be read: Is a directory",
    ]


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (("tracelens.run/1", "tracelens.run/2"), "a.run/run.json is 'tracelens.run/2': "),
        (
            ('"seed": 0', '"seed": "x"'),
            r"a.run/run.json does not hold .* `\$.subjects\[0\].protocol.seed`",
        ),
        (('["add"]', '["add", 1]'), "a.run/run.json: row 0 of table 't' has 2 cells for 1 columns"),
        (("}", ""), "a.run/run.json is damaged, or is not JSON: "),
        (("trace.json.gz", "/etc/passwd"), "a.run/run.json: names '/etc/passwd' as a trace; "),
        (("trace.json.gz", "../t.json"), "a.run/run.json: names '../t.json' as a trace; "),
        (("18300", str(2**53 + 1)), "a.run/run.json: holds a time of more than 9,007,199,254,740"),
        (('"first_ns": 9', f'"first_ns": {2**64}'), "a.run/run.json: holds a time of more than "),
    ],
    ids=["newer", "wrong field", "wrong row", "cut off", "absolute", "outside", "long", "longer"],
)
def test_a_run_that_was_changed_is_refused(change: tuple[str, str], fact: str) -> None:
    place = open_run_folder(Path("a.run"), Path("softmax.py")).keep(RUN)
    text = (place / "run.json").read_text()
    assert change[0] in text
    (place / "run.json").write_text(text.replace(*change))
    with pytest.raises(RunFolderError, match=fact):
        read_run(place)
