"""What a call owes to the calls before it."""

from __future__ import annotations

from tracelens.analyze.invocation import repetition_section, variations_section
from tracelens.model.invocation import Repetition, Variation
from tracelens.model.measurement import SubjectRun
from tracelens.model.report import Finding, Section


def repeated(*submit_ns: int) -> Section:
    calls = Repetition(first_ns=9_000_000, second_ns=40_000, submit_ns=submit_ns)
    found = repetition_section(SubjectRun(repetition=calls))
    assert found is not None
    return found


def test_calls_are_told_by_their_number_and_late_ones_by_the_median_of_nine() -> None:
    section = repeated(30_000, *[12_000] * 7, *range(20_000, 20_009), *[10_000] * 1_000)

    assert section.tables[0].rows == (
        ("1", None, 9_000_000),
        ("2", None, 40_000),
        ("3", 30_000, None),
        ("10 to 18", 20_003, None),
        ("100 to 108", 10_000, None),
        ("1000 to 1008", 10_000, None),
    )


def test_an_op_that_gets_faster_for_hundreds_of_calls_is_told() -> None:
    (finding,) = repeated(*[30_000] * 300, *[10_000] * 800).findings

    assert (finding.tag, finding.severity, finding.fact) == (
        "repetition/unsettled",
        "warning",
        "the op gets faster for long: calls 100 to 108 take 30.0 us on the host, calls 1000 to "
        "1008 10.0 us",
    )


def test_an_op_that_is_settled_at_its_tenth_call_is_not_accused() -> None:
    assert repeated(500_000, *[14_000] * 300, *[10_000] * 800).findings == ()


def test_calls_that_were_not_made_are_unknown_and_said_to_be() -> None:
    section = repeated(*[10_000] * 50)

    assert section.tables[0].rows[-2:] == (
        ("100 to 108", None, None),
        ("1000 to 1008", None, None),
    )
    assert [f.fact for f in section.findings] == [
        "the warm-up ended after 52 calls: calls 100 to 108, 1000 to 1008 are unknown"
    ]


def change(name: str, first_ns: int, **other: object) -> Variation:
    """Return a change of an op whose steady call takes 10 us, the second call too."""
    steady = (10_000,) * 20
    given = {
        "change": "a -> b",
        "status": "measured",
        "before_ns": steady,
        "second_ns": 10_000,
        "changed_ns": steady,
        "back_ns": 10_000,
        "after_ns": steady,
    }
    return Variation(name=name, first_ns=first_ns, **{**given, **other})  # type: ignore[arg-type]  # a test's own keywords


def varied(*variations: Variation) -> Section:
    found = variations_section(SubjectRun(variations=variations))
    assert found is not None
    return found


def warned(*variations: Variation) -> tuple[Finding, ...]:
    """Return what is said of changes beside how their table is read."""
    how_to_read, *warnings = varied(*variations).findings
    assert how_to_read.tag == "variations/columns"
    return tuple(warnings)


def test_the_columns_of_the_table_are_explained_in_the_order_of_the_calls() -> None:
    assert varied(change("size", 10_000)).findings == (
        Finding(
            tag="variations/columns",
            severity="info",
            fact="times of the host, in the order of the calls: before the change, the first and "
            "second call with it and a steady one, then with the op's own inputs again the first "
            "(back) and a steady one (after)",
            advice="",
        ),
    )


def test_each_change_is_a_row_with_its_price_and_what_was_compiled() -> None:
    section = varied(
        change("size", 5_010_000, triton_kernels=2, graphs=1),
        Variation(name="stream", change="", status="not measured", fact="The CPU has no streams."),
        Variation(name="dtype", change="a -> b", status="not accepted", fact="TypeError: no"),
    )

    assert section.tables[0].rows == (
        ("size", "measured", *(10_000, 5_010_000, *[10_000] * 4), 3, 2, 1, "a -> b"),
        ("stream", "not measured", *[None] * 9, "not measured: The CPU has no streams."),
        ("dtype", "not accepted", *[None] * 9, "a -> b; not accepted: TypeError: no"),
    )


def test_changes_that_something_was_made_ready_for_are_named_dearest_first() -> None:
    found = warned(
        change("dtype", 1_010_000),
        change("size", 5_010_000, triton_kernels=2, graphs=1),
        change("stream", 90_000),
    )

    assert found == (
        Finding(
            tag="variations/first_call",
            severity="warning",
            fact="a change of the inputs is paid for at its first call: size 5.00 ms (compiled: 2 "
            "by Triton, 1 by torch.compile); dtype 1.00 ms",
            advice="a benchmark that repeats one call does not see it; warm up every kind of "
            "input, or let fewer of them matter",
        ),
    )


def test_of_many_changes_the_dearest_five_are_named() -> None:
    (finding,) = warned(*(change(f"c{at}", 10_000_000 + at) for at in range(7)))

    assert finding.fact.endswith(
        "first call: c6 9.99 ms; c5 9.99 ms; c4 9.99 ms; c3 9.99 ms; c2 9.99 ms; and 2 more"
    )


def test_a_second_call_that_pays_again_is_told() -> None:
    found = varied(change("other tensors", 5_000_000, second_ns=5_000_000))

    assert [f.fact for f in found.findings if f.tag == "variations/second_call"] == [
        "a change of the inputs is paid for again at its second call: other tensors 4.99 ms"
    ]


def test_a_change_with_which_every_call_is_dearer_is_told_with_both_prices() -> None:
    missed = (5_000_000,) * 20

    found = warned(change("size", 20_000), change("other tensors", 5_000_000, changed_ns=missed))

    assert found == (
        Finding(
            tag="variations/dearer",
            severity="warning",
            fact="with some changes every call costs the host more, not the first alone: other "
            "tensors 5.00 ms (10.0 us before)",
            advice="see what they miss: a fast path, or a cache that goes by the addresses of "
            "tensors",
        ),
    )


def test_an_op_that_stays_slower_behind_a_change_is_told_and_a_disturbed_moment_is_not() -> None:
    slower = change("size", 10_000, after_ns=(20_000,) * 20)

    stays = varied(slower, change("dtype", 10_000, before_ns=(20_000,) * 20))
    passes = warned(slower, change("dtype", 10_000))

    assert [f.fact for f in stays.findings if f.tag == "variations/left_slower"] == [
        "after the change 'size' a call with the op's own inputs takes 20.0 us on the host, 10.0 "
        "us before it"
    ]
    assert passes == ()


def test_what_was_not_asked_for_has_no_section() -> None:
    assert (repetition_section(SubjectRun()), variations_section(SubjectRun())) == (None, None)
