"""Entry points of one op, each inside the one before: what calls of them took, in turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTimes:
    """One entry point, in ns: a sample a round, equal places taken next to each other.

    `busy_ns` is the device's part of some calls more, empty where it is unknown. One that could not
    be called has no samples, and `failed` says why.
    """

    name: str
    full_ns: tuple[int, ...] = ()
    submit_ns: tuple[int, ...] = ()
    busy_ns: tuple[int, ...] = ()
    failed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layered:
    """An op and its layers, outermost first: the first is the op itself."""

    layers: tuple[LayerTimes, ...]
    protocol: str
    """How a sample came about, in a sentence."""
