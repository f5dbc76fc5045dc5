"""Every analysis on traces of any damage, and time windows instant by instant. Times in ns."""

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.timelines import (
    UNKNOWN,
    Event,
    arrives,
    copy,
    fill,
    kernel,
    launch,
    leaves,
    op,
    overhead,
    sync,
    timeline_of,
    window,
)
from tracelens.analyze import ANALYSES, launch_table
from tracelens.analyze.host import host
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.errors import TracelensError
from tracelens.model.trace import KERNEL, MISSING

PARTS = ("kernel", "memory", "launch", "sync", "host_dispatch", "return")

INSTANTS = st.one_of(
    st.integers(1, 120),
    st.sampled_from([0, UNKNOWN, -5, 10**18, 2**62, 2**63 - 1, -(2**62)]),
)
IDS = st.sampled_from([MISSING, 0, 1, 2, 3, 2**62])
FEW = st.integers(0, 2)
WINDOWS = ("tracelens::call", "ProfilerStep#1", "other")
LAUNCHES = ("cudaLaunchKernel", "cudaGraphLaunch", "cudaStreamBeginCapture", "cudaStreamEndCapture")


@st.composite
def damaged_events(draw) -> Event:
    """One record of any sort, with any of its fields absurd or missing."""
    start, end = draw(INSTANTS), draw(INSTANTS)
    if UNKNOWN not in (start, end) and not -(2**63) < end - start < 2**63:
        end = UNKNOWN
    place = {"process": draw(FEW), "thread": draw(FEW)}
    ids = {"external_id": draw(IDS), **place}
    on_device = {"stream": draw(FEW), "device": draw(FEW), **ids}
    work = draw(st.sampled_from([kernel, copy, fill]))
    return draw(
        st.sampled_from(
            [
                work(start, end, by=draw(IDS), **on_device),
                work(start, end, by=draw(IDS), **on_device),
                launch(start, end, called=draw(IDS), name=draw(st.sampled_from(LAUNCHES)), **ids),
                sync(start, end, **place),
                op(start, end, **ids),
                window(start, end, name=draw(st.sampled_from(WINDOWS)), **place),
                overhead(start, end, name=draw(st.sampled_from(["Module Loading", "Flush"]))),
                leaves(start, id=1),
                arrives(start, id=1),
            ]
        )
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(damaged_events(), max_size=25))
def test_any_damage_ends_in_sections_or_in_one_error(events):
    timeline = Timeline.of(timeline_of(*events))
    try:
        windows = choose(timeline)
        sections = [analysis(timeline, windows) for analysis in (*ANALYSES, launch_table)]
        if windows.kind == "call":
            sections.append(host(timeline, windows))
        found = split(timeline, windows)
    except TracelensError as error:
        event(type(error).__name__)
        return
    assert (sum(getattr(found, f"{part}_ns") for part in PARTS) == found.wall_ns).all()
    assert all(len(row) == len(t.columns) for s in sections for t in s.tables for row in t.rows)
    assert not [m.tag for s in sections for m in s.metrics if m.value == UNKNOWN]
    assert not [t.tag for s in sections for t in s.tables for row in t.rows if UNKNOWN in row]


@st.composite
def sound_steps(draw) -> list[Event]:
    """Steps one after the other; launches of two threads, work that runs steps later or never."""
    events, free, at = [], {1: 0, 2: 0}, 100
    for step in range(draw(st.integers(1, 3))):
        begin = at
        for number in range(draw(st.integers(0, 4))):
            called = 10 * step + number
            at += draw(st.integers(1, 6))
            thread = draw(st.integers(1, 2))
            call = launch(at, at + draw(st.integers(0, 5)), called=called, thread=thread)
            events.append(call)
            make = draw(st.sampled_from([kernel, copy, None]))
            if make:
                stream = draw(st.integers(1, 2))
                start = max(free[stream], at + draw(st.integers(0, 30)))
                free[stream] = start + draw(st.integers(1, 25))
                events.append(make(start, free[stream], by=called, stream=stream))
            at = call.end + draw(st.integers(0, 3))
        if draw(st.booleans()):
            events.append(sync(at, at + draw(st.integers(0, 20))))
            at = events[-1].end
        events.append(window(begin, at + 5, name=f"ProfilerStep#{step}"))
        at += 5 + draw(st.integers(0, 4))
    return events


def step_by_the_nanosecond(events: list[Event], step: Event) -> dict[str, int]:
    """The definition of a time window's split, word by word, one instant at a time."""
    calls = {e.correlation: e for e in events if e.sort == "call" and e.correlation >= 0}
    work = [e for e in events if e.sort == "work"]
    ran = {e.correlation for e in work}
    lost = [call for number, call in calls.items() if number not in ran]
    waits = [(e.start, e.end) for e in events if e.sort == "call" and e.correlation < 0]
    for piece in work:
        if piece.kind != KERNEL and calls[piece.correlation].thread == step.thread:
            waits.append((piece.end, calls[piece.correlation].end))
    own = [call for call in calls.values() if step.start <= call.start < step.end]
    owns_work = any(call.correlation in ran for call in own)
    busy = any(e.start < step.end and e.end > step.start for e in work)
    counts = dict.fromkeys(PARTS, 0)
    for t in range(step.start, step.end):
        running = [e.kind for e in work if e.start <= t < e.end]
        flying = any(calls[e.correlation].start <= t < e.start for e in work)
        flying |= any(call.start <= t < call.end for call in lost)
        if KERNEL in running:
            part = "kernel"
        elif running:
            part = "memory"
        elif flying:
            part = "launch"
        elif any(start <= t < end for start, end in waits):
            part = "sync"
        elif any(call.start > t for call in own) or not (owns_work or busy):
            part = "host_dispatch"
        else:
            part = "return"
        counts[part] += 1
    return counts


@settings(max_examples=300, deadline=None)
@given(sound_steps())
def test_the_split_of_a_step_is_what_the_definition_says_of_every_nanosecond(events):
    timeline = Timeline.of(timeline_of(*events))
    found = split(timeline, choose(timeline))
    steps = sorted((e for e in events if e.sort == "annotation"), key=lambda e: e.start)
    for number, step in enumerate(steps):
        split_of_step = {part: int(getattr(found, f"{part}_ns")[number]) for part in PARTS}
        assert split_of_step == step_by_the_nanosecond(events, step)
        launched = [
            e
            for e in events
            if e.sort == "call" and e.correlation >= 0 and step.start <= e.start < step.end
        ]
        numbers = {call.correlation for call in launched}
        kernels = [
            e for e in events if e.sort == "work" and e.kind == KERNEL and e.correlation in numbers
        ]
        assert found.kernel_count[number] == len(kernels)
        assert found.kernel_sum_ns[number] == sum(e.end - e.start for e in kernels)
