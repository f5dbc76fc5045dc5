import ctypes
import sys

import pytest

from tracelens.measure.device import Unavailable
from tracelens.measure.sampling import memory_sampler as module
from tracelens.measure.sampling.memory_sampler import memory_sampler
from tracelens.measure.sampling.sampler import Counted, call_in_a_row

if not sys.platform.startswith("linux"):
    pytest.skip("Linux alone lets a process read another", allow_module_level=True)


def leaf():
    return sum(range(200))


def compared(one, other):
    """Be called by C code, which is between this frame and the one that sorts."""
    leaf()
    return one - other


def sorts():
    sorted([3, 1, 2], key=lambda value: compared(value, 2))


def sampled(call, *, least):
    with memory_sampler() as sampler:
        taken = Counted(0)
        while taken.samples < least:
            sampler.resume()
            call_in_a_row(call, 5_000)  # far longer than the pause between two samples
            taken = sampler.pause()
        return taken, sampler.stacks()


def test_a_stack_through_c_code_has_every_function_of_python_and_none_of_the_interpreters():
    taken, stacks = sampled(sorts, least=100)

    whole = ("sorts", "<lambda>", "compared", "leaf")
    found = [(tuple(code.co_name for code, _ in lines), n) for lines, n in stacks.items()]
    assert whole in dict(found)
    assert sum(n for names, n in found if names == whole[: len(names)]) > 0.9 * taken.samples
    assert sum(n for _, n in found) == taken.samples


def run_text():
    """Run code that is gone when the call returns, and the memory of which others get."""
    names = {}
    exec("def made():\n    for i in range(300): pass\n", names)
    names["made"]()


def test_code_that_is_gone_by_the_end_is_its_callers_time_and_nobodys_crash():
    _, stacks = sampled(run_text, least=300)

    assert {code.co_name for lines in stacks for code, _ in lines[:1]} <= {"run_text"}


def suspended():
    yield 1
    yield 2


def drains():
    for _ in suspended():
        pass


def test_a_generator_has_its_caller_above_it_in_every_sample():
    _, stacks = sampled(drains, least=300)

    names = {tuple(code.co_name for code, _ in lines) for lines in stacks}
    assert names <= {(), ("drains",), ("drains", "suspended")}
    assert ("drains", "suspended") in names


def test_nothing_is_counted_while_it_is_paused():
    with memory_sampler() as sampler:
        sampler.resume()
        sampler.pause()
        call_in_a_row(leaf, 1_000)

        assert sampler.stacks() == {}


def test_a_thread_that_is_not_where_it_was_said_to_be_is_not_sampled(monkeypatch):
    elsewhere = (ctypes.c_uint64 * 64)()
    monkeypatch.setattr(module, "thread_address", lambda: ctypes.addressof(elsewhere))

    with pytest.raises(Unavailable, match="the stack that another process reads is not the one"):
        memory_sampler().__enter__()


def test_a_watcher_that_ends_is_an_answer_and_no_crash(monkeypatch):
    monkeypatch.setattr(module, "_START", "import sys; sys.exit(1)")

    with pytest.raises(Unavailable, match="the process that samples has ended"):
        memory_sampler().__enter__()


def test_a_system_that_starts_no_watcher_is_the_reason(monkeypatch):
    monkeypatch.setattr(sys, "executable", "no/python")

    with pytest.raises(Unavailable) as caught:
        memory_sampler().__enter__()

    assert caught.value.reason == (
        "the process that samples cannot be started: No such file or directory"
    )


def test_what_keeps_the_watcher_from_reading_is_the_reason(monkeypatch):
    fails = 'print(\'{"error": "process 7 is gone, or may not be read"}\'); input()'
    monkeypatch.setattr(module, "_START", fails)

    with pytest.raises(Unavailable) as caught:
        memory_sampler().__enter__()

    assert caught.value.reason == "process 7 is gone, or may not be read"
