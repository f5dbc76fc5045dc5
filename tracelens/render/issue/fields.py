"""The fields that a careful reader of a performance report asks for, none of them left blank."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from tracelens.model.dossier import Dossier, RecordedArgument, RecordedOp
from tracelens.model.measurement import Check, Protocol
from tracelens.model.quantity import spell_ns
from tracelens.render.issue.subjects import NOT_MEASURED, SubjectFigures
from tracelens.render.markdown_text import code, text

_OPS_SHOWN = 6
"""Recorded ops in a field; all of them have a table of their own."""

_TENSOR = re.compile(r"\w+\[[\d, ]*\] ")
"""How a tensor among the inputs is spelled: `float32[4, 8] cpu`."""

Subjects = Sequence[SubjectFigures]


def fields(dossier: Dossier, subjects: Subjects) -> list[tuple[str, str]]:
    """Return each field's name and what is known of it, as Markdown."""
    return [
        (name, next((said for say in ways if (said := say(dossier, subjects))), NOT_MEASURED))
        for name, *ways in _FIELDS
    ]


def spell_recorded(op: RecordedOp) -> str:
    """Return a recorded op as a call: `aten::mm(c10::BFloat16[64, 64], 1.0)`."""
    return f"{op.name}({', '.join(map(_spell_argument, op.arguments))})"


def protocol_of(subjects: Subjects) -> Protocol | None:
    """Return how a run was taken: the same for all of its subjects."""
    return next((s.found.protocol for s in subjects if s.found and s.found.protocol), None)


def on_cpu(subjects: Subjects) -> bool:
    """Say whether a run was one of the CPU alone."""
    protocol = protocol_of(subjects)
    return protocol is not None and protocol.device == "cpu"


def checks_of(subjects: Subjects) -> list[tuple[str, Check]]:
    """Return the check of each subject that has one, with the subject's name."""
    return [(s.name, s.found.check) for s in subjects if s.found and s.found.check]


def spell_check(check: Check) -> str:
    """Return what a check found: against what, how far off, within which tolerance."""
    if check.status == "no reference":
        return "not checked: the op file has no reference"
    if check.max_abs_error is None:
        return f"{check.status} against the {check.against}"
    return (
        f"{check.status} against the {check.against}: largest error {check.max_abs_error:g}, "
        f"allowed atol {check.atol:g}, rtol {check.rtol:g}"
    )


def _spell_argument(argument: RecordedArgument) -> str:
    if not argument.shapes:
        return argument.value or argument.type or "None"
    tensors = []
    for place, shape in enumerate(argument.shapes):
        strides = argument.strides[place] if place < len(argument.strides) else ()
        told = (
            f", strides {list(strides)}" if strides and not _is_contiguous(shape, strides) else ""
        )
        tensors.append(f"{argument.type}{list(shape)}{told}")
    return tensors[0] if len(tensors) == 1 else f"[{', '.join(tensors)}]"


def _is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=False):
        if size != 1 and stride != step:
            return False
        step *= max(size, 1)
    return True


def _operation(dossier: Dossier, subjects: Subjects) -> str:
    named = [code(s.name) for s in subjects if s.name]
    return code(dossier.title) + (f", measured as {', '.join(named)}" if named else "")


def _shapes(dossier: Dossier, subjects: Subjects) -> str:
    said = []
    for subject in subjects:
        protocol = subject.found.protocol if subject.found else None
        if protocol is not None and protocol.inputs:
            said.append(_about(subject, f"inputs {', '.join(map(code, protocol.inputs))}"))
    said += [
        _about(s, f"outputs {', '.join(map(code, check.outputs))}")
        for s, check in ((s, s.found.check) for s in subjects if s.found and s.found.check)
        if check.outputs
    ]
    tensors = [op for op in dossier.recorded if any(a.shapes for a in op.arguments)]
    if tensors:
        shown = ", ".join(code(spell_recorded(op)) for op in tensors[:_OPS_SHOWN])
        more = f" and {len(tensors) - _OPS_SHOWN} more" if len(tensors) > _OPS_SHOWN else ""
        said.append(f"framework ops recorded in one call: {shown}{more}")
    return "; ".join(said)


def _scalars(dossier: Dossier, subjects: Subjects) -> str:
    protocols = [s.found.protocol for s in subjects if s.found and s.found.protocol]
    if any(protocol.inputs for protocol in protocols):
        stated = dict.fromkeys(a for p in protocols for a in p.inputs if not _TENSOR.match(a))
        return ", ".join(map(code, stated)) or "none"
    recorded = [
        f"{op.name}: {', '.join(a.value for a in op.arguments if a.value)}"
        for op in dossier.recorded
        if any(a.value for a in op.arguments)
    ]
    return ", ".join(map(code, recorded[:_OPS_SHOWN]))


def _device(dossier: Dossier, subjects: Subjects) -> str:
    environment = dossier.report.environment
    protocol = protocol_of(subjects)
    on = f" as {code(protocol.device)}" if protocol else ""
    if environment.device:
        told = [text(environment.device) + on]
        if environment.compute_capability:
            told.append(f"compute capability {text(environment.compute_capability)}")
        if environment.multiprocessors:
            told.append(f"{environment.multiprocessors} multiprocessors")
        return ", ".join(told)
    if environment.cpu is None:
        return ""
    threads = f", {protocol.threads} threads" if protocol and protocol.threads else ""
    return f"no CUDA device: the CPU, {text(environment.cpu)}{threads}"


def _driver(dossier: Dossier, subjects: Subjects) -> str:
    return text(dossier.report.environment.driver or "") or "none" * on_cpu(subjects)


def _revisions(dossier: Dossier, _: Subjects) -> str:
    environment = asdict(dossier.report.environment)
    packages = environment["packages"] or {}
    names = ("torch", "cuda", "triton", "python", "os", "tracelens")
    known = {name: environment[name] for name in names}
    known["torch"] = known["torch"] or NOT_MEASURED
    told = [f"{name} {text(str(version))}" for name, version in known.items() if version]
    unknown = [name for name in dossier.needs if name not in (*packages, *names, "numpy")]
    told += [f"{text(name)} {text(version)}" for name, version in packages.items()]
    return ", ".join([*told, *(f"{code(name)} {NOT_MEASURED}" for name in unknown)])


def _correctness(_: Dossier, subjects: Subjects) -> str:
    return "; ".join(
        f"{code(name)}: {spell_check(check)}" if name else spell_check(check)
        for name, check in checks_of(subjects)
    )


def _warmth(_: Dossier, subjects: Subjects) -> str:
    protocol = protocol_of(subjects)
    if protocol is None:
        return ""
    first = [(s, s.value("cold/first_call")) for s in subjects]
    cold = [_about(s, spell_ns(ns)) for s, ns in first if isinstance(ns, (int, float))]
    caches = sorted({m.cache_state for s in subjects if s.found for m in s.found.measurements})
    cache = "caches" if protocol.device == "cpu" else "L2 cache"
    return (
        f"warmed; {cache} {', '.join(map(text, caches or [protocol.cache_state]))}; the first "
        f"call, cold, was timed apart: {', '.join(cold) or NOT_MEASURED}"
    )


def _ways(_: Dossier, subjects: Subjects) -> str:
    eager = any(s.value("full/eager/median") is not None for s in subjects)
    graph = any(s.value("full/graph/median") is not None for s in subjects)
    if not eager and not graph:
        return ""
    return f"eager; CUDA Graph replay {'apart from it' if graph else NOT_MEASURED}"


def _timer(_: Dossier, subjects: Subjects) -> str:
    protocol = protocol_of(subjects)
    if protocol is None:
        return "the profiler's own timeline, profiler on: host times are longer than without it"
    clocks = {m.clock for s in subjects if s.found for m in s.found.measurements}
    return f"host clock {', '.join(map(code, sorted(clocks or {protocol.clock})))}, profiler off"


def _synchronisation(_: Dossier, subjects: Subjects) -> str:
    told: dict[str, dict[str, None]] = {}
    for subject in subjects:
        for m in subject.found.measurements if subject.found else ():
            told.setdefault(m.tag, {})[m.includes] = None
    wanted = ("full/eager", "submit/eager", "amortised/eager")
    return "; ".join(
        f"{code(tag)}: {text(' or '.join(told[tag]))}" for tag in wanted if tag in told
    )


def _repetitions(_: Dossier, subjects: Subjects) -> str:
    protocol = protocol_of(subjects)
    if protocol is None:
        return ""
    counts = {
        len(m.samples_ns)
        for s in subjects
        if s.found
        for m in s.found.measurements
        if m.tag == "full/eager"
    }
    taken = " to ".join(map(str, sorted({min(counts), max(counts)}))) if counts else "no"
    spread = f", spread over {protocol.cores} cores" if protocol.cores else ""
    return (
        f"at least {protocol.warmup_calls} calls and {spell_ns(protocol.warmup_ns)} of warm-up; "
        f"{taken} full calls{spread}; amortised over at most {protocol.batch} calls; "
        f"seed {protocol.seed}; "
        f"garbage collection {protocol.garbage_collection}; {text(protocol.grad_mode)}, one call "
        f"is {text(protocol.mode)}"
    )


def _times(*tags: tuple[str, str]) -> Callable[[Dossier, Subjects], str]:
    def say(_: Dossier, subjects: Subjects) -> str:
        said = []
        for subject in subjects:
            known = [
                f"{words} {subject.time(tag)}"
                for tag, words in (tags if len(subjects) == 1 else tags[:1])
                if subject.value(f"{tag}/median") is not None
            ]
            if known:
                said.append(_about(subject, "; ".join(known)))
        return "; ".join(said)

    return say


def _kernels_of_trace(_: Dossier, subjects: Subjects) -> str:
    if not subjects or subjects[0].found is not None:
        return ""
    count = subjects[0].value("trace/kernel/count")
    times = [(f"trace/kernel/{way}", f"kernel {way}") for way in ("busy", "sum")]
    known = [(words, subjects[0].value(tag)) for tag, words in times]
    said = [f"{words} {spell_ns(ns)}" for words, ns in known if isinstance(ns, (int, float))]
    return f"whole trace: {', '.join(said)}, {count} kernels" if said else ""


def _files(dossier: Dossier, _: Subjects) -> str:
    needs = ", ".join(map(code, ("torch", *dossier.needs)))
    runs = f"{code(f'python {dossier.reproducer_name}')}, which needs {needs}"
    traces = ", ".join(code(attachment.name) for attachment in dossier.attachments)
    return f"{runs if dossier.reproducer else 'no reproducer'}; {traces or 'no trace'}"


def _about(subject: SubjectFigures, said: str) -> str:
    return f"{code(subject.name)}: {said}" if subject.name else said


_FIELDS: tuple[tuple[Any, ...], ...] = (
    ("Operation or model", _operation),
    ("Shapes, dtypes, strides", _shapes),
    ("Scalar arguments", _scalars),
    ("Device", _device),
    ("Driver", _driver),
    ("Framework and compiler", _revisions),
    ("Correctness", _correctness),
    ("Cold or warmed", _warmth),
    ("Eager or graph", _ways),
    ("Timer", _timer),
    ("Synchronisation", _synchronisation),
    ("Warm-up and repetitions", _repetitions),
    (
        "Device-kernel result",
        _times(
            ("kernel/eager/busy", "kernel busy, eager"),
            ("kernel/eager/sum", "kernel sum, eager"),
            ("kernel/graph/busy", "kernel busy, graph"),
        ),
        _kernels_of_trace,
    ),
    (
        "Full-API result",
        _times(
            ("full/eager", "full call, eager"),
            ("submit/eager", "submit, eager"),
            ("amortised/eager", "amortised, eager"),
            ("full/graph", "full call, graph"),
        ),
        _times(("split/wall", "median window, profiler on")),
    ),
    ("Serving result",),
    ("Reproducer and trace", _files),
)
