"""Make a large trace by repeating a small one, each copy later and with ids of its own.

    python benchmarks/make_trace.py SOURCE COPIES OUT

SOURCE and OUT are torch.profiler traces, .json or .json.gz. A copy begins where the one before
it ends, a whole number of microseconds later, so that not a digit of a fraction changes. What the
copies hold is printed, counted here on their own: `tracelens analyze` must find the same, to the
nanosecond. Memory holds the source and its events once, whatever COPIES is.
"""

from __future__ import annotations

import argparse
import gzip
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

SHIFTED = re.compile(rb'("(?:(ts)|correlation|[Ee]xternal id|id)"\s*:\s*)([1-9]\d*)')
"""A time's whole microseconds or an id. Zero is neither: it marks what has none."""

PIECE_BYTES = 4 << 20


class Arguments(msgspec.Struct, gc=False):
    correlation: int = 0
    external_id: int = msgspec.field(default=0, name="External id")


class Event(msgspec.Struct, gc=False):
    ph: str
    cat: str = ""
    ts: float = 0
    dur: float = 0
    id: int = 0
    args: Arguments = msgspec.field(default_factory=Arguments)


def opened(path: Path, mode: str) -> BinaryIO:
    """Open a plain or gzip file, told by its name. Level 1: size is no matter here, time is."""
    if path.suffix == ".gz":
        return gzip.open(path, mode, compresslevel=1)
    return path.open(mode)


def strides(events: list[Event]) -> tuple[int, int]:
    """Return how far apart copies must lie: in whole microseconds, and in ids."""
    timed = [event for event in events if event.ph == "X" and event.ts > 0]
    begin = min(event.ts for event in timed)
    end = max(event.ts + event.dur for event in timed)
    ids = max(max(e.id, e.args.correlation, e.args.external_id) for e in events)
    return math.ceil(end - begin), ids + 1


def pieces(text: memoryview) -> Iterator[memoryview]:
    """Cut at commas, which stand in neither a key nor a number."""
    begin = 0
    while len(text) - begin > PIECE_BYTES:
        end = begin + bytes(text[begin : begin + PIECE_BYTES]).rindex(b",") + 1
        yield text[begin:end]
        begin = end
    yield text[begin:]


def repeat(source: Path, copies: int, out: BinaryIO) -> list[Event]:
    """Write the source's header and its events `copies` times. Returns the events of one copy."""
    with opened(source, "rb") as file:
        document = msgspec.json.decode(file.read(), type=dict[str, msgspec.Raw])
    entries = memoryview(document.pop("traceEvents"))
    events = msgspec.json.decode(entries, type=list[Event])
    microseconds, ids = strides(events)
    for key, value in document.items():
        out.write(b"%s%s: %s" % (b"," if out.tell() else b"{", msgspec.json.encode(key), value))
    out.write(b'%s"traceEvents": [' % (b"," if out.tell() else b"{"))
    for copy in range(copies):
        out.write(b"," * (copy > 0))
        later, beyond = copy * microseconds, copy * ids

        def shift(found: re.Match[bytes], later: int = later, beyond: int = beyond) -> bytes:
            key, is_time, number = found.groups()
            return b"%s%d" % (key, int(number) + (later if is_time else beyond))

        for piece in pieces(entries[1:-1]):
            out.write(SHIFTED.sub(shift, piece) if copy else piece)
    out.write(b"]}\n")
    return events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("copies", type=int)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    with opened(chosen.out, "wb") as out:
        events = repeat(chosen.source, chosen.copies, out)
    kernels_ns = [round(event.dur * 1_000) for event in events if event.cat == "kernel"]
    size, copies = chosen.out.stat().st_size, chosen.copies
    print(
        f"{chosen.out}: {size:,} bytes, {len(events) * copies:,} events, "
        f"{len(kernels_ns) * copies:,} kernels of {sum(kernels_ns) * copies:,} ns in sum"
    )


if __name__ == "__main__":
    main()
