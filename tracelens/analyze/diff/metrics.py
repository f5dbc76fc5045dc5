"""A pair of quantities as metrics, under the tags of the contract."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.analyze.change import Change
from tracelens.analyze.diff.pairing import Pair
from tracelens.model.report import Metric, Value


def pair_metrics(pair: Pair) -> Iterator[Metric]:
    """Yield `diff/<quantity>/{baseline,candidate,delta,ratio,ratio_low,ratio_high,verdict}`."""
    return change_metrics(
        f"diff/{pair.stem}", pair.name, pair.change, pair.unit, pair.includes, middle=pair.middle
    )


def change_metrics(
    stem: str, name: str, change: Change, unit: str, includes: str, *, middle: str = "median"
) -> Iterator[Metric]:
    """Yield a change under a stem. What it does not say is null.

    `middle` says what the baseline's and the candidate's figures are of their samples.
    """
    values: tuple[tuple[str, Value, str, str], ...] = (
        ("baseline", change.baseline, unit, f"{middle}, baseline; {includes}"),
        ("candidate", change.candidate, unit, f"{middle}, candidate; {includes}"),
        ("delta", change.delta, unit, "candidate - baseline"),
        ("delta_low", change.delta_low, unit, "lower end of its 99 % interval"),
        ("delta_high", change.delta_high, unit, "upper end of its 99 % interval"),
        ("ratio", change.ratio, "ratio", "candidate / baseline"),
        ("ratio_low", change.ratio_low, "ratio", "lower end of its 99 % interval"),
        ("ratio_high", change.ratio_high, "ratio", "upper end of its 99 % interval"),
    )
    if unit in ("ns", "cycles"):  # fewer launches are not faster, they are fewer
        values += (
            ("floor", change.floor, "ratio", "how far noise alone may move the ratio from 1"),
            ("verdict", change.verdict, "", "outside its interval and outside the floor, or not"),
        )
    for figure, value, figure_unit, description in values:
        yield Metric(
            tag=f"{stem}/{figure}",
            name=name if figure == "baseline" else f"{name}: {figure.replace('_', ' ')}",
            value=value,
            unit=figure_unit,
            description=description,
        )
