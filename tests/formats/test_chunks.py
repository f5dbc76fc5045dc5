import gzip
import io
import zlib

import pytest

from tracelens.errors import TraceError
from tracelens.formats.chunks import CHUNK_BYTES, Chunks

TEXT = b"".join(b"%d," % (n * n) for n in range(100_000))


def chunks(content, *, most=1 << 30):
    return Chunks(io.BytesIO(content), max_expanded_bytes=most)


def test_plain_bytes_come_as_they_are():
    assert b"".join(chunks(TEXT)) == TEXT
    assert [*chunks(b"")] == []


def test_gzip_is_expanded_member_after_member():
    source = chunks(gzip.compress(TEXT) + gzip.compress(b"") + gzip.compress(b"end") + bytes(9))
    assert b"".join(source) == TEXT + b"end"
    assert source.damage is None


@pytest.mark.parametrize("end", [-1, -8, -9, -1000, 2])
def test_gzip_that_ends_early_gives_what_there_is_and_says_so(end):
    packed = gzip.compress(TEXT)[:end]
    source = chunks(packed)
    assert TEXT.startswith(b"".join(source))
    assert source.damage == f"its gzip data ends early, after byte {len(packed):,}"


def test_gzip_with_a_wrong_checksum_gives_all_its_bytes_and_says_so():
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1
    source = chunks(bytes(packed))
    assert b"".join(source) == TEXT
    assert "incorrect data check" in source.damage


def test_a_step_of_expansion_is_bounded_and_so_is_the_whole():
    bomb = gzip.compress(bytes(100 * CHUNK_BYTES))
    source = chunks(bomb)
    lengths = [len(chunk) for chunk in source]
    assert (max(lengths), sum(lengths)) == (4 * CHUNK_BYTES, 100 * CHUNK_BYTES)
    assert source.damage is None
    with pytest.raises(TraceError, match="expands to more than 1,000,000 bytes"):
        b"".join(chunks(bomb, most=1_000_000))


def test_a_pipe_that_breaks_is_not_swallowed():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            part = super().read(size)
            if not part:
                raise OSError("broken")
            return part

    with pytest.raises(OSError, match="broken"):
        b"".join(Chunks(Broken(gzip.compress(TEXT)[:-1]), max_expanded_bytes=1 << 30))


def test_other_compressed_data_is_not_taken_for_gzip():
    assert b"".join(chunks(zlib.compress(TEXT))) == zlib.compress(TEXT)
