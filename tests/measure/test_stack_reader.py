"""The stack of this process, read as another process would read it."""

import os
import sys
from array import array

import pytest

from tracelens.measure.layout import Layout, find_layout, thread_address
from tracelens.measure.memory import Pieces, words_at
from tracelens.measure.stack_reader import StackReader, UnreadError

if not sys.platform.startswith("linux"):
    pytest.skip("Linux alone lets a process read another", allow_module_level=True)


@pytest.fixture(scope="module")
def layout() -> Layout:
    return find_layout()


def reader(layout, *, is_code=lambda address: True):
    return StackReader(os.getpid(), thread_address(), layout, is_code=is_code)


def read(layout, below):
    """Return the lines below a function: each reading learns where one more frame is."""
    mine = reader(layout)
    for _ in range(500):
        try:
            return mine.stack(below=below)
        except UnreadError:
            continue
    raise AssertionError("the stack was never read")


def test_the_lines_below_a_function_are_read_innermost_first_with_their_instructions(layout):
    def outermost():
        return read(layout, id(outermost.__code__))

    lines = outermost()

    names = {id(f.__code__): f.__name__ for f in (read, StackReader.stack, Pieces.read)}
    assert [names.get(code) for code, _ in lines] == ["read", "stack", "read"]


def test_a_function_that_does_not_run_has_no_stack(layout):
    assert read(layout, id(layout.offset.__code__)) is None


def test_the_offset_of_a_waiting_frame_is_its_f_lasti(layout):
    def waits():
        lines = read(layout, 0)
        code, at = next(line for line in lines if line[0] == id(waits.__code__))
        return layout.offset(code, at)

    frame_offset = waits()

    code = waits.__code__
    line = [n for start, end, n in code.co_lines() if start <= frame_offset < end]
    assert line == [code.co_firstlineno + 1]


def test_what_is_left_of_a_frame_is_not_taken_for_one(layout):
    mine = reader(layout, is_code=lambda address: False)

    for _ in range(500):
        with pytest.raises(UnreadError):
            mine.stack(below=0)


def test_a_process_that_is_gone_cannot_be_read(layout):
    gone = StackReader(2**22 + 1, thread_address(), layout, is_code=lambda address: True)

    with pytest.raises(LookupError, match="process 4194305 is gone, or may not be read"):
        gone.stack(below=0)


def test_a_piece_that_is_not_mapped_is_zero_and_the_others_are_read():
    kept = array("Q", [7, 8, 9])
    address, _ = kept.buffer_info()

    pieces = Pieces(os.getpid(), [(address, 8), (8, 16), (address + 8, 16)])

    assert pieces.read()
    assert list(pieces.words) == [7, 0, 0, 8, 9]
    assert words_at(os.getpid(), 8, 1) == ()
