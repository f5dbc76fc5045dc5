"""The clock that each side ran at. MHz and ns."""

from tracelens.analyze.change import Change
from tracelens.analyze.diff.clocks import Clocks, read_clocks, to_cycles
from tracelens.model.card import CardReading


def reading(stage, mhz):
    return CardReading(stage=stage, sm_clock_mhz=mhz)


def test_a_stage_that_was_read_for_itself_has_its_own_clock():
    baseline = [reading("full/eager", 1590), reading("undisturbed", 1785)]
    candidate = [reading("full/eager", 1980), reading("full/eager", 1978)]
    found = read_clocks("undisturbed", baseline, candidate)
    assert found == Clocks(baseline_mhz=1785, candidate_mhz=1979, spread=2 / 1979)
    assert (found.steady, round(found.ratio, 3)) == (True, 1.109)


def test_without_readings_on_both_sides_there_is_no_clock():
    read = [reading("undisturbed", 1980)]
    assert read_clocks("undisturbed", read, []) is None
    assert read_clocks("undisturbed", read, [reading("undisturbed", None)]) is None


def test_a_clock_that_moved_by_more_than_three_percent_is_not_steady():
    moved = [reading("", 1980), reading("", 1900), reading("", 1940)]
    assert not read_clocks("", moved, [reading("", 1980)]).steady


def test_a_microsecond_at_1980_mhz_is_1980_cycles():
    assert (to_cycles(1_000, 1980), to_cycles(None, 1980)) == (1980, None)


def change(ratio, clocks):
    return Change(
        ratio=ratio, ratio_low=ratio * 0.999, ratio_high=ratio * 1.001, floor=0.01, clocks=clocks
    )


def test_a_change_needs_to_be_one_in_time_and_in_cycles():
    assert change(1.10, None).verdict == "slower"
    assert change(1.10, 1.0).verdict == "slower"
    assert change(1.10, 0.91).verdict == "no difference detected"  # 1.001 in cycles
    assert change(1.10, 0.80).verdict == "no difference detected"  # fewer cycles, yet more time
    assert change(1.00, 0.91).verdict == "no difference detected"  # more clock is no slower call
    assert (change(1.10, 0.91).is_of_clock, change(1.10, 1.0).is_of_clock) == (True, False)
