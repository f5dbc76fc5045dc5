"""Writes `repro.py`: one file that measures an op again and needs torch, not this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracelens.model.dossier import RecordedOp
from tracelens.model.measurement import Run
from tracelens.model.report import Environment
from tracelens.render.repro.facts import facts_of_recorded, facts_of_run, words
from tracelens.render.repro.op_source import OpSource, read_op_source
from tracelens.render.repro.recorded import is_callable_op, source_of_recorded
from tracelens.render.safe_text import safe

__all__ = ["OpSource", "is_callable_op", "read_op_source", "repro_of_recorded", "repro_of_run"]

_PARTS = ("op", "check", "timing", "device_time", "main")
_FOLDER = Path(__file__).parent / "parts"

_LINE = 70


def repro_of_run(run: Run, source: OpSource) -> str:
    """Return a script that measures every subject of a run again, as the run did."""
    return _script(facts_of_run(run), source, tracelens=run.environment.tracelens)


def repro_of_recorded(
    op: RecordedOp, *, device: str, environment: Environment
) -> tuple[str, tuple[str, ...]]:
    """Return a script that measures one recorded op, and what the trace did not say about it."""
    text, missing = source_of_recorded(op, device=device)
    facts = facts_of_recorded(op.name, device=device, environment=environment)
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
#     python repro.py --json samples.json      writes every sample, in ns

{futures}import os
import sys
from time import perf_counter_ns as repro_now_ns

REPRO_RUN = {_literal(facts)}
REPRO_WORDS = {_literal(words())}

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
