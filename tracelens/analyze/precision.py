"""How well the medians of full calls are known, and why sampling ended when it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tracelens.analyze.statistics import median
from tracelens.model.measurement import Measurement
from tracelens.model.median_interval import CONFIDENCE, median_interval
from tracelens.model.quantity import spell_share
from tracelens.model.report import Finding, Metric

_STEM = "full/eager"
"""Every report has the interval of this, measured or not."""


def intervals(taken: Mapping[str, Measurement]) -> Iterator[Metric]:
    """Yield `<stem>/ci_low` and `<stem>/ci_high` of all that was sampled by a rule."""
    for stem in _sampled_by_rule(taken):
        samples = taken[stem].samples_ns if stem in taken else ()
        low, high = median_interval(samples) or (None, None)
        for figure, value in (("ci_low", low), ("ci_high", high)):
            yield Metric(
                tag=f"{stem}/{figure}",
                name=f"{stem} median, {'from' if figure == 'ci_low' else 'to'}",
                value=value,
                unit="ns",
                description=f"{spell_share(CONFIDENCE)} interval, by order statistics",
            )


def ended_early(taken: Mapping[str, Measurement]) -> Iterator[Finding]:
    """Yield a finding for each that ended before its median was known as well as was asked."""
    for stem in _sampled_by_rule(taken):
        one = taken.get(stem)
        if one is None or one.ended_by in (None, "precision"):
            continue
        spent = "time" if one.ended_by == "budget" else "number of samples"
        yield Finding(
            tag=f"{stem}/ended_by_{one.ended_by}",
            severity="info",
            fact=f"{stem}: the {spent} allowed ended first; {_known(one)} after "
            f"{len(one.samples_ns)} samples",
            advice="find a quieter machine, or a wider --precision; compare only what differs "
            "by more",
        )


def discarded(taken: Mapping[str, Measurement]) -> Iterator[Finding]:
    """Yield a finding for each that left samples out."""
    for stem, one in taken.items():
        if one.discarded:
            share = one.discarded / (one.discarded + len(one.samples_ns))
            yield Finding(
                tag=f"{stem}/throttled",
                severity="warning",
                fact=f"{stem}: {one.discarded} samples ({spell_share(share)}) were taken while the "
                "card was throttled, and are left out",
                advice="let the card cool down, and look at its cooling and power supply",
            )


def _known(one: Measurement) -> str:
    interval, middle = median_interval(one.samples_ns), median(one.samples_ns)
    if interval is None or not middle:
        return "how well the median is known cannot be said"
    widest = max(interval[1] - middle, middle - interval[0]) / middle
    return f"the median is known within {spell_share(widest)}"


def _sampled_by_rule(taken: Mapping[str, Measurement]) -> list[str]:
    ruled = [stem for stem, one in taken.items() if one.ended_by is not None]
    return list(dict.fromkeys((_STEM, *ruled)))
