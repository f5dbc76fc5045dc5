"""Rates beside the ceiling of the card that was measured in the same run."""

from tracelens.analyze.rates import above_ceiling, rates, unrated
from tracelens.model.ceiling import Ceiling
from tracelens.model.measurement import Measurement, Work

BUSY = Measurement(tag="device/eager/busy", samples_ns=(500,), clock="c", includes="i")
COPY = Ceiling(kind="bandwidth", what="a copy", amount=4_000, samples_ns=(900, 1_000, 2_000))


def test_a_rate_stands_beside_what_the_card_reached_by_the_median_of_its_samples():
    found = list(rates(Work(bytes_moved=1_000, flops=4_000), {BUSY.tag: BUSY}, [COPY]))
    assert [(m.tag, m.value, m.unit) for m in found] == [
        ("rate/bandwidth", 2.0, "GB/s"),
        ("rate/bandwidth/ceiling", 4.0, "GB/s"),
        ("rate/bandwidth/of_ceiling", 0.5, "ratio"),
        ("rate/flops", 0.008, "TFLOP/s"),
    ]
    assert found[1].description == "measured in this run: a copy"


def test_more_than_the_card_can_do_is_explained_and_not_hidden():
    found = list(rates(Work(bytes_moved=3_000), {BUSY.tag: BUSY}, [COPY]))
    (finding,) = above_ceiling(found)
    assert finding.tag == "rate/bandwidth/above_ceiling"
    assert finding.fact == (
        "the op does 1.50 times what the card did at most in this run: caches are warm, so the "
        "data may have stayed in the L2, or the op does less than its file states"
    )
    assert list(above_ceiling(rates(Work(bytes_moved=1_000), {BUSY.tag: BUSY}, [COPY]))) == []


def test_a_ceiling_without_device_time_gives_no_share():
    values = {m.tag: m.value for m in rates(Work(bytes_moved=1_000), {}, [COPY])}
    assert values == {
        "rate/bandwidth": None,
        "rate/bandwidth/ceiling": 4.0,
        "rate/bandwidth/of_ceiling": None,
    }


def test_a_cpu_works_for_as_long_as_the_call_takes_and_its_rate_has_a_tag_of_its_own():
    full = Measurement(tag="full/eager", samples_ns=(250,), clock="c", includes="i")
    (found,) = rates(Work(bytes_moved=1_000), {full.tag: full}, on_cpu=True)
    assert (found.tag, found.value, found.description) == (
        "rate/bandwidth/full_call",
        4.0,
        "bytes_moved of the op file, 1000, / full call, eager, median",
    )
    assert unrated(Work(bytes_moved=1_000), {full.tag: full}, on_cpu=True) == ()
    assert list(rates(Work(bytes_moved=1_000), {}, on_cpu=True)) == []
