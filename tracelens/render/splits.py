"""The splits that are drawn as bars: their parts, what each is in a few words, its colour."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a split: what it is in a few words, and its colour."""

    meaning: str
    style: str


@dataclass(frozen=True, slots=True)
class Parts:
    """Metrics `<stem>/<part>/median` whose parts sum to the part `whole`, drawn as bars.

    One that is only `beside` the whole, to be held against it, stands below it without a bar.
    """

    stem: str
    whole: str
    parts: dict[str, Part]
    beside: str = ""


SPLIT = Parts(
    stem="split",
    whole="wall",
    parts={
        "wall": Part("the whole window", ""),
        "kernel": Part("a kernel runs", "green"),
        "memory": Part("a copy or set runs, no kernel", "cyan"),
        "launch": Part("launched, not yet begun", "yellow"),
        "sync": Part("the host waits in a sync call", "blue"),
        "host_dispatch": Part("the host is yet to launch", "magenta"),
        "return": Part("all launched, the host unwinds", "bright_black"),
    },
)
UNDISTURBED = Parts(
    stem="undisturbed",
    whole="full",
    parts={
        "full": Part("the whole call", ""),
        "before_first": Part("the host is yet to launch", "magenta"),
        "busy": Part("a kernel runs", "green"),
        "between": Part("no kernel runs", "yellow"),
        "after_last": Part("the host learns of it", "blue"),
        "full_off": Part("of calls between these, not recorded", ""),
    },
    beside="full_off",
)
