"""The report for a terminal: the verdict first, then each section, findings last."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from tracelens.model.report import Environment, Finding, Report, Section
from tracelens.render.brief import brief
from tracelens.render.changes import changes_grid, take_changes
from tracelens.render.facts import facts_lines, protocol_lines, take_protocol
from tracelens.render.findings import findings_grid, is_verdict, tally, verdict_lines
from tracelens.render.host_alone import without_device
from tracelens.render.page import NARROWEST, Page, heading, rule
from tracelens.render.parts import has_parts, parts_grid, take_parts
from tracelens.render.remedies import is_remedy, remedy_lines
from tracelens.render.safe_text import cut, safe_report
from tracelens.render.samples import samples_grid, take_samples
from tracelens.render.splits import SPLIT, UNDISTURBED
from tracelens.render.tables import table_grid
from tracelens.render.tree import take_trees, tree_grid
from tracelens.render.words import ENVIRONMENT

_LONGEST_FACT = 38
"""Cells of one fact of the environment line: less than the narrowest page."""

_NAMED = 3
"""Subjects that a finding names."""

_ALL = "all cases"
"""What stands above the sections that are about no single one."""

_TRAILING_SPACE = re.compile(r" +$", re.MULTILINE)


def render_text(
    report: Report, *, width: int, color: bool, verbose: bool = False, unicode: bool = True
) -> str:
    """Return the report as lines of at most `width` cells, each with its newline.

    `color` adds escape sequences of the terminal's 16 colours. With `verbose` tables keep all their
    rows. With `unicode` False all is ASCII.
    """
    page = Page(width=max(width, NARROWEST), unicode=unicode, whole=verbose)
    out = io.StringIO()
    console = Console(
        file=out,
        width=page.width,
        height=25,  # unused, but without it a dumb terminal's own width is taken
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    report, left_out = (report, []) if verbose else brief(report)
    for number, block in enumerate(_blocks(safe_report(report, unicode=unicode), left_out, page)):
        if number:
            console.print()
        for line in block:
            console.print(line)
    return _TRAILING_SPACE.sub("", out.getvalue())


Block = Sequence[RenderableType]
"""What stands together, without a blank line."""


def _blocks(report: Report, left_out: Sequence[str], page: Page) -> Iterator[Block]:
    findings = _findings(report, page)
    for advice, verdicts in groupby(filter(is_verdict, findings), key=attrgetter("advice")):
        yield verdict_lines(list(verdicts), advice, page)
    above = ""
    for section in _overview_first(report.sections):
        blocks = list(_section(section, page))
        subject = _subject(section, page)
        if blocks and subject != above:
            above = subject
            yield [rule(subject or _ALL, page)]
        yield from blocks
    environment = _environment(report.environment, page)
    more = f"more with --verbose: {', '.join(left_out)}" if left_out else ""
    last = [Text(line, style="dim") for line in (environment, more) if line]
    if last:
        yield last
    rest = [f for f in findings if not is_verdict(f) and not is_remedy(f)]
    if rest:
        yield [heading("Findings", tally(rest), page), findings_grid(rest, page)]


def _overview_first(sections: Sequence[Section]) -> Sequence[Section]:
    """Return the sections; of several subjects what is about all of them stands first."""
    subjects = {(section.case, section.variant) for section in sections} - {(None, None)}
    if len(subjects) < 2:
        return sections
    return sorted(sections, key=lambda s: (s.case, s.variant) != (None, None))


def _findings(report: Report, page: Page) -> list[Finding]:
    """Return all findings; in a report of several subjects each once, with those it is about."""
    about: dict[Finding, list[str]] = {}
    for section in report.sections:
        for finding in section.findings:
            about.setdefault(finding, []).append(_subject(section, page))
    several = len({(section.case, section.variant) for section in report.sections}) > 1
    return [
        replace(finding, fact=f"{_named(subjects)}{page.dot}{finding.fact}")
        if several and any(subjects)
        else finding
        for finding, subjects in about.items()
    ]


def _named(subjects: Sequence[str]) -> str:
    """Return the first few of several subjects, and how many more there are."""
    names = [name for name in dict.fromkeys(subjects) if name]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _subject(section: Section, page: Page) -> str:
    """Return the case and variant of a section, or nothing where the op has only one."""
    return page.dot.join(name for name in (section.case, section.variant) if name is not None)


def _section(section: Section, page: Page) -> Iterator[Block]:
    """Yield the blocks of a section, each under a title of its own or none."""
    section = without_device(section)
    split, metrics = take_parts(section.metrics, SPLIT)
    undisturbed, metrics = take_parts(metrics, UNDISTURBED)
    sampled, metrics = take_samples(metrics)
    protocol, metrics = take_protocol(metrics)
    changed, metrics = take_changes(metrics)
    wholes, metrics = take_trees(section.tables, metrics)
    titles = iter((section.title,) if section.title else ())
    if has_parts(split, SPLIT):
        note = "each row a median of its own" if _several_windows(section) else ""
        yield [*_title(titles, page, note), parts_grid(split, SPLIT, page)]
    if sampled:
        yield [*_title(titles, page), *samples_grid(sampled, page)]
    if any(metric.value is not None for metric in undisturbed.values()):
        title = heading("Inside the timed calls", "profiler off", page)
        yield [title, parts_grid(undisturbed, UNDISTURBED, page)]
    if any(change.seen for change in changed):
        yield [*_title(titles, page), changes_grid(changed, page)]
    if protocol:
        yield [*_title(titles, page), protocol_lines(protocol, page)]
    if metrics:
        yield [*_title(titles, page), *facts_lines(metrics, page)]
    for table in section.tables:
        whole = wholes.get(table.tag)
        lines = tree_grid(table, whole, page) if whole else table_grid(table, section.metrics, page)
        if lines:
            yield [*_title(titles, page, whole.description if whole else ""), *lines]
    remedies = list(filter(is_remedy, section.findings))
    if remedies:
        yield [*_title(titles, page), *remedy_lines(remedies, page)]


def _title(titles: Iterator[str], page: Page, note: str = "") -> list[RenderableType]:
    """Return the section's title the first time, later nothing."""
    return [heading(title, note, page) for title in titles]


def _several_windows(section: Section) -> bool:
    """Say whether the split is over several windows: its medians need not add up then."""
    counts = (m.value for m in section.metrics if m.tag == "split/windows/count")
    return any(isinstance(count, int) and count > 1 for count in counts)


def _environment(environment: Environment, page: Page) -> str:
    """Return where the numbers come from, on one line: what does not fit stays out."""
    line = ""
    for name, words in ENVIRONMENT:
        value = getattr(environment, name)
        if value is not None:
            fact = cut(words.format(value), _LONGEST_FACT, mark=page.mark)
            longer = f"{line}{page.dot}{fact}" if line else fact
            line = longer if cell_len(longer) <= page.width else line
    return line
