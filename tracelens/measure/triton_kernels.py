"""A kernel that Triton compiled, and the tuner around it, as records of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from tracelens.measure.triton_launches import Launch
from tracelens.model.cut import cut
from tracelens.model.launched import Candidate, CompiledKernel, Setting, Source, Tuning

_NS_PER_MS = 1_000_000
_LONGEST_SETTING = 200
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""What a tuner sets beside constants."""
_MOST = 2**63
"""A run keeps integers of 64 bits."""

Benched = Iterable[tuple[Any, Any]]
"""Configurations that a tuner benchmarked, each with what that gave: ms, or a list with the median
first."""


def read_kernel(launch: Launch, benched: Benched) -> CompiledKernel:
    """Return what is known of a launch of Triton's own; `benched` is about its tuner."""
    kernel = launch.kernel
    found = CompiledKernel(
        name=str(kernel.metadata.name),
        compiler="triton",
        constexprs=_constexprs(kernel.src),
        grid=padded(launch.grid),
        source=_source(kernel.src),
        **compiled(kernel),
    )
    return with_tuning(found, read_candidates(launch.tuner, benched))


def compiled(kernel: Any) -> dict[str, Any]:
    """Return the fields of CompiledKernel that Triton's compiled kernel states."""
    metadata = kernel.metadata
    warps, target = whole(metadata, "num_warps"), getattr(metadata, "target", None)
    width = whole(target, "warp_size")
    return {
        "num_warps": warps,
        "num_stages": whole(metadata, "num_stages"),
        "num_ctas": whole(metadata, "num_ctas"),
        "maxnreg": whole(metadata, "maxnreg"),
        "threads": warps * width if warps and width else None,
        "shared_memory": whole(metadata, "shared"),
        "registers": whole(kernel, "n_regs"),
        "spills": whole(kernel, "n_spills"),
        "target": None if target is None else f"{target.backend}:{target.arch}",
    }


def with_tuning(kernel: CompiledKernel, candidates: tuple[Candidate, ...]) -> CompiledKernel:
    """Add the candidates, and which of them the kernel is: the only one that agrees with it."""
    if len(candidates) < 2:
        return kernel
    settings = {**kernel.constexprs, **{name: getattr(kernel, name) for name in _OPTIONS}}
    agreeing = [
        place
        for place, candidate in enumerate(candidates)
        if not candidate.failed
        and all(settings.get(name) == value for name, value in candidate.settings.items())
    ]
    chosen = agreeing[0] if len(agreeing) == 1 else None
    return replace(kernel, tuning=Tuning(candidates=candidates, chosen=chosen))


def read_candidates(tuner: Any, benched: Benched) -> tuple[Candidate, ...]:
    """Return what a tuner could choose, in its order, with the times that it measured."""
    results: dict[str, list[Any]] = {}
    configs: dict[str, Any] = {}
    for config, result in benched:
        results.setdefault(str(config), []).append(result)
        configs[str(config)] = config
    for config in getattr(tuner, "configs", None) or ():
        configs.setdefault(str(config), config)
    found = []
    for spelled, config in configs.items():
        took = [_median_ms(result) for result in results.get(spelled, ())]
        settings = {name: setting(value) for name, value in config.all_kwargs().items()}
        found.append(candidate(settings, took))
    return tuple(found)


def candidate(settings: Mapping[str, Setting], took_ms: list[float]) -> Candidate:
    """Return a candidate that a tuner measured so often. Twice is for different inputs: no time."""
    known = len(took_ms) == 1 and math.isfinite(took_ms[0])
    return Candidate(
        settings=settings,
        time_ns=round(took_ms[0] * _NS_PER_MS) if known else None,
        failed=bool(took_ms) and not any(map(math.isfinite, took_ms)),
    )


def setting(value: Any) -> Setting:
    """Return a constant as a number or a word."""
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < _MOST):
        return value
    named = getattr(value, "__name__", None)
    return cut(str(named if isinstance(named, str) else value), _LONGEST_SETTING)


def padded(grid: tuple[int, ...] | None) -> tuple[int, int, int] | None:
    """Return a grid in three dimensions."""
    if grid is None or not 1 <= len(grid) <= 3:
        return None
    x, y, z = (*grid, 1, 1)[:3]
    return x, y, z


def whole(owner: Any, name: str) -> int | None:
    """Return a whole number that something states, or None."""
    value = getattr(owner, name, None)
    return value if type(value) is int and abs(value) < _MOST else None


def function_of(kernel_or_tuner: Any) -> Any:
    """Return the function that a kernel was compiled of, or that a tuner tunes in the end."""
    function: Any = getattr(getattr(kernel_or_tuner, "src", kernel_or_tuner), "fn", None)
    while hasattr(getattr(function, "fn", None), "fn"):  # heuristics, and tuners of tuners
        function = function.fn
    return function


def _constexprs(source: Any) -> dict[str, Setting]:
    """Return the constants that the kernel declares; Triton also knows arguments that are 1."""
    function = getattr(source, "fn", None)
    names: list[str] = list(getattr(function, "arg_names", ()))
    declared = set(getattr(function, "constexprs", ()))
    found: dict[str, Setting] = {}
    for key, value in dict(getattr(source, "constants", None) or {}).items():
        place, *inner = key if isinstance(key, tuple) else (key,)
        if isinstance(place, str) and place in names:
            place = names.index(place)
        if place in declared and place < len(names):
            found[".".join([names[place], *map(str, inner)])] = setting(value)
    return {name: found[name] for name in sorted(found, key=_order_of(names))}


def _order_of(names: list[str]) -> Any:
    return lambda name: names.index(name.partition(".")[0])


def _source(source: Any) -> Source | None:
    function = getattr(source, "fn", None)
    code = getattr(getattr(function, "fn", None), "__code__", None)
    if code is None:
        return None
    line = whole(function, "starting_line_number") or code.co_firstlineno
    return Source(file=PurePath(code.co_filename).name, line=line)


def _median_ms(result: Any) -> float:
    first = result[0] if isinstance(result, (list, tuple)) and result else result
    return float(first)
