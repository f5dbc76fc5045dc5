from io import BytesIO

import pytest

from tracelens.errors import TracelensError
from tracelens.formats import name_list
from tracelens.formats.name_list import read_name_lines


def test_lines_are_names_whatever_ends_them_and_a_byte_order_mark_is_none_of_them() -> None:
    stream = BytesIO(b"\xef\xbb\xbfadd_kernel\r\n\n  \nvoid f<8>(int)\nbad \xff byte")
    assert read_name_lines(stream, source="-") == ["add_kernel", "void f<8>(int)", "bad � byte"]


def test_a_list_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_list, "_MOST_BYTES", 8)
    with pytest.raises(TracelensError, match=r"names\.txt: holds more than 0 MiB"):
        read_name_lines(BytesIO(b"add_kernel"), source="names.txt")
