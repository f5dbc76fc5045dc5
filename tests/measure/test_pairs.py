"""Turns of two builds, with sides that only write down when it was their turn."""

from tracelens.measure.pairs import ROUNDS_A_CORE, Plan, sum_up, take_rounds

PLAN = Plan(rounds=4, heads=1, calls=3)


def side(name, log, *, full=(3, 9, 5), submit=(1, 2, 3)):
    def take_turn(plan, core):
        log.append((name, core))
        return {"full": full, "submit": submit}

    return take_turn


def test_a_pair_stands_together_its_order_swaps_every_round_and_the_first_pair_moves_on():
    log = []
    take_rounds([side("A1", log), side("A2", log)], [side("B1", log), side("B2", log)], PLAN)
    rounds = [" ".join(name for name, _ in log[at : at + 4]) for at in range(0, 16, 4)]
    assert rounds == ["A1 B1 A2 B2", "B1 A1 B2 A2", "A2 B2 A1 B1", "B2 A2 B1 A1"]
    assert {core for _, core in log} == {None}


def test_all_turns_of_a_round_are_on_one_core_and_some_rounds_later_on_another():
    log = []
    plan = Plan(rounds=3 * ROUNDS_A_CORE, heads=1, calls=1)
    take_rounds([side("A", log)], [side("B", log)], plan, cores=[4, 6])
    cores = [{core for _, core in log[at : at + 2]} for at in range(0, len(log), 2)]
    assert cores == [{6}] * ROUNDS_A_CORE + [{4}] * ROUNDS_A_CORE + [{6}] * ROUNDS_A_CORE


def test_a_sample_is_the_median_call_of_a_turn_and_a_subtraction_is_said():
    turns = take_rounds([side("A", [])], [side("B", [], full=(30, 90, 50))], PLAN)
    full = sum_up(turns, "full", includes=f"a call; {PLAN}", subtract_ns=4)
    submit = sum_up(turns, "submit", includes="no wait")
    assert (full.baseline_ns, full.candidate_ns) == (((1, 1, 1, 1),), ((46, 46, 46, 46),))
    assert (submit.baseline_ns, submit.candidate_ns) == (((2, 2, 2, 2),), ((2, 2, 2, 2),))
    assert full.includes == (
        "a call; the median of 3 calls after one that does not count, in turns; 4 ns subtracted"
    )


def test_a_short_call_is_made_several_times_a_turn_and_a_long_one_once_in_fewer_rounds():
    second = 1_000_000_000
    assert Plan.within(call_ns=50_000, processes=6, rounds=60, budget_ns=10 * second) == Plan(
        rounds=60, heads=5, calls=9
    )
    assert Plan.within(call_ns=second // 20, processes=6, rounds=60, budget_ns=20 * second) == Plan(
        rounds=33, heads=1, calls=1
    )
    assert Plan.within(call_ns=second, processes=6, rounds=60, budget_ns=second).rounds == 12


def test_a_sample_of_one_call_is_no_median() -> None:
    assert Plan(rounds=5, heads=1, calls=1).sample == "one call after one that does not count"
    assert Plan(rounds=5, heads=2, calls=9).sample == (
        "the median of 9 calls after 2 that do not count"
    )
