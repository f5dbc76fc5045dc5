"""Report in, what a person reads out."""

from tracelens.render.text import render_text

__all__ = ["render_text"]
