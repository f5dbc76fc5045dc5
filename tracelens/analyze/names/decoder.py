"""What decoders are made of. Each takes a name as spelled and returns its reading, or None.

Two sorts of name cover nearly all families: words joined by underscores (`Words`) and functions
with template arguments (`Template`). Both are rows of a table; a family whose grammar does not
fit either is a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tracelens.analyze.names.cxx import (
    Signature,
    last_identifier,
    parse_signature,
    read_boolean,
    read_integer,
)
from tracelens.analyze.names.dtypes import read_dtype
from tracelens.analyze.names.mangled import demangle_name, is_mangled, read_path
from tracelens.analyze.names.roles import read_role
from tracelens.model.kernel_name import Field, FieldValue, KernelName, Role, Status

DOCUMENTED: Status = "documented"
INFERRED: Status = "inferred"

Fields = dict[str, FieldValue]

_GENERATED = re.compile(r"(?:\w+::)*(?:Kernel2?|device_kernel)", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9_.:]{1,4096}", re.ASCII)

_DESCRIPTOR = ".kd"
"""What AMD's profilers add to a name: they know a kernel by its descriptor."""

_MOST_UNEXPLAINED = 16
"""Words kept for the reader of a name that is mostly noise."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A kernel's name as decoders see it.

    `text` is C++ where the name was mangled. `flat` is a name that holds no template arguments,
    without its parameters; of CUTLASS's wrapper `Kernel2<name>` it is the name inside.
    """

    raw: str
    text: str
    signature: Signature
    flat: str


Decoder = Callable[[Spelling], KernelName | None]


def spell(name: str) -> Spelling:
    """Take a name apart, once for all decoders."""
    text = name.removesuffix(_DESCRIPTOR)
    if is_mangled(name):
        demangled = demangle_name(name)
        if demangled is None:
            path = read_path(text)
            return Spelling(name, path, Signature(path), path)
        text = demangled
    signature = parse_signature(text)
    flat = signature.path if signature.path in text else ""  # no template group was cut out
    if signature.arguments and _GENERATED.fullmatch(flat):
        wrapped = signature.arguments[0]
        flat = wrapped if _PLAIN.fullmatch(wrapped) else flat
    return Spelling(name, text, signature, flat)


def first_of(*decoders: Decoder) -> Decoder:
    """Return a decoder that asks others in order: the spellings of one family."""

    def decode(spelling: Spelling) -> KernelName | None:
        return next((read for d in decoders if (read := d(spelling)) is not None), None)

    return decode


@dataclass(frozen=True, slots=True)
class Family:
    """What all kernels of a family have in common.

    Where `role` is `other`, the words in a function's name decide: see `read_role`.
    """

    family: str
    library: str
    role: Role
    status: Status

    def reading(self, spelling: Spelling, fields: Mapping[str, FieldValue]) -> KernelName:
        """Return what a name of this family says; every field is as sure as the family is."""
        return KernelName(
            name=spelling.raw,
            family=self.family,
            library=self.library,
            role=read_role(spelling.signature.path) if self.role == "other" else self.role,
            recognition=self.status,
            fields={name: Field(value, self.status) for name, value in fields.items()},
        )


@dataclass(frozen=True, slots=True)
class Words:
    """Names that are words joined by underscores: a head, then words in any order.

    `head` and each alternative of `words` are regular expressions whose named groups are fields:
    a number where it is one, else text, else True where the group's name ends in `_flag`. Of a
    word that comes twice the first counts. What no alternative reads is kept, as it stands, in the
    field `unexplained`. `%` stands for a number in both patterns. `derive` adds the fields that
    follow from those read. With `camel`, words begin with a capital instead of an underscore.
    """

    of: Family
    head: str
    words: str
    derive: Callable[[Fields], Fields] = field(default=lambda fields: {})
    camel: bool = False
    keep_unexplained: bool = True
    _head: re.Pattern[str] = field(init=False, repr=False)
    _word: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts, goes_on, ends = (
            ("", "[A-Z]?[^A-Z]*", "(?=[A-Z]|$)") if self.camel else ("_?", "[^_]*", "(?=_|$)")
        )
        word = f"{starts}(?:(?:{self.words}){ends}|(?P<unexplained>{goes_on}))"
        object.__setattr__(self, "_head", _compile(self.head))
        object.__setattr__(self, "_word", _compile(word))

    def __call__(self, spelling: Spelling) -> KernelName | None:
        """Read a name, or return None where its head is another family's."""
        name = spelling.flat
        head = self._head.match(name)
        if head is None or not _PLAIN.fullmatch(name):
            return None
        fields: Fields = {}
        unexplained: list[str] = []
        match: re.Match[str] | None = head
        at = -1
        while match is not None and match.end() > at:
            at = match.end()
            for group, text in match.groupdict().items():
                if text and group == "unexplained":
                    unexplained.append(text)
                elif text and group not in fields:
                    fields[group.removesuffix("_flag")] = _read(group, text)
            match = self._word.match(name, at) if at < len(name) else None
        fields |= self.derive(fields)
        if unexplained and self.keep_unexplained:
            fields["unexplained"] = tuple(unexplained[:_MOST_UNEXPLAINED])
        return self.of.reading(spelling, fields)


@dataclass(frozen=True, slots=True)
class Template:
    """C++ functions by their qualified name, and what their template arguments mean.

    `function` is a regular expression for the whole path. Each of `arguments` names a version's
    arguments in order, `threads:int dtype:dtype`; `_` skips one, `_:bool` one of that kind. The
    kinds are `int`, `bool`, `dtype` and `functor`. The first version whose kinds all fit is used;
    where none fits, the order is another version's and no argument is read. A function whose name
    others may use too counts only where `within` is a part of the whole name.

    A word inside an identifier is looked for ahead: `(?=\\w*norm)\\w+` takes a time by its length
    where it fails, `\\w*norm\\w*` by the square of it.
    """

    of: Family
    function: str
    arguments: tuple[str, ...] = ()
    within: str = ""
    _path: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_path", _compile(self.function))

    def __call__(self, spelling: Spelling) -> KernelName | None:
        """Read a name, or return None where the function is another family's."""
        path = self._path.fullmatch(spelling.signature.path)
        if path is None or self.within not in spelling.text:
            return None
        fields = {g: _read(g, text) for g, text in path.groupdict().items() if text}
        fields |= read_arguments(spelling.signature.arguments, *self.arguments)
        return self.of.reading(spelling, fields)


def read_arguments(arguments: tuple[str, ...], *versions: str) -> Fields:
    """Name template arguments by the first version that fits them: see `Template`."""
    for version in versions:
        wanted = version.split()
        fields: dict[str, FieldValue | None] = {}
        for column, text in zip(wanted, arguments, strict=False):
            name, _, kind = column.partition(":")
            if kind:
                fields[name] = _KINDS[kind](text)
        if len(arguments) >= len(wanted) and None not in fields.values():
            return {n: v for n, v in fields.items() if v is not None and n != "_"}
    return {}


def read_functor(text: str) -> str | None:
    """Return the name of the function that a functor type stands for: its last plain identifier.

    `at::native::gelu_kernel(at::TensorIteratorBase&)::{lambda()#1}` is `gelu_kernel`.
    """
    return last_identifier(parse_signature(text).path)


def _compile(pattern: str) -> re.Pattern[str]:
    # nine digits: a number that a kernel can mean, and no text that Python takes long to convert
    numbers = pattern.replace("%", "[0-9]{1,9}")
    return re.compile(numbers, re.ASCII | re.VERBOSE | re.DOTALL)


def _read(group: str, text: str) -> FieldValue:
    if group.endswith("_flag"):
        return True
    if group.startswith("dtype"):
        return read_dtype(text) or text
    return int(text) if text.isdecimal() else text


_KINDS: Mapping[str, Callable[[str], FieldValue | None]] = {
    "int": read_integer,
    "bool": read_boolean,
    "dtype": read_dtype,
    "functor": read_functor,
}
