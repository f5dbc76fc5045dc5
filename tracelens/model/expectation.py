"""What an op file says of its own kernels: how to read their names, and which of them must run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

ExpectedValue = int | str | bool
"""`16`, `True`, or text, which may be a pattern: `64x8`, `fp*`. A shape is text: `132x1x1`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedKernel:
    """One kernel that must run, in one configuration, for some cases and variants.

    `kernel` is a pattern (`*`, `?`) for its name, `family` for the family of the name; one that is
    None is any. `fields` are what its configuration must say: a field of the name, as
    `tracelens kernels` shows it, or of the launch. `case` and `variant` are patterns too, and None
    stands for all.
    """

    kernel: str | None = None
    family: str | None = None
    fields: Mapping[str, ExpectedValue] = field(default_factory=dict)
    case: str | None = None
    variant: str | None = None

    def holds_for(self, case: str | None, variant: str | None) -> bool:
        """Say whether it is about this case and variant; without a name they are the only ones."""
        pairs = ((self.case, case), (self.variant, variant))
        return all(wanted is None or matches(wanted, name or "") for wanted, name in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedKernels:
    """What the op file says of the kernels of one case and variant.

    `configs` names the template arguments of the op's own kernels, in order. `expected` are those
    that must run.
    """

    configs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    expected: tuple[ExpectedKernel, ...] = ()


def matches(pattern: str, text: str) -> bool:
    """Say whether a pattern of `*` and `?` fits the whole of a text. Brackets are only brackets."""
    return fnmatchcase(text, pattern.replace("[", "[[]"))
