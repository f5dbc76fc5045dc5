"""What a command writes: its report on standard output, all else on standard error."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

import click

from tracelens.errors import ExportError, TracelensError

if TYPE_CHECKING:
    from tracelens.model.report import Report


def write(report: Report, form: str, *, verbose: bool) -> None:
    """Write a report on standard output, as text, JSON or Markdown. Raises ExportError."""
    if form == "json":
        from tracelens.formats import encode_report

        put(encode_report(report))
        return
    if form == "markdown":
        from tracelens.render.markdown import render_markdown

        put(render_markdown(report).encode())
        return
    from tracelens.render import render_text

    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    with standard_output() as out:
        color = out.isatty() and "NO_COLOR" not in os.environ
        unicode = (out.encoding or "").lower().startswith("utf")
        text = render_text(report, width=width, color=color, verbose=verbose, unicode=unicode)
        click.echo(text, nl=False, color=color)


def put(data: bytes) -> None:
    """Write bytes on standard output as they are. Raises ExportError."""
    with standard_output() as out:
        out.buffer.write(data)


def put_file(path: Path, text: str, *, mode: Literal["w", "a"]) -> None:
    """Write or append text to a file. Raises ExportError."""
    try:
        with path.open(mode, encoding="utf-8") as out:
            out.write(text)
    except OSError as reason:
        raise ExportError(
            f"{path} cannot be written: {reason.strerror}", "Name another file in its place."
        ) from None


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Give standard output, and see that what is written arrives. Raises ExportError."""
    try:
        if sys.stdout is None:  # it was closed before we began
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as reason:
        sys.stdout = None  # or Python would try again at its end
        raise ExportError(
            f"standard output cannot be written: {reason.strerror}",
            "Send it to where there is room, such as a file on another disk.",
        ) from reason


def note(text: str) -> None:
    """Say on standard error what was done; a path may hold anything."""
    from tracelens.render.safe_text import safe

    click.echo(safe(text), err=True)


def fail(error: TracelensError) -> int:
    """Say what failed, as JSON where that was asked for; return the exit code."""
    if _wants_json(sys.argv[1:]):
        from tracelens.formats import encode_error

        with suppress(ExportError):  # then it is said in words
            put(encode_error(error))
            return error.exit_code
    return say(error)


def say(error: TracelensError) -> int:
    """Say in words what failed; return the exit code."""
    from tracelens.render.failure import render_failure

    click.echo(render_failure(error), err=True)
    return error.exit_code


def _wants_json(arguments: list[str]) -> bool:
    """Say whether JSON was asked for; the parser may have failed before it could tell."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=False)
    return any(a == "--format=json" or (a == "--format" and b == "json") for a, b in pairs)
