"""Which record is open inside which. Records are `[start, end)`, in any order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracelens.analyze.line import Slices
from tracelens.analyze.nesting import Nest
from tracelens.model.trace import MISSING


def nest(*records: tuple[int, int, int]) -> Nest:
    """Nest records given as thread, start and end."""
    threads, starts, ends = (np.array(column, np.int64) for column in zip(*records, strict=True))
    return Nest.of(Slices(threads, starts, ends), 3)


def names(found: Nest, places) -> list[int]:
    """Return the record at each place, by its number among those given."""
    return [MISSING if place == MISSING else int(found.rows[place]) for place in places]


def test_a_record_opens_in_the_last_to_have_begun_of_those_still_open():
    found = nest((0, 10, 90), (0, 20, 30), (0, 40, 80), (0, 50, 60), (0, 95, 99), (1, 15, 25))
    assert names(found, found.parent) == [MISSING, 0, 0, 2, MISSING, MISSING]


def test_records_that_overlap_without_nesting_keep_their_own_ends():
    found = nest((0, 0, 20), (0, 10, 40), (0, 30, 50), (0, 45, 48))
    assert names(found, found.parent) == [MISSING, 0, 1, 2]
    instants = np.array([5, 15, 25, 35, 46, 49, 50])
    assert names(found, found.innermost(np.zeros(7, np.int64), instants)) == [
        *(0, 1, 1, 2, 3, 2, MISSING)
    ]


def test_of_records_that_open_at_once_the_longer_one_is_outside():
    found = nest((0, 10, 20), (0, 10, 90))
    assert names(found, found.parent) == [MISSING, 1]


def test_what_is_seen_of_a_thread_are_stretches_of_its_innermost_records():
    found = nest((0, 10, 50), (0, 20, 30), (1, 12, 14))
    question = np.array([0, 1, 0])
    place, seen = found.seen(question, np.array([0, 0, 25]), np.array([40, 99, 26]))
    assert names(found, place) == [0, 1, 1, 0, 2, 1]
    assert seen.slots.tolist() == [0, 0, 0, 0, 1, 2]
    assert list(zip(seen.starts.tolist(), seen.ends.tolist(), strict=True)) == [
        *((10, 20), (20, 25), (25, 30), (30, 40), (12, 14), (25, 26))
    ]


def test_records_are_found_by_where_they_begin():
    found = nest((0, 10, 50), (0, 20, 30), (1, 12, 14))
    question, place = found.begun(np.array([0, 1]), np.array([10, 12]), np.array([20, 13]))
    assert (question.tolist(), names(found, place)) == ([0, 1], [0, 2])


RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=12
)


@given(RECORDS)
def test_at_each_instant_the_innermost_is_the_last_to_have_begun_that_is_open(records):
    records = [(thread, start, start + length) for thread, start, length in records]
    found = nest(*records)
    order = {int(row): place for place, row in enumerate(found.rows)}
    for thread in range(3):
        for instant in range(45):
            open_ = [
                order[row]
                for row, (of, start, end) in enumerate(records)
                if of == thread and start <= instant < end
            ]
            asked = found.innermost(np.array([thread]), np.array([instant]))
            assert asked.tolist() == [max(open_, default=MISSING)]
