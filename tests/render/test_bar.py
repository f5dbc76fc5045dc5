import pytest

from tracelens.render.bar import bar


@pytest.mark.parametrize(
    ("share", "unicode", "ascii_"),
    [
        (0.0, "", ""),
        (0.0001, "▏", "#"),
        (0.25, "██", "##"),
        (0.27, "██▏", "##"),
        (0.99, "███████▉", "########"),
        (1.0, "████████", "########"),
        (1.5, "████████", "########"),
        (-0.5, "", ""),
    ],
)
def test_a_bar_fills_its_share_and_never_hides_what_is_not_nothing(
    share: float, unicode: str, ascii_: str
) -> None:
    assert (bar(share, 8), bar(share, 8, unicode=False)) == (unicode, ascii_)
