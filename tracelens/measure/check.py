"""The op's result beside its reference, before any timing."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from tracelens.errors import OpFileError, WrongResultError
from tracelens.measure.failure import gist
from tracelens.measure.values import spell_tensor, tensors
from tracelens.model.measurement import Check
from tracelens.model.op import Tolerance
from tracelens.model.report import Finding

_SAME_KIND_HINT = "Mend op(), or reference(), so that both return the same kind of result."
_ELEMENTS_AT_ONCE = 1 << 24
"""In float64 that is 128 MiB a side: large outputs are compared in pieces."""

# torch.testing.assert_close documents these as its defaults, by the result's dtype.
_DEFAULT_TOLERANCES = {
    torch.float16: Tolerance(atol=1e-5, rtol=1e-3),
    torch.bfloat16: Tolerance(atol=1e-5, rtol=1.6e-2),
    torch.float32: Tolerance(atol=1e-5, rtol=1.3e-6),
    torch.float64: Tolerance(atol=1e-7, rtol=1e-7),
    torch.complex64: Tolerance(atol=1e-5, rtol=1.3e-6),
    torch.complex128: Tolerance(atol=1e-7, rtol=1e-7),
}
_EXACT = Tolerance(atol=0.0, rtol=0.0)

Allowed = Tolerance | Mapping[str, Tolerance] | None
"""What an op file states: one tolerance, one for some dtypes, or none."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One comparison: where in the result, how far off at worst, what was allowed."""

    error: float
    tolerance: Tolerance


def require_result(result: Any) -> None:
    """Raise OpFileError where an op returned nothing that could be checked."""
    if result is None or (isinstance(result, (tuple, list, dict)) and _empty(result)):
        raise OpFileError(
            f"op() returned {'None' if result is None else gist(repr(result))}; it must return "
            "its result.",
            "Return the result; an op that works in place returns the tensor that it changed.",
        )


def unchecked(result: Any) -> Check:
    """Return the check of an op that has no reference."""
    return Check(status="no reference", outputs=_spell_outputs(result))


def compare(
    result: Any,
    expected: Any,
    *,
    tolerance: Allowed,
    against: Literal["reference", "baseline"] = "reference",
) -> Check:
    """Compare structure, dtype, shape, device and every value.

    An output whose dtype has no stated tolerance has the one that torch.testing gives it. NaN never
    passes; infinities pass where they are equal. Raises WrongResultError.
    """
    leaves = list(_compare(result, expected, tolerance, "the result"))
    loosest = max(leaves, key=lambda leaf: (leaf.tolerance.rtol, leaf.tolerance.atol), default=None)
    return Check(
        status="passed",
        max_abs_error=max((leaf.error for leaf in leaves), default=None),
        atol=loosest.tolerance.atol if loosest else None,
        rtol=loosest.tolerance.rtol if loosest else None,
        outputs=_spell_outputs(result),
        against=against,
    )


def failed(result: Any, *, against: Literal["reference", "baseline"]) -> Check:
    """Return the check of a wrong result that is to be timed all the same."""
    return Check(status="failed", outputs=_spell_outputs(result), against=against)


def default_tolerance(dtype: torch.dtype) -> Tolerance:
    """Return what torch.testing allows results of a dtype; integers must be equal."""
    return _DEFAULT_TOLERANCES.get(dtype, _EXACT)


def unlike_layouts(result: Any, expected: Any, *, against: str) -> Iterator[Finding]:
    """Yield what differs from the reference and yet is right: strides, and gradients recorded."""
    for at, (ours, theirs) in enumerate(zip(tensors(result), tensors(expected), strict=False)):
        if ours.stride() != theirs.stride():
            yield Finding(
                tag="check/strides",
                severity="info",
                fact=f"output {at} has the strides {list(ours.stride())}, the {against}'s "
                f"{list(theirs.stride())}",
                advice="a consumer that needs the reference's layout pays for a copy",
            )
        if ours.requires_grad != theirs.requires_grad:
            yield Finding(
                tag="check/requires_grad",
                severity="warning",
                fact=f"output {at} {_spell_gradient(ours)}, the {against}'s "
                f"{_spell_gradient(theirs)}",
                advice="compare ops that record the same gradients: recording takes host time",
            )


def _spell_gradient(tensor: torch.Tensor) -> str:
    return "records gradients" if tensor.requires_grad else "records no gradients"


def _empty(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_empty(item) for item in value.values())
    if isinstance(value, (tuple, list)):
        return all(_empty(item) for item in value)
    return value is None


def _spell_outputs(result: Any) -> tuple[str, ...]:
    return tuple(spell_tensor(tensor) for tensor in tensors(result))


def _compare(result: Any, expected: Any, tolerance: Allowed, where: str) -> Iterator[_Leaf]:
    if isinstance(result, np.ndarray) and isinstance(expected, np.ndarray):
        result, expected = torch.from_numpy(result), torch.from_numpy(expected)
    if isinstance(result, torch.Tensor) and isinstance(expected, torch.Tensor):
        _require_plain(result, expected, where)
        yield _compare_tensors(result.detach(), expected.detach(), tolerance, where)
    elif _is_sequence(result) and _is_sequence(expected):
        _require(len(result) == len(expected), where, _kind(result), _kind(expected))
        for index, pair in enumerate(zip(result, expected, strict=True)):
            yield from _compare(*pair, tolerance, f"{where}[{index}]")
    elif isinstance(result, dict) and isinstance(expected, dict):
        _require(set(result) == set(expected), where, _kind(result), _kind(expected))
        for key, item in result.items():
            yield from _compare(item, expected[key], tolerance, f"{where}[{gist(repr(key))}]")
    elif _is_number(result) and _is_number(expected):
        pair = torch.as_tensor(result), torch.as_tensor(expected)
        dtype = torch.promote_types(pair[0].dtype, pair[1].dtype)
        yield _compare_tensors(pair[0].to(dtype), pair[1].to(dtype), tolerance, where)
    else:
        same = type(result) is type(expected) and bool(result == expected)
        _require(same, where, _kind(result), _kind(expected))


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number) and not isinstance(value, torch.Tensor)


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return spell_tensor(value)
    if _is_sequence(value):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, dict):
        return gist(f"a dict with the keys {sorted(map(repr, value))}")
    return gist(repr(value))


def _require(holds: bool, where: str, found: str, needed: str) -> None:
    if not holds:
        raise WrongResultError(
            f"Wrong result: {where} is {found}; the reference has {needed}.", _SAME_KIND_HINT
        )


def _compare_tensors(
    result: torch.Tensor, expected: torch.Tensor, tolerance: Allowed, where: str
) -> _Leaf:
    alike = (result.dtype, result.shape, result.device) == (
        expected.dtype,
        expected.shape,
        expected.device,
    )
    _require(alike, where, spell_tensor(result), spell_tensor(expected))
    allowed = _allowed(result.dtype, tolerance)
    found = _difference(result.reshape(-1), expected.reshape(-1), allowed)
    if found.wrong:
        raise WrongResultError(
            _spell_difference(found, result, expected, allowed, where),
            "Mend op(), or state the precision that it is meant to have in `tolerance`.",
        )
    return _Leaf(found.error, allowed)


def _allowed(dtype: torch.dtype, tolerance: Allowed) -> Tolerance:
    if isinstance(tolerance, Tolerance):
        return tolerance
    name = str(dtype).removeprefix("torch.")
    return (tolerance or {}).get(name) or default_tolerance(dtype)


def _require_plain(result: torch.Tensor, expected: torch.Tensor, where: str) -> None:
    """Refuse a tensor of a class of its own: it may compute when it is read, outside the timing."""
    plain = (torch.Tensor, torch.nn.Parameter)
    if type(result) not in (*plain, type(expected)):
        raise WrongResultError(
            f"Wrong result: {where} is a {type(result).__name__}; the reference has a "
            f"{type(expected).__name__}.",
            "Return a plain torch.Tensor: another class can put off its work until it is read.",
        )


@dataclass(frozen=True, slots=True)
class _Difference:
    """`error` is the largest of the wrong elements, or of all where none is wrong.

    NaN is larger than any. `at` is its flat index; `wrong` counts elements.
    """

    error: float
    at: int
    wrong: int


def _difference(result: torch.Tensor, expected: torch.Tensor, allowed: Tolerance) -> _Difference:
    worst, at, count = (False, False, 0.0), 0, 0
    for first in range(0, result.numel(), _ELEMENTS_AT_ONCE):
        piece = slice(first, first + _ELEMENTS_AT_ONCE)
        ours, theirs = _exact(result[piece]), _exact(expected[piece])
        # Equal infinities differ by NaN, and float64 cannot tell apart integers past 2**53.
        error = torch.where(ours == theirs, 0.0, (ours - theirs).abs().double())
        within = error <= allowed.atol + allowed.rtol * theirs.abs().double()
        wrong = (error != 0) & ~(within & error.isfinite())
        wrong_here = int(wrong.sum())
        here = int(torch.where(wrong, error, -1.0).argmax() if wrong_here else error.argmax())
        size = float(error[here])
        count += wrong_here
        if (wrong_here > 0, math.isnan(size), size) > worst:
            worst, at = (wrong_here > 0, math.isnan(size), size), first + here
    return _Difference(worst[2], at, count)


def _exact(values: torch.Tensor) -> torch.Tensor:
    if values.is_complex():
        return values.to(torch.complex128)
    if values.is_floating_point():
        return values.double()
    return values.long()


def _spell_difference(
    found: _Difference,
    result: torch.Tensor,
    expected: torch.Tensor,
    allowed: Tolerance,
    where: str,
) -> str:
    index = [int(i) for i in np.unravel_index(found.at, tuple(result.shape))]
    ours, theirs = (side.reshape(-1)[found.at].item() for side in (result, expected))
    return (
        f"Wrong result: {where} at {index} is {ours:.6g}; the reference has {theirs:.6g}, "
        f"so the largest error is {found.error:.6g}. {found.wrong} of {result.numel()} elements "
        f"lie outside atol={allowed.atol:g}, rtol={allowed.rtol:g}. Both are "
        f"{spell_tensor(result)}."
    )
