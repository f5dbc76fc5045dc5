"""`tracelens doctor`: calibrate the instruments."""

from __future__ import annotations

import click

from tracelens.cli.options import shared
from tracelens.cli.output import write


@click.command()
@shared
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

    write(examine_machine(), form, verbose=verbose)
    return 0
