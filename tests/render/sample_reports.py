"""Reports to look at, with figures as they were measured on an H200."""

from __future__ import annotations

from tests.render.sample_metrics import (
    ADD,
    ADD_SELF,
    H200,
    KERNEL_COLUMNS,
    MUL,
    SCALE,
    TANH,
    measurements,
    metric,
    split_metrics,
    windows,
)
from tracelens.model.report import (
    Cell,
    Column,
    Environment,
    Finding,
    Report,
    Section,
    Table,
)


def add_small() -> Report:
    """Return a profile of a small add, host-bound, with nothing to complain of."""
    figures = {
        "full/eager": (18300, 17912, 19540),
        "submit/eager": (9120, 8964, 9390),
        "amortised/eager": (8702, 8690, 8731),
        "full/graph": (14020, 13900, 14210),
        "amortised/graph": (2204, 2201, 2219),
        "kernel/eager/busy": (864, 864, 896),
        "kernel/eager/sum": (864, 864, 896),
        "kernel/graph/busy": (848, 832, 864),
        "kernel/graph/sum": (848, 832, 864),
        "undisturbed/before_first": (9730, 9541, 10015),
        "undisturbed/busy": (864, 864, 896),
        "undisturbed/between": (0, 0, 0),
        "undisturbed/after_last": (7540, 7410, 8120),
        "undisturbed/full": (18180, 17800, 19400),
    }
    return Report(
        command="profile",
        environment=H200,
        sections=(
            Section(
                title="Verdict",
                findings=(
                    Finding(
                        tag="verdict/host_bound",
                        severity="info",
                        fact="host-bound: the device is busy 4.7 % of the 18.3 us call; a CUDA "
                        "Graph replay takes 14.0 us",
                        advice="cut the host's work: look at the host table; a faster kernel will "
                        "not be felt",
                    ),
                ),
            ),
            Section(
                title="Split of a call, profiler on",
                metrics=(
                    *split_metrics(41810, 860, 0, 9080, 2110, 12830, 16930),
                    metric("split/windows/count", "windows", 10, "count", "call windows"),
                    metric(
                        "split/device_busy/share",
                        "device busy share",
                        0.0206,
                        "ratio",
                        "(kernel + memory) / wall, the median over the windows",
                    ),
                ),
                tables=(
                    windows(
                        "tracelens::call",
                        *(
                            (
                                1_700_000_000_000_000_000 + 60_000 * i,
                                *(41810 + 30 * i, 860, 0, 9080, 2110, 12830 + 30 * i, 16930),
                                *(860, 1),
                            )
                            for i in range(10)
                        ),
                    ),
                ),
            ),
            Section(
                title="Measurements",
                metrics=(
                    *measurements(figures, noise=0.0421),
                    metric(
                        "perturbation/cpu_cuda",
                        "perturbation",
                        1.6,
                        "ratio",
                        "full call with the profiler on / off: never compare host times across it",
                    ),
                    metric(
                        "cold/first_call",
                        "first call",
                        312_480_113,
                        "ns",
                        "the first call of the process: loading, compiling, tuning",
                    ),
                    metric(
                        "check/max_abs_error",
                        "largest error",
                        0.0,
                        "1",
                        "largest |result - reference|, within atol 0.01 and rtol 0.01",
                    ),
                    metric(
                        "derived/graph_removes",
                        "host cost removed by the graph",
                        4280,
                        "ns",
                        "full/eager - full/graph, medians",
                    ),
                    metric(
                        "derived/graph_fixed",
                        "fixed cost of launch and sync",
                        13172,
                        "ns",
                        "full/graph - device/graph/busy, medians",
                    ),
                ),
            ),
            Section(
                title="Kernels",
                tables=(
                    Table(
                        tag="kernels",
                        columns=KERNEL_COLUMNS,
                        rows=(
                            (
                                *(ADD, None, None, 10, 8640, 1.0, 864, 864, 896),
                                *([1, 1, 1], [128, 1, 1], 9080),
                            ),
                        ),
                    ),
                ),
            ),
            Section(
                title="Profiled pass",
                findings=(
                    Finding(
                        tag="events/pair_cost",
                        severity="info",
                        fact="an empty synchronised call takes 8.7 us here: it is part of every "
                        "full call and was not subtracted",
                        advice="",
                    ),
                ),
            ),
        ),
    )


def unfused_gelu() -> Report:
    """Return an analysis of a trace whose calls launch nine kernels each."""
    kernels = (
        (MUL, 30, 33120, 0.3244, 1088, 1056, 1152, [128, 1, 1], 7610),
        (SCALE, 30, 31264, 0.3062, 1024, 992, 1088, [128, 1, 1], 7424),
        (ADD, 10, 12896, 0.1263, 1280, 1248, 1312, [128, 1, 1], 7520),
        (TANH, 10, 13312, 0.1304, 1312, 1312, 1344, [128, 1, 1], 7392),
        (ADD_SELF, 10, 11520, 0.1128, 1152, 1120, 1184, None, 7456),
    )
    shifts = (0, 820, -1240, 95, 460, -310, 1530, -75, 210, 40)
    return Report(
        command="analyze",
        environment=Environment(
            tracelens="0.1.0",
            device="NVIDIA H200",
            driver="13000",
            cuda="13000",
            trace="unfused_gelu.json.gz",
        ),
        sections=(
            Section(
                title="Split of 10 call windows tracelens::call",
                metrics=split_metrics(141_120, 10_210, 0, 67_570, 4_310, 47_010, 12_030),
                tables=(
                    windows(
                        "tracelens::call",
                        *(
                            (
                                1_700_000_000_000_000_000 + 200_000 * i,
                                *(141_120 + shift, 10_210, 0, 67_570, 4_310, 47_010 + shift),
                                *(12_030, 10_210, 9),
                            )
                            for i, shift in enumerate(shifts)
                        ),
                    ),
                ),
            ),
            Section(
                title="Whole trace",
                metrics=(
                    metric("trace/events/count", "events", 12_408, "count", "in the file"),
                    metric("trace/kernel/count", "kernels", 405, "count", "kernel records"),
                    metric(
                        "trace/kernel/sum",
                        "kernel sum",
                        460_544,
                        "ns",
                        "plain sum of kernel durations; overlapping kernels count twice",
                    ),
                    metric(
                        "trace/host_op/busy",
                        "in framework ops",
                        3_927_031,
                        "ns",
                        "union of cpu_op over all threads",
                    ),
                ),
            ),
            Section(
                title="Kernels",
                tables=(
                    Table(
                        tag="kernels",
                        columns=KERNEL_COLUMNS,
                        rows=tuple(
                            (name, None, None, *times, grid, [128, 1, 1], latency)
                            for name, *times, grid, latency in kernels
                        ),
                    ),
                ),
            ),
        ),
    )


def gems_sigmoid() -> Report:
    """Return a profile with a case and variants, a host table and a warning."""
    rows: tuple[tuple[Cell, ...], ...] = (
        ("python", "op() and what it calls outside framework ops", 51_210, 0.5113),
        ("framework op", "aten::empty_strided", 9_412, 0.094),
        ("launch", "cuLaunchKernelEx", 5_960, 0.0595),
    )
    figures = {
        "full/eager": (100_150, 79_320, 117_480),
        "submit/eager": (88_040, 65_110, 100_870),
        "full/graph": (14_310, 14_190, 14_520),
        "kernel/eager/busy": (896, 864, 928),
        "kernel/eager/sum": (896, 864, 928),
    }
    verdict = (
        "host-bound: the device is busy 0.9 % of the 100 us call; a CUDA Graph replay takes {}"
    )
    return Report(
        command="profile",
        environment=H200,
        sections=tuple(
            section
            for variant, graph in (("eager", "14.3 us"), ("compiled", "13.9 us"))
            for section in (
                Section(
                    title="Verdict",
                    case="4096 fp16",
                    variant=variant,
                    findings=(
                        Finding(
                            tag="verdict/host_bound",
                            severity="info",
                            fact=verdict.format(graph),
                            advice="",
                        ),
                    ),
                ),
                Section(
                    title="Measurements",
                    case="4096 fp16",
                    variant=variant,
                    metrics=measurements(figures, noise=0.183),
                    findings=(
                        Finding(
                            tag="noise/full",
                            severity="warning",
                            fact="full call, eager: IQR / median is 18.3 %; differences below that "
                            "are not seen",
                            advice="pin the process to a core, and close what else runs there",
                        ),
                    ),
                ),
                Section(
                    title="Host time of a call",
                    case="4096 fp16",
                    variant=variant,
                    tables=(
                        Table(
                            tag="host",
                            columns=(
                                Column(name="layer"),
                                Column(name="name"),
                                Column(name="self_ns", unit="ns"),
                                Column(name="share", unit="ratio"),
                            ),
                            rows=rows,
                        ),
                    ),
                ),
            )
        ),
    )
