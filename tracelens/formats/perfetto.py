"""Writes a copy of a trace with tracks of ours, for https://ui.perfetto.dev to open."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from tracelens.errors import ExportError
from tracelens.formats.chrome_anew import events_anew, header_anew
from tracelens.formats.chrome_copy import ChromeCopy, UncopyableError
from tracelens.formats.chrome_writing import SEPARATOR, track_events
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES
from tracelens.model.report import Finding
from tracelens.model.trace import Trace
from tracelens.model.track import Track

_GZIP = 31  # zlib's `wbits`: a gzip header, the largest window
_FAST = 1
_SUFFIXES = (".gz", ".json", ".sqlite")
_HINT = "Pass another file with -o."


def perfetto_path(source: Path) -> Path:
    """Return where a copy goes unless told otherwise: `trace.perfetto.json.gz` in this folder."""
    name = source.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return Path(f"{name}.perfetto.json.gz")


def write_perfetto(
    target: Path,
    *,
    source: Path,
    trace: Trace,
    tracks: Sequence[Track],
    max_expanded_bytes: int = MAX_EXPANDED_BYTES,
) -> tuple[Finding, ...]:
    """Write the events of `source` and the tracks to a new file, gzip where its name ends in .gz.

    The events of a Chrome trace are copied as they are. Where that cannot be, for another format, a
    pipe, or damage that has no mend, they are written from `trace`, and a finding says so. Raises
    ExportError where the file exists or cannot be written; nothing is left of it then.
    """
    with _created(target) as file:
        packed = target.name.endswith(".gz")
        try:
            copy = ChromeCopy(source, max_expanded_bytes=max_expanded_bytes)
            _write(file, tracks, copy, copy.header, packed=packed)
        except UncopyableError:
            file.seek(0)
            file.truncate()
            _write(file, tracks, events_anew(trace), header_anew(trace), packed=packed)
            return (_ANEW,)
    return ()


_ANEW = Finding(
    tag="export/anew",
    severity="info",
    fact="the export holds device work, API calls, ops and annotations, written from what was read "
    "here, for the events of this file cannot be copied",
    advice="Open the original beside it to see what else it has.",
)


@contextmanager
def _created(target: Path) -> Iterator[BinaryIO]:
    """Create a file, and remove it again where it is not written to its end."""
    try:
        with target.open("xb") as file:
            try:
                yield file
            except BaseException:
                target.unlink()
                raise
    except FileExistsError:
        raise ExportError(f"{target} exists, and an export overwrites nothing", _HINT) from None
    except OSError as reason:
        why = reason.strerror or reason
        raise ExportError(f"{target}: cannot be written: {why}", _HINT) from None


def _write(
    file: BinaryIO,
    tracks: Sequence[Track],
    events: Iterable[bytes],
    header: dict[bytes, bytes],
    *,
    packed: bool,
) -> None:
    text = _document(tracks, events, header)
    for piece in _gzip(text) if packed else text:
        file.write(piece)


def _document(
    tracks: Sequence[Track], events: Iterable[bytes], header: dict[bytes, bytes]
) -> Iterator[bytes]:
    """Return the text of a Chrome trace. `header` is looked at after the last event."""
    before = b'{"traceEvents":[\n'
    for block in chain(track_events(tracks), events):
        yield before
        yield block
        before = SEPARATOR
    yield b"\n]"
    for key, value in header.items():
        yield b',\n"%b":%b' % (key, value)
    yield b"}\n"


def _gzip(text: Iterable[bytes]) -> Iterator[bytes]:
    packing = zlib.compressobj(_FAST, zlib.DEFLATED, _GZIP)
    for piece in text:
        yield packing.compress(piece)
    yield packing.flush()
