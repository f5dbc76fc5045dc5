"""An error that a user can cause, as the two lines that they read."""

from __future__ import annotations

from tracelens.errors import TracelensError
from tracelens.render.safe_text import safe


def render_failure(error: TracelensError) -> str:
    """Return the fact and the hint of an error, a line each, without a last newline."""
    return f"error: {safe(error.fact)}\nhint: {safe(error.hint)}"
