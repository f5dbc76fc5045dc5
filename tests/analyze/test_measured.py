"""The three measurements of a run as metrics: what was measured, and why the rest was not."""

from dataclasses import replace

from tracelens.analyze.measured import measured
from tracelens.model.measurement import Failure, Measurement, Protocol, SubjectRun, Withheld
from tracelens.model.report import Finding, Metric, Section

CONTRACT = (
    "full/eager/median",
    "full/graph/median",
    "submit/eager/median",
    "amortised/eager/median",
    "amortised/graph/median",
    "kernel/eager/busy/median",
    "kernel/eager/sum/median",
    "kernel/graph/busy/median",
    "kernel/graph/sum/median",
    "undisturbed/before_first/median",
    "undisturbed/busy/median",
    "undisturbed/between/median",
    "undisturbed/after_last/median",
    "perturbation/cpu_cuda",
    "cold/first_call",
    "check/max_abs_error",
)
"""The tags that a profile must have for each case and variant, but for those of its trace."""

HOST = ("full/eager", "submit/eager", "amortised/eager", "full_profiled/eager", "cold/first_call")
GRAPH = ("full/graph", "submit/graph", "amortised/graph")
UNDISTURBED = tuple(
    f"undisturbed/{part}" for part in ("before_first", "busy", "between", "after_last", "full")
)
DEVICE = ("kernel/eager/busy", "kernel/eager/sum", "device/eager/busy")
DEVICE_GRAPH = ("kernel/graph/busy", "kernel/graph/sum", "device/graph/busy")


def taken(*tags: str) -> dict[str, Measurement]:
    """Return a measurement of one sample of 1000 ns for each tag."""
    return {
        tag: Measurement(tag=tag, samples_ns=(1000,), clock="a clock", includes="all")
        for tag in tags
    }


def measured_of(*host: str, device: tuple[str, ...] = (), **more) -> Section:
    run = SubjectRun(measurements=tuple(taken(*host).values()), **more)
    return measured(run, taken(*device))


def contract(section: Section) -> dict[str, object]:
    values = {metric.tag: metric.value for metric in section.metrics}
    return {tag: values[tag] for tag in CONTRACT}


def test_a_run_on_a_device_fills_every_tag_but_the_check_that_it_lacks():
    section = measured_of(*HOST, *GRAPH, *UNDISTURBED, device=(*DEVICE, *DEVICE_GRAPH))
    found = contract(section)
    assert found == {
        **dict.fromkeys(CONTRACT, 1000),
        "perturbation/cpu_cuda": 1.0,
        "check/max_abs_error": None,
    }
    assert section.findings == ()


def test_a_run_on_the_cpu_has_the_devices_tags_as_null_and_the_finding_that_says_why():
    why = Finding(tag="device/none", severity="info", fact="no device", advice="use one")
    tags = (*GRAPH, *UNDISTURBED, *DEVICE[:2], *DEVICE_GRAPH[:2])
    section = measured_of(*HOST, withheld=(Withheld(tags=tags, finding=why),))
    assert [tag for tag, value in contract(section).items() if value is not None] == [
        "full/eager/median",
        "submit/eager/median",
        "amortised/eager/median",
        "perturbation/cpu_cuda",
        "cold/first_call",
    ]
    assert section.findings == (why,)


def test_kernel_times_that_no_profiled_pass_gave_are_null_and_said_to_be_unknown():
    section = measured_of(*HOST, *GRAPH, *UNDISTURBED, device=DEVICE)
    assert contract(section)["kernel/graph/busy/median"] is None
    assert section.findings == (
        Finding(
            tag="kernel/not_read",
            severity="warning",
            fact="no kernel times could be read from a profiled pass: kernel/graph/busy/median, "
            "kernel/graph/sum/median are unknown, not zero",
            advice="see the findings on the profiled pass",
        ),
    )


def test_a_run_that_ended_early_keeps_what_it_has_and_says_where_it_ended():
    failure = Failure(stage="eager full calls", kind="raised", fact="It raised.", hint="Mend it.")
    section = measured_of("cold/first_call", failure=failure)
    found = contract(section)
    assert found == {**dict.fromkeys(CONTRACT), "cold/first_call": 1000}
    missing = [m for m in section.metrics if m.tag.endswith("/median") and m.value is None]
    assert section.findings == (
        Finding(
            tag="run/ended_early",
            severity="error",
            fact=f"the run ended during 'eager full calls': It raised. ({len(missing)} quantities "
            "were not measured; what stands here was measured before)",
            advice="Mend it.",
        ),
    )


def test_a_quantity_is_its_median_its_quantiles_its_noise_and_its_number_of_samples():
    samples = Measurement(
        tag="amortised/eager",
        samples_ns=(40, 10, 20, 50, 31),
        clock="a clock",
        includes="from here to there",
        batch=64,
    )
    section = measured(SubjectRun(measurements=(samples,)), {})
    figures = [m for m in section.metrics if m.tag.startswith("amortised/eager/")]
    name = "amortised call, eager"
    meaning = "from here to there"
    assert figures == [
        Metric(
            tag="amortised/eager/median",
            name=name,
            value=31,
            unit="ns",
            description=meaning,
            noise=20 / 31,
        ),
        Metric(tag="amortised/eager/q20", name=name, value=18, unit="ns", description=meaning),
        Metric(tag="amortised/eager/q80", name=name, value=42, unit="ns", description=meaning),
        Metric(
            tag="amortised/eager/samples",
            name=f"{name}: samples",
            value=5,
            unit="count",
            description="each over 64 calls",
        ),
    ]


def test_figures_of_two_experiments_carry_their_formula():
    full = {"full/eager": 18_300, "full/graph": 14_000}
    run = SubjectRun(
        measurements=tuple(
            Measurement(tag=tag, samples_ns=(ns,), clock="c", includes="i")
            for tag, ns in full.items()
        )
    )
    busy = Measurement(tag="device/graph/busy", samples_ns=(900,), clock="c", includes="i")
    section = measured(run, {"device/graph/busy": busy})
    derived = [m for m in section.metrics if m.tag.startswith("derived/")]
    assert [(m.tag, m.value, m.description) for m in derived] == [
        ("derived/graph_removes", 4_300, "full/eager - full/graph, medians"),
        ("derived/graph_fixed", 13_100, "full/graph - device/graph/busy, medians"),
    ]
    without = measured(SubjectRun(), {})
    assert [m for m in without.metrics if m.tag.startswith("derived/")] == []


def test_the_perturbation_is_the_call_with_the_profiler_on_over_the_call_with_it_off():
    times = {"full/eager": 20_000, "full_profiled/eager": 35_000}
    run = SubjectRun(
        measurements=tuple(
            Measurement(tag=tag, samples_ns=(ns,), clock="c", includes="i")
            for tag, ns in times.items()
        )
    )
    found = {m.tag: m for m in measured(run, {}).metrics}["perturbation/cpu_cuda"]
    assert (found.value, found.unit) == (1.75, "ratio")


def test_a_quantity_that_the_report_has_never_heard_of_is_shown_under_its_own_name():
    section = measured_of("full/compiled")
    found = next(m for m in section.metrics if m.tag == "full/compiled/median")
    assert (found.name, found.value) == ("full/compiled", 1000)


def test_how_the_run_was_taken_is_part_of_it():
    protocol = Protocol(
        device="cuda:0",
        seed=7,
        grad_mode="no_grad",
        warmup_calls=10,
        warmup_ns=100,
        samples=200,
        batch=64,
        profiled_calls=12,
        head_calls=3,
        cache_state="warm",
        clock="perf_counter_ns",
    )
    section = measured(SubjectRun(protocol=protocol), {})
    stated = {
        m.tag.removeprefix("protocol/"): m.value
        for m in section.metrics
        if m.tag.startswith("protocol/")
    }
    assert stated == {
        "device": "cuda:0",
        "cache_state": "warm",
        "grad_mode": "no_grad",
        "mode": "forward",
        "samples": 200,
        "batch": 64,
        "warmup_calls": 10,
        "warmup_ns": 100,
        "head_calls": 3,
        "profiled_calls": 12,
        "seed": 7,
        "garbage_collection": "off",
        "clock": "perf_counter_ns",
    }


def test_the_threads_of_a_run_are_stated_where_it_recorded_them():
    names = (
        "seed",
        "warmup_calls",
        "warmup_ns",
        "samples",
        "batch",
        "profiled_calls",
        "head_calls",
    )
    protocol = Protocol(
        device="cpu",
        grad_mode="no_grad",
        cache_state="warm",
        clock="c",
        threads=4,
        **dict.fromkeys(names, 1),
    )
    found = {m.tag: m for m in measured(SubjectRun(protocol=protocol), {}).metrics}
    assert (found["protocol/threads"].name, found["protocol/threads"].value) == ("CPU threads", 4)
    older = measured(SubjectRun(protocol=replace(protocol, threads=None)), {})
    assert "protocol/threads" not in {m.tag for m in older.metrics}
