"""Reports of comparisons that renderers are tried on."""

from dataclasses import replace

from tests.analyze.diff.runs import BOOM, run, subject
from tracelens.analyze.diff import Comparison, Side, diff_sections, join_subjects
from tracelens.model.measurement import Predicted
from tracelens.model.report import Environment, Report

HOSTILE = 'a|b <script>alert(1)</script> `x` @somebody #12 \x1b[31m\x00￾\ud800 ]]> & "quoted"'


def compared(before, after) -> Report:
    comparisons = [
        Comparison(
            case=(b or a).subject.case,
            variant=None,
            baseline=b and Side.of_subject(b, None),
            candidate=a and Side.of_subject(a, None),
        )
        for b, a in join_subjects(before, after)
    ]
    environments = before.environment, after.environment
    sections = diff_sections(comparisons, environments)
    environment = Environment(device="NVIDIA H200", torch="2.11.0")
    return Report(command="diff", environment=environment, sections=sections)


def several_cases(name="small") -> Report:
    """One case is slower and misses its prediction, one failed, one is new, one is as it was."""
    slower = subject(("full/eager", 160_000), case=name)
    return compared(
        run(
            subject(("full/eager", 50_000), case=name),
            subject(("full/eager", 80_000), case="big"),
            subject(("full/eager", 20_000), case="same"),
            torch="2.10.0",
        ),
        run(
            replace(slower, predicted=Predicted(claims=("full: 1.2x +/- 1%", "geomean: 1x"))),
            subject(case="big", failure=BOOM),
            subject(("full/eager", 20_000), case="same"),
            subject(("full/eager", 10_000), case="new"),
            torch="2.11.0",
        ),
    )


def one_case() -> Report:
    """The only case became faster."""
    return compared(
        run(subject(("full/eager", 50_000), ("undisturbed/busy", 9_000))),
        run(subject(("full/eager", 20_000), ("undisturbed/busy", 6_000))),
    )
