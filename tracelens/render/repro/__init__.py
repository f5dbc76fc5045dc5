"""Writes `repro.py`: one file that measures an op again and needs torch, not this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracelens.model.dossier import RecordedOp
from tracelens.model.measurement import Protocol, Run, SubjectRun
from tracelens.model.report import Environment, Report, Value
from tracelens.render.repro.op_source import OpSource, read_op_source
from tracelens.render.repro.recorded import is_callable_op, source_of_recorded
from tracelens.render.safe_text import safe
from tracelens.render.words import ENVIRONMENT, MODES, QUANTITIES

__all__ = ["OpSource", "is_callable_op", "read_op_source", "repro_of_recorded", "repro_of_run"]

_PARTS = ("op", "check", "timing", "device_time", "main")
_FOLDER = Path(__file__).parent / "parts"

_COLD = "cold/first_call"
_LINE = 70

_QUANTITIES = ("full", "submit", "amortised", "device/busy", "kernel/busy", "kernel/sum")
"""What a script measures, in the order in which it prints it."""

_PROTOCOL: dict[str, Any] = {
    "seed": 0,
    "warmup_calls": 5,
    "warmup_ns": 200_000_000,
    "samples": 200,
    "batch": 100,
    "head_calls": 5,
    "profiled_calls": 20,
}
"""What stands for the protocol where the source is a trace, which has none."""

_FIXED = {"batches": 20, "replays": 10, "budget_ns": 1_000_000_000}
"""What a run does not record: as many batches and replays as are always taken."""


def repro_of_run(run: Run, source: OpSource) -> str:
    """Return a script that measures every subject of a run again, as the run did."""
    protocol = next((s.protocol for s in run.subjects if s.protocol is not None), None)
    facts = {
        "op": run.op,
        "device": protocol.device if protocol else "cpu",
        "environment": _environment(run.environment),
        **(_stated(protocol) if protocol else _PROTOCOL),
        **_FIXED,
        "subjects": [_subject(found, run.report) for found in run.subjects],
    }
    return _script(facts, source, tracelens=run.environment.tracelens)


def repro_of_recorded(
    op: RecordedOp, *, device: str, environment: Environment
) -> tuple[str, tuple[str, ...]]:
    """Return a script that measures one recorded op, and what the trace did not say about it."""
    text, missing = source_of_recorded(op, device=device)
    facts = {
        "op": op.name,
        "device": device,
        "environment": _environment(environment),
        **_PROTOCOL,
        **_FIXED,
        "subjects": [{"case": None, "variant": None, "medians": {}}],
    }
    return _script(facts, read_op_source(text), tracelens=environment.tracelens), missing


def _script(facts: Mapping[str, Any], source: OpSource, *, tracelens: str | None) -> str:
    ours = "\n\n".join((_FOLDER / f"{part}.py.txt").read_text("utf-8") for part in _PARTS)
    head = _head(facts, source, tracelens)
    if source.clashes:  # the op's own names must not be hidden by ours
        for name in ("repro_", "Repro", "REPRO_"):
            head, ours = (text.replace(name, f"{name}2_") for text in (head, ours))
    return f"{head}\n# ---- The op ---------------\n\n{source.text}\n\n{ours}"


def _head(facts: Mapping[str, Any], source: OpSource, tracelens: str | None) -> str:
    needs = ["torch", *source.needs]
    futures = f"from __future__ import {', '.join(source.futures)}\n\n" if source.futures else ""
    name, where = safe(str(facts["op"])), safe(str(facts["environment"]))
    return f"""\
# Measures `{name}` again. The run that it repeats was taken on:
# {where}
# Written by tracelens {tracelens or ""}, which it does not need. It needs {", ".join(needs)}.
#
#     python repro.py                          checks, measures, prints medians beside the run's
#     python repro.py --with-trace trace.json  records a Chrome trace too

{futures}import os
import sys
from time import perf_counter_ns as repro_now_ns

REPRO_RUN = {_literal(facts)}
REPRO_WORDS = {_literal({_COLD: ("first call", ""), **_words()})}

if REPRO_RUN["device"] == "cpu":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as in the run

try:
    import torch
except ImportError:
    sys.exit("This reproducer needs torch: https://pytorch.org/get-started/locally")

if REPRO_RUN["device"] != "cpu" and not torch.cuda.is_available():
    sys.exit("This was measured on a CUDA device, and torch sees none here: " + torch.__version__)
repro_synchronize = torch.cuda.synchronize  # before the op can put another in its place

"""


def _literal(value: Any, indent: str = "") -> str:
    """Return builtins as Python source: on one line where they fit, else a line for each item."""
    whole = _on_one_line(value)
    if len(indent) + len(whole) < _LINE or not isinstance(value, (dict, list)):
        return whole
    inner = indent + "    "
    if isinstance(value, dict):
        lines = [f"{inner}{_literal(k)}: {_literal(v, inner)},\n" for k, v in value.items()]
    else:
        lines = [f"{inner}{_literal(item, inner)},\n" for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{''.join(lines)}{indent}{closing}"


def _on_one_line(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        pairs = (f"{_on_one_line(k)}: {_on_one_line(v)}" for k, v in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_on_one_line, value))}]"
    return repr(value)


def _quoted(text: str) -> str:
    """Return a string as `repr` does, in the double quotes that the rest of the script has."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _stated(protocol: Protocol) -> dict[str, Any]:
    return {name: getattr(protocol, name) for name in _PROTOCOL}


def _subject(found: SubjectRun, report: Report | None) -> dict[str, Any]:
    subject = found.subject
    metrics: dict[str, Value] = {}
    for section in report.sections if report else ():
        if (section.case, section.variant) == (subject.case, subject.variant):
            metrics.update((m.tag, m.value) for m in section.metrics)
    batches = {m.tag: m.batch for m in found.measurements}
    medians = {
        tag: {
            **{figure: metrics.get(f"{tag}/{figure}") for figure in ("median", "q20", "q80")},
            "samples": metrics.get(f"{tag}/samples"),
            "batch": batches.get(tag, 1),
        }
        for tag in _words()
        if metrics.get(f"{tag}/median") is not None
    }
    if metrics.get(_COLD) is not None:
        medians[_COLD] = {"median": metrics[_COLD]}
    return {"case": subject.case, "variant": subject.variant, "medians": medians}


def _words() -> dict[str, tuple[str, str]]:
    """Return how each quantity that a script measures is called, by its tag."""
    tags = {}
    for quantity in _QUANTITIES:
        kind, _, part = quantity.partition("/")
        for mode in MODES:
            tags[f"{kind}/{mode}/{part}".rstrip("/")] = (QUANTITIES[quantity], mode)
    return tags


def _environment(environment: Environment) -> str:
    """Return where the numbers of the run come from, as its report says it."""
    known = {name: (words, getattr(environment, name)) for name, words in ENVIRONMENT}
    told = [pair for name, pair in known.items() if name not in ("trace", "tracelens", "os")]
    return " · ".join(words.format(safe(fact)) for words, fact in told if fact)
