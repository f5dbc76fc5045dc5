import io
import re

import pytest
from rich.text import Text

from tracelens.model.measurement import Failure, Record, Stage
from tracelens.model.report import Environment
from tracelens.render.progress import Progress

LOAD = Stage(name="load the op")
CALL = Stage(name="full\x1b[2J call")
FAILURE = Failure(stage="full call", kind="raised", fact="", hint="")


class Clock:
    """Tells the seconds that it was last set to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a text stream's own is read-only too
        return self._encoding

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def last_frame(stream: io.StringIO) -> list[str]:
    """Return the lines that a terminal shows at the end."""
    drawn = re.split(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*", stream.getvalue())[-1]
    plain = Text.from_ansi(drawn.replace("\x1b[?25h", "")).plain
    return [line.rstrip() for line in plain.splitlines() if line.strip()]


def run(stream: io.StringIO, clock: Clock, *records: Record) -> None:
    """Show the records, two and a half seconds apart."""
    with Progress(stream=stream, clock=clock) as progress:
        for record in records:
            progress.show(record)
            clock.now += 2.5


def test_a_stage_is_one_plain_line_where_nobody_watches() -> None:
    stream = io.StringIO()
    run(stream, Clock(), LOAD, Environment(device="NVIDIA H200"), CALL)
    assert stream.getvalue() == "tracelens: load the op\ntracelens: full\\x1b[2J call\n"


def test_a_stage_is_a_line_with_its_time_on_a_terminal() -> None:
    stream = Terminal("utf-8")
    run(stream, Clock(), LOAD, Environment(device="NVIDIA H200"), CALL)
    assert last_frame(stream) == [
        "✓ load the op      5.0 s",
        "✓ full\\x1b[2J call 2.5 s",
    ]


def test_a_stage_that_failed_says_so() -> None:
    stream = Terminal("ascii")
    run(stream, Clock(), LOAD, CALL, FAILURE)
    assert last_frame(stream) == [
        "+ load the op      2.5 s",
        "x full\\x1b[2J call 2.5 s",
    ]


def test_a_stage_that_an_error_ended_says_so() -> None:
    stream = Terminal("utf-8")
    with pytest.raises(RuntimeError):
        run_and_fail(stream)
    assert last_frame(stream) == ["✗ load the op 0.0 s"]


def run_and_fail(stream: io.StringIO) -> None:
    with Progress(stream=stream, clock=Clock()) as progress:
        progress.show(LOAD)
        raise RuntimeError


def test_a_terminal_that_cannot_draw_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal("utf-8")
    run(stream, Clock(), LOAD)
    assert stream.getvalue() == "tracelens: load the op\n"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal("utf-8")], ids=["file", "terminal"])
def test_nothing_is_shown_when_quiet(stream: io.StringIO) -> None:
    with Progress(quiet=True, stream=stream) as progress:
        for record in (LOAD, CALL, FAILURE):
            progress.show(record)
    assert stream.getvalue() == ""
