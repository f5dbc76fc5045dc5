"""What is happening now, a line per stage, for a person who waits. On standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from rich.console import Console, RenderableType
from rich.progress import Progress as Lines
from rich.progress import ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

from tracelens.model.measurement import Failure, Record, Stage, Subject
from tracelens.render.safe_text import safe

_REFRESHES_PER_SECOND = 4
"""Seldom: what is being measured may need the cores."""


class Progress:
    """Shows each stage as it begins: on a terminal with its time, elsewhere as one plain line.

    A context manager. With `quiet` it shows nothing. `stream` is standard error unless given;
    `clock` returns seconds.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._quiet = quiet
        self._stream = sys.stderr if stream is None else stream
        console = Console(file=self._stream, markup=False, emoji=False, highlight=False)
        self._live = not quiet and console.is_terminal and not console.is_dumb_terminal
        self._unicode = console.encoding.startswith("utf")
        self._lines = Lines(
            _Mark(unicode=self._unicode),
            TextColumn("{task.description}", markup=False),
            _Elapsed(),
            console=console,
            refresh_per_second=_REFRESHES_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
            get_time=clock,
        )
        self._current: TaskID | None = None
        self._about: list[str] = []

    def show(self, record: Record) -> None:
        """Begin the line of a `Stage`, and end the one before; a `Failure` ends it as failed.

        A `Subject` with a name stands before the stages that follow.
        """
        if isinstance(record, Subject):
            self._about = [name for name in (record.case, record.variant) if name is not None]
        elif isinstance(record, Stage):
            self._end()
            line = ": ".join((*self._about, record.name))
            self._begin(safe(line, unicode=self._unicode))
        elif isinstance(record, Failure):
            self._end(failed=True)

    def __enter__(self) -> Progress:
        if self._live:
            self._lines.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(failed=error is not None)
        if self._live:
            self._lines.stop()

    def _begin(self, name: str) -> None:
        if self._live:
            self._current = self._lines.add_task(name, total=1, failed=False)
        elif not self._quiet:
            print(f"tracelens: {name}", file=self._stream, flush=True)

    def _end(self, *, failed: bool = False) -> None:
        if self._current is not None:
            self._lines.update(self._current, completed=1, failed=failed)
            self._current = None


class _Mark(SpinnerColumn):
    """Turns while a stage runs, then says how it ended."""

    def __init__(self, *, unicode: bool) -> None:
        super().__init__("dots" if unicode else "line")
        self._marks = {False: "✓" if unicode else "+", True: "✗" if unicode else "x"}

    def render(self, task: Task) -> RenderableType:
        if not task.finished:
            return super().render(task)
        failed = task.fields["failed"]
        return Text(self._marks[failed], style="red" if failed else "green")


class _Elapsed(ProgressColumn):
    """Seconds that a stage has taken."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_time or task.elapsed or 0:.1f} s", style="dim")
