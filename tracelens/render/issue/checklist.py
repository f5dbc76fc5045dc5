"""The evidence behind an issue, item by item: what is there and what is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracelens.model.dossier import Dossier
from tracelens.model.quantity import spell_share
from tracelens.model.report import Metric
from tracelens.render.issue.fields import checks_of, protocol_of, spell_check
from tracelens.render.issue.subjects import NOT_MEASURED, SubjectFigures
from tracelens.render.markdown_text import code, text

Subjects = Sequence[SubjectFigures]

_MHZ = ("card/sm_clock", "card/memory_clock")
_RATES = ("rate/bandwidth", "rate/flops", "rate/bandwidth/full_call", "rate/flops/full_call")


def checklist(dossier: Dossier, subjects: Subjects, *, baseline: str = "") -> str:
    """Return a list of boxes, ticked where the evidence is there, each with the evidence.

    `baseline` names what a comparison was made with, as Markdown; else it is among the subjects.
    """
    lines = []
    for name, find in _ITEMS:
        known = baseline if find is _baseline else ""
        evidence = known or find(dossier, subjects) or NOT_MEASURED
        ticked = " " if NOT_MEASURED in evidence else "x"
        lines.append(f"- [{ticked}] **{name}**: {evidence}")
    return "\n".join(lines)


def _card(dossier: Dossier, subjects: Subjects) -> str:
    device = dossier.report.environment.device
    clocks = [
        f"{metric.name} {metric.value:g} {metric.unit}"
        for tag in _MHZ
        for metric in _known(subjects, tag)[:1]
        if isinstance(metric.value, (int, float))
    ]
    if device is None:
        return ""
    return f"{text(device)}, {', '.join(clocks) or 'clocks ' + NOT_MEASURED}"


def _shapes(dossier: Dossier, subjects: Subjects) -> str:
    stated = any(s.found.protocol.inputs for s in subjects if s.found and s.found.protocol)
    outputs = any(check.outputs for _, check in checks_of(subjects))
    told = ["inputs"] * stated + ["outputs"] * outputs
    told += ["framework ops of one call"] * bool(dossier.recorded)
    return f"of {', '.join(told)}, above" if told else ""


def _baseline(dossier: Dossier, subjects: Subjects) -> str:
    variants = dict.fromkeys(
        s.found.subject.variant for s in subjects if s.found and s.found.subject.baseline
    )
    others = any(s.found and not s.found.subject.baseline for s in subjects)
    named = [code(variant) for variant in variants if variant is not None]
    if not others or not named:
        return ""
    return f"{', '.join(named)}, with torch {text(dossier.report.environment.torch or 'unknown')}"


def _correctness(_: Dossier, subjects: Subjects) -> str:
    checked = [s for s in subjects if s.found and s.found.check]
    compared = [c for _, c in checks_of(checked) if c.status != "no reference"]
    others = sum(s.found is not None and not s.found.subject.baseline for s in checked)
    if not compared or len(compared) < (others or len(checked)):  # a baseline has nobody beside it
        return ""
    if len(compared) == 1:
        return f"{spell_check(compared[0])}, before timing"
    passed = sum(check.status == "passed" for check in compared)
    return f"{passed} of {len(compared)} results passed, before timing; errors and tolerances above"


def _warm_up(_: Dossier, subjects: Subjects) -> str:
    return "stated above" if protocol_of(subjects) else ""


def _spread(_: Dossier, subjects: Subjects) -> str:
    timed = any(s.value("full/eager/q20") is not None for s in subjects)
    return "medians with quantiles 0.2 and 0.8; every raw sample is in the run folder" * timed


def _rates(_: Dossier, subjects: Subjects) -> str:
    said = [
        (f"{code(subject.name)}: " if subject.name else "") + rate
        for subject in subjects
        for tag in _RATES
        if (rate := _rate(subject, tag))
    ]
    if (
        not said
        and any(s.found for s in subjects)
        and not any(s.found.work for s in subjects if s.found)
    ):
        return (
            f"{NOT_MEASURED}: the op file states neither {code('bytes_moved')} nor {code('flops')}"
        )
    return "; ".join(said)


def _rate(subject: SubjectFigures, tag: str) -> str:
    """Return a rate and the share of the card's own, or that it was not measured."""
    rate, ceiling = subject.metrics.get(tag), subject.metrics.get(f"{tag}/ceiling")
    if rate is None or not isinstance(rate.value, (int, float)):
        return ""
    reached = f"{rate.value:,.4g} {text(rate.unit)}"
    share = subject.value(f"{tag}/of_ceiling")
    if ceiling is None or not isinstance(ceiling.value, (int, float)):
        return f"{reached}; what could be reached was {NOT_MEASURED}"
    of = f", {spell_share(share)} of" if isinstance(share, float) else " beside"
    most = f"{ceiling.value:,.4g} {text(ceiling.unit)}"
    return f"{reached}{of} the {most} that the card reached, {text(ceiling.description)}"


def _listed(_: Dossier, __: Subjects) -> str:
    return "listed below"


def _known(subjects: Subjects, tag: str) -> list[Metric]:
    found = (subject.metrics.get(tag) for subject in subjects)
    return [metric for metric in found if metric is not None and metric.value is not None]


_ITEMS: tuple[tuple[str, Callable[[Dossier, Subjects], str]], ...] = (
    ("card and clocks", _card),
    ("shapes and dtypes", _shapes),
    ("baseline, named with its version", _baseline),
    ("correctness with tolerances", _correctness),
    ("warm-up and repetitions", _warm_up),
    ("median and spread", _spread),
    ("GB/s or TFLOP/s against the card's measured ceiling", _rates),
    ("what was not tested", _listed),
)
