"""Op files that are compared live: what `tracelens diff` says of them, as one noun."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tracelens.errors import UsageError

if TYPE_CHECKING:
    from tracelens.measure.options import Options
    from tracelens.model.pairs import Entry
    from tracelens.model.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The options of live pairs, as they were given."""

    variants: tuple[str, ...]
    pythons: tuple[str, ...]
    cases: tuple[str, ...]
    mode: Literal["eager", "graph", "both"]
    processes: int
    rounds: int
    l2: Literal["cold", "warm"]
    subtract_us: float
    device: str | None
    timeout_s: float | None
    quiet: bool

    def compare(
        self, op_paths: Sequence[Path], *, force: bool, threshold: float, expect: Sequence[str]
    ) -> Report:
        """Let the two sides take turns, and report it. Raises UsageError where there is one."""
        from tracelens.api import diff_live
        from tracelens.measure.options import Options
        from tracelens.render.progress import Progress

        options = Options(device=self.device, l2=self.l2)
        with Progress(quiet=self.quiet) as progress:
            return diff_live(
                *self._entries(op_paths, options),
                cases=self.cases,
                ways=("eager", "graph") if self.mode == "both" else (self.mode,),
                processes=self.processes,
                rounds=self.rounds,
                subtract_ns=round(1000 * self.subtract_us),
                options=options,
                timeout_s=self.timeout_s,
                force=force,
                threshold=threshold,
                expect=expect,
                on_record=progress.show,
            )

    def _entries(self, op_paths: Sequence[Path], options: Options) -> tuple[Entry, Entry]:
        """Return the two sides: two files, two interpreters, or two variants of one file.

        Where one of them was given twice both sides are the same, as an A/A check.
        """
        from tracelens.api import pair_variants
        from tracelens.model.pairs import Entry

        pythons = [_interpreter(path) for path in _for_each_side("--python", self.pythons)]
        variants = _for_each_side("--variant", self.variants)
        if max(len(op_paths), len(self.pythons), len(self.variants)) < 2:
            return pair_variants(
                op_paths[0],
                against=variants[0],
                python=pythons[0],
                options=options,
                timeout_s=self.timeout_s,
            )
        before, after = (
            Entry(op_path=path, variant=variant, python=python)
            for path, variant, python in zip(
                (op_paths[0], op_paths[-1]), variants, pythons, strict=True
            )
        )
        return before, after


def _for_each_side(option: str, stated: tuple[str, ...]) -> tuple[str | None, str | None]:
    if len(stated) > 2:
        raise UsageError(f"{option} was given {len(stated)} times", "give it once, or once a side")
    return (stated[0], stated[-1]) if stated else (None, None)


def _interpreter(python: str | None) -> str | None:
    if python is not None and shutil.which(python) is None:
        raise UsageError(f"{python} is no program", "name the interpreter of an environment")
    return python
