import signal
import sys
import threading

import pytest

from tracelens.measure.device import Unavailable
from tracelens.measure.sampling.sampler import Counted, call_in_a_row
from tracelens.measure.sampling.signal_sampler import SignalSampler, signal_sampler


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


def test_a_stack_that_begins_elsewhere_is_one_of_its_own():
    sampler = SignalSampler()

    def switched_to():
        sampler.take(signal.SIGALRM, sys._getframe())

    def thread():
        pass

    sampler._root = thread.__code__  # as in a greenlet, whose stack the thread's is not below
    switched_to()

    ((lines, count),) = sampler.stacks().items()
    assert ("switched_to", count) == (lines[-1][0].co_name, 1)


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


def test_a_timer_that_ran_before_runs_on_with_its_own_handler():
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 1_000, 2_000)
    try:
        with signal_sampler() as sampler:
            sampler.resume()
            sampler.pause()

        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert (0 < left <= 1_000, interval) == (True, 2_000)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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
