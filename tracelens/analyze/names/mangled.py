"""Names that a compiler mangled: `_Z...` into C++.

CUDA profilers hand names over demangled. What still arrives mangled is what the C++ runtime of the
profiled machine could not read, such as the bfloat16 type `DF16b` in AMD's libraries.
"""

from __future__ import annotations

import re

_COMPONENT = re.compile(r"([0-9]{1,4})(?=[A-Za-z_])", re.ASCII)


def is_mangled(name: str) -> bool:
    """Say whether a name is mangled by the Itanium C++ ABI, which GCC, Clang and nvcc share."""
    return name.startswith("_Z")


def demangle_name(name: str) -> str | None:
    """Return a mangled name as C++, or None where the library is missing or cannot read it.

    The library bounds its input, its recursion and its output: a few hundred characters of back
    references can otherwise spell gigabytes.
    """
    try:
        import demangle  # noqa: PLC0415  # 25 ms to load, and most traces hold no such name
    except ImportError:  # it needs Python 3.11
        return None
    try:
        return demangle.demangle_strict(name.removesuffix(".kd"), language="itanium")
    except Exception:  # whatever a stranger's name does to a parser, it stays a name
        return None


def read_path(name: str) -> str:
    """Return the qualified name that a mangled one begins with: `_ZN2ck3fooIfEE` is `ck::foo`.

    Template arguments and parameters are not read.
    """
    components = []
    at = 3 if name.startswith("_ZN") else 2
    while match := _COMPONENT.match(name, at):
        at = match.end() + int(match[1])
        components.append(name[match.end() : at])
    return "::".join(c for c in components if c != "_GLOBAL__N_1")
