"""Sampled functions as a flame graph: one SVG file that needs nothing else and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from rich.cells import cell_len

from tracelens.model.functions import Function, FunctionTimes
from tracelens.model.quantity import spell_ns, spell_share
from tracelens.render.safe_text import cut, safe

FLAME_NAME = "functions.svg"

_WIDTH = 1200
_MARGIN = 10
_ROW = 19
_LETTER = 6.7
"""Width of a letter of the font, in the graph's units: a little more than any of them takes."""
_TITLE_ROWS = 3
_NARROWEST = 0.4
"""Narrower boxes are left out."""
_FILLS = {
    "<op file>": "#f2c14e",
    "torch": "#9cc4e4",
    "triton": "#f0a58f",
    "flag_gems": "#c7b1e6",
    "<flag_gems code cache>": "#dccdf3",
    "liger_kernel": "#e8b4d4",
    "<torchinductor>": "#a8dcc6",
    "<string>": "#d9d49a",
}
_NOWHERE = "no file"
_HUES = (20, 60, 95, 130, 175, 235, 285, 340)
"""Of packages that have no colour of their own."""
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1c1c1c}"
    ".title{font-weight:bold;font-size:13px}.note{fill:#5a5a5a}"
    "rect{stroke:#fff;stroke-width:.6}g:hover>rect{stroke:#000}"
)


def render_flame(subjects: Sequence[FunctionTimes]) -> str:
    """Return the SVG text: callers above what they call, as wide as their time.

    Below a subject's title stand the packages and their colours. Each box says on hover what it is,
    its time per call and its share. Names are hostile: they are made safe and escaped.
    """
    body: list[str] = []
    top = _MARGIN
    for times in subjects:
        root = _tree(times)
        body += _subject(times, root, top)
        top += _ROW * (_TITLE_ROWS + _depth(root)) + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{top}" '
        f'viewBox="0 0 {_WIDTH} {top}">\n<style>{_STYLE}</style>\n'
        f'<rect width="{_WIDTH}" height="{top}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


@dataclass(slots=True)
class _Node:
    """A function as one caller calls it, and what it calls."""

    function: Function
    ns: int = 0
    below: dict[int, _Node] = field(default_factory=dict)


def _tree(times: FunctionTimes) -> _Node:
    root = _Node(Function("one call"), times.whole_ns)
    for stack, ns, _ in times.stacks:
        node = root
        for place in stack:
            node = node.below.setdefault(place, _Node(times.functions[place]))
            node.ns += ns
    return root


def _depth(node: _Node) -> int:
    return 1 + max(map(_depth, node.below.values()), default=0)


def _subject(times: FunctionTimes, root: _Node, top: float) -> Iterator[str]:
    title = f"{times.name}: {spell_ns(times.whole_ns)} of host time a call"
    note = f"{times.samples:,} samples, profiler off; width is time, order says nothing"
    yield _text(_MARGIN, top + 13, title, kind="title")
    yield _text(_MARGIN, top + 13 + _ROW, note, kind="note")
    yield from _legend(times, top + 2 * _ROW)
    scale = (_WIDTH - 2 * _MARGIN) / max(times.whole_ns, 1)
    yield from _boxes(root, _MARGIN, top + _TITLE_ROWS * _ROW, scale, times.whole_ns)


def _legend(times: FunctionTimes, top: float) -> Iterator[str]:
    """Yield the packages, those with the most time of their own first, as far as they fit."""
    own: dict[str, int] = {}
    for stack, ns, _ in times.stacks:
        package = _package(times.functions[stack[-1]])
        own[package] = own.get(package, 0) + ns
    left = float(_MARGIN)
    for package, ns in sorted(own.items(), key=lambda item: (-item[1], item[0])):
        words = f"{_shown(package, 30)} {spell_share(ns / max(times.whole_ns, 1))}"
        width = 18 + _LETTER * (cell_len(words) + 2)
        if left + width > _WIDTH - _MARGIN:
            return
        fill = _colour(package)
        yield f'<rect x="{left:.1f}" y="{top + 3}" width="12" height="12" fill="{fill}"/>'
        yield _text(left + 17, top + 13, words, kind="note")
        left += width


def _boxes(node: _Node, left: float, top: float, scale: float, whole_ns: int) -> Iterator[str]:
    width = node.ns * scale
    if width < _NARROWEST:
        return
    function = node.function
    place = f" ({function.file}:{function.line})" if function.file else ""
    share = spell_share(node.ns / max(whole_ns, 1))
    hover = safe(f"{function.name}{place}: {spell_ns(node.ns)} a call, {share}")
    room = int((width - 6) / _LETTER)
    label = _text(left + 3, top + 13, _shown(function.name, room)) if room > 2 else ""
    yield (
        f"<g><title>{escape(hover)}</title>"
        f'<rect x="{left:.2f}" y="{top}" width="{width:.2f}" height="{_ROW - 1}" rx="1.5" '
        f'fill="{_colour(_package(function))}"/>{label}</g>'
    )
    for callee in sorted(node.below.values(), key=lambda n: (-n.ns, n.function.name)):
        yield from _boxes(callee, left, top + _ROW, scale, whole_ns)
        left += callee.ns * scale


def _text(left: float, base: float, words: str, *, kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text{of_kind} x="{left:.1f}" y="{base}">{escape(safe(words))}</text>'


def _shown(name: str, room: int) -> str:
    """Return as much of a name as fits: the last of its dotted parts says the most."""
    name = safe(name).replace("<locals>.", "")
    while cell_len(name) > room and "." in name.strip("."):
        name = name.partition(".")[2]
    return cut(name, room, mark="…")


def _package(function: Function) -> str:
    return function.file.partition("/")[0] if function.file else _NOWHERE


def _colour(package: str) -> str:
    if package == _NOWHERE:
        return "#dedede"
    hashed = f"hsl({_HUES[sum(map(ord, package)) % len(_HUES)]},45%,80%)"
    return _FILLS.get(package, hashed)
