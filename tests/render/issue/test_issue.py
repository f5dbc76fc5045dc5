"""An issue: each field filled or not measured, what was not tested, and no more than fits."""

from dataclasses import replace

from tests.render.issue.dossiers import add_small_dossier
from tracelens.model.dossier import Dossier
from tracelens.model.measurement import Subject
from tracelens.model.report import Column, Environment, Finding, Report, Section, Table
from tracelens.render.issue import LIMIT_BYTES, render_issue


def section(issue, title):
    """The lines under a heading, without the blank ones."""
    lines = issue.split(f"## {title}\n")[1].split("\n## ")[0].splitlines()
    return [line for line in lines if line]


def fields(issue):
    rows = section(issue, "What was measured, and how")[2:]
    return dict(row.strip("| ").split(" | ", 1) for row in rows)


def test_the_whole_issue_of_a_small_add(golden):
    golden("add_small.md", render_issue(add_small_dossier(), numbers='```json\n{"a":1}\n```'))


def test_every_field_says_what_is_known_or_that_it_was_not_measured():
    empty = Dossier(
        title="t", report=Report(command="analyze", environment=Environment(), sections=())
    )
    assert fields(render_issue(empty)) == {
        "Operation or model": "`t`",
        "Shapes, dtypes, strides": "not measured",
        "Scalar arguments": "not measured",
        "Device": "not measured",
        "Driver": "not measured",
        "Framework and compiler": "not measured",
        "Correctness": "not measured",
        "Cold or warmed": "not measured",
        "Eager or graph": "not measured",
        "Timer": "the profiler's own timeline, profiler on: host times are longer than without it",
        "Synchronisation": "not measured",
        "Warm-up and repetitions": "not measured",
        "Device-kernel result": "not measured",
        "Full-API result": "not measured",
        "Serving result": "not measured",
        "Reproducer and trace": "not measured",
    }  # fmt: skip


def test_inputs_that_a_run_recorded_come_with_their_scalars():
    known = fields(render_issue(add_small_dossier()))
    assert known["Shapes, dtypes, strides"] == (
        "inputs `bfloat16[1024] cuda:0`, `bfloat16[1024] cuda:0`, `1.0`; "
        "outputs `bfloat16[1024] cuda:0`; framework ops recorded in one call: "
        "`aten::add(c10::BFloat16[1024], c10::BFloat16[1024], 1)`"
    )
    assert known["Scalar arguments"] == "`1.0`, `aten::add: 1`"


def test_what_was_not_tested_is_listed_from_what_was():
    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    protocol = replace(found.protocol, mode="forward+backward")
    unchecked = replace(found, subject=Subject(case="n=1"), protocol=protocol, check=None)
    run = replace(dossier.run, subjects=(unchecked,))
    assert section(render_issue(replace(dossier, run=run)), "Not tested") == [
        "- other shapes, dtypes and strides than `n=1`",
        "- other cards than NVIDIA H200",
        "- CUDA Graph replay",
        "- inference: the call has its backward pass behind it",
        "- a cold L2 cache: inputs were left where the call before left them",
        "- correctness: nothing was compared with a reference",
        "- serving: no request was served",
        "- other versions of torch, triton and driver",
    ]


def test_errors_come_before_notes_and_equal_findings_of_subjects_are_one():
    note = Finding(tag="a", severity="info", fact="all is well", advice="")
    error = Finding(tag="b", severity="error", fact="it ended", advice="run it again")
    sections = tuple(Section(title="S", case=case, findings=(note, error)) for case in ("x", "y"))
    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    run = replace(
        dossier.run, subjects=tuple(replace(found, subject=Subject(case=c)) for c in ("x", "y"))
    )
    report = replace(dossier.report, sections=sections)
    assert section(render_issue(replace(dossier, run=run, report=report)), "Findings") == [
        "- **error** `x` `y`: it ended → run it again",
        "- note `x` `y`: all is well",
    ]


def test_an_issue_never_outgrows_github_and_says_what_it_leaves_out():
    rows = tuple((f"kernel_{i}_" + "x" * 500, "f" * 500) for i in range(500))
    table = Table(tag="kernels", columns=(Column(name="name"), Column(name="family")), rows=rows)
    many = tuple(
        Section(title="K", case=str(case), tables=(table, replace(table, tag=f"t{case}")))
        for case in range(60)
    )
    dossier = add_small_dossier(reproducer="x = 1\n" * 20_000)
    found = dossier.run.subjects[0]
    subjects = tuple(replace(found, subject=Subject(case=str(case))) for case in range(60))
    report = replace(dossier.report, sections=many)
    run = replace(dossier.run, subjects=subjects, report=report)
    issue = render_issue(replace(dossier, run=run, report=report), numbers="```json\n{}\n```")
    assert len(issue.encode()) <= LIMIT_BYTES
    assert "36 more subjects are not shown here" in issue
    assert "497 more rows are not shown." in issue
    assert issue.endswith("```json\n{}\n```\n\n</details>\n")


def test_an_issue_that_cannot_fit_ends_with_a_sentence_and_its_numbers():
    sections = tuple(
        Section(title="S", findings=(), tables=(
            Table(tag=f"t{i}", columns=(Column(name="x"),), rows=(("y" * 400,),) * 3),
        ))
        for i in range(400)
    )  # fmt: skip
    report = Report(command="analyze", environment=Environment(), sections=sections)
    issue = render_issue(Dossier(title="t", report=report), numbers="```json\n{}\n```")
    assert len(issue.encode()) <= LIMIT_BYTES
    assert "What follows here does not fit an issue: see the run folder.\n\n<details>" in issue
