"""A statement and its setup, written as an op file that says the same."""

from __future__ import annotations

import ast
import symtable
from textwrap import indent

from tracelens.errors import UsageError

_HINT = 'Such as --setup "x = torch.randn(1024)" --stmt "torch.softmax(x, -1)".'

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
