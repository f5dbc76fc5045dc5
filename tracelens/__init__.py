"""Says where the microseconds of a GPU op's call go."""

from typing import TYPE_CHECKING, Any

from tracelens.version import __version__

if TYPE_CHECKING:
    from tracelens.api import analyze_trace, profile, profile_file
    from tracelens.errors import TracelensError
    from tracelens.measure.options import Options
    from tracelens.model.sweep import Sweep

__all__ = [
    "Options",
    "Sweep",
    "TracelensError",
    "__version__",
    "analyze_trace",
    "profile",
    "profile_file",
]

_HOMES = {
    "Options": "tracelens.measure.options",
    "Sweep": "tracelens.model.sweep",
    "TracelensError": "tracelens.errors",
    "analyze_trace": "tracelens.api",
    "profile": "tracelens.api",
    "profile_file": "tracelens.api",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that `tracelens --help` stays quick."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tracelens' has no attribute {name!r}")
