"""`tracelens analyze`: read a trace."""

from __future__ import annotations

from pathlib import Path

import click

from tracelens.cli.options import shared
from tracelens.cli.output import note, write
from tracelens.cli.sides import require_recording
from tracelens.errors import UsageError


@click.command()
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
@shared
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
    trace. The folder of a run that `tracelens profile` kept stands for its report.

    \b
      tracelens analyze trace.json.gz
      tracelens analyze trace.json.gz --time-window ProfilerStep
      tracelens analyze trace.json.gz --export perfetto -o split.json.gz
      tracelens analyze softmax.run
    """
    from tracelens.api import analyze_run, analyze_trace
    from tracelens.formats import MAX_EXPANDED_BYTES, perfetto_path

    if output is not None and export is None:
        raise UsageError("-o names a file to export to, and nothing is exported", "add --export")
    require_recording(trace)
    if trace.is_dir():
        if window or time_window or launches or recover or max_expanded_bytes or export:
            traces = sorted(trace.glob("trace*.json.gz"))
            raise UsageError(
                f"{trace} is a folder of a run, and the options are for a trace",
                "leave them out" + (f", or pass its trace, such as {traces[0]}" if traces else ""),
            )
        write(analyze_run(trace), form, verbose=verbose)
        return 0
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
    write(report, form, verbose=verbose)
    if perfetto and not quiet:
        note(f"written to {perfetto}: open it at https://ui.perfetto.dev")
    return 0
