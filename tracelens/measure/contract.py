"""What an op file states, name by name, held to the contract.

    def inputs(**case) -> tuple: ...      # called once a case, outside every timed stretch
    def op(*inputs): ...                  # returns its result
    variants = {"fast": f, "plain": g}    # beside op, or in its place
    baseline = "plain"                    # one of them; without it op, or the first
    cases = {"small": {"n": 1024}}        # keyword arguments of inputs
    def reference(*inputs): ...
    tolerance = {"atol": .., "rtol": ..}  # or by dtype: {"bfloat16": {"atol": .., "rtol": ..}}
    def flops(*inputs): ...               # or a dict by variant; bytes_moved likewise
    def setup(): ...                      # once a process, before the first inputs
    def teardown(): ...                   # once a process, whatever went before
    mode = "forward"                      # or "inference", "forward+backward"
    configs = {"kernel": ("NAME", ..)}    # names of template arguments
    layers = {"outer": f, "kernel": g}    # inner entry points, outermost first; or that by variant
    expect = {"kernel": "nvjet*", ..}     # kernels that must run: see `expected`
    predict = {"small": "kernel: -20%"}   # what a comparison will find: see `predictions`

Only `inputs`, and `op` or `variants`, must be there. Other names are the file's own business; of
those that are nearly one of these, see `misspelling`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import torch

from tracelens.errors import OpFileError
from tracelens.measure.expected import Known, read_expected, spell_stated
from tracelens.measure.predictions import read_predictions
from tracelens.measure.values import spell_value
from tracelens.model.op import Case, Layer, Mode, Op, Tolerance, Variant

CONTRACT_HINT = "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`."

_LONGEST_NAME = 80
_OP = "op"
"""What the function `op` is called where it stands beside variants."""


def read_contract(module: ModuleType, path: Path) -> Op:
    """Return the op that an executed file states. Raises OpFileError where it breaks the rules."""
    variants, cases = _variants(module, path), _cases(module, path)
    variants = _layered(variants, getattr(module, "layers", None), path)
    configs = _configs(getattr(module, "configs", None), path)
    known = Known(
        cases=[case.name for case in cases if case.name is not None],
        variants=[variant.name for variant in variants if variant.name is not None],
        configs=configs,
    )
    return Op(
        name=path.stem,
        inputs=_function(module, "inputs", path),
        variants=variants,
        cases=_predicting(module, cases, path),
        reference=_optional(module, "reference", path),
        tolerance=read_tolerance(getattr(module, "tolerance", None), path),
        mode=_mode(getattr(module, "mode", None), path),
        setup=_optional(module, "setup", path),
        teardown=_optional(module, "teardown", path),
        configs=configs,
        expected=read_expected(getattr(module, "expect", None), known, path),
    )


def read_tolerance(stated: object, path: Path) -> Tolerance | dict[str, Tolerance] | None:
    """Return a tolerance, or one for each dtype by its name without `torch.`."""
    if stated is None:
        return None
    if _is_tolerance(stated):
        return _one_tolerance(stated)
    if isinstance(stated, dict) and stated and all(map(_is_tolerance, stated.values())):
        dtypes = [str(dtype).removeprefix("torch.") for dtype in stated]
        if all(isinstance(getattr(torch, dtype, None), torch.dtype) for dtype in dtypes):
            return dict(zip(dtypes, map(_one_tolerance, stated.values()), strict=True))
    raise OpFileError(
        f"tolerance in {path} is {spell_stated(stated)}; it must hold atol and rtol, each a "
        "number of at least 0, or that for each dtype.",
        'Write `tolerance = {"atol": 1e-3, "rtol": 1e-3}`, '
        'or `tolerance = {"bfloat16": {"atol": 1e-2, "rtol": 1e-2}}`.',
    )


def _variants(module: ModuleType, path: Path) -> tuple[Variant, ...]:
    """Return the variants, the baseline first."""
    stated = getattr(module, "variants", None)
    if stated is None:
        return (_variant(module, None, _function(module, "op", path), path),)
    calls = _named(stated, "variants", path, 'variants = {"fast": f, "plain": g}')
    for name, call in calls.items():
        if not callable(call):
            raise OpFileError(
                f"variants[{name!r}] in {path} is {spell_value(call)}; it must be a function.",
                "Let every variant be a function of the inputs.",
            )
    if getattr(module, "op", None) is not None and _OP not in calls:
        calls = {_OP: _function(module, "op", path), **calls}
    baseline = getattr(module, "baseline", None)
    baseline = next(iter(calls)) if baseline is None else baseline
    if not isinstance(baseline, str) or baseline not in calls:
        raise OpFileError(
            f"baseline in {path} is {spell_stated(baseline)}; the variants are {', '.join(calls)}.",
            "Name one of them, or leave baseline out: the first is then taken.",
        )
    order = sorted(calls, key=lambda name: name != baseline)
    return tuple(_variant(module, name, calls[name], path) for name in order)


def _variant(module: ModuleType, name: str | None, call: Callable[..., Any], path: Path) -> Variant:
    return Variant(
        name=name,
        call=call,
        flops=_count(module, "flops", name, path),
        bytes_moved=_count(module, "bytes_moved", name, path),
    )


def _layered(variants: tuple[Variant, ...], stated: Any, path: Path) -> tuple[Variant, ...]:
    """Return the variants with their layers: plain ones are the baseline's, or there is a dict."""
    if stated is None:
        return variants
    example = 'layers = {"generic_add": f, "kernel": g}'
    by_variant = _named(stated, "layers", path, example)
    if not all(isinstance(layers, dict) for layers in by_variant.values()):
        return (replace(variants[0], layers=_layers(by_variant, path, example)), *variants[1:])
    unknown = by_variant.keys() - {variant.name for variant in variants}
    if unknown:
        raise OpFileError(
            f"layers in {path} names {', '.join(sorted(map(repr, unknown)))}, which is no variant.",
            f"Write `{example}` for the baseline, or such a dict for each variant.",
        )
    return tuple(
        replace(variant, layers=_layers(by_variant[variant.name], path, example))
        if variant.name is not None and variant.name in by_variant
        else variant
        for variant in variants
    )


def _layers(stated: object, path: Path, example: str) -> tuple[Layer, ...]:
    layers = _named(stated, "layers", path, example)
    for name, call in layers.items():
        if not callable(call) or name == _OP:
            raise OpFileError(
                f"layers[{name!r}] in {path} is {spell_value(call)}; each layer must be a function "
                f"of the inputs under a name of its own, and {_OP!r} is the op itself.",
                f"Write `{example}`, outermost first.",
            )
    return tuple(Layer(name=name, call=call) for name, call in layers.items())


def _count(
    module: ModuleType, name: str, variant: str | None, path: Path
) -> Callable[..., Any] | None:
    stated = getattr(module, name, None)
    if isinstance(stated, Mapping):
        stated = stated.get(variant)
    if stated is None or callable(stated):
        return stated
    raise OpFileError(
        f"{name} in {path} is {spell_value(stated)}; it must be a function of the inputs, or a "
        "dict of such functions by variant.",
        f"Write `def {name}(x, ...): return 2 * x.numel()`.",
    )


def _cases(module: ModuleType, path: Path) -> tuple[Case, ...]:
    stated = getattr(module, "cases", None)
    if stated is None:
        return (Case(),)
    example = 'cases = {"small": {"n": 1024}}'
    cases = _named(stated, "cases", path, example)
    for name, arguments in cases.items():
        if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
            raise OpFileError(
                f"cases[{name!r}] in {path} is {spell_stated(arguments)}; it must hold keyword "
                "arguments of inputs().",
                f"Write `{example}`.",
            )
    return tuple(Case(name=name, arguments=arguments) for name, arguments in cases.items())


def _predicting(module: ModuleType, cases: tuple[Case, ...], path: Path) -> tuple[Case, ...]:
    """Return the cases with what the file predicts of each."""
    names = [case.name for case in cases]
    predictions = read_predictions(getattr(module, "predict", None), names, path)
    return tuple(replace(case, predictions=predictions.get(case.name, ())) for case in cases)


def _named(stated: object, what: str, path: Path, example: str) -> dict[str, Any]:
    """Return a dict with at least one entry, all of them under names that can be shown."""
    if not isinstance(stated, dict) or not stated or not all(map(_is_name, stated)):
        raise OpFileError(
            f"{what} in {path} is {spell_stated(stated)}; it must be a dict under names of 1 to "
            f"{_LONGEST_NAME} printable characters without quotes and backslashes.",
            f"Write `{example}`.",
        )
    return dict(stated)


def _is_name(name: object) -> bool:
    """Say whether a name can stand in a report, a trace and an annotation as it is."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= _LONGEST_NAME
        and name.isprintable()
        and name == name.strip()
        and not set(name) & set("\"'\\")
    )


def _optional(module: ModuleType, name: str, path: Path) -> Callable[..., Any] | None:
    stated = getattr(module, name, None) is not None
    return _function(module, name, path) if stated else None


def _function(module: ModuleType, name: str, path: Path) -> Callable[..., Any]:
    if not hasattr(module, name):
        raise OpFileError(f"{path} has no {name}().", CONTRACT_HINT)
    function = getattr(module, name)
    if not callable(function):
        raise OpFileError(
            f"{name} in {path} is {spell_value(function)}; it must be a function.", CONTRACT_HINT
        )
    return function  # type: ignore[no-any-return]  # the user's own: nothing is known of it


def _mode(stated: object, path: Path) -> Mode:
    if stated is None or stated is torch.mode:  # `from torch import *` brings a function `mode`
        return "forward"
    for mode in get_args(Mode):
        if isinstance(stated, str) and stated == mode:
            return mode  # type: ignore[no-any-return]  # get_args tells no types
    raise OpFileError(
        f"mode in {path} is {spell_stated(stated)}; it must be one of {', '.join(get_args(Mode))}.",
        'Write `mode = "forward+backward"`, or leave it out.',
    )


def _is_tolerance(stated: object) -> bool:
    return (
        isinstance(stated, dict)
        and set(stated) == {"atol", "rtol"}
        and all(map(_is_size, stated.values()))
    )


def _one_tolerance(stated: Any) -> Tolerance:
    return Tolerance(atol=float(stated["atol"]), rtol=float(stated["rtol"]))


def _is_size(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= sys.float_info.max


def _configs(stated: object, path: Path) -> dict[str, tuple[str, ...]]:
    if stated is None:
        return {}
    if not isinstance(stated, dict) or not all(
        isinstance(kernel, str)
        and isinstance(names, (tuple, list))
        and all(isinstance(name, str) and name for name in names)
        and len(set(names)) == len(names)
        for kernel, names in stated.items()
    ):
        raise OpFileError(
            f"configs in {path} is {spell_stated(stated)}; it must map a kernel's name to the "
            "names of its template arguments, each a different one.",
            'Write `configs = {"my_kernel": ("BLOCK", "WARPS")}`.',
        )
    return {kernel: tuple(names) for kernel, names in stated.items()}
