"""The Python stack of a thread of another process, copied in one system call."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from tracelens.measure.sampling.layout import Layout
from tracelens.measure.sampling.memory import MOST_PIECES, WORD, Pieces, words_at

_NEAR = 8192
"""Bytes between two places that are copied along with them: a piece of its own takes longer, and
the thread runs on."""
_DEEPEST = 2_000
"""Frames of a stack that are followed: Python by itself goes half as deep. What seems to go on
beyond that is half changed."""

Line = tuple[int, int]
"""Addresses of a code object and, as the frame has it, of an instruction."""


@dataclass(frozen=True, slots=True)
class Found:
    """A stack, innermost first, and whether it is below the function that was asked for."""

    lines: tuple[Line, ...]
    is_below: bool


class UnreadError(Exception):
    """The stack was not copied whole: it was half changed, or was where none had been seen yet."""


class StackReader:
    """Copies of one thread's stack, each of a single instant as near as a system call can be.

    Frames come and go at the same few places while one op is called over and over. They are
    learned as they are met, so that one call copies all of them, and following the pointers from
    frame to frame takes no time in which the thread runs on. `is_code` tells a frame from what is
    left of one.
    """

    def __init__(
        self, pid: int, thread: int, layout: Layout, *, is_code: Callable[[int], bool]
    ) -> None:
        self._pid = pid
        self._layout = layout
        self._thread = thread
        self._is_code = is_code
        self._forget()

    def stack(self, *, below: int, root: int) -> Found | None:
        """Return the lines inside the innermost function whose code is `below`, innermost first.

        Without that function it is None where the code `root` is on the stack, else all of it: 0
        is on none. Raises UnreadError where the copy does not fit together, and LookupError where
        the process cannot be read.
        """
        if not self._pieces.read():
            raise LookupError(f"process {self._pid} is gone, or may not be read")
        words, layout, is_code = self._pieces.words, self._layout, self._is_code
        address = words[0]
        for hop in layout.path[1:]:
            address = words[self._place(address, hop + 1, self._learn_pointer) + hop]
        lines: list[Line] = []
        while address:
            if len(lines) > _DEEPEST:
                raise UnreadError
            place = self._place(address, layout.frame_words, self._learn_frames)
            code = words[place + layout.code]
            if code == below:
                return Found(tuple(lines), is_below=True)
            if not is_code(code):
                raise UnreadError
            lines.append((code, words[place + layout.instruction]))
            address = words[place + layout.previous]
        if any(code == root for code, _ in lines):
            return None
        return Found(tuple(lines), is_below=False)

    def _place(self, address: int, count: int, learn: Callable[[int], None]) -> int:
        """Return where in the copy so many words are; have them copied next time if they are not.

        Raises UnreadError where they are not.
        """
        place = self._places.get(address)
        if place is not None:
            return place
        at = bisect_right(self._starts, address) - 1
        start, length, first = self._spans[at] if at >= 0 else (0, 0, 0)
        index = (address - start) // WORD
        if address % WORD or index + count > length:
            learn(address)
            self._plan()
            raise UnreadError
        self._places[address] = first + index
        return first + index

    def _learn_pointer(self, address: int) -> None:
        if address % WORD == 0 and words_at(self._pid, address, 1 + max(self._layout.path[1:])):
            self._pointers.add(address)

    def _learn_frames(self, address: int) -> None:
        """Take note of a frame, and of those that called it: one at a time takes long to learn."""
        layout = self._layout
        while address % WORD == 0 and address not in self._frames:
            words = words_at(self._pid, address, layout.frame_words)
            if not words or not self._is_code(words[layout.code]):
                return
            self._frames.add(address)
            address = words[layout.previous]

    def _forget(self) -> None:
        self._pointers: set[int] = set()
        self._frames: set[int] = set()
        self._plan()

    def _plan(self) -> None:
        """Lay out the copy: the thread's word, then spans that hold what is known.

        The pointers on the way come first, and with them the interpreter's own frames, which lie
        beside them on the C stack and are gone as soon as C code returns. Next come the most
        frames: from a pointer to what it points at the thread must not get far.
        """
        path = self._layout.path
        pointed, frame = WORD * (1 + max(path[1:], default=0)), WORD * self._layout.frame_words
        known = [(pointer, pointer + pointed) for pointer in self._pointers]
        known += [(address, address + frame) for address in self._frames]
        pieces = [(self._thread + WORD * path[0], WORD)]
        self._spans = []
        place = 1
        for start, end in sorted(_merged(sorted(known)), key=self._urgency):
            self._spans.append((start, (end - start) // WORD, place))
            pieces.append((start, end - start))
            place += (end - start) // WORD
        if len(pieces) > MOST_PIECES:  # the frames of generators are anywhere
            self._forget()
            return
        self._spans.sort()
        self._starts = [start for start, _, _ in self._spans]
        self._places: dict[int, int] = {}
        self._pieces = Pieces(self._pid, pieces)

    def _urgency(self, span: tuple[int, int]) -> tuple[bool, int]:
        start, end = span
        has_pointer = any(start <= pointer < end for pointer in self._pointers)
        return not has_pointer, -sum(start <= address < end for address in self._frames)


def _merged(known: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans that hold every one of the sorted `[start, end)`, and what lies between near."""
    spans: list[tuple[int, int]] = []
    for start, end in known:
        if spans and start <= spans[-1][1] + _NEAR:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans
