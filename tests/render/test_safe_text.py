import pytest
from rich.cells import cell_len

from tests.render.sample_mishaps import strange
from tracelens.render.safe_text import cut, safe, safe_report


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("add_kernel<4>", "add_kernel<4>"),
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u202ekcab\u2066x", r"a\u202ekcab\u2066x"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("lone \ud800", r"lone \ud800"),
        (" one\r\ntwo\u2028three\x0b ", "one two three"),
        ("卷积 noyau é", "卷积 noyau é"),
        ("x" * 1_000_000, "x" * 2399 + "..." + "x" * 1598),
    ],
    ids=["plain", "escape", "C1", "bidi", "zero width", "surrogate", "lines", "letters", "long"],
)
def test_a_string_is_shown_without_what_a_terminal_acts_on(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_a_string_for_an_ascii_stream_is_ascii() -> None:
    assert safe("卷 é", unicode=False) == r"\u5377 \xe9"


def test_a_report_is_made_safe_but_its_rows_are_left_for_later() -> None:
    report = safe_report(strange())
    section = report.sections[0]
    assert section.metrics[0].name == (
        r"[bold]x[/bold] \x1b[31mred\x1b[0m\x9b2J\u202egnp.exe\u200b\ud800 end"
    )
    assert section.tables[0].rows == strange().sections[0].tables[0].rows


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("nvjet_sm90_tst_256x128_NNT", 16, "nvjet_sm9…28_NNT"),
        ("卷积卷积卷积卷积", 9, "卷积…积"),
        ("abc", 2, "ab"),
        ("abc", 0, ""),
    ],
)
def test_a_text_that_is_too_long_loses_its_middle(text: str, width: int, shown: str) -> None:
    assert cut(text, width, mark="…") == shown
    assert cell_len(shown) <= width
