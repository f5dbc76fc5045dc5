"""Where this version of Python keeps the stack of a thread, found out by looking for a known one.

No table of versions: the interpreter's own memory is searched for frames whose code objects, order
and instructions are known, so that a layout is either right for what runs here, or not found.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from types import FrameType

from tracelens.measure.sampling.memory import WORD, words_at

_THREAD_WORDS = 48
_FRAME_WORDS = 16
"""What is searched: both structures are a little longer, and the fields stand near their start."""

_POINTER_WORDS = 4
_LONGEST_HEADER = 1024
"""Bytes before the instructions of a code object."""

_ANY = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Offsets, in words, of what a walk along the stack needs."""

    path: tuple[int, ...]
    """From the thread's state to its innermost frame: an offset for each pointer followed."""
    code: int
    previous: int
    """In a frame: its code object, and the frame that called it."""
    instruction: int
    shift: int
    mask: int
    """In a frame: the word that says which instruction it is at, and which bits of it."""
    header: int | None
    """Bytes from the code object to its first instruction where the word is a pointer, else None:
    it then counts instructions."""

    @property
    def frame_words(self) -> int:
        """How much of a frame a walk reads."""
        return 1 + max(self.code, self.previous, self.instruction)

    def offset(self, code: int, instruction: int) -> int:
        """Return the offset in bytes of an instruction in its code, as `f_lasti` says it."""
        found = (instruction >> self.shift) & self.mask
        if self.header is not None:
            return found - code - self.header
        return 2 * (found - (self.mask + 1 if found > self.mask // 2 else 0))


def thread_address() -> int:
    """Return where the calling thread's state is."""
    state = ctypes.pythonapi.PyThreadState_Get
    state.restype = ctypes.c_void_p
    return int(state())


def find_layout() -> Layout:
    """Search this process's own stack. Raises LookupError where nothing fits."""
    found = _called()
    if found is None:
        raise LookupError(
            f"Python {sys.version_info.major}.{sys.version_info.minor} keeps its stack where it is "
            "not found"
        )
    return found


def _called() -> Layout | None:
    pid = os.getpid()  # a line before the call, so that no two of the frames are at one offset
    return _search(pid, thread_address())


def _search(pid: int, thread: int) -> Layout | None:
    """Find the frame of the function that reads, and from there those that called it.

    Whatever points at that frame is read here and in no function of its own, so that the frame is
    in one place each time.
    """
    callers = [sys._getframe(0), sys._getframe(1), sys._getframe(2)]
    for first, pointer in enumerate(words_at(pid, thread, _THREAD_WORDS)):
        pointed = words_at(pid, pointer, _POINTER_WORDS) if _is_pointer(pointer) else ()
        paths = [((first,), pointer), *(((first, at), word) for at, word in enumerate(pointed))]
        for path, frame in paths:
            words = words_at(pid, frame, _FRAME_WORDS) if _is_pointer(frame) else ()
            layout = _fitted(pid, path, words, callers)
            if layout is not None:
                return layout
    return None


def _is_pointer(word: int) -> bool:
    return word != 0 and word % WORD == 0


def _fitted(
    pid: int, path: tuple[int, ...], words: tuple[int, ...], callers: list[FrameType]
) -> Layout | None:
    """Return a layout by which `words` are the frame of the function that reads."""
    reader = id(words_at.__code__)
    for code in [at for at, word in enumerate(words) if word == reader]:
        for previous, pointer in enumerate(words):
            found = _chain(pid, pointer, code, previous, callers)
            layout = _with_instruction(path, code, previous, callers, found) if found else None
            if layout is not None:
                return layout
    return None


def _chain(
    pid: int, pointer: int, code: int, previous: int, callers: list[FrameType]
) -> list[tuple[int, ...]]:
    """Return the words of the callers' frames, or none where these are not they."""
    found = []
    for caller in callers:
        words = words_at(pid, pointer, _FRAME_WORDS) if _is_pointer(pointer) else ()
        if not words or words[code] != id(caller.f_code):
            return []
        found.append(words)
        pointer = words[previous]
    return found


def _with_instruction(
    path: tuple[int, ...],
    code: int,
    previous: int,
    callers: list[FrameType],
    found: list[tuple[int, ...]],
) -> Layout | None:
    """Find the word that agrees with `f_lasti`: first as a pointer, then as a number."""
    waiting = list(zip(callers, found, strict=True))[1:]  # the first of them has moved on
    for at in range(_FRAME_WORDS):
        headers = {words[at] - id(frame.f_code) - frame.f_lasti for frame, words in waiting}
        header = headers.pop()
        if not headers and 0 < header < _LONGEST_HEADER:
            return Layout(path, code, previous, at, shift=0, mask=_ANY, header=header)
    for at in range(_FRAME_WORDS):
        for shift in (0, 32):
            layout = Layout(path, code, previous, at, shift=shift, mask=2**32 - 1, header=None)
            if all(layout.offset(0, words[at]) == frame.f_lasti for frame, words in waiting):
                return layout
    return None
