"""The process that samples another: it reads a thread's stack at random instants, and counts.

It is asked and answers by lines of JSON on standard input and output. It imports next to nothing,
so that it starts in a moment.
"""

from __future__ import annotations

import ctypes
import json
import random
import select
import sys
from collections import Counter
from contextlib import suppress
from io import RawIOBase
from typing import Any

from tracelens.measure.sampling.layout import find_layout
from tracelens.measure.sampling.memory import WORD, words_at
from tracelens.measure.sampling.stack_reader import Found, Line, StackReader, UnreadError

_PR_SET_TIMERSLACK = 29
"""prctl(2): how much later than asked, in ns, the system may wake this process."""
_SLACK_NS = 1_000
_STDIN = 0
_MOST_TRIES = 500


class Watcher:
    """Counts the stacks of one thread of another process.

    `code_type` and `none` are where that process keeps the type of code objects and None; `below`
    is the code of the function whose callees are sampled, `root` that in which the thread's stack
    begins.
    """

    def __init__(
        self,
        *,
        pid: int,
        thread: int,
        code_type: int,
        none: int,
        below: int,
        root: int,
    ) -> None:
        self._pid, self._below, self._root = pid, below, root
        self._code_type = code_type
        self._layout = find_layout()
        self._reader = StackReader(pid, thread, self._layout, is_code=self._is_code)
        self._codes = {none}
        self._stacks: Counter[Found] = Counter()
        self._unread = 0

    def whole_stack(self) -> list[Line]:
        """Return every line of a thread that waits, innermost first."""
        for _ in range(_MOST_TRIES):  # each learns where one more of its frames is
            with suppress(UnreadError):
                found = self._reader.stack(below=0, root=0)
                return self._spelled(found) if found else []
        return []

    def count_until_asked(self, *, pause_ns: int) -> None:
        """Sample at random instants until there is something to read on standard input.

        At random, for a steady beat falls in step with calls of a steady length; `pause_ns` is the
        mean time between two.
        """
        uniform, twice = random.uniform, 2 * pause_ns / 1e9
        while not select.select([_STDIN], [], [], uniform(0, twice))[0]:
            try:
                stack = self._reader.stack(below=self._below, root=self._root)
                if stack is not None:
                    self._stacks[stack] += 1
            except UnreadError:
                self._unread += 1

    def counted(self) -> dict[str, int]:
        """Return how many samples there are, and how many attempts were none."""
        return {"samples": sum(self._stacks.values()), "unread": self._unread}

    def stacks(self) -> list[tuple[int, bool, list[Line]]]:
        """Return how often each stack was found, whether below that function, and its lines."""
        return [(n, found.is_below, self._spelled(found)) for found, n in self._stacks.items()]

    def _spelled(self, found: Found) -> list[Line]:
        """Give each line's offset as `f_lasti` does."""
        return [(code, self._layout.offset(code, at)) for code, at in found.lines]

    def _is_code(self, address: int) -> bool:
        """Say whether a code object is there, or None: the interpreter's own frames have it."""
        if address in self._codes:
            return True
        kind = words_at(self._pid, address, 2)[1:] if address % WORD == 0 else ()
        if kind != (self._code_type,):
            return False
        self._codes.add(address)
        return True


def main() -> None:
    """Be the watcher: say the stack that waits for it, then count between `on` and `off`."""
    with suppress(AttributeError, OSError):  # a comfort of Linux
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, _SLACK_NS)
    try:
        # Without a buffer, in which a line could wait that `select` knows nothing of.
        with open(_STDIN, "rb", buffering=0, closefd=False) as asked:  # no path
            _serve(asked)
    except (LookupError, OSError) as error:
        _say({"error": str(error)})


def _serve(asked: RawIOBase) -> None:
    watcher = Watcher(**json.loads(asked.readline()))
    _say({"stack": watcher.whole_stack()})
    while (word := asked.readline().strip()) != b"end":
        if word.startswith(b"on "):
            watcher.count_until_asked(pause_ns=int(word[3:]))
        elif word == b"off":
            _say(watcher.counted())
        else:
            return  # the one that asked is gone
    _say({"stacks": watcher.stacks()})


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
