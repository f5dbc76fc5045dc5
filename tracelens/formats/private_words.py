"""Which words are private: what this machine and a trace call their users, hosts and jobs."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msgspec import json

from tracelens.formats.chrome_copy import ChromeCopy, UncopyableError
from tracelens.formats.chrome_entries import MALFORMED
from tracelens.formats.plain_words import is_plain
from tracelens.formats.public_fields import HEADER
from tracelens.formats.trace_file import MAX_EXPANDED_BYTES

WordKind = Literal["user name", "host name", "job name", "token", "environment value", "path"]

_KINDS: tuple[tuple[WordKind, re.Pattern[str]], ...] = (
    (
        "token",
        re.compile(
            r"token(?!s|izer)|secret|passw|passphrase|credential|api_?key|access_?key|private_?key"
            r"|auth(?!or)|cookie"
        ),
    ),
    ("user name", re.compile(r"user|logname|login|owner|author|email")),
    ("host name", re.compile(r"host|(?:^|_)node|domain")),
    (
        "job name",
        re.compile(
            r"job|(?:^|_)pod|cluster|tenant|namespace|project|account|partition|team|queue|experiment"
        ),
    ),
)
"""What the name of a setting says about its value; the first that fits."""

_NOT_NAMES = re.compile(r"version|type|options|count|rank|size|num_|_num|port$")

_KNOWN_TO_ALL = frozenset(
    {
        *("admin", "app", "default", "home", "host", "local", "localhost", "main", "test", "user"),
        *("centos", "debian", "docker", "ec2-user", "nobody", "root", "runner", "ubuntu", "users"),
        *("cuda", "gpu", "python", "torch", "work", "workspace", "true", "false", "none", "null"),
    }
)
"""Names that say nothing about who or where."""

_PUBLIC_SETTINGS = re.compile(
    r"(?:NV|CUDA|NCCL|PYTHON|PYTORCH|TORCH|TRITON|LC_|LANG|TERM|SHELL|OMP_|MKL_|LS_COLORS|TZ|DEBIAN)"
    r"|.*VERSION"
)
"""Environment variables that many machines share; versions and device lists are what a report is
about."""

_LEAST, _LEAST_NAME, _LEAST_SETTING = 3, 2, 8
_NUMBER = re.compile(r"[\d.,:+x-]*")
_HOME = re.compile(rb"/(?:home|Users)/([^/\"\\\s]{1,64})|[\\/]Users\\{1,4}([^\\\"\s]{1,64})")
_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PrivateWord:
    """A word that must leave this machine nowhere, and what it is."""

    kind: WordKind
    text: str


def words_of_machine(environment: Mapping[str, str] = os.environ) -> tuple[PrivateWord, ...]:
    """Return the names of this user, host and job, and what the environment holds of the kind.

    The home folder and the one in use are among them: with blanks in it a path has no form.
    """
    host = socket.gethostname()
    named: list[tuple[WordKind, str]] = [
        ("user name", _user()),
        ("user name", Path.home().name),
        ("host name", host),
        ("host name", host.partition(".")[0]),
    ]
    return (
        *(PrivateWord(kind, text) for kind, text in named if _is_private(kind, text)),
        *(PrivateWord("path", str(folder)) for folder in _folders() if " " in str(folder)),
        *_words_of_settings(environment),
    )


def words_of_trace(path: Path) -> tuple[PrivateWord, ...]:
    """Return what the header of a trace says of the kind, and whose home folders it names.

    Nothing where it is no Chrome trace. Raises TraceError where it cannot be read.
    """
    copy = ChromeCopy(path, max_expanded_bytes=MAX_EXPANDED_BYTES)
    owners: set[bytes] = set()
    try:
        for text in copy:
            owners.update(one or other for one, other in _HOME.findall(text))
    except UncopyableError:
        return ()
    words: list[PrivateWord] = []
    for key, value in copy.header.items():
        owners.update(one or other for one, other in _HOME.findall(value))
        name = key.decode(errors="replace")
        if name not in HEADER:
            words += _words_of_value(name, _decoded(value))
    names = sorted(owner.decode(errors="replace") for owner in owners)
    words += [PrivateWord("user name", name) for name in names if _is_private("user name", name)]
    return tuple(dict.fromkeys(words))


def kind_of_setting(name: str) -> WordKind | None:
    """Return what the value of a setting of that name is, or None where that is no secret."""
    lower = name.lower()
    if _NOT_NAMES.search(lower):
        return None
    return next((kind for kind, pattern in _KINDS if pattern.search(lower)), None)


def is_private_setting(name: str, text: str) -> bool:
    """Say whether a setting of that name has a text that tells of a user, a host or a job."""
    kind = kind_of_setting(name)
    return kind is not None and kind != "token" and _is_private(kind, text, least=_LEAST)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        return ""


def _folders() -> Iterator[Path]:
    yield Path.home()
    with suppress(OSError):  # somebody may have removed it
        yield Path.cwd()


def _words_of_settings(settings: Mapping[str, str]) -> Iterator[PrivateWord]:
    for name, text in settings.items():
        kind = kind_of_setting(name)
        if kind is not None and _is_private(kind, text, least=_LEAST):
            yield PrivateWord(kind, text)
        elif (
            kind is None
            and name.isupper()  # as variables of an environment are, and other settings are not
            and not _PUBLIC_SETTINGS.match(name)
            and _is_telling_setting(text)
        ):
            yield PrivateWord("environment value", text)


def _words_of_value(name: str, value: Any) -> Iterable[PrivateWord]:
    """Yield the private words of a decoded JSON value that stands under a name."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _words_of_value(str(key), item)
    elif isinstance(value, list):
        for item in value:
            yield from _words_of_value(name, item)
    elif isinstance(value, str):
        settings = dict(_ASSIGNMENT.findall(value))
        yield from _words_of_settings(settings or {name: value})


def _is_private(kind: WordKind, text: str, *, least: int = _LEAST_NAME) -> bool:
    if kind == "token":
        return _tells(text, least=least) or _is_key_with_slashes(text)
    plain = kind != "host name" and is_plain(text)  # `gpu-7` is one of those
    return _tells(text, least=least) and not plain


def _tells(text: str, *, least: int = _LEAST) -> bool:
    plain = text.strip()
    return (
        len(plain) >= least
        and plain.lower() not in _KNOWN_TO_ALL
        and "/" not in plain  # a path is found by its form
        and not _NUMBER.fullmatch(plain)
    )


def _is_key_with_slashes(text: str) -> bool:
    """Say whether it is base64 and no path."""
    return len(text) >= _LEAST_SETTING and re.fullmatch(r"(?!/)[A-Za-z0-9/+=_-]+", text) is not None


def _is_telling_setting(text: str) -> bool:
    """Say whether a value is long and mixed enough to be nobody else's word."""
    return (
        len(text) >= _LEAST_SETTING
        and _is_private("environment value", text)
        and any(c.isalpha() for c in text)
        and any(c.isdigit() or c in "-_@." for c in text)
    )


def _decoded(value: bytes) -> Any:
    try:
        return json.decode(value)
    except MALFORMED:
        return None
