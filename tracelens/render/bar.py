"""Bars: a share of a whole as a length."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """Return a bar that fills `share` (0 to 1) of `width` cells, to an eighth of a cell.

    A share that is not nothing shows at least the thinnest bar. With `unicode` False the bar is
    of `#`, to a whole cell.
    """
    share = min(max(share, 0.0), 1.0)
    if not unicode:
        return "#" * _steps(share, width)
    full, rest = divmod(_steps(share, width * 8), 8)
    return _EIGHTHS[8] * full + (_EIGHTHS[rest] if rest else "")


def _steps(share: float, steps: int) -> int:
    return max(round(share * steps), 1 if share > 0 else 0)
