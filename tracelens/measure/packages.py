"""Versions of the packages that an op is made of, beside torch and triton, by what it imports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

_TOLD_APART = frozenset({"torch", "triton", "numpy", "tracelens", "builtins"})
"""Named elsewhere, or of no matter to an op's time."""


def package_versions(names: Mapping[str, object]) -> dict[str, str]:
    """Return the version of each installed package that a module's names come from, by its name.

    A module without a version, such as a neighbour of the op file, is not among them.
    """
    roots = {_root(value) for value in names.values()}
    found = {root: _version(root) for root in sorted(roots - _TOLD_APART - sys.stdlib_module_names)}
    return {root: known for root, known in found.items() if known is not None}


def _root(value: object) -> str:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else ""


def _version(root: str) -> str | None:
    try:
        return version(root)
    except (PackageNotFoundError, ValueError):  # a distribution may have another name
        told = getattr(sys.modules.get(root), "__version__", None)
        return told if isinstance(told, str) else None
