"""Strings that are private by their form: keys, addresses, and paths outside site-packages."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tracelens.formats.addresses import ADDRESS, private_address
from tracelens.formats.private_words import is_private_setting, kind_of_setting

_Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of private string: how it looks, and which part of a match is private, if any."""

    kind: str
    pattern: re.Pattern[str]
    private: Callable[[_Match], str]


def _all(match: _Match) -> str:
    return match[0]


_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:gh[pousr]|hf|npm)_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
    r"|sk-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|pypi-[\w-]{30,}"
    r"|nvapi-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|(?:gsk|r8|shpat)_[A-Za-z0-9]{16,}"
    r"|[spr]k_(?:live|test)_[A-Za-z0-9]{10,}|dop_v1_[0-9a-f]{32,}|dckr_pat_[\w-]{16,}|xai-\w{16,}"
    r"|ya29\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,})"
    r"|-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|\Z)"
)
"""Prefixes by which their issuers let scanners find their keys."""

_BARE = re.compile(
    r"(?<![\w./-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,}(?!\w|[./-]\w)"
    r"|(?<![\w/+.=-])(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Z0-9/+]{0,39}[a-z])(?=[A-Za-z/+]{0,39}\d)"
    r"(?=[A-Za-z0-9]{0,39}[/+])[A-Za-z0-9/+]{40}(?![\w/+.=-])"
)
"""Keys without a prefix: long hex that is no part of a name, and what AWS gives out."""

_BEARER = re.compile(r"(?i)\b(?:bearer|basic)\s+(?P<value>[\w.+/=~-]{12,})")
_HEADER = re.compile(
    r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:\w+\s+)?(?P<value>[\w.+/=~-]{6,})"
)

_SETTING = re.compile(
    r"(?P<name>\b[A-Z][A-Z0-9_]{2,}|(?<![\w-])--[\w-]{3,})(?:=|\s(?=\S))(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;&]+)"
)
"""`NAME=value` as an environment has it, `--name value` as a command line has it."""

_WORDS_TOO = ("user", "login", "owner")
_SETTING_NAME = re.compile(
    rf"[A-Z][A-Z0-9_]{{2,}}|(?i:{'|'.join(_WORDS_TOO)}|hostname"
    r"|(?:\w+_)?(?:user|login|host|job|pod|cluster|project|account|tenant)[_-]?name)"
)
_PAIR = re.compile(
    rf"(?<![\w.-])(?P<name>{_SETTING_NAME.pattern})"
    r"(?P<between>\\*[\"']\]?\s*[:=,]\s*|\s*=\s*|:\s+)(?P<quote>\\*[\"'])?"
    r"(?P<value>(?(quote)[^\"'\\\n]+|[^\s\"'\\,;&(){}\[\]<>]+))"
)
"""A setting as JSON, YAML and Python have it: `"NAME": "a b"`, `NAME: a` and `('NAME', 'a b')`."""

_KEY = re.compile(
    r"(?i)(?<![\w.-])(?P<name>[\w.-]*(?:token|secret|passwo?r?d|passphrase|(?:api|access)[_-]?key"
    r"|credential)[\w.-]*|pass)[\"']?\s*[=:]\s*[\"']?(?P<value>[^\s\"',;&]{6,})"
)
_LEAST_SECRET = 6
_WORDY = re.compile(r"(?i)pass|secret|credential")
"""Names of what people choose themselves: it may have letters alone."""


def _value_of_setting(match: _Match) -> str:
    name, value = match["name"].lstrip("-"), match["value"].strip("\"'")
    separated = match[0][len(match["name"])] == "="
    if not separated and not match["name"].startswith("-"):
        return ""
    return "" if value.isdigit() or kind_of_setting(name.replace("-", "_")) is None else value


def _value_of_pair(match: _Match) -> str:
    name, value, by = match["name"], match["value"], match["between"].strip()[-1]
    if match["quote"] is None and (by == "," or (by == ":" and name.lower() in _WORDS_TOO)):
        return ""  # a sentence
    return value if is_setting(name, value, by=by) else ""


def is_setting(name: str, value: str, *, by: str) -> bool:
    """Say whether a name, such as `SLURM_JOB_NAME`, is said to have a value that is private.

    `by` is the character between them: a comma is one in `getenv("USER", "eve")` alone.
    """
    named = _SETTING_NAME.fullmatch(name) is not None and (by != "," or name.isupper())
    return named and is_private_setting(name, value)


def _mixed_value(match: _Match) -> str:
    value = match["value"]
    return value if _is_key(value) else ""


def _value_of_key(match: _Match) -> str:
    name, value = match["name"], match["value"]
    if not _is_of_key(name) or "(" in value:
        return ""
    return value if _is_key(value) or _WORDY.search(name) else ""


def _is_of_key(name: str) -> bool:
    """Say whether a name is a key's: `api_key` is, `token_type` and `tokenizer` are not."""
    return name.lower() == "pass" or kind_of_setting(name.replace("-", "_")) == "token"


def _is_key(value: str) -> bool:
    """Say whether a value has letters and numbers as no word of a language has, or is hex."""
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return (mixed and "(" not in value) or re.fullmatch(r"[0-9A-Fa-f]{16,}", value) is not None


def _value(match: _Match) -> str:
    return match["value"]


def is_secret(name: str, value: str) -> bool:
    """Say whether a name, such as `api_key`, is said to have a value that is a key or password."""
    return (
        _is_of_key(name)
        and len(value) >= _LEAST_SECRET
        and not re.search(r"[\s<>(]", value)
        and (_is_key(value) or _WORDY.search(name) is not None)
    )


_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::[\w~./+-]*\w)?"
)
_LOGIN = re.compile(
    r"(?<![\w.@+-])[\w.-]+@[\w.-]+:[\w~./+-]*[\w~/]"
    r"|(?<![\w.@+-])[A-Za-z][\w.-]+@(?:localhost\b|(?=[\w-]{4})[A-Za-z][\w-]*\d[\w.-]*)"
)
"""Who copies from where, as ssh has it: `user@host:folder`, and `user@node7`."""
_SSH = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh)\s[^\n]*?(?P<value>[\w.-]+@[\w.-]+)")

_URL = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s\"'<>()\[\]{}`]+)")
_PUBLIC_HOSTS = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*(?:github\.com|pytorch\.org|python\.org|nvidia\.com|arxiv\.org"
    r"|amd\.com|intel\.com|wikipedia\.org|perfetto\.dev|readthedocs\.io|huggingface\.co"
    r"|anthropic\.com|openai\.com|google\.com|apache\.org|gnu\.org)(?:[/?#:]|\Z)"
)


def _unless_public(match: _Match) -> str:
    return "" if _PUBLIC_HOSTS.match(match[0]) else match[0]


_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_HARDWARE = re.compile(
    r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b"
    r"|\b(?:GPU-)?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"
)
_INNER_HOST = re.compile(
    r"(?<![\w.-])ip(?:-\d{1,3}){4}(?:\.[\w-]+)*\b|"
    r"(?<![\w.-])(?=[\w.-]*[\d-])[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.(?:internal|local)"
    r"(?:\.[\w-]+)*\b|(?<![\w.-])[A-Za-z0-9][\w-]*(?:\.[\w-]+)*"
    r"\.(?:localdomain|corp|lan|intra|intranet|com|org|edu|gov)(?:\.[\w-]+)*\b"
    r"|(?<![\w.-])(?=\w+-)(?=[A-Za-z_-]+\d)[\w-]+(?:\.[\w-]+)+\.(?:ai|cloud|dev|eu|io|net)\b"
)
"""What resolves inside a company, or names it. Code has `threading.local` and `self.net`: those ask
for a number and a dash, as in `gpu-7.acme.io`."""


def _ipv6(match: _Match) -> str:
    if not any(c.isdigit() for c in match[0]):
        return ""
    try:
        ipaddress.ip_address(match[0])
    except ValueError:
        return ""
    return match[0]


_IN_PART = r"[^\s\"'`<>|:;,()\[\]{}/\\*?=]"
_PART = _IN_PART + "+"
_FRAME = re.compile(r"(?m)^(?P<path>[^\n]*?\.py)(?=\(\d+\)(?:: |$))")
"""A function in a stack as torch.profiler names it: `folder/file.py(12): function`."""

_ABSOLUTE = re.compile(
    r"(?:(?<![\w./<>)\]}*%$-])(?:(?<!:)|(?!//))|(?<=-[IL]))"  # nor behind `https:`
    rf"(?:~[\w.-]*|\.{{1,2}})?/+(?:{_PART}/+)*{_PART}/*"
)
_QUOTED = re.compile(
    r"(?<=\")(?:~|/\w)[^\"\n]*?/[^\"\n]*(?=\")|(?<=')(?:~|/\w)[^'\n]*?/[^'\n]*(?=')"
)
"""A path in quotes may have blanks in it, and brackets."""
_ENCODED = re.compile(r"(?<![\w.~+%-])(?=[\w.~+%-]*%2[Ff])(?:[\w.~+-]|%[0-9A-Fa-f]{2})+")
_NAME_PART = rf"{_PART}(?: [A-Z]{_IN_PART}*)"
_SPACED = re.compile(rf"[/\\](?:home|Users)[/\\]{_NAME_PART}+[/\\](?:{_NAME_PART}*[/\\])*{_PART}")
_HOMES = re.compile(rf"(?i)[/\\](?:home|users)[/\\]+{_PART}(?:[/\\]+{_PART})*")
"""Home folders, whatever stands before them; with capitalised words of a name in them."""
_WINDOWS = re.compile(
    rf"(?<!\w)[A-Za-z]:[\\/]+(?:{_PART}[\\/]+)*(?:{_PART})?|\\\\{_PART}(?:\\+{_PART})+"
)
_RELATIVE = re.compile(
    rf"(?<!{_IN_PART})(?<![/\\])(?:{_PART}[/\\]+)+{_PART}\.(?:py|pyc|ipynb|so|cu|cuh|cpp|cc|cxx|h|hpp|hip|json|gz|pt|pth"
    r"|safetensors|yaml|yml|toml|txt|csv|md|sh|log|npy|npz|bin|cubin|ptx|ttir|sqlite|nsys-rep)\b"
)

_INSTALLED = re.compile(r"(?:site|dist)-packages[/\\]")
_PUBLIC_PACKAGES = frozenset(
    {
        *("torch", "torchvision", "torchaudio", "functorch", "triton", "numpy", "transformers"),
        *("flag_gems", "liger_kernel", "flash_attn", "flashinfer", "xformers", "apex"),
        *("vllm", "sglang", "deepspeed", "accelerate", "tracelens"),
        *("ATen", "c10", "caffe2", "cuda", "cub", "thrust", "cutlass", "cute", "pybind11"),
        *("cooperative_groups", "hip", "hipcub", "rocprim", "ck", "sycl"),
    }
)


def _private_path(match: _Match) -> str:
    """Return what of a path says where this machine keeps it."""
    path = match[0].rstrip(".,:;!?")
    installed = _INSTALLED.search(path)
    if installed is not None:
        return path[: installed.start()].rstrip("/\\")
    root = re.split(r"[/\\(.]", path, maxsplit=1)[0]
    if root in _PUBLIC_PACKAGES or root in sys.stdlib_module_names:
        return ""
    return path


def _private_absolute(match: _Match) -> str:
    path = _private_path(match)
    one = path.strip("/.~")
    return "" if path and "/" not in one and (len(one) < 3 or not one[0].isalpha()) else path


FORMS = (
    Form("token", _TOKEN, _all),
    Form("token", _BEARER, _mixed_value),
    Form("environment value", _SETTING, _value_of_setting),
    Form("environment value", _PAIR, _value_of_pair),
    Form("token", _HEADER, _value),
    Form("token", _KEY, _value_of_key),
    Form("token", _BARE, _all),
    Form("path", _FRAME, _private_path),
    Form("path", re.compile(r"file://[^\s\"'<>]+"), _all),
    Form("path", _QUOTED, _private_path),
    Form("network address", _URL, _unless_public),
    Form("e-mail address", _EMAIL, _all),
    Form("network address", _LOGIN, _all),
    Form("network address", _SSH, _value),
    Form("path", _SPACED, _private_path),
    Form("path", _WINDOWS, _private_path),
    Form("path", _ABSOLUTE, _private_absolute),
    Form("path", _RELATIVE, _private_path),
    Form("path", _HOMES, _private_path),
    Form("path", _ENCODED, _all),
    Form("network address", _HARDWARE, _all),
    Form("network address", ADDRESS, private_address),
    Form("network address", _IPV6, _ipv6),
    Form("host name", _INNER_HOST, _unless_public),
)
"""In this order: what one form has replaced, the next ones no longer see."""
