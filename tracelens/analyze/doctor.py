"""What each way of timing can be trusted for on this machine, from what it said of known things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tracelens.analyze.split import split
from tracelens.analyze.statistics import HIGH, LOW, median, quantile
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.errors import UsageError
from tracelens.model.calibration import Calibration
from tracelens.model.quantity import spell_ns
from tracelens.model.report import Column, Finding, Metric, Section, Severity, Table

_WAYS = {
    "cupti": "CUPTI",
    "profiler": "torch.profiler",
    "events": "CUDA events",
    "host": "the host clock",
}
_KERNEL_NS = 1_000
"""A kernel without a statement took 0.5 to 0.7 us on an H200: the device's own time to begin and
end it, which is no error of the record."""
_HOST_NS = 1_000
"""What calling a spin, and being interrupted in it, adds."""
_NEAR = 0.03
"""An error below this share of the truth is none."""


def doctor(
    calibrations: Sequence[Calibration],
    timeline: Timeline | None,
    findings: Sequence[Finding] = (),
) -> Section:
    """Judge every calibration; `timeline` holds the samples of those that name a window."""
    taken = [_filled(one, timeline) for one in calibrations]
    checks: dict[str, list[Calibration]] = {}
    for one in taken:
        checks.setdefault(one.check, []).append(one)
    cards = len({one.device for one in taken if one.device is not None})
    return Section(
        title="Calibration",
        metrics=tuple(metric for one in taken for metric in _metrics(one)),
        tables=(_table(taken),),
        findings=(*(_judged(check, ways, cards) for check, ways in checks.items()), *findings),
    )


def _filled(one: Calibration, timeline: Timeline | None) -> Calibration:
    """Read the samples of a calibration from its windows, where it has any."""
    if one.window is None or timeline is None:
        return one
    try:
        windows = choose(timeline, window=one.window)
    except UsageError:  # the profiler lost them: no samples, which a finding says
        return one
    return replace(one, samples_ns=tuple(split(timeline, windows).kernel_ns.tolist()))


def _error(one: Calibration) -> int | None:
    measured = median(one.samples_ns)
    return None if measured is None else measured - one.truth_ns


def _spread(one: Calibration) -> int | None:
    low, high = quantile(one.samples_ns, LOW), quantile(one.samples_ns, HIGH)
    return None if low is None or high is None else high - low


def _metrics(one: Calibration) -> Iterator[Metric]:
    way = _WAYS[one.way]
    for figure, value, meaning in (
        ("truth", one.truth_ns, one.truth_from),
        ("measured", median(one.samples_ns), f"median of {len(one.samples_ns)}, by {way}"),
        ("error", _error(one), "measured - truth"),
        ("spread", _spread(one), "quantile 0.8 - quantile 0.2 of what was measured"),
    ):
        yield Metric(
            tag=f"doctor/{one.name}/{figure}",
            name=f"{one.name}: {figure}",
            value=value,
            unit="ns",
            description=meaning,
        )


def _table(taken: Sequence[Calibration]) -> Table:
    rows = (
        (
            one.check,
            one.device or one.way,
            one.truth_ns,
            median(one.samples_ns),
            _error(one),
            _spread(one),
        )
        for one in taken
    )
    columns = (
        Column(name="check"),
        Column(name="by"),
        *(
            Column(name=name, unit="ns")
            for name in ("truth_ns", "measured_ns", "error_ns", "spread_ns")
        ),
    )
    return Table(tag="doctor", columns=columns, rows=tuple(rows))


def _judged(check: str, ways: Sequence[Calibration], cards: int) -> Finding:
    """Say what the ways said of one thing, and what that makes of them."""
    told = [one for one in ways if one.samples_ns]
    if not told:
        return _finding(check, "warning", f"{check}: nothing was recorded", "run it again")
    if told[0].device is not None:
        return _beside_siblings(check, told, cards)
    if told[0].kind == "nothing":
        return _of_nothing(check, told)
    if told[0].kind == "host":
        return _of_host(check, told[0])
    return _of_kernel(check, told, silent=[one for one in ways if one not in told])


def _said(told: Sequence[Calibration]) -> str:
    return ", ".join(
        f"{_WAYS[one.way]} {spell_ns(_measured(one))} ({_measured(one) - one.truth_ns:+,} ns)"
        for one in told
    )


def _of_nothing(check: str, told: Sequence[Calibration]) -> Finding:
    fact = f"{told[0].truth_from}, so the truth is 0: {_said(told)}"
    return _finding(check, "info", fact, "nothing shorter can be told from nothing this way")


def _of_kernel(check: str, told: Sequence[Calibration], silent: Sequence[Calibration]) -> Finding:
    truth_ns = told[0].truth_ns
    fact = f"a kernel of {spell_ns(truth_ns)}: {_said(told)}"
    fact += "".join(f", {_WAYS[one.way]} nothing" for one in silent)
    near = max(_KERNEL_NS, _NEAR * truth_ns)
    good = [one for one in told if abs(_measured(one) - truth_ns) <= near]
    if not good:
        return _finding(check, "warning", fact, "no way here is to be trusted at this length")
    names = ", ".join(_WAYS[one.way] for one in good)
    rest = ", ".join(_WAYS[one.way] for one in told if one not in good)
    advice = f"trust at this length: {names}" + (f"; not: {rest}" if rest else "")
    records = any(one.way in ("cupti", "profiler") for one in good)
    return _finding(check, "info" if records else "warning", fact, advice)


def _of_host(check: str, one: Calibration) -> Finding:
    error, truth = _measured(one) - one.truth_ns, spell_ns(one.truth_ns)
    spread = spell_ns(_spread(one) or 0)
    fact = f"{one.truth_from}: {spell_ns(error)} off after {truth}, spread {spread}"
    if abs(error) <= max(_HOST_NS, _NEAR * one.truth_ns):
        return _finding(check, "info", fact, "trusted for host times")
    return _finding(check, "warning", fact, "look for other load on the host, and run it again")


def _beside_siblings(check: str, told: Sequence[Calibration], cards: int) -> Finding:
    truth_ns = told[0].truth_ns
    shares = {one.device: _measured(one) / truth_ns - 1 for one in told}
    listed = ", ".join(
        f"{one.device} {spell_ns(_measured(one))} ({shares[one.device]:+.1%})" for one in told
    )
    fact = f"{told[0].truth_from}, {spell_ns(truth_ns)}: {listed}"
    odd = [str(device) for device, share in shares.items() if abs(share) > _NEAR]
    if not odd:
        return _finding(check, "info", fact, "the cards are alike")
    if cards == 2:
        return _finding(check, "warning", fact, "the two differ; which of them is odd is open")
    advice = f"do not compare times of {' and '.join(odd)} with the others'"
    return _finding(check, "warning", fact, advice)


def _measured(one: Calibration) -> int:
    return median(one.samples_ns) or 0


def _finding(check: str, severity: Severity, fact: str, advice: str) -> Finding:
    return Finding(tag=f"doctor/{check}", severity=severity, fact=fact, advice=advice)
