import os
import sys
from contextlib import contextmanager

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure import functions
from tracelens.measure.device import Unavailable
from tracelens.measure.functions import measure_functions, own_files, sample_functions
from tracelens.measure.options import Options
from tracelens.measure.sampling.memory_sampler import memory_sampler
from tracelens.measure.sampling.sampler import Counted, call_in_a_row
from tracelens.measure.sampling.signal_sampler import signal_sampler
from tracelens.measure.timing import Timed
from tracelens.model.functions import Frame, Stack
from tracelens.model.measurement import Stage, Withheld
from tracelens.model.op import Op, Variant


def outer():
    return inner()


def inner():
    return 1


OUTER, INNER = (outer.__code__, 0), (inner.__code__, 0)


class ScriptedSampler:
    """Gives stacks that are known, and says that it took so many samples a block."""

    way = "memory"

    def __init__(self, stacks, *, a_block):
        self._stacks = stacks
        self._a_block = a_block
        self._samples = 0
        self.pauses_ns = set()

    def resume(self, *, pause_ns):
        self.pauses_ns.add(pause_ns)

    def pause(self):
        self._samples += self._a_block
        return Counted(samples=self._samples, unread=3)

    def stacks(self):
        return self._stacks


def frame(function):
    code = function.__code__
    return Frame(
        function=code.co_name,
        file="<op file>",
        line=code.co_firstlineno,
        defined=code.co_firstlineno,
    )


def subject_of(device, *, host_ns=100_000):
    call = device.op(host_ns=host_ns, kernel_ns=1_000_000)
    return Timed(call=call, device=device, grad="no_grad")


def test_stacks_are_counted_by_line_and_their_times_hold_no_wait():
    sampler = ScriptedSampler({(OUTER, INNER): 70, (OUTER,): 25, (): 5}, a_block=20)

    found = sample_functions(
        subject_of(FakeDevice()),
        sampler,
        samples=100,
        budget_ns=10**12,
        own_files={__file__},
    )

    assert found.frames == (frame(outer), frame(inner))
    assert found.stacks == (
        Stack(frames=(0, 1), count=70),
        Stack(frames=(0,), count=25),
        Stack(frames=(), count=5),
    )
    assert (found.samples, found.unread, found.unkept, found.way) == (100, 3, 0, "memory")
    assert found.sampled_ns == found.plain_ns == (100_000,) * 5


@pytest.mark.parametrize(
    ("kernel_ns", "pause_ns"), [(0, 110_000), (200_000, 36_667), (1_000_000, 20_000)]
)
def test_an_op_that_mostly_waits_is_sampled_as_often_a_second(kernel_ns, pause_ns):
    sampler, device = ScriptedSampler({}, a_block=1), FakeDevice()
    call = device.op(host_ns=100_000, kernel_ns=kernel_ns)

    sample_functions(
        Timed(call=call, device=device, grad="no_grad"), sampler, samples=5, budget_ns=10**12
    )

    (found_ns,) = sampler.pauses_ns
    assert found_ns == pytest.approx(pause_ns, rel=0.05)


def test_sampling_ends_when_its_time_is_over():
    sampler = ScriptedSampler({(OUTER,): 1}, a_block=1)

    found = sample_functions(
        subject_of(FakeDevice()), sampler, samples=10_000, budget_ns=30_000_000, own_files=()
    )

    assert (found.samples, len(found.plain_ns)) == (1, 1)


def test_a_slow_call_has_a_wait_of_its_own():
    sampler = ScriptedSampler({}, a_block=10)
    device = FakeDevice()

    found = sample_functions(
        subject_of(device, host_ns=4_000_000), sampler, samples=1, budget_ns=10**12
    )

    assert found.batch == 1
    assert all(device.log[at + 2] == "wait" for at, what in enumerate(device.log) if what == "call")


def test_a_very_deep_stack_loses_its_middle_and_rare_stacks_are_only_counted(monkeypatch):
    monkeypatch.setattr(functions, "_OUTER_LINES", 1)
    monkeypatch.setattr(functions, "_INNER_LINES", 2)
    monkeypatch.setattr(functions, "_MOST_STACKS", 1)
    sampler = ScriptedSampler({(OUTER, *(INNER,) * 9, OUTER): 6, (INNER,): 1}, a_block=7)

    found = sample_functions(subject_of(FakeDevice()), sampler, samples=7, budget_ns=10**12)

    assert found.stacks == (Stack(frames=(0, 1, 0), count=6),)
    assert (found.samples, found.unkept) == (7, 1)


def test_a_sampler_that_fails_costs_its_own_figures_only(monkeypatch):
    class Broken(ScriptedSampler):
        def pause(self):
            raise ValueError("it broke")

    @contextmanager
    def broken():
        yield Broken({}, a_block=1)

    monkeypatch.setattr(functions, "memory_sampler", broken)
    op = Op(name="op", inputs=tuple, variants=(Variant(call=outer),))

    stage, withheld = measure_functions(subject_of(FakeDevice()), op, Options())

    assert stage == Stage(name="function samples")
    assert isinstance(withheld, Withheld)
    assert withheld.tags == ("functions",)
    assert withheld.finding.fact.startswith("sampling failed: ValueError in test_functions.py:")


def test_where_memory_cannot_be_read_a_signal_samples_and_the_reason_is_kept(monkeypatch):
    @contextmanager
    def refused():
        raise Unavailable("it may not be read", "")
        yield

    @contextmanager
    def other():
        yield ScriptedSampler({(OUTER,): 1}, a_block=20_000)

    monkeypatch.setattr(functions, "memory_sampler", refused)
    monkeypatch.setattr(functions, "signal_sampler", other)
    op = Op(name="op", inputs=tuple, variants=(Variant(call=outer),))

    _, found = measure_functions(subject_of(FakeDevice()), op, Options())

    assert found.instead_of == "it may not be read"


def test_an_ops_own_files_are_those_of_its_functions_and_no_package():
    op = Op(name="op", inputs=lambda: (), variants=(Variant(call=outer), Variant(call=os.fspath)))

    assert own_files(op) <= {__file__}


def spin(turns):
    for _ in range(turns):
        inner()


def long_wait():
    spin(20_000)


def short_wait():
    spin(2_000)


def both():
    long_wait()
    short_wait()


@pytest.mark.parametrize("way", [memory_sampler, signal_sampler])
def test_a_real_sampler_finds_the_longer_function_more_often(way):
    if way is memory_sampler and not sys.platform.startswith("linux"):
        pytest.skip("Linux alone lets a process read another")
    with way() as sampler:
        taken = Counted(0)
        while taken.samples < 200:
            sampler.resume()
            call_in_a_row(both, 20)
            taken = sampler.pause()
        stacks = sampler.stacks()

    def found(function):
        return sum(n for lines, n in stacks.items() if function.__code__ in dict(lines))

    assert sum(stacks.values()) == taken.samples
    assert found(long_wait) > found(short_wait) > 0
    assert found(both) > 0.9 * taken.samples
