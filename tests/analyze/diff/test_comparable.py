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
