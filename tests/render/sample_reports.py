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
    Column,
    Environment,
    Finding,
    Metric,
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


HOST = Table(
    tag="host",
    columns=(
        Column(name="layer"),
        Column(name="name"),
        Column(name="self_ns", unit="ns"),
        Column(name="share", unit="ratio"),
        Column(name="total_ns", unit="ns"),
        Column(name="count", unit="count"),
        Column(name="median_ns", unit="ns"),
        Column(name="depth", unit="count"),
        Column(name="parent", unit="count"),
    ),
    rows=(
        ("framework op", "aten::sigmoid", 98_560, 0.8461, 109_280, 1, 98_560, 0, None),
        ("framework op", "aten::empty_like", 4_762, 0.0409, 10_720, 1, 4_395, 1, 0),
        ("framework op", "aten::empty_strided", 5_958, 0.0512, 5_958, 1, 6_298, 2, 1),
        ("python", "outside framework ops", 7_202, 0.0618, 7_202, None, 8_222, 0, None),
    ),
)
HOST_SAMPLED = Table(
    tag="host_sampled",
    columns=(
        Column(name="name"),
        Column(name="self_ns", unit="ns"),
        Column(name="share", unit="ratio"),
        Column(name="total_ns", unit="ns"),
        Column(name="error_ns", unit="ns"),
        Column(name="samples", unit="count"),
        Column(name="depth", unit="count"),
        Column(name="parent", unit="count"),
        Column(name="file"),
        Column(name="line", unit="count"),
    ),
    rows=(
        ("triton launcher", 0, 0.0, 41_250, 553, 7_834, 0, None, None, None),
        ("specialisation", 0, 0.0, 26_000, 561, 4_938, 1, 0, None, None),
        ("dynamic_func (jit.py:378)", 26_000, 0.4, 26_000, 561, 4_938, 2, 1, "triton/jit.py", 378),
        ("JITFunction.run (jit.py:560)", 0, 0.0, 15_250, 486, 2_896, 1, 0, "triton/jit.py", 560),
        ("jit.py:577 device = driver.active", 9_750, 0.15, 9_750, 410, 1_852, 2, 3, "j.py", 577),
        ("jit.py:579 stream = driver.active", 5_500, 0.0846, 5_500, 320, 1_044, 2, 3, "j.py", 579),
        ("FlagGems", 23_750, 0.3654, 23_750, 553, 4_511, 0, None, None, None),
    ),
)


def whole(tag: str, name: str, value: int, description: str) -> Metric:
    """Return what a tree divides."""
    return Metric(tag=f"{tag}/whole", name=name, value=value, unit="ns", description=description)


def gems_sigmoid() -> Report:
    """Return a profile with a case and variants, two trees of the host, a remedy and a warning."""
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
                    title="Host dispatch of a call, profiler on",
                    case="4096 fp16",
                    variant=variant,
                    metrics=(whole("host", "host dispatch", 116_482, "the middle window of 25"),),
                    tables=(HOST,),
                ),
                Section(
                    title="Host time of a call by function, profiler off",
                    case="4096 fp16",
                    variant=variant,
                    metrics=(
                        whole("host_sampled", "host time of a call", 65_000, "12,345 samples"),
                    ),
                    tables=(HOST_SAMPLED,),
                ),
                Section(
                    title="What would help",
                    case="4096 fp16",
                    variant=variant,
                    findings=(
                        Finding(
                            tag="help/graph",
                            severity="info",
                            fact="a CUDA Graph removes 85.8 us of the full call: 100 us eager, "
                            "14.3 us replayed (medians, profiler off)",
                            advice="capture with torch.cuda.graph where shapes and addresses stay "
                            "the same",
                        ),
                    ),
                ),
            )
        ),
    )
