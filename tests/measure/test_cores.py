"""Which cores calls are spread over, and that they are."""

from __future__ import annotations

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure import cores
from tracelens.measure.cores import Tour, chosen, read_cores
from tracelens.measure.timing import Timed, sample_batches, sample_spread


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """Return the sets of cores that a thread of four cores of one node is given."""
    given: list[set[int]] = []
    monkeypatch.setattr(cores, "allowed_cores", lambda: {0, 1, 2, 3})
    monkeypatch.setattr(cores, "node_cores", lambda: {0, 1, 2, 3, 4, 5})
    monkeypatch.setattr(
        cores.os, "sched_setaffinity", lambda _, wanted: given.append(set(wanted)), raising=False
    )
    return given


@pytest.mark.parametrize(
    ("count", "order"),
    [
        (0, ()),
        (1, (0,)),
        (2, (0, 1)),
        (4, (0, 3, 2, 1)),
        (8, (0, 5, 2, 7, 4, 1, 6, 3)),
        (64, (0, 41, 18, 59, 36, 13, 54, 31)),
    ],
)
def test_no_core_is_chosen_twice_and_eight_at_most(count: int, order: tuple[int, ...]) -> None:
    assert chosen(list(range(count))) == order


def test_a_list_of_cores_is_read_as_linux_writes_it() -> None:
    assert read_cores("0-2,8,10-11\n") == {0, 1, 2, 8, 10, 11}
    assert read_cores("\n") == set()
    with pytest.raises(ValueError, match="invalid literal"):
        read_cores("0-x")


def test_a_thread_goes_on_in_a_circle_and_is_left_free_each_time(moves: list[set[int]]) -> None:
    tour = Tour()

    assert [tour.move() for _ in range(5)] == [True] * 5
    free = {0, 1, 2, 3}
    assert moves == [{0}, free, {3}, free, {2}, free, {1}, free, {0}, free]


def test_a_thread_with_one_core_or_in_a_sandbox_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: int, __: set[int]) -> None:
        raise PermissionError

    assert Tour().move() is False
    monkeypatch.setattr(cores, "allowed_cores", lambda: {0, 1})
    monkeypatch.setattr(cores, "node_cores", lambda: {0, 1})
    monkeypatch.setattr(cores.os, "sched_setaffinity", forbidden, raising=False)
    assert Tour().move() is False


def test_a_sandbox_that_does_not_name_the_cores_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: int) -> set[int]:
        raise PermissionError

    monkeypatch.undo()  # of every test: a machine of one core
    monkeypatch.setattr(cores.os, "sched_getaffinity", forbidden, raising=False)
    assert (cores.allowed_cores(), Tour().cores) == (set(), ())


def test_single_calls_are_shared_among_the_cores_and_settle_on_each(moves: list[set[int]]) -> None:
    device = FakeDevice()
    call = device.op(host_ns=100_000, kernel_ns=1_000)
    subject = Timed(call=call, device=device, grad="no_grad")

    found = sample_spread(subject, Tour(), samples=10, budget_ns=10**12)

    assert len(found) == 10
    assert [core for core in moves if len(core) == 1] == [{0}, {3}, {2}, {1}]
    settling = -(-500_000 // found.full_ns[0])
    assert device.log.count("call") == 10 + 4 * settling


def test_a_slow_op_ends_with_its_time_and_is_not_taken_everywhere(moves: list[set[int]]) -> None:
    device = FakeDevice()
    call = device.op(host_ns=100_000_000, kernel_ns=1_000)
    subject = Timed(call=call, device=device, grad="no_grad")

    found = sample_spread(subject, Tour(), samples=200, budget_ns=500_000_000)

    assert len(found) == 5
    assert moves[::2] == [{0}]


def test_calls_that_take_long_settle_by_themselves(moves: list[set[int]]) -> None:
    device = FakeDevice()
    call = device.op(host_ns=1_000_000_000, kernel_ns=1_000)
    subject = Timed(call=call, device=device, grad="no_grad")

    found = sample_batches(subject, batches=20, batch=2, budget_ns=500_000_000, tour=Tour())

    assert (len(found.runs), device.log.count("call")) == (5, 1 + 5 * 2)
    assert moves[::2] == [{0}, {3}, {2}, {1}, {0}]


def test_each_run_of_calls_is_on_the_next_core(moves: list[set[int]]) -> None:
    device = FakeDevice()
    call = device.op(host_ns=100_000, kernel_ns=1_000)
    subject = Timed(call=call, device=device, grad="no_grad")

    found = sample_batches(subject, batches=3, batch=2, budget_ns=10**12, tour=Tour())

    assert len(found.runs) == 3
    assert moves[::2] == [{0}, {3}, {2}]


def test_an_op_on_the_cpu_stays_where_it_is(moves: list[set[int]]) -> None:
    device = FakeDevice()
    device.asynchronous = False
    call = device.op(host_ns=100_000, kernel_ns=0)

    found = sample_spread(
        Timed(call=call, device=device, grad="no_grad"), Tour(), samples=10, budget_ns=10**12
    )

    assert (len(found), moves) == (10, [])
