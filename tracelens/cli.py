"""The command line: options, one call of the api, one echo."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracelens.errors import TracelensError, UsageError
from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.model.report import Report

_FORMATS = click.Choice(["text", "json"])


def main() -> None:
    """Run the command and exit: 0 done, 1 input or device error, 2 usage, 3 a regression."""
    try:
        code = cli.main(standalone_mode=False) or 0
    except TracelensError as error:
        code = _fail(error)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
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
@click.argument("op_file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run folder. [default: <op>.run]"
)
@click.option("--force", is_flag=True, help="Replace the run folder that -o names.")
@click.option("--device", help="cuda, cuda:N or cpu. [default: where the inputs are]")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Give up after SECONDS.",
    metavar="SECONDS",
)
@click.option(
    "--samples",
    type=click.IntRange(min=5),
    default=200,
    show_default=True,
    help="Full calls to time.",
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
    op_file: Path,
    output: Path | None,
    force: bool,
    device: str | None,
    timeout: float | None,
    samples: int,
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
    """
    from tracelens.api import profile_file
    from tracelens.measure.options import Options
    from tracelens.render.progress import Progress

    options = Options(
        device=device,
        samples=samples,
        seed=seed,
    )
    with Progress(quiet=quiet) as progress:
        kept = profile_file(
            op_file,
            output=output,
            force=force,
            options=options,
            timeout_s=timeout,
            on_record=progress.show,
        )
    if kept.failure is not None:
        if form == "text" and kept.timed:
            _write(kept.report, form, verbose=verbose)
        raise kept.failure
    _write(kept.report, form, verbose=verbose)
    if not quiet:
        click.echo(f"kept in {kept.folder}", err=True)
    return 0


@cli.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--window", metavar="NAME", help="Annotation whose stretches are calls.")
@click.option("--time-window", metavar="NAME", help="Annotation whose stretches cut the timeline.")
@click.option("--launches", is_flag=True, help="Add a row per piece of device work.")
@click.option("--recover", is_flag=True, help="Read what is left of a truncated trace.")
@_shared
def analyze(
    *,
    trace: Path,
    window: str | None,
    time_window: str | None,
    launches: bool,
    recover: bool,
    form: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Split every window of TRACE exactly and table its kernels.

    TRACE is a torch.profiler trace, .json or .json.gz. Windows are the calls annotated
    `tracelens::call`, else the profiler's steps, else the whole trace.

    \b
      tracelens analyze trace.json.gz
      tracelens analyze trace.json.gz --time-window ProfilerStep
    """
    from tracelens.api import analyze_trace

    report = analyze_trace(
        trace, window=window, time_window=time_window, launches=launches, recover=recover
    )
    _write(report, form, verbose=verbose)
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

    found = name_kernels(sources, stdin=sys.stdin.buffer)
    if form == "json":
        from tracelens.formats import encode_kernel_names

        sys.stdout.buffer.write(encode_kernel_names(found))
    else:
        _write(report_kernels(found), form, verbose=verbose)
    return 0


def _write(report: Report, form: str, *, verbose: bool) -> None:
    if form == "json":
        from tracelens.formats import encode_report

        sys.stdout.buffer.write(encode_report(report))
        return
    from tracelens.render import render_text

    width = min(shutil.get_terminal_size((80, 24)).columns, 120)
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = render_text(report, width=width, color=color, verbose=verbose, unicode=unicode)
    click.echo(text, nl=False, color=color)


def _fail(error: TracelensError) -> int:
    if _wants_json(sys.argv[1:]):
        from tracelens.formats import encode_error

        sys.stdout.buffer.write(encode_error(error))
        sys.stdout.buffer.flush()
    else:
        from tracelens.render.failure import render_failure

        click.echo(render_failure(error), err=True)
    return error.exit_code


def _wants_json(arguments: list[str]) -> bool:
    """Say whether JSON was asked for; the parser may have failed before it could tell."""
    following = [*arguments[1:], ""]
    pairs = zip(arguments, following, strict=True)
    return any(a == "--format=json" or (a == "--format" and b == "json") for a, b in pairs)


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "tracelens"
    return f"see `{command} --help`"
