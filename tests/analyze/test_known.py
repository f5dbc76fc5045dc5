from __future__ import annotations

from typing import Any

from tracelens.analyze.cold import cold_path
from tracelens.analyze.instruments import disagreements, instruments
from tracelens.analyze.known import how_known
from tracelens.analyze.precision import discarded, ended_early, intervals
from tracelens.model.measurement import Measurement, SubjectRun, Withheld
from tracelens.model.report import Finding


def taken(tag: str, *samples_ns: int, **more: Any) -> dict[str, Measurement]:
    one = Measurement(tag=tag, samples_ns=samples_ns, clock="host", includes="what it is", **more)
    return {tag: one}


def test_the_interval_of_a_median_stands_beside_it_for_all_that_was_sampled_by_the_rule() -> None:
    full = taken("full/eager", 1, 2, 3, 4, 5, 6, 7, 8, ended_by="precision")
    cold = taken("full_cold/eager", 5, ended_by="budget")

    assert [(m.tag, m.value) for m in intervals(full | cold)] == [
        ("full/eager/ci_low", 1),
        ("full/eager/ci_high", 8),
        ("full_cold/eager/ci_low", None),
        ("full_cold/eager/ci_high", None),
    ]


def test_a_run_without_full_calls_still_has_the_tags_of_their_interval() -> None:
    assert [(m.tag, m.value) for m in intervals({})] == [
        ("full/eager/ci_low", None),
        ("full/eager/ci_high", None),
    ]


def test_sampling_that_ended_too_soon_says_how_well_the_median_is_known() -> None:
    samples = (950, *[1_000] * 20, 1_050)
    spent = taken("full/eager", *range(900, 1_100, 10), ended_by="budget")
    enough = taken("full/graph", *samples, ended_by="precision")
    few = taken("full_cold/eager", 1_000, ended_by="samples")

    assert [(f.tag, f.severity, f.fact) for f in ended_early(spent | enough | few)] == [
        (
            "full/eager/ended_by_budget",
            "info",
            "full/eager: the time allowed ended first; the median is known within 4.5 % after 20 "
            "samples",
        ),
        (
            "full_cold/eager/ended_by_samples",
            "info",
            "full_cold/eager: the number of samples allowed ended first; how well the median is "
            "known cannot be said after 1 samples",
        ),
    ]


def test_samples_left_out_for_a_throttled_card_are_counted() -> None:
    (finding,) = discarded(taken("full/eager", 1, 2, 3, discarded=1))

    assert (finding.tag, finding.severity) == ("full/eager/throttled", "warning")
    assert finding.fact.startswith("full/eager: 1 samples (25 %) were taken while the card was")


def test_instruments_are_compared_where_both_measured() -> None:
    both = (
        taken("undisturbed/full", 1_020)
        | taken("undisturbed/full_off", 1_000)
        | taken("undisturbed/busy", 500)
        | taken("device/eager/busy", 505)
        | taken("clock/uncertainty", 128)
    )

    assert [(m.tag, m.value) for m in instruments(both)] == [
        ("perturbation/cupti", 1.02),
        ("kernel/eager/cupti_over_profiler", 500 / 505),
        ("clock/uncertainty", 128),
    ]
    assert list(disagreements(both)) == []


def test_a_recorded_call_is_held_against_the_one_beside_it_and_not_against_another_core() -> None:
    slow_when_on = taken("undisturbed/full", 102, 102, 204, 204, 204)
    slow_when_off = taken("undisturbed/full_off", 100, 100, 200, 200, 200)
    uneven = taken("undisturbed/full_off", 100, 100, 100, 200)

    (paired, *_) = instruments(slow_when_on | slow_when_off)
    (by_medians, *_) = instruments(slow_when_on | uneven)

    assert (paired.value, by_medians.value) == (1.02, 2.04)


def test_without_cupti_the_ratios_are_null_and_without_a_device_there_are_none() -> None:
    assert [m.value for m in instruments(taken("device/eager/busy", 505))] == [None, None, None]
    assert instruments(taken("full/eager", 1)) == ()


def test_records_that_cost_more_than_3_percent_and_instruments_2_percent_apart_are_told() -> None:
    both = (
        taken("undisturbed/full", 104_000)
        | taken("undisturbed/full_off", 100_000)
        | taken("undisturbed/busy", 50_000)
        | taken("device/eager/busy", 52_000)
    )

    assert [(f.tag, f.fact) for f in disagreements(both)] == [
        (
            "undisturbed/disturbed",
            "CUPTI's records make the full call 4.0 % longer, by 4.00 us of 100 us: the parts of "
            "undisturbed/ hold that, most of it before the first kernel and between kernels",
        ),
        (
            "kernel/instruments_differ",
            "device busy is 50.0 us by CUPTI in the timed calls and 52.0 us by torch.profiler in "
            "the profiled ones: -3.8 %",
        ),
    ]


def test_the_cold_path_has_a_metric_for_each_part_and_null_for_what_was_not_seen() -> None:
    cold = taken("cold/first_call", 9_000) | taken("cold/triton_compile", 7_000)
    reason = Finding(tag="cold/load_unseen", severity="info", fact="too old", advice="")
    unseen = Withheld(tags=("cold/triton_load", "full/graph"), finding=reason)

    assert [(m.tag, m.name, m.value) for m in cold_path(cold, (unseen,))] == [
        ("cold/first_call", "first call", 9_000),
        ("cold/second_call", "second call", None),
        ("cold/triton_compile", "compiling kernels", 7_000),
        ("cold/triton_load", "loading kernels", None),
    ]


def test_a_subject_on_the_cpu_has_its_interval_and_nothing_of_a_card() -> None:
    full = taken("full/eager", *[1_000] * 6, ended_by="precision")

    section = how_known(SubjectRun(), full, None)

    assert [m.tag for m in section.metrics] == ["full/eager/ci_low", "full/eager/ci_high"]
    assert section.findings == ()
