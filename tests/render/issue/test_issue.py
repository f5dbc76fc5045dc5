"""An issue: each field filled or not measured, what was not tested, and no more than fits."""

from dataclasses import replace

from tests.render.issue.dossiers import add_small_dossier
from tracelens.model.dossier import ComparedDossier, Dossier
from tracelens.model.measurement import Measurement, Subject
from tracelens.model.report import Column, Environment, Finding, Metric, Report, Section, Table
from tracelens.render.issue import LIMIT_BYTES, render_comparison, render_issue


def plain(issue):
    """An issue with plain spaces: numbers in tables stick to their units."""
    return issue.replace("\N{NO-BREAK SPACE}", " ")


def section(issue, title):
    """The lines under a heading, without the blank ones."""
    lines = plain(issue).split(f"## {title}\n")[1].split("\n## ")[0].splitlines()
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
        "Framework and compiler": "torch not measured",
        "Correctness": "not measured",
        "Cold or warmed": "not measured",
        "Eager or graph": "not measured",
        "Timer": "the profiler's own timeline, profiler on: host times are longer than without it",
        "Synchronisation": "not measured",
        "Warm-up and repetitions": "not measured",
        "Device-kernel result": "not measured",
        "Full-API result": "not measured",
        "Serving result": "not measured",
        "Reproducer and trace": "no reproducer; no trace",
    }  # fmt: skip


def test_inputs_that_a_run_recorded_come_with_their_scalars():
    known = fields(render_issue(add_small_dossier()))
    assert known["Shapes, dtypes, strides"] == (
        "inputs `bfloat16[1024] cuda:0`, `bfloat16[1024] cuda:0`, `1.0`; "
        "outputs `bfloat16[1024] cuda:0`; framework ops recorded in one call: "
        "`aten::add(c10::BFloat16[1024], c10::BFloat16[1024], 1)`"
    )
    assert known["Scalar arguments"] == "`1.0`"  # and not what is given to the ops inside it


def test_a_scalar_is_told_from_a_tensor_and_each_subjects_first_call_by_its_name():
    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    inputs = ("bool[2, 3] cpu, strides [1, 2]", "'a[0] b'", "an object of type list")
    subjects = tuple(
        replace(found, subject=Subject(case=case), protocol=replace(found.protocol, inputs=inputs))
        for case in ("x", "y")
    )
    first = Metric(tag="cold/first_call", name="", value=2_000, unit="ns", description="")
    report = replace(dossier.report, sections=(Section(title="M", case="y", metrics=(first,)),))
    run = replace(dossier.run, subjects=subjects, report=report)
    known = fields(render_issue(replace(dossier, run=run, report=report)))
    assert known["Scalar arguments"] == "`'a[0] b'`, `an object of type list`"
    assert known["Cold or warmed"].endswith("the first call, cold, was timed apart: `y`: 2.00 us")


def test_a_package_without_a_version_is_not_measured_and_files_taken_along_are_named():
    dossier = add_small_dossier(needs=("flag_gems", "numpy", "triton"), carries=("lib.py",))
    issue = render_issue(dossier)
    assert fields(issue)["Framework and compiler"].endswith(", `flag_gems` not measured")
    assert section(issue, "Files")[:2] == [
        "- `repro.py` checks and measures it again. It needs `torch`, `flag_gems`, `numpy`, "
        "`triton`, not tracelens.",
        "- `repro.py` holds these files too, which lay beside the op file: `lib.py`",
    ]


def test_what_would_help_and_what_belongs_to_no_case_stand_by_themselves():
    help_ = Finding(tag="help/graph", severity="info", fact="a graph removes 9 us", advice="use it")
    columns = (Column(name="outcome"), Column(name="case"), Column(name="found"))
    table = Table(tag="expected", columns=columns, rows=(("met", "x", None), ("met", "y", None)))
    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    sections = (
        Section(title="Expected kernels", tables=(table,)),
        Section(title="What would help", case="x", findings=(help_,)),
    )
    run = replace(dossier.run, subjects=(replace(found, subject=Subject(case="x")),))
    report = replace(dossier.report, sections=sections)
    issue = render_issue(replace(dossier, run=run, report=report))
    assert section(issue, "What would help") == ["- note `x`: a graph removes 9 us → use it"]
    assert "## Findings" not in issue
    assert section(issue, "Details")[:6] == [
        "<details>",
        "<summary>Expected kernels</summary>",
        "| outcome | case |",
        "| --- | --- |",
        "| met | x |",
        "| met | y |",
    ]


def test_an_op_of_tensors_alone_has_no_scalars_and_says_so():
    dossier = add_small_dossier(recorded=())
    found = dossier.run.subjects[0]
    for inputs, scalars in ((("float16[4] cuda:0",), "none"), ((), "not measured")):
        protocol = replace(found.protocol, inputs=inputs)
        run = replace(dossier.run, subjects=(replace(found, protocol=protocol),))
        assert fields(render_issue(replace(dossier, run=run)))["Scalar arguments"] == scalars


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


def test_a_time_that_cases_took_in_different_ways_is_told_in_each_of_them():
    def case(name, includes):
        taken = Measurement(tag="amortised/eager", samples_ns=(900,), clock="c", includes=includes)
        return replace(found, subject=Subject(case=name), measurements=(taken,))

    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    subjects = (case("x", "100 calls in a row"), case("y", "6 calls in a row"))
    sections = tuple(Section(title="S", case=name) for name in ("x", "y"))
    report = replace(dossier.report, sections=sections)
    run = replace(dossier.run, subjects=subjects, report=report)
    issue = render_issue(replace(dossier, run=run, report=report))
    (line,) = [line for line in issue.splitlines() if line.startswith("| Synchronisation")]
    assert line == (
        "| Synchronisation | `amortised/eager`: 100 calls in a row or 6 calls in a row |"
    )


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


RATE = {
    "rate/bandwidth": (2_111.0, "GB/s", "bytes_moved of the op file"),
    "rate/bandwidth/ceiling": (4_222.0, "GB/s", "measured in this run: a copy by the driver"),
    "rate/bandwidth/of_ceiling": (0.5, "ratio", ""),
}


def with_rates(*tags):
    """The evidence of an issue whose run has these rates."""
    dossier = add_small_dossier()
    metrics = tuple(
        Metric(tag=tag, name="", value=value, unit=unit, description=said)
        for tag, (value, unit, said) in RATE.items()
        if tag in tags
    )
    sections = (*dossier.report.sections, Section(title="R", metrics=metrics))
    report = replace(dossier.report, sections=sections)
    issue = render_issue(replace(dossier, report=report))
    (line,) = (line for line in section(issue, "Evidence") if "GB/s or" in line)
    return line


def test_a_rate_stands_beside_the_ceiling_that_was_measured_and_is_ticked_only_then():
    item = "**GB/s or TFLOP/s against the card's measured ceiling**: 2,111 GB/s"
    assert with_rates(*RATE) == (
        f"- [x] {item}, 50 % of the 4,222 GB/s that the card reached, measured in this run: "
        "a copy by the driver"
    )
    assert with_rates("rate/bandwidth") == f"- [ ] {item}; what could be reached was not measured"


def test_a_giant_run_with_hostile_names_fits_and_keeps_its_kernels_apart():
    names = [f"void ns::k<{'</details>|`@octocat` ' * 30}{i}>(float*)" for i in range(2_000)]
    rows = tuple((name, 10, 5_000) for name in names)
    columns = (Column(name="name"), Column(name="count"), Column(name="total_ns", unit="ns"))
    kernels = Section(title="K", tables=(Table(tag="kernels", columns=columns, rows=rows),))
    dossier = add_small_dossier()
    report = replace(dossier.report, sections=(*dossier.report.sections, kernels))
    issue = render_issue(replace(dossier, report=report), numbers="```json\n{}\n```")
    assert len(issue.encode()) <= LIMIT_BYTES
    shown = [line for line in issue.splitlines() if "| ``k<" in line]
    assert (len(shown), len(set(shown))) == (40, 40)
    assert "1,960 more rows are not shown." in issue
    assert issue.count("<details>") == issue.count("\n</details>")


def test_a_tree_is_shown_by_points_and_without_its_small_branches():
    names = ("layer", "name", "self_ns", "share", "total_ns", "count", "depth", "parent")
    columns = tuple(Column(name=name, unit="ns" if "_ns" in name else "ratio") for name in names)
    rows = (
        ("op", "aten::sigmoid", 60_000, 0.6, 80_000, 1, 0, None),
        ("op", "aten::empty", 19_500, 0.195, 19_500, 1, 1, 0),
        ("op", "aten::tiny", 500, 0.005, 500, 1, 1, 0),
        ("python", "outside", 20_000, 0.2, 20_000, None, 0, None),
    )
    tree = Table(tag="host", columns=columns, rows=rows)
    dossier = add_small_dossier()
    found = Section(title="Host dispatch of a call", tables=(tree,))
    report = replace(dossier.report, sections=(*dossier.report.sections, found))
    issue = render_issue(replace(dossier, report=report))
    shown = (
        plain(issue).split("<summary>Host dispatch of a call</summary>")[1].split("</details>")[0]
    )
    assert shown.strip().splitlines() == [
        "| host | total | self | share | calls | kind |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        "| `aten::sigmoid` | 80.0 us | 60.0 us | 80 % | 1 | op |",
        "| · `aten::empty` | 19.5 us | 19.5 us | 20 % | 1 | op |",
        "| `outside` | 20.0 us | 20.0 us | 20 % | - | python |",
        "",
        "1 more row is not shown.",
    ]


def changed(stem, name, baseline, candidate):
    ends = {"baseline": baseline, "candidate": candidate, "ratio": candidate / baseline}
    ends |= {"ratio_low": 0.5, "ratio_high": 0.75, "verdict": "faster"}
    return tuple(
        Metric(tag=f"{stem}/{end}", name=name, value=value, unit="ns", description="")
        for end, value in ends.items()
    )


def compared():
    """Two builds: the second is twice as fast, by another kernel on another torch."""
    verdict = Finding(tag="verdict/faster", severity="info", fact="faster: 0.5x", advice="")
    names = {"change": None, "baseline": None, "candidate": None, "delta_ns": "ns"}
    columns = tuple(Column(name=name, unit=unit) for name, unit in names.items())
    table = Table(tag="kernel_changes", columns=columns, rows=(("renamed", "k|1", "k2", -400),))
    sections = (
        Section(title="Verdict", findings=(verdict,)),
        Section(title="Difference", metrics=changed("diff/full", "full call", 20_000, 10_000)),
        Section(title="Cold path", metrics=changed("diff/cold", "first call", 2_000, 1_000)),
        Section(title="Kernels of a call", tables=(table,)),
    )
    baseline = add_small_dossier(reproducer_name="repro-baseline.py", replaced={})
    environment = replace(baseline.report.environment, torch="2.12")
    candidate = replace(
        baseline,
        reproducer_name="repro-candidate.py",
        report=replace(baseline.report, environment=environment),
    )
    report = Report(command="diff", environment=Environment(), sections=sections)
    return ComparedDossier(report=report, baseline=baseline, candidate=candidate)


def test_an_issue_of_two_builds_begins_with_what_changed_and_has_both_sides():
    issue = render_comparison(compared(), numbers="```json\n{}\n```")
    assert issue.splitlines()[:3] == [
        "# `add_small`: two builds compared",
        "",
        "**faster: 0.5x**",
    ]
    assert section(issue, "Results") == [
        "| quantity | baseline | candidate | ratio | interval | verdict |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        "| full call | 20.0 us | 10.0 us | 0.500 | 0.500 to 0.750 | faster |",
        "Medians; the interval is of the ratio candidate / baseline.",
        "Kernels of a call:",
        "| change | delta | baseline | candidate |",
        "| --- | ---: | --- | --- |",
        "| renamed | -400 ns | `k\\|1` | `k2` |",
    ]
    known = fields(issue)
    assert known["Device"].endswith("132 multiprocessors | the same")
    assert "torch 2.12" in known["Framework and compiler"].split(" | ")[1]
    assert section(issue, "Files")[0].startswith("- `repro-baseline.py` checks and measures it")
    assert "<summary>Cold path</summary>" in issue
    assert "<summary>Kernels and configurations · <code>candidate</code></summary>" in issue
    assert issue.endswith("```json\n{}\n```\n\n</details>\n")


def test_the_baseline_of_a_comparison_is_named_with_its_version_on_both_sides():
    lines = section(render_comparison(compared()), "Evidence")
    named = [line for line in lines if "baseline, named" in line]
    item = "- [x] **baseline, named with its version**: `add_small` as measured beside it, with "
    assert named == [f"{item}torch 2.11.0+cu130"] * 2
