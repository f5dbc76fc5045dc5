"""Options that several commands have, and the values that they take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import click

_FORMATS = ("text", "json")


class Real(click.FloatRange):
    """A number in a range. NaN compares with no bound, so click would let it through."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; fail where it is none or infinite."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


def shared(command: Callable[..., Any], *, formats: Sequence[str] = _FORMATS) -> Callable[..., Any]:
    """Add the options that every command has."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Show every row of every table."),
        click.option("-q", "--quiet", is_flag=True, help="No progress on standard error."),
        click.option(
            "--format",
            "form",
            type=click.Choice(formats),
            default="text",
            show_default=True,
            help="What to write on standard output.",
        ),
    ):
        command = option(command)
    return command
