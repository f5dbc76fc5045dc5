"""Who takes part in live pairs: variants of one op file, and interpreters that can measure."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tracelens.errors import TracelensError, UsageError
from tracelens.model.measurement import Outline
from tracelens.model.pairs import Entry
from tracelens.processes.child import read_outline
from tracelens.processes.process import one_interrupt, running
from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.measure.options import Options

_PROBE = """
import json
from importlib.util import find_spec
try:
    from tracelens.version import __version__ as version
except ImportError:
    version = None
print(json.dumps(["tracelens", version, find_spec("torch") is not None]))
"""
_PROBED_WITHIN_S = 60.0


def check_interpreter(python: str) -> None:
    """See that an interpreter can be one of two sides.

    Raises UsageError where it is none, TracelensError where it lacks torch or this version.
    """
    version, has_torch = _probed(python)
    install = f"install the same version: {python} -m pip install tracelens-gpu=={__version__}"
    if version is None:
        raise TracelensError(f"{python} cannot measure: tracelens is not installed there", install)
    if version != __version__:
        raise TracelensError(
            f"{python} has tracelens {version}, and this is {__version__}", install
        )
    if not has_torch:
        raise TracelensError(
            f"{python} cannot measure: torch is not installed there", "install torch there too"
        )


def _probed(python: str) -> tuple[str | None, bool]:
    """Return the version of tracelens that an interpreter has, and whether it has torch."""
    try:
        done = subprocess.run(
            running(_PROBE, python=python),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBED_WITHIN_S,
            check=False,
        )
        # The last line: what an environment runs at every start may print too
        mark, version, has_torch = json.loads((done.stdout.splitlines() or [""])[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, TypeError):
        mark, version, has_torch = None, None, False
    if mark != "tracelens":
        raise UsageError(
            f"{python} does not answer as Python does", "name the interpreter of an environment"
        )
    return version, has_torch


def pair_variants(
    op_path: Path,
    *,
    against: str | None = None,
    python: str | None = None,
    options: Options,
    timeout_s: float | None = None,
) -> tuple[Entry, Entry]:
    """Return the two sides that one op file is: its baseline, and `against` or its only other.

    The file is loaded in a process of its own. Raises OpFileError where that fails, UsageError
    where there is nothing to compare with, or more than one.
    """
    if python is not None:
        check_interpreter(python)
    with one_interrupt(), TemporaryDirectory(prefix="tracelens-") as name:
        outline = read_outline(
            op_path,
            folder=Path(name),
            options=options,
            timeout_s=timeout_s,
            python=python or sys.executable,
        )
    baseline, chosen = choose_two(outline, op_path, against=against)
    return (
        Entry(op_path=op_path, variant=baseline, python=python),
        Entry(op_path=op_path, variant=chosen, python=python),
    )


def choose_two(outline: Outline, op_path: Path, *, against: str | None) -> tuple[str | None, str]:
    """Return the baseline of an op file, and the variant to stand beside it.

    Raises UsageError where there is none, or more than one.
    """
    baseline = next(subject.variant for subject in outline.subjects if subject.baseline)
    names = list(dict.fromkeys(s.variant for s in outline.subjects if s.variant is not None))
    others = [name for name in names if name != baseline]
    if not others:
        raise UsageError(
            f"{op_path} has one variant alone: both sides are the same",
            "name a second op file, two interpreters with --python, or the same file twice for an "
            "A/A check",
        )
    if against is None and len(others) > 1:
        raise UsageError(
            f"{op_path} has {len(names)} variants, and two are compared: {', '.join(names)}",
            "choose with --variant: one to stand beside the baseline, or both",
        )
    chosen = others[0] if against is None else against
    if chosen not in others:
        what = "is the baseline itself" if chosen == baseline else "is no variant of it"
        raise UsageError(f"{chosen!r} {what}: {op_path}", f"choose from {', '.join(others)}")
    return baseline, chosen
