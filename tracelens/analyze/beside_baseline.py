"""A variant beside the baseline of its case, as one profile measured both: without pairs."""

from __future__ import annotations

import numpy as np

from tracelens.analyze.change import Change, compare
from tracelens.analyze.ran import Ran
from tracelens.model.intervals import Int64s
from tracelens.model.measurement import Measurement
from tracelens.model.report import Metric, Section

_FULL = "full/eager"


def full_calls(ran: Ran) -> Measurement | None:
    """Return the full calls of a subject, None where none were timed."""
    return next((m for m in ran.found.measurements if m.tag == _FULL), None)


def change_of_full(ran: Ran, baseline: Ran) -> Change | None:
    """Compare full calls; None where either side has none, or had its cache in another state."""
    after, before = full_calls(ran), full_calls(baseline)
    if after is None or before is None or after.cache_state != before.cache_state:
        return None
    return compare(_samples(before), _samples(after))


def beside_baseline(ran: Ran, baseline: Ran) -> Section:
    """Say how a variant compares with the baseline; the two did not take turns."""
    change = change_of_full(ran, baseline) or Change()
    device = ran.device_ns / baseline.device_ns if ran.kernels and baseline.device_ns else None
    name = baseline.found.subject.variant
    figures = (
        ("full/ratio", f"full call / {name}'s", change.ratio, "medians of full/eager"),
        ("full/ratio_low", "from", change.ratio_low, "99 % interval, not paired"),
        ("full/ratio_high", "to", change.ratio_high, "99 % interval, not paired"),
        ("device/ratio", f"device time / {name}'s", device, "sums of kernels, copies and sets"),
    )
    metrics = tuple(
        Metric(tag=f"variant/{tag}", name=words, value=value, unit="ratio", description=meaning)
        for tag, words, value, meaning in figures
        if value is not None  # a case that failed, or has no device time, says so itself
    )
    return Section(
        title="Beside the baseline",
        metrics=metrics,
        case=ran.found.subject.case,
        variant=ran.found.subject.variant,
    )


def _samples(taken: Measurement) -> Int64s:
    return np.array(taken.samples_ns, np.int64)
