"""What would help, where it was measured. Times in ns."""

from tests.analyze.test_host_sampled import ALLOCATES, KEY, OP, samples
from tests.timelines import kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.remedies import remedies, remedies_of_trace
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.measurement import Measurement

QUIET = (window(0, 50), launch(10, 20, called=1), kernel(30, 40, by=1), sync(50, 60))


def said(*events, taken=(), functions=None, lines=()) -> dict[str, str]:
    timeline = Timeline.of(timeline_of(*(events or QUIET)))
    measured = {m.tag: m for m in taken}
    section = remedies(measured, functions, timeline, choose(timeline), lines=lines)
    assert section.title == "What would help"
    assert all(finding.severity == "info" and finding.advice for finding in section.findings)
    return {finding.tag: finding.fact for finding in section.findings}


def took(tag: str, *samples_ns: int) -> Measurement:
    return Measurement(tag=tag, samples_ns=samples_ns, clock="c", includes="i")


def test_where_nothing_was_measured_nothing_is_said():
    assert said() == {}
    assert said(taken=[took("full/eager", 20_000)]) == {}


def test_a_graph_removes_the_difference_of_the_medians():
    taken = [took("full/eager", 20_000, 21_000, 22_000), took("full/graph", 8_000, 8_500, 8_900)]
    assert said(taken=taken) == {
        "help/graph": "a CUDA Graph removes 12.5 us of the full call: 21.0 us eager, 8.50 us "
        "replayed (medians, profiler off)"
    }


def test_a_graph_whose_times_lie_among_those_of_the_call_would_not_help():
    taken = [took("full/eager", 10_000, 21_000, 22_000), took("full/graph", 9_000, 19_000, 20_000)]
    assert said(taken=taken) == {}


def test_what_launchers_repeat_is_counted_from_the_samples_with_its_error():
    binds = KEY.__class__(function="dynamic_func", file="<string>", line=2, defined=1, text="")
    found = samples(
        ((OP, KEY), 2_000), ((OP, binds), 1_000), ((OP, ALLOCATES), 7_000), call_ns=60_000
    )
    assert said(functions=found) == {
        "help/cached_launcher": "launchers work out in each call what stays the same from call to "
        "call: 18.0 us +/- 539 ns, 30 % of the host time of a call (cache key 12.0 us, "
        "specialisation 6.00 us; sampled, profiler off)"
    }


def test_less_than_a_hundredth_is_not_worth_a_remedy():
    assert said(functions=samples(((OP, KEY), 9), ((OP,), 991), call_ns=60_000)) == {}


def test_several_launches_cost_what_the_device_was_idle_inside_their_calls():
    assert said(
        window(0, 200),
        *(launch(at, at + 12, called=at) for at in (10, 50, 90)),
        *(kernel(at + 20, at + 30, by=at) for at in (10, 50, 90)),
        sync(200, 220),
    ) == {
        "help/fewer_launches": "a call makes 3 launches: with the device idle it is inside launch "
        "calls for 36 ns, 12 ns for each launch (medians, profiler on)"
    }


WAITS = (
    window(0, 200),
    launch(10, 20, called=1),
    kernel(30, 60, by=1),
    op(40, 150, name="aten::item"),
    sync(50, 90),
    sync(200, 220),
)


def test_a_wait_is_named_with_its_ops_and_the_lines_that_torch_warned_of():
    assert said(*WAITS, lines=[OP, OP, ALLOCATES]) == {
        "help/fewer_waits": "1 of 1 calls wait for the device before they return, 40 ns in "
        "cudaDeviceSynchronize, in aten::item (median, profiler on); torch waits at <op file>:7, "
        "flag_gems/ops/sigmoid.py:12: torch.empty(n)"
    }


def test_a_trace_alone_tells_of_launches_and_waits_and_only_of_calls():
    timeline = Timeline.of(timeline_of(*WAITS))
    found = remedies_of_trace(timeline, choose(timeline)).findings
    assert [finding.tag for finding in found] == ["help/fewer_waits"]
    assert "torch waits" not in found[0].fact
    steps = choose(timeline, time_window="tracelens::call")
    assert remedies_of_trace(timeline, steps).findings == ()
