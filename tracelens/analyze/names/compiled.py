"""A kernel's name beside what its compiler said of it: constants, warps, stages, spills."""

from __future__ import annotations

from dataclasses import replace

from tracelens.analyze.names.decoder import DOCUMENTED
from tracelens.analyze.names.roles import read_role
from tracelens.model.kernel_name import Field, FieldValue, KernelName
from tracelens.model.launched import CompiledKernel

_FAMILY = {"triton": ("triton", "Triton"), "inductor": ("inductor", "Inductor")}


def with_compiled(kernel: KernelName, compiled: CompiledKernel) -> KernelName:
    """Add what the compiler said, each field documented; a family that the name gives stays."""
    told: dict[str, FieldValue] = {**compiled.settings}
    if compiled.spills is not None:
        told["spills"] = compiled.spills
    if compiled.target is not None:
        told["target"] = compiled.target
    if compiled.ops:
        told["original_aten"] = compiled.ops
    fields = {**kernel.fields, **{name: Field(value, DOCUMENTED) for name, value in told.items()}}
    kernel = replace(kernel, fields=fields, settings=tuple(compiled.settings))
    if kernel.family is not None:
        return kernel
    family, library = _FAMILY[compiled.compiler]
    role = read_role(kernel.name)
    return replace(kernel, family=family, library=library, role=role, recognition=DOCUMENTED)
