from tracelens.analyze.disturbed import disturbed
from tracelens.model.measurement import Measurement

QUIET = (10_000, 10_000, 10_000, 10_200)
SCATTERED = (10_000, 10_000, 40_000, 40_000)


def facts(full, amortised=None, profiled=None):
    given = {"full/eager": full, "amortised/eager": amortised, "full_profiled/eager": profiled}
    taken = {
        tag: Measurement(tag=tag, samples_ns=samples, clock="c", includes="i")
        for tag, samples in given.items()
        if samples is not None
    }
    return [(finding.tag, finding.severity, finding.fact) for finding in disturbed(taken)]


def test_a_quiet_run_and_one_without_full_calls_have_no_such_headline():
    assert facts(QUIET, QUIET) == []
    assert facts(QUIET, (14_000,)) == []
    assert facts(None) == []


def test_full_calls_that_scatter_by_more_than_their_median_come_first():
    assert facts(SCATTERED) == [
        (
            "verdict/disturbed",
            "warning",
            "disturbed: the middle half of the full calls spreads over 120 % of their median",
        )
    ]


def test_calls_in_a_row_cannot_take_much_longer_than_one_alone():
    assert facts(QUIET, (18_000,)) == [
        (
            "verdict/disturbed",
            "warning",
            "disturbed: calls in a row take 18.0 us each, a call on its own 10.0 us",
        )
    ]


def test_a_profiler_makes_no_call_faster():
    assert facts(QUIET, profiled=(7_000,)) == []
    assert facts(QUIET, profiled=(5_000,)) == [
        (
            "verdict/disturbed",
            "warning",
            "disturbed: a call takes 10.0 us, with the profiler on 5.00 us",
        )
    ]
