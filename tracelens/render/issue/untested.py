"""What nobody should take an issue to say: everything beside it that was not tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelens.model.dossier import Dossier
from tracelens.model.measurement import Protocol
from tracelens.render.issue.fields import checks_of, on_cpu, protocol_of
from tracelens.render.issue.subjects import SubjectFigures
from tracelens.render.markdown_text import code, text


def untested(dossier: Dossier, subjects: Sequence[SubjectFigures]) -> list[str]:
    """Return one line of Markdown for each thing that the source does not cover."""
    protocol = protocol_of(subjects)
    lines = [_shapes(dossier, subjects), _cards(dossier)]
    if protocol is None:
        lines.append("host times without the profiler, correctness, warm-up: a trace has none")
    else:
        lines += [*_ways(subjects, protocol), *_correctness(subjects)]
    return [*lines, "serving: no request was served", "other versions of torch, triton and driver"]


def _shapes(dossier: Dossier, subjects: Sequence[SubjectFigures]) -> str:
    cases = dict.fromkeys(s.found.subject.case for s in subjects if s.found)
    named = [code(case) for case in cases if case is not None]
    if dossier.run is None:
        return "other shapes and dtypes than those in the trace"
    return f"other shapes, dtypes and strides than {', '.join(named) or 'the one above'}"


def _cards(dossier: Dossier) -> str:
    device = dossier.report.environment.device
    return f"other cards than {text(device)}" if device else "any card: this was the CPU alone"


def _ways(subjects: Sequence[SubjectFigures], protocol: Protocol) -> Iterator[str]:
    if all(s.value("full/graph/median") is None for s in subjects):
        reasons = dict.fromkeys(
            text(withheld.finding.fact.rstrip("."))
            for s in subjects
            if s.found
            for withheld in s.found.withheld
            if "full/graph" in withheld.tags
        )
        why = f": {'; '.join(reasons)}" if reasons else ""
        yield f"CUDA Graph replay{why}"
    yield {
        "inference": "training: the call ran under inference mode",
        "forward": "the backward pass, and inference mode",
        "forward+backward": "inference: the call has its backward pass behind it",
    }[protocol.mode]
    caches = {m.cache_state for s in subjects if s.found for m in s.found.measurements}
    if caches <= {"warm"}:
        cold = "cold caches" if on_cpu(subjects) else "a cold L2 cache"
        yield f"{cold}: inputs were left where the call before left them"


def _correctness(subjects: Sequence[SubjectFigures]) -> Iterator[str]:
    if not any(check.status == "passed" for _, check in checks_of(subjects)):
        yield "correctness: nothing was compared with a reference"
