"""A kernel's name, read: who made the kernel, what it does, how it was configured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["documented", "inferred", "unknown"]
"""How far a reading can be trusted.

`documented`: the source that makes the name was read. `inferred`: read off many profiles, not
documented by its maker. `unknown`: nobody has said what it means.
"""

Role = Literal[
    "gemm",
    "gemv",
    "convolution",
    "attention",
    "elementwise",
    "reduction",
    "softmax",
    "normalization",
    "indexing",
    "sort",
    "scan",
    "copy",
    "fill",
    "layout",  # a copy that changes the memory format
    "random",
    "embedding",
    "routing",  # tokens to experts
    "quantization",
    "collective",
    "fused",  # several framework ops compiled into one kernel
    "auxiliary",  # prepares or finishes another kernel
    "wait",  # holds the device busy on purpose
    "other",
]
"""What a kernel is for. One word each, so that a table can be sorted by it."""

FieldValue = int | str | bool | tuple[str, ...]

_TRUST: tuple[Status, ...] = ("unknown", "inferred", "documented")


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a name says, and how far to trust it."""

    value: FieldValue
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelName:
    """What a name says. An unknown kernel has no family and the status `unknown`.

    `recognition` is how far the family itself can be trusted. `notes` are sentences for the
    reader: what of the name was not read, and why.
    """

    name: str
    family: str | None = None
    library: str | None = None
    role: Role | None = None
    recognition: Status = "unknown"
    fields: Mapping[str, Field] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    """Those fields that are the kernel's configuration in its author's own words, in their order:
    a user's template arguments, Triton's constants and options."""
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The weakest of the recognition and every field."""
        return weakest((self.recognition, *(f.status for f in self.fields.values())))

    def value(self, field_name: str) -> FieldValue | None:
        """Return a field's value, or None where the name does not state it."""
        stated = self.fields.get(field_name)
        return None if stated is None else stated.value


def weakest(statuses: Iterable[Status]) -> Status:
    """Return the least trusted of some statuses; `documented` for none at all."""
    return min(statuses, key=_TRUST.index, default="documented")
