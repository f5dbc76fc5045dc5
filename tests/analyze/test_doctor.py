from __future__ import annotations

from typing import Any

from tests.timelines import kernel, launch, sync, timeline_of, window
from tracelens.analyze.doctor import doctor
from tracelens.analyze.timeline import Timeline
from tracelens.model.calibration import Calibration
from tracelens.model.report import Finding


def spin(way: Any, truth_ns: int, *samples_ns: int, **more: Any) -> Calibration:
    whole = {"kind": "kernel", "check": f"spin_{truth_ns // 1_000}us", "truth_from": "the timer"}
    return Calibration(
        **{**whole, "way": way, "truth_ns": truth_ns, "samples_ns": samples_ns, **more}
    )


def judged(*calibrations: Calibration) -> list[tuple[str, str, str]]:
    found = doctor(calibrations, None).findings
    return [(finding.severity, finding.fact, finding.advice) for finding in found]


def test_every_way_has_truth_measured_error_and_spread_as_metrics_and_as_a_row() -> None:
    section = doctor([spin("cupti", 5_000, 5_600, 5_700, 5_800)], None)

    assert [(m.tag, m.value, m.unit) for m in section.metrics] == [
        ("doctor/spin_5us_cupti/truth", 5_000, "ns"),
        ("doctor/spin_5us_cupti/measured", 5_700, "ns"),
        ("doctor/spin_5us_cupti/error", 700, "ns"),
        ("doctor/spin_5us_cupti/spread", 120, "ns"),
    ]
    assert section.tables[0].rows == (("spin_5us", "cupti", 5_000, 5_700, 700, 120),)


def test_a_check_has_one_finding_that_says_which_way_to_trust() -> None:
    assert judged(spin("cupti", 5_000, 5_700), spin("events", 5_000, 11_900)) == [
        (
            "info",
            "a kernel of 5.00 us: CUPTI 5.70 us (+700 ns), CUDA events 11.9 us (+6,900 ns)",
            "trust at this length: CUPTI; not: CUDA events",
        )
    ]


def test_where_no_record_is_near_the_truth_it_is_a_warning() -> None:
    assert judged(spin("cupti", 5_000, 9_000), spin("host", 5_000, 14_000)) == [
        (
            "warning",
            "a kernel of 5.00 us: CUPTI 9.00 us (+4,000 ns), the host clock 14.0 us (+9,000 ns)",
            "no way here is to be trusted at this length",
        )
    ]


def test_nothing_has_no_length_so_what_is_measured_is_the_ways_own_cost() -> None:
    nothing = spin("host", 0, 9_350, kind="nothing", check="empty_call", truth_from="nothing runs")

    assert judged(nothing) == [
        (
            "info",
            "nothing runs, so the truth is 0: the host clock 9.35 us (+9,350 ns)",
            "nothing shorter can be told from nothing this way",
        )
    ]


def test_a_host_spin_is_near_within_a_microsecond_or_3_percent() -> None:
    def host(truth_ns: int, measured_ns: int) -> Calibration:
        return spin("cupti", truth_ns, measured_ns, kind="host", truth_from="a host spin")

    found = [
        judged(host(*pair))[0] for pair in ((20_000, 21_000), (20_000, 21_001), (100_000, 103_000))
    ]

    assert [severity for severity, _, _ in found] == ["info", "warning", "info"]
    assert found[0][1] == "a host spin: 1.00 us off after 20.0 us, spread 0 ns"


def cards(**measured_ns: int) -> list[Calibration]:
    return [
        spin("events", 1_000, ns, check="card_clock", device=name.replace("_", ":"))
        for name, ns in measured_ns.items()
    ]


def test_an_odd_card_is_named() -> None:
    assert judged(*cards(cuda_0=1_000, cuda_1=1_000, cuda_2=1_200)) == [
        (
            "warning",
            "the timer, 1.00 us: cuda:0 1.00 us (+0.0%), cuda:1 1.00 us (+0.0%), "
            "cuda:2 1.20 us (+20.0%)",
            "do not compare times of cuda:2 with the others'",
        )
    ]


def test_of_two_cards_that_differ_none_is_accused() -> None:
    ((severity, _, advice),) = judged(*cards(cuda_0=950, cuda_1=1_050))

    assert (severity, advice) == ("warning", "the two differ; which of them is odd is open")


def test_cards_that_are_alike_are_said_to_be() -> None:
    assert judged(*cards(cuda_0=990, cuda_1=1_010))[0][2] == "the cards are alike"


def test_a_way_that_recorded_nothing_is_told_and_its_figures_are_null() -> None:
    lost = spin("profiler", 5_000, window="doctor::spin_5us")
    section = doctor([spin("cupti", 5_000, 5_700), lost], None)

    assert section.findings[0].fact.endswith("CUPTI 5.70 us (+700 ns), torch.profiler nothing")
    assert section.tables[0].rows[1] == ("spin_5us", "profiler", 5_000, None, None, None)


def test_what_the_profiler_said_is_read_from_its_windows() -> None:
    trace = timeline_of(
        window(0, 20, name="doctor::spin_5us"),
        launch(5, 10, called=1),
        kernel(30, 5_730, by=1),
        sync(20, 6_000),
    )
    one = spin("profiler", 5_000, window="doctor::spin_5us")

    section = doctor([one], Timeline.of(trace))

    assert section.tables[0].rows == (("spin_5us", "profiler", 5_000, 5_700, 700, 0),)


def test_what_could_not_be_checked_comes_last() -> None:
    missing = Finding(tag="doctor/device/unavailable", severity="info", fact="none", advice="")

    assert doctor([spin("cupti", 5_000, 5_700)], None, [missing]).findings[-1] is missing
