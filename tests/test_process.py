"""What holds while another process runs beside this one; the rest is in `test_child`."""

from __future__ import annotations

import signal
import threading

import pytest

from tracelens.process import one_interrupt


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_ask_to_end_passes_and_those_behind_it_do_not(asked: signal.Signals) -> None:
    before = signal.getsignal(asked)
    with one_interrupt():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(asked)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)

    assert signal.getsignal(asked) is before


def test_another_meaning_of_an_interrupt_is_left_alone() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with one_interrupt():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_may_measure_too() -> None:
    handlers: list[object] = []

    def measure() -> None:
        with one_interrupt():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()

    assert handlers == [signal.default_int_handler]
