"""Says where the microseconds of a GPU op's call go."""

from tracelens.version import __version__

__all__ = ["__version__"]
