"""Records that stand in the file twice. All times in ns."""

from dataclasses import replace

from tests.timelines import copy, kernel, launch, op, timeline_of, window
from tracelens.analyze.duplicates import remove_duplicates
from tracelens.model.report import Finding


def test_records_that_are_equal_in_every_field_count_once():
    twice = (kernel(20, 25, by=1), launch(10, 15, called=1))
    trace, findings = remove_duplicates(
        timeline_of(*twice, kernel(30, 35, by=2), *twice, launch(26, 28, called=2))
    )
    assert trace.device_work.start_ns.tolist() == [20, 30]  # in the order of the file
    assert trace.calls.start_ns.tolist() == [10, 26]
    assert findings == (
        Finding(
            tag="records/duplicates",
            severity="warning",
            fact="1 duplicated kernel record and 1 duplicated API record removed: equal in every "
            "field to another record",
            advice="check whether one session was exported or merged twice",
        ),
    )


def test_a_record_that_differs_in_one_field_is_another_record():
    first = kernel(20, 25, by=1)
    others = (
        replace(first, name="other"),
        replace(first, end=26),
        replace(first, stream=8),
        replace(first, device=1),
        replace(first, correlation=2),
        replace(first, external_id=3),
        replace(first, grid=(2, 1, 1)),
        replace(first, process=5),
    )
    trace, findings = remove_duplicates(timeline_of(first, *others))
    assert len(trace.device_work) == 9
    assert findings == ()


def test_every_sort_of_record_is_counted_by_its_name():
    events = (
        kernel(20, 25, by=1),
        copy(30, 35, by=2),
        launch(10, 15, called=1),
        op(5, 9),
        window(0, 50),
    )
    _, (finding,) = remove_duplicates(timeline_of(*events, *events, *events))
    assert finding.fact == (
        "2 duplicated kernel records and 2 duplicated copy or set records and 2 duplicated API "
        "records and 2 duplicated framework op records and 2 duplicated annotation records "
        "removed: equal in every field to another record"
    )


def test_a_trace_without_duplicates_is_left_as_it_is():
    trace = timeline_of(kernel(20, 25, by=1), kernel(20, 25, by=2), launch(10, 15, called=1))
    assert remove_duplicates(trace) == (trace, ())
