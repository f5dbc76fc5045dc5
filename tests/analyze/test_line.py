"""Stretches laid end to end, against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.line import Line, Slices
from tracelens.errors import TraceError


def line_of(*slots: tuple[int, int]) -> Line:
    return Line.of(*np.array(slots, np.int64).reshape(-1, 2).T)


def slices(*rows: tuple[int, int, int]) -> Slices:
    return Slices(*np.array(rows, np.int64).reshape(-1, 3).T)


def rows_of(found: Slices) -> list[tuple[int, int, int]]:
    return list(zip(found.slots.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True))


def test_slices_are_clipped_to_their_slot_and_united_within_it():
    line = line_of((100, 110), (105, 120))
    placed = line.place(slices((0, 90, 103), (0, 102, 106), (1, 118, 130), (1, 0, 50)))
    assert rows_of(line.lift(placed)) == [(0, 100, 106), (1, 118, 120)]
    assert line.lengths_ns(placed).tolist() == [6, 2]


def test_what_ends_with_one_slot_does_not_merge_with_what_begins_with_the_next():
    line = line_of((0, 10), (0, 10))
    placed = line.place(slices((0, 4, 10), (1, 0, 3)))
    assert rows_of(line.lift(placed)) == [(0, 4, 10), (1, 0, 3)]


def test_all_slots_without_the_gaps_are_the_whole():
    line = line_of((5, 8), (7, 7), (0, 2))
    assert rows_of(line.lift(line.whole)) == [(0, 5, 8), (2, 0, 2)]
    assert line.whole.length_ns == 5


def test_fitted_slots_reach_from_the_first_start_to_the_last_end_of_what_they_hold():
    line = Line.fitted(3, slices((0, 7, 9), (2, 3, 4)), slices((0, 2, 5)))
    assert (line.starts.tolist(), line.ends.tolist()) == ([2, 0, 3], [9, 0, 4])


def test_one_absurd_time_costs_its_own_slot_only():
    epoch = 1_700_000_000_000_000_000
    held = [(stream, epoch, epoch + 9) for stream in range(1000)]
    line = Line.fitted(1000, slices((0, 5, 6), *held))
    assert line.lengths_ns(line.place(slices(*held))).tolist() == [9] * 1000


def test_slots_that_int64_cannot_hold_end_to_end_are_an_error_that_says_so():
    with pytest.raises(TraceError) as refused:
        line_of((-(2**62), 2**62), (0, 10))
    assert refused.value.fact == (
        "the 2 windows, streams or threads of this trace cover 293 years in sum, more than 64-bit "
        "nanoseconds hold"
    )
    assert refused.value.hint == "look for records with absurd times in the trace and drop them"


SLOTS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 15)).map(lambda p: (p[0], p[0] + p[1])),
    min_size=1,
    max_size=4,
)
STRETCHES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-5, 40), st.integers(-5, 40)), max_size=8
)


@given(SLOTS, STRETCHES, STRETCHES)
def test_a_look_into_a_slot_finds_what_it_holds_there(slots, held, asked):
    held = [row for row in held if row[0] < len(slots)]
    asked = [row for row in asked if row[0] < len(slots)]
    line = line_of(*slots)
    placed = line.place(slices(*held))
    of_slot = [
        {t for s, a, b in held if s == slot for t in range(a, b) if low <= t < high}
        for slot, (low, high) in enumerate(slots)
    ]
    expected = [of_slot[slot] & set(range(a, b)) for slot, a, b in asked]

    question = dict(
        zip(("slots", "starts", "ends"), np.array(asked, np.int64).reshape(-1, 3).T, strict=True)
    )
    seen = rows_of(line.look(placed, **question))
    assert [
        {t for q, a, b in seen if q == i for t in range(a, b)} for i in range(len(asked))
    ] == expected
    assert line.lengths_within_ns(placed, **question).tolist() == [len(e) for e in expected]
