"""Report in, what a person reads out."""

from collections.abc import Callable

from tracelens.render.text import render_text

RENDERERS: dict[str, Callable[..., str]] = {
    "text": render_text,
}
"""What `--format` may ask for, each by its name. JSON is no rendering: `formats` writes it."""

__all__ = ["RENDERERS", "render_text"]
