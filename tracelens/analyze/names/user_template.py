"""Templates of the user's own, whose arguments the user has named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tracelens.analyze.names.cxx import read_boolean, read_integer
from tracelens.analyze.names.decoder import DOCUMENTED, Family, spell
from tracelens.analyze.names.dtypes import read_dtype
from tracelens.model.cut import cut
from tracelens.model.kernel_name import FieldValue, KernelName

_LONGEST_VALUE = 80


def name_arguments(name: str, configs: Mapping[str, Sequence[str]]) -> KernelName | None:
    """Read `gemvz_kernel<16, 1, 1, 2>` by the names that the user gave, or None if it is another's.

    A key is a function's name, with or without its namespace. Where the counts differ, no
    argument is named and a note says so: a guess would be worse than nothing.
    """
    spelling = spell(name)
    path, arguments = spelling.signature.path, spelling.signature.arguments
    names = configs.get(path) or configs.get(path.rpartition("::")[2])
    if names is None:
        return None
    if len(names) != len(arguments):
        return KernelName(
            name=name,
            family="user",
            notes=(
                f"configs names {len(names)} template arguments of {cut(path, _LONGEST_VALUE)}, "
                f"the kernel has {len(arguments)}: none is named",
            ),
        )
    values = {n: _read_argument(text) for n, text in zip(names, arguments, strict=True)}
    read = Family("user", "user", "other", DOCUMENTED).reading(spelling, values)
    return replace(read, settings=tuple(values))


def _read_argument(text: str) -> FieldValue:
    for read in (read_boolean, read_integer, read_dtype):  # `(bool)1` is no number
        value: FieldValue | None = read(text)
        if value is not None:
            return value
    return cut(text, _LONGEST_VALUE)
