"""`tracelens diff`: compare two builds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tracelens.cli.live import Live
from tracelens.cli.options import Real, shared
from tracelens.cli.output import note, put_file, write
from tracelens.cli.sides import (
    Kind,
    choose_sides,
    refuse_options_beside_accept,
    refuse_options_of_others,
)
from tracelens.errors import UsageError

if TYPE_CHECKING:
    from tracelens.model.report import Report


_REGRESSED = 3
"""Exit code of a comparison that found a regression."""
_SUMMARY = "GITHUB_STEP_SUMMARY"


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="BASELINE [CANDIDATE]")
@click.option(
    "--to",
    "others",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="A run of the candidate; those without are of the baseline. Repeatable.",
)
@click.option(
    "--baseline", "accepted", metavar="NAME", help="Compare a run with the last accepted of NAME."
)
@click.option("--accept", metavar="NAME", help="Store a run as the last accepted of NAME.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path(".tracelens/baselines"),
    show_default=True,
    metavar="DIR",
    help="Where accepted runs are kept.",
)
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="Also write JUnit XML."
)
@click.option("--step-summary", is_flag=True, help=f"Also add Markdown to ${_SUMMARY}.")
@click.option("--force", is_flag=True, help="Show ratios between runs that were taken unlike.")
@click.option(
    "--threshold",
    type=Real(min=0),
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
    help="Of op files: processes of each side; more of them tell smaller differences, and all hold "
    "their inputs at once.",
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
    type=Real(min=0),
    default=0,
    metavar="US",
    help="Of op files: taken off every full call, and said so.",
)
@click.option("--device", help="Of op files: cuda, cuda:N or cpu.")
@click.option(
    "--timeout",
    type=Real(min=0, min_open=True),
    metavar="SECONDS",
    help="Of op files: give up on a case, or a turn.",
)
@partial(shared, formats=("text", "json", "markdown"))
def diff(
    *,
    paths: tuple[Path, ...],
    others: tuple[Path, ...],
    accepted: str | None,
    accept: str | None,
    store: Path,
    junit: Path | None,
    step_summary: bool,
    force: bool,
    threshold: float,
    expect: tuple[str, ...],
    window: str | None,
    time_window: str | None,
    variants: tuple[str, ...],
    pythons: tuple[str, ...],
    cases: tuple[str, ...],
    mode: Literal["eager", "graph", "both"],
    processes: int,
    rounds: int,
    l2: Literal["cold", "warm"],
    subtract_us: float,
    device: str | None,
    timeout: float | None,
    form: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Say whether CANDIDATE is faster or slower than BASELINE, and why.

    Both are run folders of `tracelens profile`, or traces, or op files. Op files are measured
    live: both sides are kept warm and take turns. One op file is compared with itself: its two
    variants, or two interpreters. A ratio is candidate / baseline with a 99 % interval; above 1
    is slower. Ends with exit code 3 where the full call or the device's work regressed, or a case
    was lost.

    \b
      tracelens diff base.run cand.run --expect "kernel: -20% +/- 3%"
      tracelens diff base1.run base2.run --to cand1.run --to cand2.run
      tracelens diff base.json.gz cand.json.gz
      tracelens diff base_op.py cand_op.py --mode both
      tracelens diff op.py --python old/bin/python --python new/bin/python
      tracelens diff --accept main cand.run
      tracelens diff --baseline main cand.run --junit diff.xml --step-summary
    """
    summary = _summary_path() if step_summary else None
    if accept is not None:
        refuse_options_beside_accept()
        return _accept(accept, _alone(paths, "--accept"), store, quiet=quiet)
    if accepted is not None:
        from tracelens.api import find_accepted

        candidate = _alone(paths, "--baseline")
        paths, others = (find_accepted(accepted, candidate, store=store),), (candidate, *others)
    kind, *sides = choose_sides(paths, others)
    refuse_options_of_others(kind)
    live = Live(
        variants=variants,
        pythons=pythons,
        cases=cases,
        mode=mode,
        processes=processes,
        rounds=rounds,
        l2=l2,
        subtract_us=subtract_us,
        device=device,
        timeout_s=timeout,
        quiet=quiet,
    )
    report = _compare(
        kind,
        *sides,
        live=live,
        windows=(window, time_window),
        force=force,
        threshold=threshold / 100,
        expect=expect,
    )
    write(report, form, verbose=verbose)
    _write_for_ci(report, junit=junit, summary=summary)
    bad = ("diff/regressions/count", "diff/lost/count")
    return _REGRESSED if any(report.metric(tag).value for tag in bad) else 0


def _compare(
    kind: Kind,
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    *,
    live: Live,
    windows: tuple[str | None, str | None],
    force: bool,
    threshold: float,
    expect: tuple[str, ...],
) -> Report:
    from tracelens.api import diff_runs, diff_traces

    if kind == "op file":
        return live.compare(
            (*baseline, *candidate), force=force, threshold=threshold, expect=expect
        )
    if kind == "run":
        return diff_runs(baseline, candidate, force=force, threshold=threshold, expect=expect)
    return diff_traces(
        *(*baseline, *candidate),
        window=windows[0],
        time_window=windows[1],
        force=force,
        threshold=threshold,
        expect=expect,
    )


def _alone(paths: tuple[Path, ...], option: str) -> Path:
    if len(paths) != 1:
        raise UsageError(
            f"{option} is about one run, and {len(paths)} were given", f"write {option} NAME RUN"
        )
    return paths[0]


def _accept(name: str, run: Path, store: Path, *, quiet: bool) -> int:
    from tracelens.api import accept_run

    kept = accept_run(name, run, store=store)
    if not quiet:
        note(f"accepted as {kept}")
    return 0


def _summary_path() -> Path:
    path = os.environ.get(_SUMMARY)
    if not path:
        raise UsageError(
            f"--step-summary writes to the file that ${_SUMMARY} names, and it is not set",
            "leave it out, or run it as a step of a GitHub workflow",
        )
    return Path(path)


def _write_for_ci(report: Report, *, junit: Path | None, summary: Path | None) -> None:
    """Write what continuous integration reads, after what a person reads: neither costs it."""
    if junit is not None:
        from tracelens.render.junit import render_junit

        put_file(junit, render_junit(report), mode="w")
    if summary is not None:
        from tracelens.render.markdown import render_markdown

        put_file(summary, render_markdown(report), mode="a")
