"""Two builds that took turns, held against a truth that is known. Seeds are fixed. Times in ns."""

import numpy as np
import pytest

from tracelens.analyze.diff.rounds import compare_rounds
from tracelens.model.pairs import Rounds


def rounds(random, *, true=1.0, processes=3, luck=0.007, count=60, call_ns=20_000) -> Rounds:
    """Sample two builds as a real machine gives them.

    Each process has its own luck and each sample its noise; every ten rounds all are on another
    core, some of which are a third slower, and all drift alike.
    """
    drift = 1 + 0.1 * np.linspace(0, 1, count) ** 2
    cores = np.repeat(random.uniform(1.0, 1.3, -(-count // 10)), 10)[:count]

    def process(factor):
        own = call_ns * factor * np.exp(luck * random.normal())
        noise = np.exp(0.02 * random.normal(size=count))
        return tuple((own * cores * drift * noise).astype(int).tolist())

    def side(factor):
        return tuple(process(factor) for _ in range(processes))

    return Rounds(baseline_ns=side(1.0), candidate_ns=side(true), includes="one call")


@pytest.mark.parametrize("luck", [0.0, 0.002, 0.02])
def test_two_builds_that_are_one_are_told_apart_in_one_of_a_hundred_whatever_their_luck(luck):
    random = np.random.default_rng(21)
    verdicts = [compare_rounds(rounds(random, luck=luck)).verdict for _ in range(300)]
    assert verdicts.count("no difference detected") >= 291  # of 297 that are meant to be


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
    assert [change.verdict for change in changes].count("slower") >= 85


def test_the_interval_encloses_the_truth_in_99_of_100():
    random = np.random.default_rng(24)
    changes = [compare_rounds(rounds(random, true=1.05)) for _ in range(300)]
    missed = sum(not change.ratio_low <= 1.05 <= change.ratio_high for change in changes)
    assert missed <= 9


def test_the_figures_of_a_comparison_by_hand():
    change = compare_rounds(
        Rounds(
            baseline_ns=((1_000,) * 20, (1_010,) * 20),
            candidate_ns=((2_000,) * 20, (2_020,) * 20),
            includes="one call",
        )
    )
    assert (change.baseline, change.candidate, change.delta) == (1_005, 2_010, 1_005)
    assert change.ratio == pytest.approx(2.0)
    assert change.floor == pytest.approx(0.01)
    assert change.verdict == "slower"


def test_no_figure_says_another_thing_than_the_ratio_does():
    """On a noisy machine the medians of each side on its own lie elsewhere: see `medians`."""
    random = np.random.default_rng(25)
    medians_say_another = 0
    for _ in range(200):
        taken = rounds(random, true=1.01, luck=0.02)
        change = compare_rounds(taken)
        assert change.delta == change.candidate - change.baseline
        assert change.candidate / change.baseline == pytest.approx(change.ratio, abs=1e-4)
        for figure in ("", "_low", "_high"):
            delta = getattr(change, f"delta{figure}")
            ratio = getattr(change, f"ratio{figure}")
            assert delta == pytest.approx(change.baseline * (ratio - 1), abs=2)
        assert change.ratio_low <= change.ratio <= change.ratio_high
        medians = np.median(taken.candidate_ns) - np.median(taken.baseline_ns)
        medians_say_another += np.sign(medians) != np.sign(change.delta)
    assert medians_say_another > 10


def test_parts_that_sum_to_the_call_differ_by_what_the_call_differs_by():
    """A host part of 40 us and a kernel of 10 us; the host became 2 us slower."""
    random = np.random.default_rng(26)
    apart = []
    for _ in range(50):
        host = rounds(random, true=1.05, luck=0.005, call_ns=40_000)
        kernel = rounds(random, luck=0.001, call_ns=10_000)
        whole = Rounds(
            baseline_ns=tuple(map(added, host.baseline_ns, kernel.baseline_ns)),
            candidate_ns=tuple(map(added, host.candidate_ns, kernel.candidate_ns)),
            includes="one call",
        )
        parts, call = [compare_rounds(part).delta for part in (host, kernel)], compare_rounds(whole)
        apart.append(sum(parts) - call.delta)
    assert abs(np.median(apart)) < 100
    assert np.max(np.abs(apart)) < 500


def added(first, second):
    return tuple(a + b for a, b in zip(first, second, strict=True))


def test_a_round_in_which_all_were_slow_is_no_difference():
    """One side's first process alone was sampled twice as often on the slow core: it shows."""
    slow = (1_000, 3_000, 1_000, 3_000)
    change = compare_rounds(
        Rounds(
            baseline_ns=(slow, tuple(2 * ns for ns in slow)),
            candidate_ns=(slow, tuple(2 * ns for ns in slow)),
            includes="one call",
        )
    )
    assert (change.ratio, change.delta) == (1.0, 0)


def test_a_part_that_takes_no_time_has_a_difference_and_no_ratio():
    change = compare_rounds(
        Rounds(
            baseline_ns=((0,) * 12, (0,) * 12),
            candidate_ns=((500,) * 12, (510,) * 12),
            includes="between kernels",
        )
    )
    assert (change.delta, change.ratio, change.verdict) == (505, None, "slower")
    assert 450 < change.delta_low < change.delta_high < 560


def test_a_tick_beside_nothing_is_no_difference():
    one_tick = Rounds(
        baseline_ns=((0,) * 12,) * 3, candidate_ns=((32,) * 12,) * 3, includes="between kernels"
    )
    assert compare_rounds(one_tick).verdict == "slower"
    assert compare_rounds(one_tick, tick_ns=32).verdict == "no difference detected"


@pytest.mark.parametrize(("ns", "without"), [(896, "slower"), (832, "faster")])
def test_a_tick_of_the_clock_is_no_difference(ns, without):
    one_tick = Rounds(
        baseline_ns=((864,) * 12,) * 3, candidate_ns=((ns,) * 12,) * 3, includes="kernels"
    )
    assert compare_rounds(one_tick).verdict == without
    assert compare_rounds(one_tick, tick_ns=32).verdict == "no difference detected"


def test_one_process_a_side_has_a_ratio_and_no_verdict():
    one = Rounds(baseline_ns=((100,) * 20,), candidate_ns=((150,) * 20,), includes="one call")
    change = compare_rounds(one)
    assert (change.ratio, change.verdict) == (pytest.approx(1.5), "not comparable")
