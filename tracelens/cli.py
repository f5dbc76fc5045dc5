"""The command line: options, one call of the api, one echo."""

from __future__ import annotations

import errno
import io
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from tracelens.errors import ExportError, TracelensError, UsageError
from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.model.report import Report

_REGRESSED = 3
"""Exit code of a comparison that found a regression."""

_FORMATS = click.Choice(["text", "json"])


class _Real(click.FloatRange):
    """A number in a range. NaN compares with no bound, so click would let it through."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


def main() -> None:
    """Run the command and exit: 0 done, 1 input or device error, 2 usage, 3 a regression."""
    try:
        code = cli.main(standalone_mode=False) or 0
    except TracelensError as error:
        code = _fail(error)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = UsageError.exit_code
    except click.ClickException as error:
        code = _fail(UsageError(error.format_message(), _usage_hint(error)))
    except (click.Abort, KeyboardInterrupt):
        code = 130  # 128 + SIGINT, as shells say it
    except BrokenPipeError:  # the reader, a pager or head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="tracelens")
def cli() -> None:
    """Say where the microseconds of a GPU op's call go."""


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that every command has."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Show every row of every table."),
        click.option("-q", "--quiet", is_flag=True, help="No progress on standard error."),
        click.option(
            "--format",
            "form",
            type=_FORMATS,
            default="text",
            show_default=True,
            help="What to write on standard output.",
        ),
    ):
        command = option(command)
    return command


@cli.command()
@click.argument("op_file", required=False, type=click.Path(path_type=Path))
@click.option("--stmt", metavar="CODE", help="Measure this statement instead of OP_FILE.")
@click.option("--setup", metavar="CODE", default="", help="Code before --stmt, not timed.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Case to measure. Repeatable.")
@click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="Variant to measure. Repeatable."
)
@click.option("--keep-going", is_flag=True, help="Measure an op that failed a check all the same.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run folder. [default: <op>.run]"
)
@click.option("--force", is_flag=True, help="Replace the run folder that -o names.")
@click.option("--device", help="cuda, cuda:N or cpu. [default: where the inputs are]")
@click.option(
    "--timeout",
    type=_Real(min=0, min_open=True),
    help="Give up on a case after SECONDS.",
    metavar="SECONDS",
)
@click.option(
    "--samples",
    type=click.IntRange(min=5),
    default=200,
    show_default=True,
    help="Full calls to a block; block by block until their median is known.",
)
@click.option(
    "--precision",
    type=_Real(min=0, max=1, min_open=True, max_open=True),
    default=0.005,
    show_default=True,
    help="How well the median must be known: a share of it.",
)
@click.option(
    "--l2",
    type=click.Choice(["cold", "warm", "both"]),
    help="L2 cache before each sample. [default: both with bytes_moved, else warm]",
)
@click.option(
    "--flush",
    type=click.Choice(["write", "read"]),
    default="write",
    show_default=True,
    help="Make the L2 cold by writing or by reading twice its size.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed set before inputs().",
)
@_shared
def profile(
    *,
    op_file: Path | None,
    stmt: str | None,
    setup: str,
    cases: tuple[str, ...],
    variants: tuple[str, ...],
    keep_going: bool,
    output: Path | None,
    force: bool,
    device: str | None,
    timeout: float | None,
    samples: int,
    precision: float,
    l2: Literal["cold", "warm", "both"] | None,
    flush: Literal["write", "read"],
    seed: int,
    form: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Measure the op of OP_FILE three ways and say where its time goes.

    OP_FILE is a Python file with `inputs()`, which returns a tuple, and `op(*inputs)`. The run is
    kept in a folder: raw samples, environment, trace, report.

    \b
      tracelens profile examples/softmax.py
      tracelens profile examples/softmax.py --format json > report.json
      tracelens profile --setup "x = torch.randn(1024)" --stmt "torch.tanh(x)"
    """
    from tracelens.api import profile_file, profile_statement
    from tracelens.measure.options import Options
    from tracelens.model.op import Choice
    from tracelens.render.progress import Progress

    options = Options(
        device=device,
        samples=samples,
        precision=precision,
        l2=l2,
        flush=flush,
        seed=seed,
        keep_going=keep_going,
    )
    if op_file is not None and stmt is None and not setup:
        choice = Choice(cases=cases, variants=variants)
        measure = partial(profile_file, op_file, choice=choice)
    elif op_file is None and stmt is not None and not cases and not variants:
        measure = partial(profile_statement, stmt, setup=setup)
    else:
        raise UsageError(
            "either an op file or --stmt is needed, and --setup is for --stmt alone",
            "see `tracelens profile --help`",
        )
    with Progress(quiet=quiet) as progress:
        kept = measure(
            output=output,
            force=force,
            options=options,
            timeout_s=timeout,
            on_record=progress.show,
        )
    if kept.failure is not None:
        several = len(kept.run.subjects) > 1
        if kept.timed and (form == "text" or several):
            _write(kept.report, form, verbose=verbose)
            return _say(kept.failure)
        raise kept.failure
    _write(kept.report, form, verbose=verbose)
    if not quiet:
        _note(f"kept in {kept.folder}")
    return 0


@cli.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--window", metavar="NAME", help="Annotation whose stretches are calls.")
@click.option("--time-window", metavar="NAME", help="Annotation whose stretches cut the timeline.")
@click.option("--launches", is_flag=True, help="Add a row per piece of device work.")
@click.option("--recover", is_flag=True, help="Read what is left of a truncated trace.")
@click.option(
    "--max-expanded-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Refuse a gzip file that expands to more. [default: 16 GiB]",
)
@click.option(
    "--export",
    type=click.Choice(["perfetto"]),
    help="Also write TRACE with the split as one more track.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File for --export. [default: <trace>.perfetto.json.gz]",
)
@_shared
def analyze(
    *,
    trace: Path,
    window: str | None,
    time_window: str | None,
    launches: bool,
    recover: bool,
    max_expanded_bytes: int | None,
    export: str | None,
    output: Path | None,
    form: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Split every window of TRACE exactly and table its kernels.

    TRACE is a torch.profiler trace, .json or .json.gz, or what Nsight Systems exports as SQLite.
    Windows are the calls annotated `tracelens::call`, else the profiler's steps, else the whole
    trace.

    \b
      tracelens analyze trace.json.gz
      tracelens analyze trace.json.gz --time-window ProfilerStep
      tracelens analyze trace.json.gz --export perfetto -o split.json.gz
    """
    from tracelens.api import analyze_trace
    from tracelens.formats import MAX_EXPANDED_BYTES, perfetto_path

    if output is not None and export is None:
        raise UsageError("-o names a file to export to, and nothing is exported", "add --export")
    perfetto = (output or perfetto_path(trace)) if export else None
    report = analyze_trace(
        trace,
        window=window,
        time_window=time_window,
        launches=launches,
        recover=recover,
        perfetto=perfetto,
        max_expanded_bytes=max_expanded_bytes or MAX_EXPANDED_BYTES,
    )
    _write(report, form, verbose=verbose)
    if perfetto and not quiet:
        _note(f"written to {perfetto}: open it at https://ui.perfetto.dev")
    return 0


@cli.command()
@_shared
def doctor(*, form: str, quiet: bool, verbose: bool) -> int:
    """Calibrate every way of timing on this machine against known truth.

    Kernels and host spins of known length are timed by CUPTI, torch.profiler, CUDA events and the
    host clock; a finding for each says what it can be trusted for. Several cards are compared.
    Without a GPU the host clock is checked, and the report says what could not be.

    \b
      tracelens doctor
      tracelens doctor --format json
    """
    from tracelens.api import examine_machine

    _write(examine_machine(), form, verbose=verbose)
    return 0


@cli.command()
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("candidate", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Show ratios between runs that were taken unlike.")
@click.option(
    "--threshold",
    type=_Real(min=0),
    default=2,
    show_default=True,
    metavar="PERCENT",
    help="Slower by more than this is a regression: exit code 3.",
)
@click.option(
    "--expect",
    multiple=True,
    metavar="PREDICTION",
    help='What you expect, such as "kernel: -20% +/- 3%". Repeatable.',
)
@click.option("--window", metavar="NAME", help="Of traces: annotation whose stretches are calls.")
@click.option("--time-window", metavar="NAME", help="Of traces: annotation that cuts them.")
@click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="Of op files: one, or one a side."
)
@click.option(
    "--python", "pythons", multiple=True, metavar="PATH", help="Of op files: one, or one a side."
)
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Of op files. Repeatable.")
@click.option(
    "--mode",
    type=click.Choice(["eager", "graph", "both"]),
    default="eager",
    show_default=True,
    help="Of op files: call the op, or replay its CUDA graph.",
)
@click.option(
    "--processes",
    type=click.IntRange(min=2, max=8),
    default=3,
    show_default=True,
    help="Of op files: processes of each side; all hold their inputs at once.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=20),
    default=60,
    show_default=True,
    help="Of op files: turns of each side, at the most.",
)
@click.option(
    "--l2",
    type=click.Choice(["cold", "warm"]),
    default="warm",
    show_default=True,
    help="Of op files: L2 cache before each call, on both sides.",
)
@click.option(
    "--subtract-us",
    type=_Real(min=0),
    default=0,
    metavar="US",
    help="Of op files: taken off every full call, and said so.",
)
@click.option("--device", help="Of op files: cuda, cuda:N or cpu.")
@click.option(
    "--timeout",
    type=_Real(min=0, min_open=True),
    metavar="SECONDS",
    help="Of op files: give up on a case, or a turn.",
)
@_shared
def diff(
    *,
    baseline: Path,
    candidate: Path | None,
    force: bool,
    threshold: float,
    expect: tuple[str, ...],
    window: str | None,
    time_window: str | None,
    form: str,
    quiet: bool,
    verbose: bool,
    **live: Any,
) -> int:
    """Say whether CANDIDATE is faster or slower than BASELINE, and why.

    Both are run folders of `tracelens profile`, or traces, or op files. Op files are measured
    live: both sides are kept warm and take turns. CANDIDATE may be left out for two variants, or
    two interpreters, of one op file. A ratio is candidate / baseline with a 99 % interval; above 1
    is slower. Ends with exit code 3 where the full call or the device's work regressed.

    \b
      tracelens diff base.run cand.run --expect "kernel: -20% +/- 3%"
      tracelens diff base.json.gz cand.json.gz
      tracelens diff base_op.py cand_op.py --mode both
      tracelens diff op.py --python old/bin/python --python new/bin/python
    """
    from tracelens.api import diff_runs, diff_traces

    judged: dict[str, Any] = {"threshold": threshold / 100, "expect": expect}
    paths = [path for path in (baseline, candidate) if path is not None]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1 or (candidate is None and kinds != {"op file"}):
        given = " and ".join(f"{path} ({_kind(path)})" for path in paths)
        raise UsageError(
            f"two sides of one kind are needed; {given} {'was' if candidate is None else 'were'} "
            "given",
            "pass two run folders, two traces or two op files, or one op file with two variants "
            "or interpreters",
        )
    if candidate is None or kinds == {"op file"}:
        report = _diff_live(baseline, candidate or baseline, quiet=quiet, **live, **judged)
    elif kinds == {"run"}:
        report = diff_runs(baseline, candidate, force=force, **judged)
    else:
        report = diff_traces(
            *(baseline, candidate), window=window, time_window=time_window, force=force, **judged
        )
    _write(report, form, verbose=verbose)
    return _REGRESSED if report.metric("diff/regressions/count").value else 0


def _kind(path: Path) -> str:
    if path.suffix == ".py":
        return "op file"
    return "run" if path.is_dir() else "trace"


def _diff_live(
    baseline: Path,
    candidate: Path,
    *,
    variants: tuple[str, ...],
    pythons: tuple[str, ...],
    mode: Literal["eager", "graph", "both"],
    subtract_us: float,
    device: str | None,
    l2: Literal["cold", "warm"],
    timeout: float | None,
    quiet: bool,
    **judged: Any,
) -> Report:
    from tracelens.api import diff_live
    from tracelens.measure.options import Options
    from tracelens.model.pairs import Entry
    from tracelens.render.progress import Progress

    variant, python = _for_each_side("--variant", variants), _for_each_side("--python", pythons)
    entries = [
        Entry(op_path=path, variant=variant[side], python=_interpreter(python[side]))
        for side, path in enumerate((baseline, candidate))
    ]
    if entries[0] == entries[1]:
        raise UsageError(
            "both sides are the same: there is nothing to tell apart",
            "name a second op file, two variants or two interpreters",
        )
    with Progress(quiet=quiet) as progress:
        return diff_live(
            *entries,
            ways=("eager", "graph") if mode == "both" else (mode,),
            subtract_ns=round(1000 * subtract_us),
            options=Options(device=device, l2=l2),
            timeout_s=timeout,
            on_record=progress.show,
            **judged,
        )


def _for_each_side(option: str, stated: tuple[str, ...]) -> tuple[str | None, str | None]:
    if len(stated) > 2:
        raise UsageError(f"{option} was given {len(stated)} times", "give it once, or once a side")
    return (stated[0], stated[-1]) if stated else (None, None)


def _interpreter(python: str | None) -> str | None:
    if python is not None and shutil.which(python) is None:
        raise UsageError(f"{python} is no program", "name the interpreter of an environment")
    return python


@cli.command()
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="RUN | TRACE")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="New folder. [default: <source>.issue]"
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
    source: Path | None,
    output: Path | None,
    op: str | None,
    no_trace: bool,
    check: bool,
    read: Path | None,
    quiet: bool,
) -> int:
    """Write a report that others can reproduce: issue.md, repro.py and the trace.

    Names of users, hosts and jobs, keys, addresses and paths are replaced in all of them, and
    counted. The reproducer needs torch and what the op imports, not tracelens.

    \b
      tracelens issue softmax.run --check
      tracelens issue softmax.run -o softmax.issue
      tracelens issue trace.json.gz --op aten::mm
      tracelens issue --read softmax.issue/issue.md
    """
    from tracelens.api import check_issue, read_issue, write_issue

    if read is not None:
        _put(read_issue(read))
        return 0
    if source is None:
        raise UsageError("a run folder or a trace is missing", "see `tracelens issue --help`")
    if check:
        with _standard_output():
            click.echo(check_issue(source, trace=not no_trace, op=op), nl=False)
        return 0
    folder = write_issue(source, output=output, trace=not no_trace, op=op)
    if not quiet:
        _note(f"written to {folder}: look at issue.md before you post it")
    return 0


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="NAME... | FILE | TRACE | -")
@_shared
def kernels(*, sources: tuple[str, ...], form: str, quiet: bool, verbose: bool) -> int:
    """Say what kernel names mean: family, library, role and configuration.

    A file holds one name a line, or is a trace; `-` reads one name a line from standard input.
    What a name does not say is not guessed: each field is documented, inferred or unknown.

    \b
      tracelens kernels nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT
      tracelens kernels trace.json.gz --format json
    """
    from tracelens.api import name_kernels, report_kernels

    found = name_kernels(sources, stdin=io.BytesIO() if sys.stdin is None else sys.stdin.buffer)
    if form == "json":
        from tracelens.formats import encode_kernel_names

        _put(encode_kernel_names(found))
    else:
        _write(report_kernels(found), form, verbose=verbose)
    return 0


def _write(report: Report, form: str, *, verbose: bool) -> None:
    if form == "json":
        from tracelens.formats import encode_report

        _put(encode_report(report))
        return
    from tracelens.render import render_text

    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    with _standard_output() as out:
        color = out.isatty() and "NO_COLOR" not in os.environ
        unicode = (out.encoding or "").lower().startswith("utf")
        text = render_text(report, width=width, color=color, verbose=verbose, unicode=unicode)
        click.echo(text, nl=False, color=color)


def _put(data: bytes) -> None:
    with _standard_output() as out:
        out.buffer.write(data)


@contextmanager
def _standard_output() -> Iterator[TextIO]:
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


def _note(text: str) -> None:
    """Say on standard error what was done; a path may hold anything."""
    from tracelens.render.safe_text import safe

    click.echo(safe(text), err=True)


def _fail(error: TracelensError) -> int:
    if _wants_json(sys.argv[1:]):
        from tracelens.formats import encode_error

        with suppress(ExportError):  # then it is said in words
            _put(encode_error(error))
            return error.exit_code
    return _say(error)


def _say(error: TracelensError) -> int:
    from tracelens.render.failure import render_failure

    click.echo(render_failure(error), err=True)
    return error.exit_code


def _wants_json(arguments: list[str]) -> bool:
    """Say whether JSON was asked for; the parser may have failed before it could tell."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=False)
    return any(a == "--format=json" or (a == "--format" and b == "json") for a, b in pairs)


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "tracelens"
    return f"see `{command} --help`"
