"""What tells a recording from any other: no two sampled the same nanoseconds, but for a copy."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from tracelens.model.intervals import Int64s


def digest(samples_ns: Iterable[tuple[str, Sequence[int] | Int64s]]) -> tuple[str, ...]:
    """Return a digest of everything that a recording sampled, by the names of the quantities.

    Nothing where it sampled nothing: two runs that failed alike are no copies.
    """
    taken = sorted((name, np.asarray(ns, np.int64).tobytes()) for name, ns in samples_ns)
    if not any(ns for _, ns in taken):
        return ()
    found = hashlib.sha256()
    for name, ns in taken:
        found.update(f"{name!r} {len(ns)} ".encode(errors="surrogatepass") + ns)
    return (found.hexdigest(),)
