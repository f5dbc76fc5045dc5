"""Another library's method, wrapped for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Method = Callable[..., Any]


@contextmanager
def replaced(owner: Any, name: str, wrap: Callable[[Method], Method]) -> Iterator[None]:
    """Have a method of a class wrapped until the context ends."""
    method = getattr(owner, name)
    setattr(owner, name, wrap(method))
    try:
        yield
    finally:
        setattr(owner, name, method)
