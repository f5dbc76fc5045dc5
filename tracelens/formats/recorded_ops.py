"""Framework ops with the arguments that a trace recorded of them: shapes, strides, scalars.

The columns of `Trace` hold sizes and types only: a reproducer needs more, and of few ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct, ValidationError, field, json

from tracelens.errors import TraceError
from tracelens.formats.chrome_copy import ChromeCopy, UncopyableError
from tracelens.formats.chrome_events import decode_entries
from tracelens.formats.decimals import nanoseconds
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES
from tracelens.model.dossier import RecordedArgument, RecordedOp

_MOST_OPS = 20_000
"""Ops of one call that are looked at; past that the call is no single op."""


class _Arguments(Struct, gc=False):
    shapes: Any = field(default=(), name="Input Dims")
    types: Any = field(default=(), name="Input type")
    strides: Any = field(default=(), name="Input Strides")
    values: Any = field(default=(), name="Concrete Inputs")


class _Event(Struct, gc=False):
    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: Any = None
    tid: Any = None
    ts: Raw = Raw(b"")
    dur: Raw = Raw(b"")
    args: _Arguments | None = None


_decode = json.Decoder(list[_Event]).decode
_decode_one = json.Decoder(_Event).decode


@dataclass(slots=True)
class _Placed:
    """An op and where on its thread it stands."""

    op: _Event
    start_ns: int
    end_ns: int


def read_ops_named(path: Path, name: str) -> tuple[RecordedOp, ...]:
    """Return every set of arguments that the op of that name was called with, the commonest first.

    Raises TraceError where the file is no Chrome trace.
    """
    found = [_recorded(event) for event in _ops(path) if event.name == name]
    return tuple(sorted(_counted(found), key=lambda op: -op.count))


def read_op_names(path: Path) -> tuple[str, ...]:
    """Return the names of all recorded ops, the commonest first. Raises TraceError as above."""
    return tuple(name for name, _ in Counter(op.name for op in _ops(path)).most_common())


def read_ops_within(path: Path, window: tuple[int, int]) -> tuple[RecordedOp, ...]:
    """Return the outermost ops that begin in `[start, end)`, int64 ns, in order of their start.

    Ops that followed each other with the same arguments are one, with their count. Nothing where
    the call holds too many of them to be read by a person. Raises TraceError as above.
    """
    first, last = window
    inside: list[_Placed] = []
    for op in _ops(path):
        start_ns, duration_ns = nanoseconds([op.ts, op.dur]).tolist()
        if first <= start_ns < last:
            inside.append(_Placed(op, start_ns, start_ns + max(duration_ns, 0)))
            if len(inside) > _MOST_OPS:
                return ()
    return tuple(_counted([_recorded(op) for op in _outermost(inside)]))


def _outermost(placed: list[_Placed]) -> Iterator[_Event]:
    """Yield the ops that lie inside no other of their thread."""
    covered: dict[tuple[str, str], int] = {}
    for one in sorted(placed, key=lambda p: (p.start_ns, -p.end_ns)):
        thread = str(one.op.pid), str(one.op.tid)
        if one.start_ns >= covered.get(thread, one.start_ns):
            covered[thread] = one.end_ns
            yield one.op


def _counted(ops: list[RecordedOp]) -> list[RecordedOp]:
    counts: dict[RecordedOp, int] = {}
    for op in ops:
        counts[op] = counts.get(op, 0) + 1
    return [RecordedOp(name=o.name, arguments=o.arguments, count=n) for o, n in counts.items()]


def _ops(path: Path) -> Iterator[_Event]:
    try:
        for block in ChromeCopy(path, max_expanded_bytes=MAX_EXPANDED_BYTES):
            yield from (
                e for e in _events(block) if e.ph == "X" and e.cat in ("cpu_op", "Operator")
            )
    except UncopyableError:
        raise TraceError(
            f"{path}: its framework ops and their arguments cannot be read",
            "Pass a Chrome trace that torch.profiler recorded with record_shapes=True.",
        ) from None


def _events(block: bytes) -> Iterator[_Event]:
    try:
        yield from _decode(b"[%b]" % block)
    except ValidationError:  # one field of one event is not as it should be
        for entry in decode_entries(b"[%b]" % block):
            try:
                yield _decode_one(entry)
            except ValidationError:
                continue


def _recorded(event: _Event) -> RecordedOp:
    args = event.args or _Arguments()
    shapes, strides = _listed(args.shapes), _listed(args.strides)
    types, values = _listed(args.types), _listed(args.values)
    return RecordedOp(
        name=event.name,
        arguments=tuple(
            RecordedArgument(
                type=str(_at(types, place) or ""),
                shapes=_sizes(_at(shapes, place)),
                strides=_sizes(_at(strides, place)),
                value=str(_at(values, place) or ""),
            )
            for place in range(max(len(shapes), len(types)))
        ),
        count=1,
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _sizes(value: Any) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of one tensor, or of each of a list; none where there is no tensor."""
    if not isinstance(value, list) or not value:
        return ()
    nested = value if all(isinstance(item, list) for item in value) else [value]
    return tuple(tuple(size for size in sizes if isinstance(size, int)) for sizes in nested)
