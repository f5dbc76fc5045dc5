"""Text that is too long to be shown, cut so that everyone can see where."""

from __future__ import annotations

CUT = "…"
"""Stands where text was cut off. What is half of a private word there is looked for by it."""


def cut(text: str, most: int) -> str:
    """Return text of at most that many characters, the last of them CUT where more was there."""
    return text if len(text) <= most else text[: most - 1] + CUT
