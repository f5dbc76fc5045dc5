"""What differs between two sides, and what of it bars a ratio."""

from tracelens.analyze.diff.comparable import (
    difference_table,
    environment_differences,
    protocol_differences,
    shared_environment,
)
from tracelens.model.measurement import Protocol
from tracelens.model.report import Environment

H200 = Environment(device="NVIDIA H200", multiprocessors=132, torch="2.9", python="3.11.7")
PROTOCOL = Protocol(
    device="cuda:0",
    seed=0,
    grad_mode="grad",
    warmup_calls=5,
    warmup_ns=1,
    samples=200,
    batch=100,
    profiled_calls=20,
    head_calls=5,
    cache_state="warm",
    clock="perf_counter_ns",
)


def changed(noun, **values):
    return type(noun)(**{f: getattr(noun, f) for f in noun.__slots__} | values)


def test_another_card_bars_a_ratio_and_another_version_is_what_is_compared():
    found = environment_differences(
        H200, changed(H200, device="NVIDIA H100", torch="2.10", trace="b.json")
    )
    assert [(str(d), d.bars) for d in found] == [
        ("card NVIDIA H200 in the baseline, NVIDIA H100 now", True),
        ("torch 2.9 in the baseline, 2.10 now", False),
    ]
    (table,) = difference_table(found)
    assert table.rows == (("card", "NVIDIA H200", "NVIDIA H100"), ("torch", "2.9", "2.10"))


def test_a_card_that_one_side_does_not_know_bars_nothing():
    (found,) = environment_differences(H200, changed(H200, device=None))
    assert (found.what, found.bars) == ("card", False)


def test_another_cache_state_bars_a_ratio_and_other_counts_do_not():
    found = protocol_differences(PROTOCOL, changed(PROTOCOL, cache_state="cold", samples=50))
    assert [(d.what, d.bars) for d in found] == [("samples", False), ("cache state", True)]


def test_the_index_of_a_card_is_nothing_and_a_cpu_is_no_card():
    assert protocol_differences(PROTOCOL, changed(PROTOCOL, device="cuda:1")) == []
    (found,) = protocol_differences(PROTOCOL, changed(PROTOCOL, device="cpu"))
    assert found.bars


def test_the_environment_of_a_comparison_is_what_both_sides_share():
    assert shared_environment(H200, changed(H200, torch="2.10")) == changed(H200, torch=None)
    assert difference_table([]) == ()


def test_what_differs_is_said_as_a_person_would():
    card = changed(
        H200, power_limit_mw=700_000, sm_clock_limit_mhz=1_980, packages={"numpy": "2.1"}, mig=False
    )
    none = changed(H200, packages={}, mig=True)
    found = environment_differences(
        changed(card, variables={"OMP_NUM_THREADS": "4", "TZ": "UTC", "LANG": ""}),
        changed(none, variables={"TZ": "UTC"}),
    )
    assert difference_table(found)[0].rows == (
        ("packages", "numpy 2.1", "none"),
        ("limit of the SM clock", "1,980 MHz", None),
        ("power limit", "700 W", None),
        ("MIG", "off", "on"),
        ("environment variables", "LANG empty, OMP_NUM_THREADS 4", "none"),
    )
    found = protocol_differences(
        changed(PROTOCOL, inputs=("bfloat16[4, 8] cuda:0", "0.5"), warmup_ns=25_000_000),
        PROTOCOL,
    )
    assert [str(difference) for difference in found] == [
        "warm-up, at least 25.0 ms in the baseline, 1 ns now",
        "inputs bfloat16[4, 8] cuda:0; 0.5 in the baseline, unknown now",
    ]
