"""The page that a report is set on: how wide it is, and which signs it can show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from tracelens.render.safe_text import cut

MARGIN = 2
"""Cells left of everything but titles."""

GAP = 2
"""Cells between two columns."""

NARROWEST = 40
"""Cells. A narrower terminal wraps lines that are made for this width."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page `width` terminal cells wide.

    With `unicode` False all on it is ASCII. One that is `whole` has every row of every table.
    """

    width: int
    unicode: bool = True
    whole: bool = False

    @property
    def room(self) -> int:
        """Cells of a line, without its margin."""
        return self.width - MARGIN

    @property
    def mark(self) -> str:
        """What stands where text was left out."""
        return "…" if self.unicode else ".."

    @property
    def dot(self) -> str:
        """What stands between the facts of a line."""
        return " · " if self.unicode else " | "

    @property
    def line(self) -> str:
        """What a line across the page is made of."""
        return "─" if self.unicode else "-"

    @property
    def arrow(self) -> str:
        """What leads from a fact to its advice."""
        return "→" if self.unicode else "->"


def flowed(facts: Iterable[str], room: int, page: Page) -> list[str]:
    """Set facts one behind the other, on lines of `room` cells; a line ends behind a dot."""
    lines = [""]
    for fact in facts:
        longer = f"{lines[-1]}{page.dot}{fact}" if lines[-1] else fact
        if lines[-1] and cell_len(longer) + len(page.dot.rstrip()) > room:
            lines[-1] += page.dot.rstrip()
            lines.append(fact)
        else:
            lines[-1] = longer
    return lines


def heading(title: str, note: str, page: Page) -> Text:
    """Return a title, with a note at the right edge where there is room for it."""
    line = Text(cut(title, page.width, mark=page.mark), style="bold")
    room = page.width - line.cell_len - len(note)
    if note and room >= GAP:
        line.append(" " * room)
        line.append(note, style="not bold dim")
    return line


def rule(title: str, page: Page) -> Text:
    """Return a title, with a line from it to the right edge."""
    line = Text(cut(title, page.width, mark=page.mark), style="bold")
    rest = page.width - line.cell_len - 1
    return line.append(" " + page.line * rest, style="not bold dim") if rest > 0 else line
