"""Four numbers between dots: an address of a network, or the version of a package.

cuDNN 9.10.2.21 has the form of an address. What is not clearly a version counts as one.
"""

from __future__ import annotations

import ipaddress
import re

ADDRESS = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}(?:\.\d{1,3}){3}(?:[.:]\d{1,5})?(?!\d|\.\d)")
"""IPv4, with a port as most write it, or as tcpdump does."""

_FOUR = 4
_LIBRARY = (
    r"(?:nvidia[-_])?(?:cudnn|cublas(?:lt)?|cufft|cufile|curand|cusolver|cusparse(?:lt)?|tensorrt)"
    r"(?:[-_]cu\d+)?"
)
"""What NVIDIA gives versions of four numbers."""

_VERSION_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=V)))"  # and no `conversion`
    r"versions?[\"'_)\]]*\s*(?:[:=]\s*|is\s+)?[\"'(]?v?\Z"  # `"version": "`, `__version__ = '`
    r"|(?<![A-Za-z0-9])v\Z"
    rf"|(?<![A-Za-z0-9]){_LIBRARY}[\"']?[\s:=_-]{{1,3}}[\"']?v?\Z",
    re.IGNORECASE,
)
_PINNED = re.compile(r"(?P<name>[A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:===?|~=|[<>!]=)\Z")
"""A package and the versions that it is wanted in: `cudnn==`."""

_OF_MACHINES = re.compile(
    r"(?i)addr|client|d(?:e?st|ns)|endpoint|gateway|host|ip|listen|master|net|node|peer|rank"
    r"|remote|route|serve|src|url|worker"
)
"""Words in names of what has an address."""

_VERSION_AFTER = re.compile(
    r"(?:\.?(?:post|dev)|rc|[ab])\d|\+[a-z]|-(?:cp|pp|py)\d|\.(?:dist|egg)-info"
)
"""How versions of Python's packages go on."""

_REACH = 64
"""Characters before the numbers that are looked at."""


def private_address(match: re.Match[str]) -> str:
    """Return what was matched where it is, or may be, an address; nothing for a version."""
    numbers = re.split(r"[.:]", match[0])
    if any(int(number) > 255 for number in numbers[:_FOUR]):
        return ""
    return "" if len(numbers) == _FOUR and _is_version(match) else match[0]


def is_version(name: str, text: str) -> bool:
    """Say whether a text is a version of four numbers, by the name of what holds it."""
    whole = f"{name} = {text}"
    match = ADDRESS.fullmatch(whole, len(whole) - len(text))
    return match is not None and private_address(match) == ""


def _is_version(match: re.Match[str]) -> bool:
    if _is_of_inner_network(match[0]) or match.string.startswith(("/", "@"), match.end()):
        return False
    before = match.string[max(0, match.start() - _REACH) : match.start()]
    if _VERSION_BEFORE.search(before) or _VERSION_AFTER.match(match.string, match.end()):
        return True
    if pinned := _PINNED.search(before):
        return not _OF_MACHINES.search(pinned["name"])
    return before.endswith("Linux-") and match.string.startswith("-", match.end())  # as in WSL


def _is_of_inner_network(address: str) -> bool:
    """Say whether it is one that nobody else has, but for those in 10: versions have that too."""
    plain = ".".join(str(int(number)) for number in address.split("."))
    return not plain.startswith("10.") and not ipaddress.ip_address(plain).is_global
