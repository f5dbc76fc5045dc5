"""Databases that are damaged, hostile, unfinished or somebody else's."""

import os
import sqlite3
import threading
from contextlib import closing

import numpy as np
import pytest

from tests.formats.chrome_text import told
from tests.formats.nsight_export import ROWS, export, kernel
from tracelens.errors import TraceError, TruncatedTraceError
from tracelens.formats import read_trace
from tracelens.model.trace import UNKNOWN_NS

FLOOD = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000) SELECT i "


def test_views_virtual_tables_and_generated_columns_are_never_run(tmp_path):
    path = export(tmp_path / "report.sqlite", *ROWS)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            f"""
            CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS {FLOOD} AS start, i AS end FROM n;
            CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMSET USING fts4(start, end);
            CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (start INT, end INT AS (start * 2));
            INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER (start) VALUES (7);
            CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN SELECT 1 / 0; END;
            """
        )
    trace = read_trace(path)
    assert len(trace.device_work) == 1
    assert trace.calls.start_ns.tolist() == [1_100, 2_100, 7]
    assert trace.calls.duration_ns.tolist() == [100, 200, UNKNOWN_NS]


def test_reading_leaves_nothing_beside_the_file_and_follows_links(tmp_path):
    link = tmp_path / "a?b#c%20.link"
    link.symlink_to(export(tmp_path / "report.sqlite", *ROWS))
    tmp_path.chmod(0o500)
    assert read_trace(link).event_count == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == [link.name, "report.sqlite"]
    tmp_path.chmod(0o700)


EXPORT = "Pass what `nsys export --type sqlite report.nsys-rep` writes."


@pytest.mark.parametrize(
    ("script", "fact", "hint"),
    [
        (
            "CREATE TABLE 'moz\x1b[31m' (id); CREATE TABLE a (id)",
            "it is an SQLite database without Nsight Systems' table StringIds; "
            "its tables: 'a', 'moz\\x1b[31m'",
            EXPORT,
        ),
        (
            "CREATE VIEW StringIds AS SELECT 1 AS id, 'a' AS value",
            "it is an SQLite database without Nsight Systems' table StringIds; its tables: none",
            EXPORT,
        ),
        (
            "CREATE TABLE StringIds (id INT, value TEXT)",
            "it holds no events",
            "Record with `nsys profile --trace=cuda,nvtx`.",
        ),
    ],
)
def test_a_database_of_another_program_is_an_error_that_says_what_it_is(
    tmp_path, script, fact, hint
):
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    with pytest.raises(TraceError) as error:
        read_trace(path)
    assert (error.value.fact, error.value.hint) == (f"{path}: {fact}", hint)


def many(tmp_path):
    """An export of more pages than one, as bytes."""
    kernels = [kernel(100 * n, 100 * n + 50, by=n) for n in range(1, 3_001)]
    return export(tmp_path / "whole.sqlite", *ROWS, *kernels).read_bytes()


def test_a_file_that_ends_early_is_an_error_and_its_first_rows_are_recovered(tmp_path):
    whole = many(tmp_path)
    path = tmp_path / "report.sqlite"
    path.write_bytes(whole[: len(whole) // 2])
    fact = f"it ends at byte {len(whole) // 2:,} of {len(whole):,}"
    with pytest.raises(TruncatedTraceError) as error:
        read_trace(path)
    assert error.value.fact == f"{path}: {fact}"
    trace = read_trace(path, recover=True)
    assert not trace.complete
    assert told(trace)["trace/truncated"] == f"{fact}; every sum and count is a lower bound"


def test_damaged_pages_are_an_error_and_the_rows_before_them_are_recovered(tmp_path):
    damaged = bytearray(many(tmp_path))
    damaged[-40_000:-20_000] = b"\xa5" * 20_000
    path = tmp_path / "report.sqlite"
    path.write_bytes(damaged)
    with pytest.raises(TraceError, match=r"SQLite cannot read all of it: .*malformed"):
        read_trace(path)
    trace = read_trace(path, recover=True)
    assert (trace.event_count > 0, trace.complete) == (True, False)


def test_pages_that_point_to_one_page_many_times_over_do_not_become_billions_of_rows(tmp_path):
    """Inner pages in a chain, every entry of each pointing to the next, the last to one leaf."""
    path = export(tmp_path / "report.sqlite")
    with closing(sqlite3.connect(path)) as database:
        database.executescript("PRAGMA page_size = 512; VACUUM; CREATE TABLE NVTX_EVENTS (start)")
        database.executemany("INSERT INTO NVTX_EVENTS VALUES (?)", [(10**15,)] * 20_000)
        database.commit()
    data = path.read_bytes()
    pages = [bytearray(data[start : start + 512]) for start in range(0, len(data), 512)]
    inner = [number for number, page in enumerate(pages) if page[0] == 5]
    leaf = next(number for number, page in enumerate(pages) if number and page[0] == 13)
    fullest = max((pages[number] for number in inner), key=lambda page: page[4])
    entries = [
        int.from_bytes(fullest[at : at + 2], "big") for at in range(12, 12 + 2 * fullest[4], 2)
    ]
    for number, following in zip(inner[:5], [*inner[1:5], leaf], strict=True):
        pages[number] = bytearray(fullest)
        for at in (8, *entries):
            pages[number][at : at + 4] = (following + 1).to_bytes(4, "big")
    path.write_bytes(b"".join(pages))
    with pytest.raises(
        TraceError, match=f"its table NVTX_EVENTS has more rows than its {len(data):,}"
    ):
        read_trace(path)


@pytest.mark.parametrize("content", [b"", b"\0" * 84, b"\xff" * 84, b"\xff" * 8_000])
def test_the_first_bytes_of_a_database_alone_are_an_error(tmp_path, content):
    path = tmp_path / "report.sqlite"
    path.write_bytes(b"SQLite format 3\0" + content)
    for recover in (False, True):
        with pytest.raises(TraceError):
            read_trace(path, recover=recover)


def test_damage_anywhere_never_ends_as_another_error(tmp_path):
    whole = export(tmp_path / "whole.sqlite", *ROWS).read_bytes()
    random = np.random.default_rng(0)
    path = tmp_path / "report.sqlite"
    read_count = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for place in random.integers(16, len(whole), size=8):
            damaged[place] = random.integers(256)
        path.write_bytes(damaged)
        for recover in (False, True):
            try:
                read_count += read_trace(path, recover=recover).event_count > 0
            except TraceError:
                continue
    assert read_count > 100


def test_a_pipe_and_a_database_that_is_being_written_are_errors(tmp_path):
    path = export(tmp_path / "report.sqlite", *ROWS)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(daemon=True, target=pipe.write_bytes, args=(path.read_bytes(),))
    writer.start()
    with pytest.raises(TraceError, match="an SQLite database in a pipe"):
        read_trace(pipe)
    writer.join()
    (tmp_path / "report.sqlite-wal").write_bytes(b"pages")
    with pytest.raises(TraceError, match=r"report\.sqlite-wal lies beside it"):
        read_trace(path)
