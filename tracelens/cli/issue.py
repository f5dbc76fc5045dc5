"""`tracelens issue`: write a report that others can reproduce."""

from __future__ import annotations

from pathlib import Path

import click

from tracelens.cli.output import note, put, standard_output
from tracelens.cli.sides import require_recording
from tracelens.errors import UsageError

_HELP = "see `tracelens issue --help`"


@click.command()
@click.argument(
    "sources", nargs=-1, type=click.Path(path_type=Path), metavar="RUN [CANDIDATE] | TRACE"
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="New folder. [default: <name>.issue]"
)
@click.option("--op", metavar="NAME", help="Reproduce this recorded framework op, as aten::mm.")
@click.option("--no-trace", is_flag=True, help="Leave the trace out.")
@click.option("--check", is_flag=True, help="Write nothing; show every string that would leave.")
@click.option(
    "--read",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Print the numbers of an issue.md as JSON.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what was written.")
def issue(
    *,
    sources: tuple[Path, ...],
    output: Path | None,
    op: str | None,
    no_trace: bool,
    check: bool,
    read: Path | None,
    quiet: bool,
) -> int:
    """Write a report that others can reproduce: issue.md, repro.py and the trace.

    Of two runs it says what changed from the first to the second, with both sides.
    Names of users, hosts and jobs, keys, addresses and paths are replaced in all of them, and
    counted. The reproducer needs torch and what the op imports, not tracelens.

    \b
      tracelens issue softmax.run --check
      tracelens issue softmax.run -o softmax.issue
      tracelens issue base.run cand.run
      tracelens issue trace.json.gz --op aten::mm
      tracelens issue --read softmax.issue/issue.md
    """
    from tracelens.api import check_issue, read_issue, write_issue

    if read is not None:
        put(read_issue(read))
        return 0
    if not 1 <= len(sources) <= 2:
        raise UsageError("a run folder, two of them, or a trace is needed", _HELP)
    for path in sources:
        require_recording(path)
    source, candidate = sources[0], sources[1] if len(sources) == 2 else None
    if check:
        with standard_output():
            shown = check_issue(source, candidate=candidate, trace=not no_trace, op=op)
            click.echo(shown, nl=False)
        return 0
    folder = write_issue(source, candidate=candidate, output=output, trace=not no_trace, op=op)
    if not quiet:
        note(f"written to {folder}: look at issue.md before you post it")
    return 0
