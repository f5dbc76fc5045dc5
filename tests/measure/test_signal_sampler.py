import signal
import sys
import threading

import pytest

from tracelens.measure.device import Unavailable
from tracelens.measure.sampler import Counted, call_in_a_row
from tracelens.measure.signal_sampler import SignalSampler, signal_sampler


def names(sampler):
    return {
        tuple(code.co_name for code, _ in lines): count for lines, count in sampler.stacks().items()
    }


def test_a_sample_is_the_stack_from_the_op_inwards():
    sampler = SignalSampler()

    def op():
        inner()

    def inner():
        sampler.take(signal.SIGALRM, sys._getframe())

    call_in_a_row(op, 3)

    assert names(sampler) == {("op", "inner"): 3}
    assert sampler.pause() == Counted(samples=3)


def test_what_runs_outside_the_calls_is_no_sample():
    sampler = SignalSampler()

    sampler.take(signal.SIGALRM, sys._getframe())
    sampler.take(signal.SIGALRM, None)

    assert sampler.stacks() == {}


def test_a_sample_at_the_entry_of_a_function_is_its_callers():
    sampler = SignalSampler()

    def op():
        inner()

    def inner():
        return 1

    def enters(frame, event, argument):
        if event == "call" and frame.f_code is inner.__code__:
            sampler.take(signal.SIGALRM, frame)

    sys.setprofile(enters)
    try:
        call_in_a_row(op, 2)
    finally:
        sys.setprofile(None)

    assert names(sampler) == {("op",): 2}


def test_the_signal_is_given_back():
    before = signal.getsignal(signal.SIGALRM)

    with signal_sampler() as sampler:
        sampler.resume()

    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_another_thread_than_the_main_one_cannot_have_it():
    caught = []

    def enter():
        with pytest.raises(Unavailable) as reason, signal_sampler():
            pass
        caught.append(reason.value.reason)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()

    assert caught == ["signals arrive in the main thread alone, and this is another"]
