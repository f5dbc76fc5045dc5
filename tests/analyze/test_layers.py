"""What each layer costs is what it takes beyond the layer inside it, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracelens.analyze.layers import Cost, cost_of, layers_section
from tracelens.model.layered import Layered, LayerTimes
from tracelens.model.measurement import Measurement, SubjectRun
from tracelens.model.report import Section

DRIFT = tuple(range(0, 20_000, 1_000))
"""A machine that gets slower all the time, by more than any layer costs."""


def layer(name: str, above_ns: int, *, busy_ns: int = 900) -> LayerTimes:
    samples = tuple(above_ns + drift for drift in DRIFT)
    return LayerTimes(name=name, full_ns=samples, submit_ns=samples, busy_ns=(busy_ns,))


def section(*layers: LayerTimes, full_ns: int | None = None) -> Section:
    alone = Measurement(tag="full/eager", samples_ns=(full_ns or 0,), clock="c", includes="i")
    found = layers_section(
        SubjectRun(
            layered=Layered(layers=layers, protocol="20 rounds"),
            measurements=(alone,) if full_ns is not None else (),
        )
    )
    assert found is not None
    return found


def test_known_differences_are_recovered_under_a_drift_that_hides_them_in_the_medians() -> None:
    found = section(layer("op", 9_000), layer("generic", 7_000), layer("kernel", 4_000))

    assert [row[:5] for row in found.tables[0].rows] == [
        ("op", 18_500, 2_000, 2_000, 2_000),
        ("generic", 16_500, 3_000, 3_000, 3_000),
        ("kernel", 13_500, 13_500, 7_000, 20_000),
    ]
    assert [row[-2:] for row in found.tables[0].rows] == [
        (900, "costs"),
        (900, "costs"),
        (900, "innermost: all of it"),
    ]


def test_a_cost_whose_interval_holds_zero_is_no_difference() -> None:
    alternating = [10_000 + (-1) ** at * 50 for at in range(20)]

    assert cost_of(alternating, [10_000] * 20).words == "no difference detected"
    assert cost_of([10_300] * 20, [10_000] * 20).words == "costs"
    assert cost_of([9_700] * 20, [10_000] * 20).words == "negative"
    assert cost_of([10_300] * 7, [10_000] * 7) == Cost(middle_ns=300, low_ns=None, high_ns=None)


def test_the_interval_holds_the_truth_in_99_of_100_experiments() -> None:
    generator = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        inner = generator.lognormal(9, 0.3, 50)
        outer = inner + 500 + generator.normal(0, 800, 50)
        cost = cost_of(outer.astype(int).tolist(), inner.astype(int).tolist())
        assert cost.low_ns is not None
        assert cost.high_ns is not None
        inside += cost.low_ns <= 500 <= cost.high_ns

    assert inside >= 392


def test_a_negative_cost_is_said_and_not_hidden() -> None:
    found = section(layer("op", 5_000), layer("wrapper", 4_000), layer("kernel", 6_000))

    (warning,) = (f for f in found.findings if f.severity == "warning")
    assert (warning.tag, warning.fact) == (
        "layers/negative",
        "'wrapper' is faster than 'kernel', which it is said to call, by 2.00 us (at least 2.00 "
        "us)",
    )


def test_layers_that_do_other_work_on_the_device_are_told() -> None:
    found = section(layer("op", 9_000), layer("kernel", 7_000, busy_ns=1_200))

    assert [f.fact for f in found.findings if f.tag == "layers/other_work"] == [
        "'op' keeps the device busy for 900 ns and 'kernel' for 1.20 us: they do not do the same "
        "work"
    ]


def test_a_layer_that_was_not_called_is_told_and_the_one_around_it_holds_its_cost() -> None:
    broken = LayerTimes(name="middle", failed="it raised ValueError: no")

    found = section(layer("op", 9_000), broken, layer("kernel", 4_000))

    assert [row[:3] for row in found.tables[0].rows] == [
        ("op", 18_500, 5_000),
        ("kernel", 13_500, 13_500),
    ]
    assert [f.fact for f in found.findings if f.tag == "layers/failed"] == [
        "the layer 'middle' was not measured: it raised ValueError: no; the cost of the layer "
        "around it holds that of this one"
    ]


def test_the_ops_own_full_call_is_the_check_at_the_top() -> None:
    def tags(full_ns: int) -> Sequence[str]:
        layers = layer("op", 500), layer("kernel", 300)
        return [f.tag for f in section(*layers, full_ns=full_ns).findings]

    assert tags(10_000) == ["layers/nested"]
    assert tags(20_000) == ["layers/nested", "layers/unlike_alone"]


def test_an_op_without_layers_has_no_section() -> None:
    assert layers_section(SubjectRun()) is None
