"""A statement and its setup, written as an op file that says the same."""

from __future__ import annotations

import ast
import re
import symtable
from dataclasses import replace
from textwrap import indent

from tracelens.errors import UsageError
from tracelens.measure.failure import ALONE_HINT
from tracelens.model.measurement import Failure, Record

_HINT = 'Such as --setup "x = torch.randn(1024)" --stmt "torch.softmax(x, -1)".'

_SETUP_HINT = "Mend --setup: it runs first, once, and torch is imported for it."
_STATEMENT_HINT = "Mend --stmt, or let --setup make what it uses."

OP_STEM = "stmt"
"""What the op file is called, but for its suffix."""

_IN_HINTS = {"inputs()": "what --setup makes", "the op ": "--stmt "}
_INPUTS = f"inputs() of {OP_STEM}"
_OUR_WORDS = re.compile(rf"(?:{re.escape(_INPUTS)}|The op|op\(\))(?= (?:raised|called|returned) )")
_OUR_PLACE = re.compile(rf"(?<=\w) in {OP_STEM}\.py:\d+(?=[:.])")

_FILE = """\
\"\"\"A statement, as an op file: `tracelens profile op.py` measures it again.\"\"\"

import torch


def inputs():
{setup}


def op({names}):
{body}
"""


def op_source(statement: str, *, setup: str) -> str:
    """Return the op file: what the setup binds and the statement uses are the inputs.

    The statement returns its last expression, or what its last line assigns. Raises UsageError
    where one of them is no Python, or the statement has no value.
    """
    made = _parsed(setup, "setup")
    body = _parsed(statement, "statement")
    if not body.body:
        raise UsageError("The statement is empty.", _HINT)
    last = _returned(body.body[-1])
    names = sorted(_names(made, own=True) & _names(body, own=False) - {"torch"})
    made.body.append(_return(ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())))
    body.body[-1:] = last
    source = _FILE.format(setup=_block(made), names=", ".join(names), body=_block(body))
    _compiled(source)
    return source


def in_own_words(record: Record) -> Record:
    """Return a failure as it concerns who wrote a statement and its setup, and no op file.

    Any other record is returned as it is.
    """
    if not isinstance(record, Failure) or record.kind not in ("input", "raised"):
        return record
    in_setup = record.fact.startswith(_INPUTS)
    whose = "The setup" if in_setup else "The statement"
    fact = _OUR_PLACE.sub("", _OUR_WORDS.sub(whose, record.fact, count=1), count=1)
    hint = _SETUP_HINT if in_setup else record.hint.replace(ALONE_HINT, _STATEMENT_HINT)
    for ours, theirs in _IN_HINTS.items():
        hint = hint.replace(ours, theirs)
    return replace(record, fact=fact, hint=hint)


def _parsed(text: str, what: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(f"The {what} is no Python: {reason}.", _HINT) from None


def _compiled(source: str) -> None:
    try:
        compile(source, "op.py", "exec")
    except SyntaxError as error:  # a star import, a stray return or await
        raise UsageError(
            f"Setup and statement cannot stand in functions: {error.msg}.", _HINT
        ) from None


def _returned(last: ast.stmt) -> list[ast.stmt]:
    """Return statements that end in a return of the last one's value."""
    if isinstance(last, ast.Expr):
        return [_return(last.value)]
    if isinstance(last, ast.Assign) and isinstance(last.targets[-1], ast.Name):
        return [last, _return(ast.Name(last.targets[-1].id, ast.Load()))]
    raise UsageError("The statement ends in nothing that has a value.", _HINT)


def _return(value: ast.expr) -> ast.stmt:
    return ast.Return(value)


def _names(module: ast.Module, *, own: bool) -> set[str]:
    """Return the names that statements bind, or else all that they use, as in a function."""
    body = indent(ast.unparse(module) or "pass", "    ")
    try:
        table = symtable.symtable(f"def f():\n{body}", "op.py", "exec").get_children()[0]
    except SyntaxError as error:
        raise UsageError(
            f"Setup and statement cannot stand in functions: {error.msg}.", _HINT
        ) from None
    if own:
        return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
    return _used(table)


def _used(table: symtable.SymbolTable) -> set[str]:
    """Return every name of a scope and of those inside it."""
    return set(table.get_identifiers()).union(*map(_used, table.get_children()))


def _block(module: ast.Module) -> str:
    return indent(ast.unparse(ast.fix_missing_locations(module)), "    ")
