from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest
import torch

from tracelens.errors import OpFileError, RunFolderError, UsageError, WrongResultError
from tracelens.measure.failure import ending_in_failure, failure_of, gist, spell_error
from tracelens.model.measurement import Failure, Record, Stage


def caught_from(code: str, file: str = "/home/me/my_op.py") -> BaseException:
    """Return what a function `f` raises when it is called from here, as if it were in a file."""
    names: dict[str, Callable[[], object]] = {}
    exec(compile(code, file, "exec"), names)  # so that the frames have names of another file
    try:
        names["f"]()
    except BaseException as error:  # noqa: BLE001, RUF100  # the test asks for any
        return strip_first_frame(error)
    raise AssertionError


def strip_first_frame(error: BaseException) -> BaseException:
    assert error.__traceback__ is not None
    return error.with_traceback(error.__traceback__.tb_next)


def test_an_error_is_spelled_with_its_type_its_line_and_its_message() -> None:
    error = caught_from("def f():\n    raise ValueError('bad shape')")

    assert spell_error(error) == "ValueError in my_op.py:2: bad shape"


def test_the_line_is_the_deepest_of_the_called_file_not_of_a_library() -> None:
    error = caught_from("import json\ndef f():\n    g()\ndef g():\n    json.loads('{')")

    assert spell_error(error).startswith("JSONDecodeError in my_op.py:5: ")


def test_library_frames_before_the_file_are_passed_over() -> None:
    code = "def f():\n    raise ValueError"

    assert spell_error(caught_from(code, "/lib/site-packages/torch/wrap.py")) == "ValueError"


def test_frames_of_python_s_own_library_before_the_file_are_passed_over() -> None:
    code = "def f():\n    raise ValueError"

    assert spell_error(caught_from(code, contextlib.__file__)) == "ValueError"


def test_an_iterator_that_ran_out_in_the_op_is_the_op_s_own_error() -> None:
    error = RuntimeError("generator raised StopIteration")
    error.__cause__ = caught_from("def f():\n    next(iter(()))")

    assert failure_of(error, stage="first call") == Failure(
        stage="first call",
        kind="raised",
        fact="The op raised StopIteration in my_op.py:2.",
        hint="Call op(*inputs()) in a Python session of its own to look into it.",
    )


@pytest.mark.parametrize(
    ("code", "fact"),
    [
        ("raise ValueError('no card')", "raised ValueError in my_op.py:2: no card."),
        ("raise SystemExit(3)", "called sys.exit(3)."),
    ],
)
def test_what_setup_raises_is_not_the_ops_own(code: str, fact: str) -> None:
    error = caught_from(f"def f():\n    {code}")

    assert failure_of(error, stage="setup").fact == f"setup() of the op file {fact}"
    assert failure_of(error, stage="first call").fact == f"The op {fact}"


def test_an_error_that_cannot_spell_itself_does_not_raise_another() -> None:
    class RudeError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert spell_error(RudeError()) == "RudeError: (its message cannot be read)"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("\n  first line.\nsecond", "first line"),
        ("", ""),
        ("x" * 400, "x" * 299 + "…"),
        ("name \udcff", "name ?"),
    ],
)
def test_the_gist_of_a_text_is_one_readable_line(text: str, short: str) -> None:
    assert gist(text) == short


def test_records_pass_until_one_raises_and_the_failure_names_the_stage() -> None:
    told: list[BaseException] = []
    error = ValueError("bad")

    def records() -> Iterator[Record]:
        yield Stage(name="one")
        yield Stage(name="two")
        raise error

    assert list(ending_in_failure(records(), tell=told.append)) == [
        Stage(name="one"),
        Stage(name="two"),
        Failure(
            stage="two",
            kind="raised",
            fact=f"The op raised {spell_error(error)}.",
            hint="Call op(*inputs()) in a Python session of its own to look into it.",
        ),
    ]
    assert told == [error]


def test_records_that_end_well_end_without_a_failure() -> None:
    assert list(ending_in_failure(iter([Stage(name="one")]))) == [Stage(name="one")]


def test_a_keyboard_interrupt_passes_through_unless_it_is_to_be_caught() -> None:
    def records() -> Iterator[Record]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        list(ending_in_failure(records()))
    (failure,) = ending_in_failure(records(), caught=(BaseException,))
    assert isinstance(failure, Failure)
    assert failure.fact.startswith("The op raised KeyboardInterrupt")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OpFileError("fact", "hint"), "input"),
        (UsageError("fact", "hint"), "usage"),
        (WrongResultError("fact", "hint"), "wrong result"),
        (RunFolderError("fact", "hint"), "raised"),
    ],
)
def test_our_own_errors_keep_their_fact_and_hint(error: Exception, kind: str) -> None:
    found = failure_of(error, stage="check")

    assert (found.stage, found.kind, found.fact, found.hint) == ("check", kind, "fact", "hint")


@pytest.mark.parametrize(
    ("error", "fact", "hint"),
    [
        (
            torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 PiB."),
            "The stage 'first call' raised OutOfMemoryError: "
            "CUDA out of memory. Tried to allocate 1 PiB.",
            "Make inputs() smaller, or free the device first: nvidia-smi shows which process "
            "holds memory.",
        ),
        (
            RuntimeError("CUDA error: an illegal memory access was encountered\nCUDA kernel ..."),
            "The stage 'first call' raised RuntimeError: "
            "CUDA error: an illegal memory access was encountered.",
            "Set CUDA_LAUNCH_BLOCKING=1 to find the call, or run the op under compute-sanitizer "
            "to find the kernel's bad access.",
        ),
        (
            SystemExit(3),
            "The op called sys.exit(3).",
            "Let the op return its result instead of ending the process.",
        ),
    ],
)
def test_what_is_known_of_an_error_is_in_its_hint(
    error: BaseException, fact: str, hint: str
) -> None:
    found = failure_of(error, stage="first call")

    assert (found.kind, found.fact, found.hint) == ("raised", fact, hint)
