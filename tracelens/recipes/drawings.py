"""What is drawn of a run, as files for its folder."""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.analyze.functions import function_times
from tracelens.model.measurement import Run, SubjectRun


def drawings(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a sweep and of sampled functions, by name; none where there is neither."""
    yield from _sweep_drawn(run)
    yield from _functions_drawn(run)


def _sweep_drawn(run: Run) -> Iterator[tuple[str, bytes]]:
    from tracelens.render.sweep_plot import plot_sweep

    if run.report is not None:
        yield from plot_sweep(run.report, op=run.op).items()


def _functions_drawn(run: Run) -> Iterator[tuple[str, bytes]]:
    """Give the sampled functions of all subjects, for speedscope and as a flame graph."""
    from tracelens.formats.speedscope import SPEEDSCOPE_NAME, encode_speedscope
    from tracelens.render.flame import FLAME_NAME, render_flame

    times = [
        function_times(found.functions, name=_subject_name(run, found))
        for found in run.subjects
        if found.functions is not None
    ]
    if times:
        yield SPEEDSCOPE_NAME, encode_speedscope(times, name=run.op)
        yield FLAME_NAME, render_flame(times).encode()


def _subject_name(run: Run, found: SubjectRun) -> str:
    return " ".join(filter(None, (run.op, found.subject.case, found.subject.variant)))
