"""Trace or measurements in, sections out. Pure numpy: no file, no print, no plot."""

from collections.abc import Callable

from tracelens.analyze.all_subjects import run_wide_sections, variant_sections
from tracelens.analyze.bounds import mark_lower_bounds
from tracelens.analyze.doctor import doctor
from tracelens.analyze.graphs import graphs
from tracelens.analyze.host import host
from tracelens.analyze.kernel_shapes import kernel_shapes
from tracelens.analyze.kernels import kernels
from tracelens.analyze.launch_runs import launch_runs
from tracelens.analyze.launch_table import launch_table
from tracelens.analyze.names import decode
from tracelens.analyze.names_section import names_section
from tracelens.analyze.notable import notable
from tracelens.analyze.ops import ops
from tracelens.analyze.parts import split_tracks
from tracelens.analyze.ran import Ran
from tracelens.analyze.remedies import remedies_of_trace
from tracelens.analyze.run_report import run_sections
from tracelens.analyze.streams import streams
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.totals import totals
from tracelens.analyze.window_table import window_table
from tracelens.analyze.windows import Windows, choose
from tracelens.model.report import Section

Analysis = Callable[[Timeline, Windows], Section]

ANALYSES: tuple[Analysis, ...] = (
    window_table,
    host,
    remedies_of_trace,
    totals,
    kernels,
    kernel_shapes,
    ops,
    graphs,
    launch_runs,
    streams,
    notable,
)
"""Every analysis of a trace, in the order of the report."""

__all__ = [
    "ANALYSES",
    "Analysis",
    "Ran",
    "Timeline",
    "Windows",
    "choose",
    "decode",
    "doctor",
    "launch_table",
    "mark_lower_bounds",
    "names_section",
    "run_sections",
    "run_wide_sections",
    "split_tracks",
    "variant_sections",
]
