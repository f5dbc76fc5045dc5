"""`tracelens profile`: measure an op."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tracelens.cli.options import Real, shared
from tracelens.cli.output import note, say, write
from tracelens.errors import UsageError

if TYPE_CHECKING:
    from tracelens.api import Profile


@click.command()
@click.argument("op_file", required=False, type=click.Path(path_type=Path))
@click.option("--stmt", metavar="CODE", help="Measure this statement instead of OP_FILE.")
@click.option("--setup", metavar="CODE", default="", help="Code before --stmt, not timed.")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Case to measure. Repeatable.")
@click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="Variant to measure. Repeatable."
)
@click.option("--strict", is_flag=True, help="Exit with 1 unless every `expect` is met.")
@click.option(
    "--sweep",
    metavar="NAME=SIZES",
    help="Measure at many sizes instead: n=256..4096 doubles, n=1,5,9, or n for the cases' own.",
)
@click.option(
    "--variations",
    is_flag=True,
    help="Then change the inputs, one thing at a time: what does each cost, at first and later?",
)
@click.option(
    "--functions/--no-functions",
    default=True,
    help="Sample the Python functions that calls are in, for 2 to 4 seconds. [default: sample]",
)
@click.option("--keep-going", is_flag=True, help="Measure an op that failed a check all the same.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run folder. [default: <op>.run]"
)
@click.option("--force", is_flag=True, help="Replace the run folder that -o names.")
@click.option("--device", help="cuda, cuda:N or cpu. [default: where the inputs are]")
@click.option(
    "--timeout",
    type=Real(min=0, min_open=True),
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
    type=Real(min=0, max=1, min_open=True, max_open=True),
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
@shared
def profile(
    *,
    op_file: Path | None,
    stmt: str | None,
    setup: str,
    cases: tuple[str, ...],
    variants: tuple[str, ...],
    sweep: str | None,
    variations: bool,
    strict: bool,
    functions: bool,
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
      tracelens profile gemv.py --strict
      tracelens profile examples/add_sizes.py --sweep n=256..16777216
      tracelens profile --setup "x = torch.randn(1024)" --stmt "torch.tanh(x)"
    """
    from tracelens.measure.options import Options
    from tracelens.render.progress import Progress

    measure = _recipe(op_file, stmt, setup=setup, cases=cases, variants=variants, sweep=sweep)
    if strict and op_file is None:
        raise UsageError(
            "--strict holds a run against the `expect` of an op file, and there is none",
            "write the statement as an op file, with `expect`",
        )
    if sweep is not None and (strict or variations):
        raise UsageError(
            "--sweep measures sizes instead of a whole profile, which --strict and --variations "
            "are about",
            "leave it out, or leave them out",
        )
    options = Options(
        device=device,
        samples=samples,
        precision=precision,
        l2=l2,
        flush=flush,
        seed=seed,
        functions=functions,
        keep_going=keep_going,
        variations=variations,
    )
    with Progress(quiet=quiet) as progress:
        kept = measure(
            output=output,
            force=force,
            options=options,
            timeout_s=timeout,
            on_record=progress.show,
        )
    return _show(kept, form, strict=strict, quiet=quiet, verbose=verbose)


def _recipe(
    op_file: Path | None,
    stmt: str | None,
    *,
    setup: str,
    cases: tuple[str, ...],
    variants: tuple[str, ...],
    sweep: str | None,
) -> Callable[..., Profile]:
    """Return the recipe for what is to be measured: an op file, or a statement."""
    from tracelens.api import profile_file, profile_statement
    from tracelens.model.op import Choice
    from tracelens.model.sweep import Sweep

    if op_file is not None and stmt is None and not setup:
        choice = Choice(cases=cases, variants=variants)
        sizes = None if sweep is None else Sweep.read(sweep)
        return partial(profile_file, op_file, choice=choice, sweep=sizes)
    if op_file is None and stmt is not None and not (cases or variants or sweep):
        return partial(profile_statement, stmt, setup=setup)
    raise UsageError(
        "either an op file or --stmt is needed, and --setup is for --stmt alone",
        "see `tracelens profile --help`",
    )


def _show(kept: Profile, form: str, *, strict: bool, quiet: bool, verbose: bool) -> int:
    """Write the report of a run and say where it is; return the exit code."""
    if kept.failure is not None:
        several = len(kept.run.subjects) > 1
        if kept.timed and (form == "text" or several or kept.folder is None):
            write(kept.report, form, verbose=verbose)
            return say(kept.failure)
        raise kept.failure
    write(kept.report, form, verbose=verbose)
    if not quiet:
        note(f"kept in {kept.folder}")
        if kept.functions_drawn:
            note(
                "in it: functions.svg, a flame graph, and functions.speedscope.json for speedscope"
            )
    if strict and kept.unmet is not None:
        return say(kept.unmet)
    return 0
