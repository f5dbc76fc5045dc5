"""The stack of this process, read as another process would read it."""

import os
import sys
from array import array

import pytest

from tracelens.measure.sampling.layout import Layout, find_layout, thread_address
from tracelens.measure.sampling.memory import Pieces, words_at
from tracelens.measure.sampling.sampler import outermost_code
from tracelens.measure.sampling.stack_reader import StackReader, UnreadError

if not sys.platform.startswith("linux"):
    pytest.skip("Linux alone lets a process read another", allow_module_level=True)


@pytest.fixture(scope="module")
def layout() -> Layout:
    return find_layout()


def reader(layout, *, is_code=lambda address: True):
    return StackReader(os.getpid(), thread_address(), layout, is_code=is_code)


def read(layout, *, below=0, root=0):
    """Return the lines below a function: each reading learns where one more frame is."""
    mine = reader(layout)
    for _ in range(500):
        try:
            return mine.stack(below=below, root=root)
        except UnreadError:
            continue
    raise AssertionError("the stack was never read")


def test_the_lines_below_a_function_are_read_innermost_first_with_their_instructions(layout):
    def outermost():
        return read(layout, below=id(outermost.__code__))

    found = outermost()

    names = {id(f.__code__): f.__name__ for f in (read, StackReader.stack, Pieces.read)}
    assert [names.get(code) for code, _ in found.lines] == ["read", "stack", "read"]
    assert found.is_below


def test_without_the_function_the_stack_is_none_if_it_begins_as_the_threads_does(layout):
    idle, root = id(layout.offset.__code__), id(outermost_code())

    assert read(layout, below=idle, root=root) is None


def test_a_stack_that_begins_elsewhere_is_read_whole_and_said_to_be_below_nothing(layout):
    idle = id(layout.offset.__code__)

    found = read(layout, below=idle, root=idle)

    assert id(read.__code__) in [code for code, _ in found.lines]
    assert not found.is_below


def test_a_stack_as_deep_as_python_allows_by_itself_is_read(layout):
    def deep(frames):
        return deep(frames - 1) if frames else read(layout, below=id(begins.__code__))

    def begins():
        return deep(700)

    assert len(begins().lines) > 700


def test_the_offset_of_a_waiting_frame_is_its_f_lasti(layout):
    def waits():
        found = read(layout)
        code, at = next(line for line in found.lines if line[0] == id(waits.__code__))
        return layout.offset(code, at)

    frame_offset = waits()

    code = waits.__code__
    line = [n for start, end, n in code.co_lines() if start <= frame_offset < end]
    assert line == [code.co_firstlineno + 1]


def test_what_is_left_of_a_frame_is_not_taken_for_one(layout):
    mine = reader(layout, is_code=lambda address: False)

    for _ in range(500):
        with pytest.raises(UnreadError):
            mine.stack(below=0, root=0)


def test_a_process_that_is_gone_cannot_be_read(layout):
    gone = StackReader(2**22 + 1, thread_address(), layout, is_code=lambda address: True)

    with pytest.raises(LookupError, match="process 4194305 is gone, or may not be read"):
        gone.stack(below=0, root=0)


def test_a_piece_that_is_not_mapped_is_zero_and_the_others_are_read():
    kept = array("Q", [7, 8, 9])
    address, _ = kept.buffer_info()

    pieces = Pieces(os.getpid(), [(address, 8), (8, 16), (address + 8, 16)])

    assert pieces.read()
    assert list(pieces.words) == [7, 0, 0, 8, 9]
    assert words_at(os.getpid(), 8, 1) == ()
