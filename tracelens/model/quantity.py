"""Times and shares in words: the one place that joins a number and its unit.

It stands on the ground floor, not in `render/`, because findings are facts with numbers in them
and are written where they are found.
"""

from __future__ import annotations

_UNITS = ((1_000, "us"), (1_000_000, "ms"), (1_000_000_000, "s"))


def spell_ns(ns: float) -> str:
    """Return a time as a person says it: `864 ns`, `18.3 us`, `119 us`, `1.42 ms`, `2.00 s`.

    Three significant digits from a microsecond up. Below a microsecond every nanosecond is shown,
    so that nothing that was measured rounds to nothing. The sign is kept.
    """
    size = abs(ns)
    if size < 999.5:
        return f"{ns:.0f} ns"
    unit_ns, unit = next((u for u in _UNITS if size < u[0] * 999.5), _UNITS[-1])
    amount = size / unit_ns
    decimals = 2 if amount < 9.995 else 1 if amount < 99.95 else 0
    return f"{ns / unit_ns:.{decimals}f} {unit}"


def spell_share(share: float) -> str:
    """Return a share as a person says it: `4.7 %`, `58 %`, `100 %`."""
    percent = 100 * share
    return f"{percent:.{1 if abs(percent) < 9.95 else 0}f} %"
