"""An SQLite file from anywhere, read table by table into columns of integers.

Nothing that the file brings along is run: rows come from plain tables alone, never from a view, a
virtual table or a generated column, and every query is written here.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from tracelens.errors import TraceError, TruncatedTraceError
from tracelens.formats.json_window import LONGEST_VALUE_BYTES
from tracelens.model.intervals import Int64s
from tracelens.model.trace import UNKNOWN_NS

ABSENT = UNKNOWN_NS
"""What stands in a column of integers where the file has NULL, or no such column."""

_MISTYPED = ABSENT + 1
_BATCH_ROWS = 20_000
_LEAST_ROW_BYTES = 4
"""A pointer of two bytes, a length, a row number: less room no row of a table takes."""

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # its messages quote the file, in any encoding

_HEADER_BYTES = 100
_RECOVER = "Export it again, or read what is left with --recover: sums are then lower bounds."

Row = tuple[Any, ...]
Integers = dict[str, Int64s]
Texts = list[str | None]


class Database:
    """The plain tables of an SQLite file.

    `damage` counts what was read as absent: values that are no integers where there should be one,
    and texts that are not UTF-8. `cut` says why rows are missing, or is None.
    """

    def __init__(self, connection: sqlite3.Connection, *, size_bytes: int, recover: bool) -> None:
        self.damage: Counter[str] = Counter()
        self.cut: str | None = None
        self._connection = connection
        self._size_bytes = size_bytes
        self._recover = recover
        try:
            named = connection.execute(
                "SELECT name FROM sqlite_master "
                "WHERE type = 'table' AND typeof(name) = 'text' AND rootpage > 0"
            )
            self.tables = frozenset(name for (name,) in named)
        except _UNREADABLE as error:
            raise TraceError(f"SQLite cannot read it: {error}", "Export it again.") from error

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of a table's stored columns; none where there is no such table."""
        if table not in self.tables:
            return frozenset()
        with self._readable():
            described = self._connection.execute(f'PRAGMA table_info("{table}")')
            return frozenset(row[1] for row in described)
        return frozenset()

    def batches(
        self, table: str, integers: Sequence[str], *, text: str | None = None
    ) -> Iterator[tuple[Integers, Texts]]:
        """Iterate over a table's rows, in order, some thousands at a time.

        Each batch has an array for every name in `integers`, and the texts of the column `text`.
        The last batch is empty, so that even a table that is not there gives its columns. Raises
        TraceError where rows cannot be read; when recovering, they end there and `cut` says so.
        """
        there = self.columns(table)
        read = [name for name in integers if name in there]
        chosen = [_integer(name) for name in read]
        chosen.append(f'CASE typeof("{text}") WHEN \'text\' THEN "{text}" END')
        if text not in there:
            chosen[-1] = "NULL"
        with self._readable():
            for rows in self._rows(table, f'SELECT {", ".join(chosen)} FROM "{table}"'):
                batch = self._integers(read, rows)
                yield _filled(batch, integers, len(rows)), self._texts(rows)
        yield _filled({}, integers, 0), []

    def _rows(self, table: str, query: str) -> Iterator[list[Row]]:
        if table not in self.tables:
            return
        count = 0
        cursor = self._connection.execute(query)
        while rows := cursor.fetchmany(_BATCH_ROWS):
            count += len(rows)
            if count * _LEAST_ROW_BYTES > self._size_bytes:  # pages that many others point to
                raise TraceError(
                    f"its table {table} has more rows than its {self._size_bytes:,} bytes can hold",
                    "Export it again: the file is damaged, or made to harm.",
                )
            yield rows

    def _integers(self, names: list[str], rows: list[Row]) -> Integers:
        if not names:
            return {}
        cells = chain.from_iterable(row[:-1] for row in rows)
        # array, unlike numpy, takes no text and no float for an integer
        table = np.frombuffer(array("q", cells), np.int64).reshape(len(rows), -1)
        mistyped = table == _MISTYPED
        if mistyped.any():
            self.damage["types"] += int(mistyped.any(axis=1).sum())
            table = np.where(mistyped, ABSENT, table)
        return {name: table[:, place] for place, name in enumerate(names)}

    def _texts(self, rows: list[Row]) -> Texts:
        texts = [None if (cell := row[-1]) is None else str(cell) for row in rows]
        self.damage["encoding"] += sum("\ufffd" in text for text in texts if text is not None)
        return texts

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn what SQLite says of a damaged file into an error, or note it when recovering."""
        try:
            yield
        except _UNREADABLE as error:
            if not self._recover:
                raise TraceError(f"SQLite cannot read all of it: {error}", _RECOVER) from error
            self.cut = self.cut or f"SQLite cannot read all of it: {error}"


@contextmanager
def open_database(path: Path, *, recover: bool) -> Iterator[Database]:
    """Open an SQLite file for reading, without a lock and without a trace on the disk.

    Raises TraceError where it is being written or no database, TruncatedTraceError where it ends
    early, unless `recover` is set.
    """
    place = path.resolve()
    for suffix in ("-wal", "-journal"):
        unmerged = place.with_name(place.name + suffix)
        if unmerged.exists() and unmerged.stat().st_size:
            raise TraceError(
                f"{unmerged.name} lies beside it: what was written last is not in the file yet",
                "Wait for its writer to end, or export it again.",
            )
    size_bytes = place.stat().st_size
    cut = _cut(place, size_bytes)
    if cut and not recover:
        raise TruncatedTraceError(cut, _RECOVER)
    with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        _restrain(connection)
        if recover:  # else SQLite reads nothing of a file that is shorter than its header says
            connection.execute("PRAGMA writable_schema = ON")
        database = Database(connection, size_bytes=size_bytes, recover=recover)
        database.cut = cut or database.cut
        yield database


def _restrain(connection: sqlite3.Connection) -> None:
    connection.text_factory = _decoded
    connection.execute("PRAGMA trusted_schema = OFF")
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)


def _decoded(text: bytes) -> str:
    return text.decode(errors="replace")


def _integer(name: str) -> str:
    """Return the SQL for a column's integers; SQLite lets any cell hold any type."""
    return (
        f'CASE typeof("{name}") WHEN \'integer\' THEN "{name}" '
        f"WHEN 'null' THEN {ABSENT} ELSE {_MISTYPED} END"
    )


def _filled(columns: Integers, names: Sequence[str], count: int) -> Integers:
    return {
        name: columns[name] if name in columns else np.full(count, ABSENT, np.int64)
        for name in names
    }


def _cut(path: Path, size_bytes: int) -> str | None:
    """Say where a file ends that its header says is longer: https://www.sqlite.org/fileformat.html."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES:
        return f"it ends at byte {len(header)}, inside its header"
    page_bytes = int.from_bytes(header[16:18], "big")
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    pages_known = header[24:28] == header[92:96]  # else an old writer left the count as it was
    stated_bytes = page_bytes * int.from_bytes(header[28:32], "big") if pages_known else 0
    if size_bytes < stated_bytes:
        return f"it ends at byte {size_bytes:,} of {stated_bytes:,}"
    return None
