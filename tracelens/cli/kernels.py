"""`tracelens kernels`: decode kernel names."""

from __future__ import annotations

import io
import sys

import click

from tracelens.cli.options import shared
from tracelens.cli.output import put, write


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

    found = name_kernels(sources, stdin=io.BytesIO() if sys.stdin is None else sys.stdin.buffer)
    if form == "json":
        from tracelens.formats import encode_kernel_names

        put(encode_kernel_names(found))
    else:
        write(report_kernels(found), form, verbose=verbose)
    return 0
