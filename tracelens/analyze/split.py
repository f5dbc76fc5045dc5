"""The split of each window: which of six parts holds at each nanosecond. Exact by construction.

All windows are laid end to end on one line, so that one partition serves them all.
"""

from __future__ import annotations

from dataclasses import dataclass

from tracelens.analyze.line import Line
from tracelens.analyze.queueing import queued_behind_others
from tracelens.analyze.sight import Sight
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import Windows
from tracelens.model.intervals import Int64s, Intervals, partition


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Times in int64 ns, one entry per window.

    `kernel_ns + memory_ns + launch_ns + sync_ns + host_dispatch_ns + return_ns == wall_ns`, and
    `launch_in_call_ns + launch_before_first_ns + launch_between_ns == launch_ns`. The others stand
    beside the split: `launch_queued_ns` is the part of launch spent behind another window's work,
    `host_in_ops_ns` the part of host dispatch inside framework ops, `host_hidden_ns` the host's
    work while the device was busy. `outside_ns` is device work of the window that its end cuts off.
    """

    wall_ns: Int64s
    kernel_ns: Int64s
    memory_ns: Int64s
    launch_ns: Int64s
    sync_ns: Int64s
    host_dispatch_ns: Int64s
    return_ns: Int64s
    kernel_sum_ns: Int64s
    kernel_count: Int64s
    launch_in_call_ns: Int64s
    launch_before_first_ns: Int64s
    launch_between_ns: Int64s
    launch_queued_ns: Int64s
    host_in_ops_ns: Int64s
    host_hidden_ns: Int64s
    outside_ns: Int64s


def split(timeline: Timeline, windows: Windows) -> Split:
    """Split every window."""
    line = Line.of(windows.starts, windows.ends)
    sight = Sight(timeline, windows, line)
    kernel, memory, launch, sync, dispatch, unwinding = placed_parts(sight)
    busy, waits = kernel.union(memory), sight.waits()
    in_call = launch.intersect(sight.launch_calls())
    before_first = launch.subtract(in_call).intersect(sight.before_first(busy))
    launch_ns, in_call_ns = line.lengths_ns(launch), line.lengths_ns(in_call)
    before_first_ns = line.lengths_ns(before_first)
    kernel_sum_ns, kernel_count = sight.kernel_sums()
    return Split(
        wall_ns=windows.ends - windows.starts,
        kernel_ns=line.lengths_ns(kernel),
        memory_ns=line.lengths_ns(memory),
        launch_ns=launch_ns,
        sync_ns=line.lengths_ns(sync),
        host_dispatch_ns=line.lengths_ns(dispatch),
        return_ns=line.lengths_ns(unwinding),
        kernel_sum_ns=kernel_sum_ns,
        kernel_count=kernel_count,
        launch_in_call_ns=in_call_ns,
        launch_before_first_ns=before_first_ns,
        launch_between_ns=launch_ns - in_call_ns - before_first_ns,
        launch_queued_ns=line.lengths_ns(launch.intersect(queued_behind_others(sight))),
        host_in_ops_ns=line.lengths_ns(dispatch.intersect(sight.framework_ops())),
        host_hidden_ns=line.lengths_ns(busy.subtract(waits)),
        outside_ns=sight.outside_ns(busy),
    )


def placed_parts(sight: Sight) -> list[Intervals]:
    """Return when each of the six parts holds, on the line of windows, in their order."""
    kernels = sight.device(sight.timeline.kernels)
    copies = sight.device(~sight.timeline.kernels)
    dispatching = sight.dispatching(kernels.union(copies))
    return partition(
        [kernels, copies, sight.in_flight(), sight.waits(), dispatching], sight.line.whole
    )
