"""What is said of how two sides were taken. All times in ns."""

import pytest

from tracelens.analyze.diff import Comparison, Side, diff_sections
from tracelens.model.pairs import Rounds
from tracelens.model.report import Environment


def in_turns(*candidates, same_sides):
    """Return the findings on cases of 10 us, each beside a candidate of so many ns."""
    comparisons = [
        Comparison(
            case=str(number),
            variant=None,
            baseline=Side(quantities={}),
            candidate=Side(quantities={}),
            paired={
                "full": Rounds(
                    baseline_ns=((10_000,) * 20,) * 3,
                    candidate_ns=((ns,) * 20,) * 3,
                    includes="one call",
                )
            },
        )
        for number, ns in enumerate(candidates)
    ]
    nowhere = Environment(), Environment()
    total, *_ = diff_sections(comparisons, nowhere, same_sides=same_sides)
    return {finding.tag: finding for finding in total.findings}


@pytest.mark.parametrize(
    ("candidates", "severity", "says"),
    [
        ((10_000, 10_000), "info", ", and no difference was found in 2 of 2 verdicts"),
        (
            (10_000, 12_000, 8_000),
            "warning",
            ": every difference is a false one, 2 of 3 verdicts on the call",
        ),
    ],
)
def test_sides_that_are_the_same_on_purpose_are_a_check_of_the_instrument(
    candidates, severity, says
):
    check = in_turns(*candidates, same_sides=True)["diff/a_a_check"]
    assert (check.severity, check.fact) == (
        severity,
        f"an A/A check: both sides are the same op under the same interpreter{says}",
    )


def test_a_check_without_a_verdict_says_nothing():
    """One process a side has no interval, and no case a verdict."""
    paired = {"full": Rounds(baseline_ns=((9,) * 20,), candidate_ns=((9,) * 20,), includes="")}
    side = Side(quantities={})
    comparison = Comparison(case=None, variant=None, baseline=side, candidate=side, paired=paired)
    total, *_ = diff_sections([comparison], (Environment(), Environment()), same_sides=True)
    assert [f.tag for f in total.findings] == ["verdict/not_comparable", "diff/in_turns"]


def test_sides_that_differ_are_no_such_check_and_turns_are_told_of_in_any_case():
    assert "diff/a_a_check" not in in_turns(10_000, same_sides=False)
    for same_sides in (False, True):
        said = in_turns(10_000, same_sides=same_sides)["diff/in_turns"].fact
        assert said.startswith("3 warm processes of each side took turns for 20 rounds")
