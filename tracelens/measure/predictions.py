"""What an op file predicts: claims for every case, or claims by case.

    predict = "kernel: -20% +/- 3%"                    # of every case
    predict = ["kernel: -20%", "geomean: 1.31x"]
    predict = {"small": ["full: 8us..12us"], "big": "kernel: 13.8us -> 17us"}

Here they are only held to their form. What a claim means is known where builds are compared, and
one that means nothing is told there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tracelens.errors import OpFileError
from tracelens.measure.expected import spell_stated

_LONGEST = 200
"""Characters of one claim."""
_EXAMPLE = 'Write `predict = {"small": ["kernel: -20% +/- 3%"]}`, or the list alone for every case.'


def read_predictions(
    stated: object, cases: Sequence[str | None], path: Path
) -> Mapping[str | None, tuple[str, ...]]:
    """Return the claims of each case. Raises OpFileError for what is none, or an unknown case."""
    if stated is None:
        return {}
    if not isinstance(stated, dict):
        return dict.fromkeys(cases, _claims(stated, "predict", path))
    unknown = [name for name in stated if name is None or name not in cases]
    if unknown:
        known = ", ".join(name for name in cases if name is not None)
        raise OpFileError(
            f"predict in {path} names the case {spell_stated(unknown[0])}, which the file lacks.",
            f"Name one of {known}." if known else _EXAMPLE,
        )
    return {name: _claims(claims, f"predict[{name!r}]", path) for name, claims in stated.items()}


def _claims(stated: object, where: str, path: Path) -> tuple[str, ...]:
    claims = (stated,) if isinstance(stated, str) else stated
    if not isinstance(claims, (list, tuple)) or not all(map(_is_claim, claims)):
        raise OpFileError(
            f"{where} in {path} is {spell_stated(stated)}; it must be a line of 1 to {_LONGEST} "
            "printable characters, or a list of such.",
            _EXAMPLE,
        )
    return tuple(claims)


def _is_claim(stated: object) -> bool:
    return isinstance(stated, str) and 0 < len(stated) <= _LONGEST and stated.isprintable()
