"""Writes `repro.py`: one file that measures an op again and needs torch, not this package."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Collection, Iterator, Mapping
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

_PARTS = ("op", "check", "cores", "timing", "device_time", "printing", "main")
_FOLDER = Path(__file__).parent / "parts"

_LINE = 70

_IMPORTS = """\
import builtins as repro_builtins
import os
import sys
from time import perf_counter_ns as repro_now_ns

"""

_BEFORE_OP = """
# ---- The op ---------------------------------------------------------------------------------

sys.modules["repro_op"], repro_name = sys.modules[__name__], __name__
__name__ = "repro_op"  # what the op does as a program is no part of it

"""

_AFTER_OP = """

__name__ = repro_name

"""


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
    """Return code of ours, each piece with what stands behind it as it is."""
    beside = {path: text.split("\n") for path, text in source.beside.items()}
    first = [_part("beginning"), *([_part("beside")] if beside else [])]
    parts = map(_part, _PARTS)
    pieces = [
        ("", _preamble(facts, source, tracelens)),
        (_IMPORTS + "REPRO_RUN = ", _literal(facts)),
        ("\nREPRO_WORDS = ", _literal(words())),
        *([("\nREPRO_BESIDE = ", _literal(beside))] if beside else []),
        ("\n\n" + _unhidden("\n\n".join(first), source.hides), ""),
        (_BEFORE_OP, source.text),
        (_AFTER_OP + _unhidden("\n\n".join(parts), source.hides), ""),
    ]
    ours = _renamed if source.clashes else str  # the op's own names must not be hidden by ours
    return "".join(ours(code) + verbatim for code, verbatim in pieces)


def _renamed(code: str) -> str:
    for name in ("repro_", "Repro", "REPRO_"):
        code = code.replace(name, f"{name}2_")
    return code


def _part(name: str) -> str:
    return (_FOLDER / f"{name}.py.txt").read_text("utf-8")


def _unhidden(text: str, hidden: Collection[str]) -> str:
    """Return a part that means Python's own builtins where the op has those names for others."""
    lines = text.splitlines(keepends=True)
    for token in reversed(list(_builtins_used(text, hidden)) if hidden else []):
        (row, start), (_, end) = token.start, token.end
        line = lines[row - 1]
        lines[row - 1] = f"{line[:start]}repro_builtins.{token.string}{line[end:]}"
    return "".join(lines)


def _builtins_used(text: str, hidden: Collection[str]) -> Iterator[tokenize.TokenInfo]:
    """Yield the builtins in a source: names that are no attribute and no keyword of a call."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        plain = before.string not in (".", "def", "class") and after.string != "="
        if token.type == tokenize.NAME and token.string in hidden and plain:
            yield token


def _preamble(facts: Mapping[str, Any], source: OpSource, tracelens: str | None) -> str:
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

{futures}"""


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
