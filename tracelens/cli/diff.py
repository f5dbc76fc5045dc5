"""`tracelens diff`: compare two builds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from tracelens.cli.options import Real, shared
from tracelens.cli.output import write
from tracelens.errors import UsageError

if TYPE_CHECKING:
    from tracelens.model.report import Report


_REGRESSED = 3
"""Exit code of a comparison that found a regression."""


@click.command()
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("candidate", required=False, type=click.Path(path_type=Path))
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
@shared
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
    write(report, form, verbose=verbose)
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
