"""`tracelens kernels`: decode kernel names."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import click

from tracelens.cli.options import shared
from tracelens.cli.output import note, put, write
from tracelens.errors import TracelensError, UsageError

_FILES = (".json", ".json.gz", ".sqlite", ".txt", ".tsv", ".csv")
"""How files end that hold names, and no kernel's name does."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="NAME... | FILE | TRACE | -")
@shared
def kernels(*, sources: tuple[str, ...], form: str, quiet: bool, verbose: bool) -> int:
    """Say what kernel names mean: family, library, role and configuration.

    A file holds one name a line, or is a trace; `-` reads one name a line from standard input.
    What a name does not say is not guessed: each field is documented, inferred or unknown.

    \b
      tracelens kernels nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT
      tracelens kernels trace.json.gz --format json
    """
    from tracelens.api import name_kernels, report_kernels

    for source in sources:
        _require_no_path(source)
    found = name_kernels(sources, stdin=io.BytesIO() if sys.stdin is None else sys.stdin.buffer)
    if form == "json":
        from tracelens.formats import encode_kernel_names

        put(encode_kernel_names(found))
    else:
        write(report_kernels(found), form, verbose=verbose)
    if not found and not quiet:
        note("no kernel name was found")
    return 0


def _require_no_path(source: str) -> None:
    """Refuse a folder, and a file that is not there: decoding its path would be no answer."""
    try:
        path = Path(source)
        is_there, is_folder = path.exists(), path.is_dir()
        is_run = is_folder and (path / "run.json").exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return
    if is_run or (is_folder and os.sep in source):
        raise UsageError(
            f"{source} is a folder, not a name or a file of names",
            "pass a trace in it, such as trace.json.gz; `tracelens analyze` reads a run's folder",
        )
    if path.suffix == ".py" and is_there:
        raise UsageError(
            f"{source} is a Python file, not one of kernel names",
            f"tracelens profile {source} shows the kernels that it runs",
        )
    if source.endswith(_FILES) and not is_there:
        raise TracelensError(f"{source}: no such file", "check the path")
