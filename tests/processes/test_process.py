"""What holds while another process runs beside this one; the rest is in `test_child`."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tracelens.processes.process import last_words, one_interrupt, running


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


def test_the_working_folder_is_searched_after_all_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "statistics.py").write_text("raise ImportError('this is not the one')")
    (tmp_path / "mine.py").write_text("found = 'mine'")
    monkeypatch.chdir(tmp_path)

    command = running("import mine, statistics; print(mine.found)", python=sys.executable)

    assert subprocess.check_output(command, text=True) == "mine\n"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", "It said nothing."),
        ("warming up\nno such luck\n\n", "It last said: no such luck"),
        (
            "warming up\nFatal Python error: Segmentation fault\n\n"
            'Thread 0x0001 (most recent call first):\n  File "pool.py", line 3 in wait\n\n'
            'Current thread 0x0002 (most recent call first):\n  File "op.py", line 9 in op\n'
            '  File "worker.py", line 1 in main\n\nExtension modules: torch._C (total: 1)\n',
            'It stood at File "op.py", line 9 in op.',
        ),
    ],
)
def test_the_last_words_of_a_process_are_what_it_said_or_where_it_stood(
    tmp_path: Path, log: str, words: str
) -> None:
    (tmp_path / "op.log").write_text(log)

    assert last_words(tmp_path / "op.log") == words
