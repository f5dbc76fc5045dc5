"""How the op behaved before it was timed: its result, and what a stale fast path would fail."""

from __future__ import annotations

from tracelens.model.measurement import Check, SubjectRun, Trial
from tracelens.model.report import Column, Finding, Metric, Section, Table

_COLUMNS = (Column(name="name"), Column(name="proves"), Column(name="status"), Column(name="fact"))


def checked(found: SubjectRun) -> Section:
    """Table every check with what it proves; a failed one is an error finding of its name."""
    trials = found.trials
    rows = tuple((t.name, t.proves, t.status, t.fact) for t in trials)
    return Section(
        title="Checks",
        tables=(Table(tag="checks", columns=_COLUMNS, rows=rows),) if rows else (),
        findings=(
            *(_failed(trial) for trial in trials if trial.status == "failed"),
            *_passed(trials),
            *_unchecked(found.check),
            *(noticed.finding for noticed in found.noticed),
        ),
    )


def largest_error(check: Check | None) -> Metric:
    """Return how far the result lies from its reference at most."""
    meaning = "not measured"
    if check is not None:
        meaning = {
            "no reference": "no reference in the op file: the result was not checked",
            "failed": f"the result differs from the {check.against}",
            "passed": f"largest |result - {check.against}|, within atol {check.atol} and rtol "
            f"{check.rtol}",
        }[check.status]
    return Metric(
        tag="check/max_abs_error",
        name="largest error",
        value=check.max_abs_error if check else None,
        unit="",
        description=meaning,
    )


def _failed(trial: Trial) -> Finding:
    return Finding(
        tag=f"check/{trial.name.replace(' ', '_')}",
        severity="error" if trial.stops else "warning",
        fact=f"the check '{trial.name}' failed ({trial.proves}): {trial.fact}",
        advice=trial.advice,
    )


def _passed(trials: tuple[Trial, ...]) -> tuple[Finding, ...]:
    if not trials:
        return ()
    passed = [trial.name for trial in trials if trial.status == "passed"]
    fact = f"{len(passed)} of {len(trials)} checks of the op's behaviour passed"
    fact += f": {', '.join(passed)}" if passed else ""
    skipped = [
        f"{trial.name} ({trial.fact.rstrip('.')})" for trial in trials if trial.status == "skipped"
    ]
    if skipped:
        fact += f"; skipped: {', '.join(skipped)}"
    return (Finding(tag="checks/passed", severity="info", fact=fact, advice=""),)


def _unchecked(check: Check | None) -> tuple[Finding, ...]:
    if check is None or check.max_abs_error is not None or check.status == "failed":
        return ()
    if check.status == "no reference":
        fact = "the result was not checked: the op file has no reference"
        advice = "add reference(*inputs) to the op file, and a tolerance"
    else:
        fact = (
            "the result passed its check, but nothing in it is numeric: there is no largest error"
        )
        advice = "nothing to do"
    return (Finding(tag="check/no_error", severity="info", fact=fact, advice=advice),)
