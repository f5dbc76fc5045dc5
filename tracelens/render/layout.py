"""How a well-known table is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracelens.model.report import Cell, Table


@dataclass(frozen=True, slots=True)
class Layout:
    """How a well-known table is shown: its columns by name and label, most important first."""

    columns: tuple[tuple[str, str], ...]
    rows: int
    """Rows shown at the most."""
    wide: frozenset[str] = frozenset()
    """Columns of text that keep more than half of the page."""
    under: tuple[str, ...] = ()
    """Columns of text that stand on lines of their own under each row, whole and without label."""
    medians: str | None = None
    """The stem of the metrics that give a last row of medians."""
    bars: str | None = None
    """A column of shares that is drawn beside its numbers too."""
    elsewhere: tuple[str, str] | None = None
    """A column that says yes of rows that are read elsewhere, and where: they are left out."""

    nameless: str | None = None
    """What a row without a name is called."""

    @property
    def labels(self) -> dict[str, str]:
        """What each column is called where all stand beside each other, as on a web page."""
        return {**dict(self.columns), **{name: name.replace("_", " ") for name in self.under}}

    def told(self, table: Table) -> Sequence[Sequence[Cell]]:
        """Return the rows of a table that are read here and nowhere else."""
        names = [column.name for column in table.columns]
        if self.elsewhere is None or self.elsewhere[0] not in names:
            return table.rows
        place = names.index(self.elsewhere[0])
        return [row for row in table.rows if row[place] is not True]
