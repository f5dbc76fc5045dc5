"""Kernels that an op file expects, beside those that ran: met, not met, or nobody can tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from tracelens.analyze.kernel_use import KernelUse
from tracelens.analyze.names.decoder import spell
from tracelens.analyze.ran import Ran
from tracelens.model.expectation import ExpectedKernel, ExpectedValue, matches
from tracelens.model.kernel_name import FieldValue

Outcome = Literal["met", "not met", "cannot tell"]

_CALLS = "calls"
_SPLIT = "split_k"
_TILE = ("tile_M", "tile_N", "tile_K")
_SHAPE = re.compile(r"[0-9]+(?:x[0-9]+)+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is not as expected. `found` is what it is, None where nothing says."""

    field: str
    wanted: ExpectedValue
    found: FieldValue | float | None


Judged = tuple[KernelUse, tuple[Difference, ...]]
"""A kernel that is meant, and what of it is not as expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An expectation held against what ran.

    `nearest` is the kernel that meets it, else the one that comes closest; None where none ran or
    none is known. `named` says whether that one's name is as expected, `differs` what of it is not,
    and `why` in words why nobody can tell.
    """

    expected: ExpectedKernel
    outcome: Outcome
    nearest: KernelUse | None = None
    named: bool = False
    differs: tuple[Difference, ...] = ()
    why: str = ""


def hold(expected: ExpectedKernel, ran: Ran) -> Held:
    """Hold one expectation against what ran in the calls of its subject.

    It is met where one kernel fits the pattern, is of the family and has every field. The field
    `calls` counts the launches per call of all kernels that do: 0 says that none may run. Nobody
    can tell where neither name nor launch states a field, or where device records are missing.
    """
    if ran.kernels is None:
        return Held(expected=expected, outcome="cannot tell", why=_no_kernels(ran))
    fields = {name: value for name, value in expected.fields.items() if name != _CALLS}
    named = [(use, _differences(fields, use)) for use in ran.kernels if _is_meant(expected, use)]
    fitting = [use for use, differs in named if not differs]
    unsure = [use for use, differs in named if differs and all(map(_is_unknown, differs))]
    calls, wanted = _calls(fitting), expected.fields.get(_CALLS)
    is_met = bool(fitting) if wanted is None else calls == wanted
    nothing_hidden = not unsure and ran.complete
    is_told = nothing_hidden or (wanted is None and is_met)
    nearest, differs = _nearest(named) if named else (_likest(expected, ran.kernels), ())
    if wanted is not None and calls != wanted and (fitting or wanted == 0):
        differs = (Difference(_CALLS, wanted, calls),)
    elif is_told and is_met and not fitting:  # nothing ran that may not
        nearest, differs = None, ()
    return Held(
        expected=expected,
        outcome=("met" if is_met else "not met") if is_told else "cannot tell",
        nearest=nearest,
        named=bool(named),
        differs=differs,
        why="" if is_told else _why(unsure, ran),
    )


def fields_of(use: KernelUse) -> dict[str, FieldValue]:
    """Return all that a name and its launch say, by field; a shape is text such as `132x1x1`."""
    stated: dict[str, FieldValue] = {n: f.value for n, f in use.kernel.fields.items()}
    shapes = {"grid": use.grid, "block": use.block}
    sizes = {"registers": use.registers, "shared_memory": use.shared_memory}
    launched: dict[str, FieldValue] = {
        name: "x".join(map(str, shape)) for name, shape in shapes.items() if shape is not None
    }
    launched |= {name: size for name, size in sizes.items() if size is not None}
    return launched | stated


def _is_meant(expected: ExpectedKernel, use: KernelUse) -> bool:
    """Say whether a kernel is of the family and fits the pattern, in one way to write its name."""
    if expected.family is not None and not matches(expected.family, use.kernel.family or ""):
        return False
    pattern = expected.kernel
    return pattern is None or any(matches(pattern, form) for form in _forms(use.name))


def _forms(name: str) -> tuple[str, ...]:
    """Return a name as recorded, demangled, and as people write it: `f`, `ns::f`, `f<16, 1>`."""
    spelling = spell(name)
    path, arguments = spelling.signature.path, ", ".join(spelling.signature.arguments)
    short = path.rpartition("::")[2]
    return (name, spelling.text, path, short, f"{path}<{arguments}>", f"{short}<{arguments}>")


def _differences(wanted: Mapping[str, ExpectedValue], use: KernelUse) -> tuple[Difference, ...]:
    found = fields_of(use)
    pairs = ((name, value, _look_up(found, name, value)) for name, value in wanted.items())
    return tuple(Difference(*pair) for pair in pairs if not _agree(*pair))


def _look_up(
    found: Mapping[str, FieldValue], name: str, wanted: ExpectedValue
) -> FieldValue | None:
    """Return a field by its name, or by what differs from it in case and underscores alone.

    `tile` stands for as many of its sizes as are wanted.
    """
    if name in found:
        return found[name]
    if name == "tile":
        sizes = [found[size] for size in _TILE if size in found]
        count = str(wanted).count("x") + 1
        return "x".join(map(str, sizes[:count])) if len(sizes) >= count else None
    plain = {_plain(other): value for other, value in found.items()}
    return plain.get(_plain(name))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _agree(name: str, wanted: ExpectedValue, found: FieldValue | None) -> bool:
    if _plain(name) == _plain(_SPLIT) and not isinstance(found, str):
        return _agree_on_split(wanted, found)
    if isinstance(found, tuple):
        return any(matches(str(wanted), word) for word in (*found, ",".join(found)))
    if isinstance(wanted, str) or isinstance(found, str):
        return found is not None and _fits(str(wanted), str(found))
    return found == wanted


def _fits(wanted: str, found: str) -> bool:
    """Say whether a text is as wanted, a pattern or a shape: a grid of 132 is one of 132x1x1."""
    return matches(wanted, found) or _shape(wanted) == _shape(found)


def _agree_on_split(wanted: ExpectedValue, found: FieldValue | None) -> bool:
    """True is any factor above 1; a factor is met only by a factor, which not every name holds."""
    if isinstance(wanted, bool) and isinstance(found, int):
        return wanted == (found is True or found > 1)
    return type(found) is type(wanted) and found == wanted


def _shape(text: str) -> str:
    """Return a shape without its last ones; what is no shape, such as a pattern, stays."""
    sizes = text.split("x") if _SHAPE.fullmatch(text) else [text]
    while len(sizes) > 1 and sizes[-1] == "1":
        sizes.pop()
    return "x".join(sizes)


def _is_unknown(difference: Difference) -> bool:
    """Say whether nothing contradicts it: no field, or a split of a factor that is not stated."""
    hidden = difference.found is True and type(difference.wanted) is int and difference.wanted > 1
    return difference.found is None or (hidden and _plain(difference.field) == _plain(_SPLIT))


def _calls(fitting: Sequence[KernelUse]) -> int | float:
    calls = sum(use.count for use in fitting)
    return int(calls) if calls == int(calls) else calls


def _nearest(named: Sequence[Judged]) -> Judged:
    """Return the kernel with the fewest differences; of equals the one that takes longest."""
    return min(named, key=lambda judged: len(judged[1]))


def _likest(expected: ExpectedKernel, ran: Sequence[KernelUse]) -> KernelUse | None:
    """Return the kernel whose name begins most like the pattern, or none if none may run."""
    if expected.fields.get(_CALLS) == 0:
        return None
    pattern = (expected.kernel or expected.family or "").partition("*")[0]
    return max(ran, key=lambda use: _shared_start(pattern, use), default=None)


def _shared_start(pattern: str, use: KernelUse) -> int:
    forms = (*_forms(use.name), use.kernel.family or "")
    pairs = (zip(pattern, form, strict=False) for form in forms)
    return max(sum(1 for _ in takewhile(_is_equal, pair)) for pair in pairs)


def _is_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _no_kernels(ran: Ran) -> str:
    failure = ran.found.failure
    ended = f": it ended during {failure.stage!r}" if failure else ""
    return f"no kernel records to look at{ended}"


def _why(unsure: Sequence[KernelUse], ran: Ran) -> str:
    if not ran.complete:
        return "records of some calls are lost"
    return f"{len(unsure)} of the kernels that ran may be it: not all its fields are stated"
