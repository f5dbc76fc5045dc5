"""Two builds that took turns, held against a truth that is known. Seeds are fixed. Times in ns."""

import numpy as np
import pytest

from tracelens.analyze.diff.rounds import compare_rounds
from tracelens.model.pairs import Rounds


def rounds(random, *, true=1.0, processes=3, luck=0.007, count=60, call_ns=20_000) -> Rounds:
    """Sample two builds: each process has its own luck, each call its noise, all drift alike."""
    drift = 1 + 0.1 * np.linspace(0, 1, count) ** 2

    def side(factor):
        return tuple(
            tuple(
                (
                    call_ns
                    * factor
                    * np.exp(luck * random.normal())
                    * drift
                    * np.exp(0.01 * random.normal(size=count))
                )
                .astype(int)
                .tolist()
            )
            for _ in range(processes)
        )

    return Rounds(baseline_ns=side(1.0), candidate_ns=side(true), includes="one call")


@pytest.mark.parametrize("luck", [0.0, 0.002, 0.02])
def test_two_builds_that_are_one_are_told_apart_in_one_of_a_hundred_whatever_their_luck(luck):
    random = np.random.default_rng(21)
    verdicts = [compare_rounds(rounds(random, luck=luck)).verdict for _ in range(200)]
    assert verdicts.count("no difference detected") >= 193  # of 198 that are meant to be


def test_one_process_a_side_would_have_taken_luck_for_a_difference_every_other_time():
    """What the interval of the turns alone says: the reason for several processes."""
    random = np.random.default_rng(22)
    ratios = [
        np.median(np.divide(r.candidate_ns[0], r.baseline_ns[0]))
        for r in (rounds(random, luck=0.02) for _ in range(100))
    ]
    assert np.mean(np.abs(np.array(ratios) - 1) > 0.01) > 0.5


def test_a_difference_of_two_in_a_hundred_is_found_where_processes_differ_by_less():
    random = np.random.default_rng(23)
    changes = [compare_rounds(rounds(random, true=1.02, luck=0.001)) for _ in range(100)]
    assert [change.verdict for change in changes].count("slower") >= 99


def test_the_interval_encloses_the_truth_in_99_of_100():
    random = np.random.default_rng(24)
    changes = [compare_rounds(rounds(random, true=1.05)) for _ in range(200)]
    missed = sum(not change.ratio_low <= 1.05 <= change.ratio_high for change in changes)
    assert missed <= 7


def test_the_figures_of_a_comparison_by_hand():
    change = compare_rounds(
        Rounds(
            baseline_ns=((1_000,) * 20, (1_010,) * 20),
            candidate_ns=((2_000,) * 20, (2_020,) * 20),
            includes="one call",
        )
    )
    assert (change.baseline, change.candidate, change.delta) == (1_005, 2_010, 1_005)
    assert change.ratio == 2.0
    assert change.floor == pytest.approx(0.01)
    assert change.verdict == "slower"


def test_one_process_a_side_has_a_ratio_and_no_verdict():
    one = Rounds(baseline_ns=((100,) * 20,), candidate_ns=((150,) * 20,), includes="one call")
    change = compare_rounds(one)
    assert (change.ratio, change.verdict) == (1.5, "not comparable")
