from __future__ import annotations

from tracelens.analyze.checked import checked, largest_error
from tracelens.analyze.rates import rates, unrated
from tracelens.model.measurement import Check, Measurement, SubjectRun, Trial, Work

PASSED = Trial(name="new values", proves="it follows", status="passed", fact="it did")
FAILED = Trial(
    name="other stream", proves="it waits", status="failed", fact="it did not", advice="wait"
)
SKIPPED = Trial(name="new addresses", proves="it moves", status="skipped", fact="no memory")


def test_every_trial_is_a_row_and_a_failed_one_an_error_of_its_name() -> None:
    section = checked(SubjectRun(trials=(PASSED, FAILED, SKIPPED)))

    (table,) = section.tables
    assert [column.name for column in table.columns] == ["name", "proves", "status", "fact"]
    assert table.rows[1] == ("other stream", "it waits", "failed", "it did not")
    assert [(f.tag, f.severity, f.fact) for f in section.findings] == [
        (
            "check/other_stream",
            "error",
            "the check 'other stream' failed (it waits): it did not",
        ),
        (
            "checks/passed",
            "info",
            "1 of 3 checks of the op's behaviour passed: new values; skipped: new addresses "
            "(no memory)",
        ),
    ]


def test_failing_what_was_never_promised_is_a_warning() -> None:
    trial = Trial(name="other strides", proves="", status="failed", fact="", stops=False)

    assert checked(SubjectRun(trials=(trial,))).findings[0].severity == "warning"


def test_a_run_that_was_never_checked_has_no_table() -> None:
    assert checked(SubjectRun()).tables == ()


def test_the_largest_error_says_what_the_result_was_compared_with() -> None:
    check = Check(status="passed", max_abs_error=0.5, atol=1.0, rtol=0.0, against="baseline")

    metric = largest_error(check)

    assert metric.value == 0.5
    assert metric.description == "largest |result - baseline|, within atol 1.0 and rtol 0.0"
    assert (
        largest_error(Check(status="failed")).description == "the result differs from the reference"
    )
    assert largest_error(None).value is None


def test_rates_are_work_over_device_busy_time() -> None:
    busy = Measurement(tag="device/eager/busy", samples_ns=(500,), clock="c", includes="i")
    work = Work(flops=4_000_000, bytes_moved=1_000)

    found = list(rates(work, {busy.tag: busy}))

    assert [(metric.tag, metric.value, metric.unit) for metric in found] == [
        ("rate/bandwidth", 2.0, "GB/s"),
        ("rate/flops", 8.0, "TFLOP/s"),
    ]


def test_without_device_time_rates_are_null_and_a_finding_says_why() -> None:
    work = Work(bytes_moved=1_000)

    assert [(m.tag, m.value) for m in rates(work, {})] == [("rate/bandwidth", None)]
    assert [f.tag for f in unrated(work, {})] == ["rate/no_device_time"]
    assert (list(rates(None, {})), unrated(None, {})) == ([], ())
