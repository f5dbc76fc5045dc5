"""What an op file does last: a stage of its own, that costs nothing of what was measured."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from tracelens.measure.failure import RAISED, spell_error
from tracelens.model.measurement import Noticed, Record, Stage
from tracelens.model.op import Op
from tracelens.model.report import Finding


def with_teardown(op: Op, records: Iterator[Record]) -> Iterator[Record]:
    """Pass records on and call `teardown()` behind them, whatever taking them raises.

    What it raises itself is a finding; behind another error, which stands, it goes to the log.
    """
    if op.teardown is None:
        yield from records
        return
    try:
        yield from records
    except BaseException:
        try:
            op.teardown()
        except RAISED:
            traceback.print_exc()
        raise
    yield Stage(name="teardown", is_extra=True)
    try:
        op.teardown()
    except RAISED as error:
        yield Noticed(
            finding=Finding(
                tag="teardown/failed",
                severity="warning",
                fact=f"teardown() raised {spell_error(error)}; all else had been measured",
                advice="let teardown() undo what setup() did, and no more",
            )
        )
