"""What would leave the machine, for its owner to look at before it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracelens.render.safe_text import safe


def render_check(
    replaced: Mapping[tuple[str, str], int], texts: Mapping[str, Sequence[str]]
) -> str:
    """Return what was replaced, then every string that is left, file by file.

    `replaced` counts by kind and string. The first part holds what must not leave.
    """
    return "\n".join((*_replaced(replaced), "", *_left(texts))) + "\n"


def _replaced(replaced: Mapping[tuple[str, str], int]) -> Iterator[str]:
    if not replaced:
        yield "Replaced: nothing private was found."
        return
    yield f"Replaced: {sum(replaced.values()):,} strings. They stay on this machine:"
    for (kind, text), count in sorted(replaced.items(), key=lambda item: (item[0][0], -item[1])):
        yield f"  {count:>7,} x  {kind:<20}  {safe(text)}"


def _left(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield "Would leave this machine:"
    for name, strings in texts.items():
        if len(strings) == 1:
            yield f"\n== {safe(name)}, all of it"
            yield from (_safe_line(line) for line in strings[0].splitlines())
        else:
            yield f"\n== {safe(name)}, {len(strings):,} different strings, and numbers"
            yield from (f"  {safe(text)}" for text in strings if text)


def _safe_line(line: str) -> str:
    """Return a line of source without what a terminal would act on; its indent stays."""
    return line[: len(line) - len(line.lstrip(" "))] + safe(line)
