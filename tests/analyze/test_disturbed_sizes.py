"""Sizes of a sweep whose figures scatter, or cannot be so."""

from __future__ import annotations

import pytest

from tracelens.analyze.disturbed_sizes import disturbed_sizes
from tracelens.model.report import Finding
from tracelens.model.sweep import SweepPoint


def point(size: int, *full_ns: int, in_a_row_ns: int | None = None) -> SweepPoint:
    """Return a size; without `in_a_row_ns` calls in a row take what the first full call takes."""
    return SweepPoint(
        parameter="n",
        size=size,
        full_ns=full_ns,
        amortised_ns=(in_a_row_ns or full_ns[0],) if full_ns else (),
    )


def facts(*points: SweepPoint, on_cpu: bool = True) -> list[str]:
    return [finding.fact for finding in disturbed_sizes("n", points, on_cpu=on_cpu)]


def test_a_size_far_above_both_its_neighbours_is_told_with_their_times() -> None:
    points = [point(32_768, 5_070), point(65_536, 15_937_000), point(131_072, 13_100)]

    assert list(disturbed_sizes("n", points, on_cpu=True)) == [
        Finding(
            tag="sweep/disturbed",
            severity="warning",
            fact="disturbed at n = 65,536 (a full call takes 15.9 ms, at the sizes beside it "
            "5.07 us and 13.1 us)",
            advice="look for other work on this machine and card, and sweep again before the "
            "figures there are believed",
        )
    ]


def test_a_call_that_grows_with_its_size_however_steeply_is_not_accused() -> None:
    assert facts(point(8, 1_000), point(16, 100_000), point(32, 9_000_000)) == []


@pytest.mark.parametrize(
    ("full_ns", "told"),
    [
        ((8_000, 9_000, 10_000, 11_000, 12_000), []),
        (
            (4_000, 6_000, 10_000, 14_000, 18_000),
            ["disturbed at n = 8 (noise of the full call 80 %)"],
        ),
    ],
)
def test_a_size_whose_full_calls_scatter_is_told(full_ns: tuple[int, ...], told: list[str]) -> None:
    assert facts(point(8, *full_ns, in_a_row_ns=10_000)) == told


@pytest.mark.parametrize(
    ("in_a_row_ns", "on_cpu", "told"),
    [
        (16_000, False, "calls in a row take 16.0 us each, a call on its own 10.0 us"),
        (14_000, False, None),
        (3_000, True, "calls in a row take 3.00 us each, a call on its own 10.0 us"),
        (3_000, False, None),  # a device is waited for behind each call on its own
    ],
)
def test_calls_in_a_row_and_on_their_own_that_contradict_each_other_are_told(
    in_a_row_ns: int, on_cpu: bool, told: str | None
) -> None:
    found = facts(point(8, 10_000, in_a_row_ns=in_a_row_ns), on_cpu=on_cpu)

    assert found == ([f"disturbed at n = 8 ({told})"] if told else [])


def test_sizes_that_failed_are_passed_over_and_many_disturbed_ones_counted() -> None:
    noisy = (4_000, 6_000, 10_000, 14_000, 18_000)
    points = [point(1 << at, *noisy, in_a_row_ns=10_000) for at in range(5)]

    assert facts(point(64), *points) == [
        "disturbed at n = 1 (noise of the full call 80 %), 2 (noise of the full call 80 %), 4 "
        "(noise of the full call 80 %) and 2 more"
    ]
