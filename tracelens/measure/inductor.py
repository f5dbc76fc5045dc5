"""A kernel that torch.compile generated, as a record of a run: its configuration, source and ops.

Inductor keeps its configurations in a tuner of its own (`CachingAutotuner`), and writes what it
fused as comments into the module that calls the kernels.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from tracelens.measure.triton_kernels import (
    candidate,
    compiled,
    padded,
    setting,
    whole,
    with_tuning,
)
from tracelens.measure.triton_launches import Launch
from tracelens.model.cut import cut
from tracelens.model.launched import Candidate, CompiledKernel, Setting, Source

_LONGEST_SOURCE = 65_536
"""Characters of a generated file that are kept."""
_LONGEST_MODULE = 32 << 20
"""Bytes of a generated file that is searched for its comments."""

_FUSED = re.compile(
    r"# kernel path: (?P<path>.*)\n# (?:Topologically Sorted|Unsorted) Source Nodes: .*"
    r"Original ATen: \[(?P<ops>.*)\]"
)
_CONSTANT = re.compile(r"^    (?P<name>\w+) : tl\.constexpr = (?P<value>.+)$", re.MULTILINE)
"""What a template, such as that of a matrix product, was filled in with."""

Fused = Mapping[str, tuple[str, ...]]
"""Framework ops by the name of the file that the kernel they became was written to."""


def is_inductor(launch: Launch) -> bool:
    """Say whether one of Inductor's kernels was launched."""
    return hasattr(launch.tuner, "inductor_meta")


def read_inductor_kernel(launch: Launch, fused: Fused) -> CompiledKernel:
    """Return what is known of a launch of one of Inductor's kernels."""
    tuner = launch.tuner
    (launcher,) = tuner.launchers
    source = _source(tuner)
    constexprs = _template_constants(tuner, source)
    constexprs |= {name: setting(value) for name, value in launcher.config.kwargs.items()}
    found = CompiledKernel(
        name=_name(launch),
        compiler="inductor",
        constexprs=constexprs,
        num_warps=whole(launcher.config, "num_warps"),
        num_stages=whole(launcher.config, "num_stages"),
        num_ctas=1,  # Inductor's static launcher takes no clusters
        threads=_threads(tuner, launcher),
        shared_memory=whole(launcher, "shared"),
        registers=whole(launcher, "n_regs"),
        spills=whole(launcher, "n_spills"),
        target=_target(tuner),
        source=source,
        ops=fused.get(source.file, ()) if source else (),
    )
    if launch.kernel is not None:
        found = replace(found, **compiled(launch.kernel))
    found = replace(found, grid=padded(launch.grid or _grid(launch, launcher)))
    return with_tuning(found, tuple(_candidates(tuner)))


def fused_ops() -> Fused:
    """Return what Inductor says it fused, of every module that it has generated so far."""
    cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    found: dict[str, tuple[str, ...]] = {}
    for module in getattr(cache, "modules", ()):
        path = Path(getattr(module, "__file__", None) or "")
        with suppress(OSError, UnicodeDecodeError):
            if path.stat().st_size <= _LONGEST_MODULE:
                found |= read_fused(path.read_text(encoding="utf-8"))
    return found


def read_fused(text: str) -> dict[str, tuple[str, ...]]:
    """Return what the comments of a generated module say was fused, by the kernel's file."""
    return {
        PurePath(comment["path"].strip()).name: tuple(
            op.strip() for op in comment["ops"].split(",") if op.strip()
        )
        for comment in _FUSED.finditer(text)
    }


def read_template_constants(text: str) -> dict[str, Setting]:
    """Return the constants that a template's source was filled in with: `BLOCK_M` and the like."""
    found: dict[str, Setting] = {}
    for line in _CONSTANT.finditer(text):
        found[line["name"]] = setting(line["value"])  # such as tl.float32
        with suppress(ValueError, SyntaxError):
            found[line["name"]] = setting(ast.literal_eval(line["value"]))
    return found


def _template_constants(tuner: Any, source: Source | None) -> dict[str, Setting]:
    kind = str(getattr(tuner, "heuristic_type", ""))
    return read_template_constants(source.text or "") if source and "TEMPLATE" in kind else {}


def _name(launch: Launch) -> str:
    if launch.kernel is not None:
        return str(launch.kernel.metadata.name)
    return str(launch.tuner.fn.__name__)


def _source(tuner: Any) -> Source | None:
    if not tuner.filename:
        return None
    path, text = Path(tuner.filename), None
    with suppress(OSError, UnicodeDecodeError):
        text = cut(path.read_text(encoding="utf-8"), _LONGEST_SOURCE)
    return Source(file=path.name, text=text)


def _threads(tuner: Any, launcher: Any) -> int | None:
    warps = whole(launcher.config, "num_warps")
    width = whole(getattr(tuner, "device_props", None), "warp_size")
    return warps * width if warps and width else None


def _target(tuner: Any) -> str | None:
    device = getattr(tuner, "device_props", None)
    kind, arch = getattr(device, "type", None), getattr(device, "cc", None)
    return f"{kind}:{arch}" if kind and arch else None


def _grid(launch: Launch, launcher: Any) -> tuple[int, ...] | None:
    """Work out the grid as Inductor's launcher does; its method for it is not a public one."""
    try:
        _, grid = launch.tuner._interpret_args_grid(launch.arguments, launcher.config)
        return tuple(int(size) for size in grid)
    except Exception:  # whatever another version makes of it: the grid is then not known
        return None


def _candidates(tuner: Any) -> Iterator[Candidate]:
    """Yield what Inductor measured: nothing where it took the choice of an earlier process.

    It keeps the times by pairs of a name and a value; they are of this one kernel.
    """
    coordinates = getattr(tuner, "coordesc_tuner", None)
    for pairs, took_ms in dict(getattr(coordinates, "cached_benchmark_results", {})).items():
        settings = {str(name): setting(value) for name, value in pairs}
        yield candidate(settings, [float(took_ms)])
