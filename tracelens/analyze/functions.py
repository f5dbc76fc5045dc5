"""Time per call of each Python function, from samples of the stack."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set

from tracelens.analyze.apportioning import apportion
from tracelens.analyze.host_sampled import Path, error_ns, own_row, slowed
from tracelens.analyze.statistics import median
from tracelens.model.functions import Frame, Function, FunctionSamples, FunctionTimes
from tracelens.model.measurement import Measurement, SubjectRun
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.model.report import Column, Finding, Metric, Section, Table

OUTSIDE = Function("outside Python functions")
"""The loop that calls, C functions that it calls directly, results given back."""
UNKEPT = Function("stacks too rare to be kept")

_WANTED = 10_000
"""Samples that state a share of a tenth within 6 % of it, 95 times in 100."""
_DISTURBED = 1.1
_MOVED = 1.25
_MUCH_UNREAD = 0.05

_COLUMNS = (
    Column(name="function"),
    Column(name="self_ns", unit="ns"),
    Column(name="total_ns", unit="ns"),
    Column(name="error_ns", unit="ns"),
    Column(name="samples", unit="count"),
    Column(name="file"),
    Column(name="line"),
    Column(name="self_error_ns", unit="ns"),
    Column(name="in_one_row"),
)


def functions_section(found: SubjectRun) -> Section | None:
    """Table the functions that a call is in, by their own time; None where none were sampled.

    `self_ns` is time in the function itself and in C code that it calls; they sum to the call.
    `total_ns` has what it calls too, a recursive function counted once. A share of the samples is
    the same share of a call without the sampler. `error_ns` is the sampling error of `total_ns`,
    `self_error_ns` that of `self_ns`: in 95 of 100 runs the truth lies no further away, if samples
    are independent. `in_one_row` says that one row of the tree `host_sampled` has all of the
    function's own time: only where it does not does this table say more than the tree.
    """
    samples = found.functions
    if samples is None:
        return None
    times = function_times(samples, name="")
    return Section(
        title="Own time by Python function, profiler off",
        metrics=tuple(_metrics(samples, times)),
        tables=(_table(times, _scattered(samples)),) if times.samples else (),
        findings=(*_findings(samples), *_moved(samples, found.measurements)),
    )


def function_times(samples: FunctionSamples, *, name: str) -> FunctionTimes:
    """Divide a call's host time among its stacks of functions."""
    places: dict[Function, int] = {}
    counts: Counter[tuple[int, ...]] = Counter()
    for stack in samples.stacks:
        found = [_function(samples.frames[at]) for at in stack.frames] or [OUTSIDE]
        counts[tuple(places.setdefault(f, len(places)) for f in found)] += stack.count
    if samples.unkept:
        counts[(places.setdefault(UNKEPT, len(places)),)] += samples.unkept
    whole_ns = median(samples.plain_ns) or 0
    parts = apportion(whole_ns, list(counts.values()))
    return FunctionTimes(
        name=name,
        functions=tuple(places),
        stacks=tuple((s, ns, n) for (s, n), ns in zip(counts.items(), parts, strict=True)),
        whole_ns=whole_ns,
        samples=sum(counts.values()),
    )


def _function(frame: Frame) -> Function:
    return Function(frame.function, frame.file, frame.defined)


def _scattered(samples: FunctionSamples) -> set[Function]:
    """Return the functions whose own time no single row of the tree has."""
    rows: dict[Function, set[Path | None]] = defaultdict(set)
    for stack in samples.stacks:
        frames = [samples.frames[at] for at in stack.frames]
        rows[_function(frames[-1]) if frames else OUTSIDE].add(own_row(frames))
    return {function for function, own in rows.items() if len(own) > 1 or None in own}


def _table(times: FunctionTimes, scattered: Set[Function]) -> Table:
    selves: Counter[int] = Counter()
    totals: Counter[int] = Counter()
    inner: Counter[int] = Counter()
    found: Counter[int] = Counter()
    for stack, part_ns, count in times.stacks:
        selves[stack[-1]] += part_ns
        inner[stack[-1]] += count
        for place in set(stack):
            totals[place] += part_ns
            found[place] += count
    order = sorted(totals, key=lambda place: (-selves[place], -totals[place], place))
    return Table(
        tag="functions",
        columns=_COLUMNS,
        rows=tuple(
            (
                times.functions[place].name,
                selves[place],
                totals[place],
                error_ns(times.whole_ns, found[place], times.samples),
                found[place],
                times.functions[place].file,
                times.functions[place].line,
                error_ns(times.whole_ns, inner[place], times.samples),
                times.functions[place] not in scattered,
            )
            for place in order
        ),
    )


def _metrics(samples: FunctionSamples, times: FunctionTimes) -> Iterator[Metric]:
    for tag, name, value, unit, description in (
        ("call", "host time of a call", times.whole_ns, "ns", "without the sampler, no wait"),
        ("samples", "samples", samples.samples, "count", "at random instants of the calls"),
        ("unread", "not read", samples.unread, "count", "the stack was changing just then"),
        (
            "perturbation",
            "sampler on / off",
            slowed(samples),
            "ratio",
            "a call under the sampler / without it",
        ),
    ):
        yield Metric(
            tag=f"functions/{tag}", name=name, value=value, unit=unit, description=description
        )


def _moved(samples: FunctionSamples, measured: Sequence[Measurement]) -> Iterator[Finding]:
    """Yield a finding where the host was another while functions were sampled.

    Both figures are the host's part of calls in a row; a call of its own stands in for an old run.
    """
    ns = {one.tag: median(one.samples_ns) for one in measured}
    timed, here = ns.get("submit_in_row/eager", ns.get("submit/eager")), median(samples.plain_ns)
    if timed and here and not 1 / _MOVED < here / timed < _MOVED:
        yield Finding(
            tag="functions/host_moved",
            severity="warning",
            fact=f"the host took {spell_ns(here)} a call while functions were sampled, and "
            f"{spell_ns(timed)} when calls were timed: their times are of the former",
            advice="read the shares, or measure on a quieter machine",
        )


def _findings(samples: FunctionSamples) -> Iterator[Finding]:
    ratio = slowed(samples)
    if samples.way == "signal":
        yield Finding(
            tag="functions/signal",
            severity="info",
            fact="functions were sampled by a timer's signal, which Python takes at calls and "
            "turns of loops: time in an operator counts for the line that runs next "
            f"({samples.instead_of})",
            advice="compare functions, not single lines",
        )
    if ratio is not None and not 1 / _DISTURBED < ratio < _DISTURBED:
        yield Finding(
            tag="functions/disturbed",
            severity="warning",
            fact=f"a call took {ratio:.2f} times as long under the sampler as the "
            f"{spell_ns(median(samples.plain_ns) or 0)} that it takes without: its time may be "
            "divided otherwise",
            advice="free a processor for the sampler, or measure on a quieter machine"
            if ratio > 1
            else "measure on a quieter machine: no sampler makes calls faster",
        )
    if samples.samples < _WANTED:
        yield Finding(
            tag="functions/few",
            severity="info",
            fact=f"{samples.samples:,} samples of functions were taken, fewer than {_WANTED:,}: "
            "the column of errors says how well their times are known",
            advice="",
        )
    tried = samples.samples + samples.unread
    if samples.unread > _MUCH_UNREAD * tried:
        yield Finding(
            tag="functions/unread",
            severity="warning",
            fact=f"{spell_share(samples.unread / tried)} of the attempts to sample found a stack "
            "that was changing: functions that are short and many may be too low",
            advice="read the functions with small times as rough",
        )
