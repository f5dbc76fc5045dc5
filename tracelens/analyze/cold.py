"""The cold path as metrics: single values, taken once, before anything was warm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracelens.model.measurement import Measurement, Withheld
from tracelens.model.report import Metric

_ALWAYS = ("cold/first_call", "cold/second_call")
_NAMES = {
    "cold/first_call": "first call",
    "cold/second_call": "second call",
    "cold/triton_compile": "compiling kernels",
    "cold/autotune": "autotuning kernels",
    "cold/triton_load": "loading kernels",
}


def is_cold(tag: str) -> bool:
    """Say whether a measurement is of the cold path."""
    return tag.startswith("cold/")


def cold_path(taken: Mapping[str, Measurement], withheld: Sequence[Withheld]) -> tuple[Metric, ...]:
    """Return a metric for each part of the cold path, null for what was not measured.

    What only Triton does is there only for an op that uses it.
    """
    unseen = [tag for one in withheld for tag in one.tags if is_cold(tag)]
    tags = dict.fromkeys((*_ALWAYS, *filter(is_cold, taken), *unseen))
    return tuple(
        Metric(
            tag=tag,
            name=_NAMES.get(tag, tag),
            value=taken[tag].samples_ns[0] if tag in taken else None,
            unit="ns",
            description=taken[tag].includes if tag in taken else "not measured",
        )
        for tag in tags
    )
