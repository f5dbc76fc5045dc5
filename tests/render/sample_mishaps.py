"""Reports of what was not measured, went wrong, or means harm."""

from __future__ import annotations

from tests.render.sample_metrics import (
    H200,
    measurements,
    metric,
    split_metrics,
)
from tracelens.model.report import (
    Column,
    Environment,
    Finding,
    Report,
    Section,
    Table,
)


def cpu_only() -> Report:
    """Return a profile on a machine without a GPU: what needs one is null."""
    figures = {
        "full/eager": (2_482, 2_431, 2_590),
        "submit/eager": (2_475, 2_420, 2_583),
        "amortised/eager": (2_290, 2_281, 2_304),
    }
    return Report(
        command="profile",
        environment=Environment(
            tracelens="0.1.0",
            torch="2.13.0+cpu",
            python="3.11.7",
            cpu="AMD EPYC 9B14",
            os="Linux 6.8.0",
        ),
        sections=(
            Section(
                title="Verdict",
                findings=(
                    Finding(
                        tag="verdict/host_only",
                        severity="info",
                        fact="on the CPU with 2 threads: the call takes 2.48 us, 2.29 us back to "
                        "back",
                        advice="see below what it is made of",
                    ),
                ),
            ),
            Section(
                title="20 call windows tracelens::call",
                metrics=(
                    *split_metrics(6_956, None, None, 0, 0, 6_956, 0),
                    metric("split/windows/count", "windows", 20, "count", "call windows"),
                    metric("split/device_busy/share", "device busy share", None, "ratio", ""),
                ),
            ),
            Section(
                title="Host time of a call by op, profiler on",
                metrics=(
                    metric("host/whole", "host time of a call", 6_956, "ns", "of the one window"),
                ),
                tables=(_host_tree(),),
            ),
            Section(
                title="Measurements",
                metrics=(
                    *measurements(figures, noise=0.031),
                    metric("protocol/device", "on", "cpu", "", "protocol of the run"),
                    metric("protocol/threads", "CPU threads", 2, "count", "protocol of the run"),
                    metric("protocol/cache_state", "cache", "warm", "", "protocol of the run"),
                    metric(
                        "check/max_abs_error",
                        "largest error",
                        2.384185791015625e-07,
                        "1",
                        "largest |result - reference|, within atol 1e-06 and rtol 0",
                    ),
                ),
                findings=(
                    Finding(
                        tag="device/none",
                        severity="info",
                        fact="torch sees no CUDA device: device times, graph replay and the inside "
                        "of the timed calls are null",
                        advice="run on a machine with a CUDA device",
                    ),
                ),
            ),
        ),
    )


def _host_tree() -> Table:
    columns = ("layer", "name", "self_ns", "total_ns", "count", "depth", "parent")
    units = {"self_ns": "ns", "total_ns": "ns", "count": "count"}
    return Table(
        tag="host",
        columns=tuple(Column(name=name, unit=units.get(name)) for name in columns),
        rows=(
            ("python", "outside framework ops", 5_749, 5_749, None, 0, None),
            ("framework op", "aten::add", 1_207, 1_207, 1, 0, None),
        ),
    )


def ended_early() -> Report:
    """Return a profile that ended with an illegal memory access, with a trace that lost records."""
    return Report(
        command="profile",
        environment=H200,
        sections=(
            Section(
                title="Verdict",
                findings=(
                    Finding(
                        tag="verdict/none",
                        severity="error",
                        fact="nothing was measured: the run ended before the first timed call",
                        advice="read the findings below",
                    ),
                ),
            ),
            Section(
                title="Split of a call, profiler on",
                metrics=split_metrics(41_810, None, None, 9_080, 2_110, 12_830, 17_790),
            ),
            Section(
                title="Measurements",
                findings=(
                    Finding(
                        tag="device/clock",
                        severity="warning",
                        fact="the SM clock fell from 1980 to 1410 MHz while calls were timed",
                        advice="let the card cool down, or lock its clocks",
                    ),
                    Finding(
                        tag="graph/capture",
                        severity="info",
                        fact="the op is not capturable: operation not permitted when stream is "
                        "capturing",
                        advice="",
                    ),
                    Finding(
                        tag="run/ended_early",
                        severity="error",
                        fact="the run ended during 'full call': the process died of signal 11 "
                        "(13 quantities were not measured; what stands here was measured before)",
                        advice="run the op under compute-sanitizer",
                    ),
                ),
            ),
        ),
    )


HOSTILE = "[bold]x[/bold] \x1b[31mred\x1b[0m\x9b2J\u202egnp.exe\u200b\ud800\r\n\tend"


def strange() -> Report:
    """Return a report of sections, metrics and tables that no layout knows, with hostile names."""
    columns = tuple(Column(name=f"column_{n}_ns", unit="ns") for n in range(9))
    return Report(
        command="moon",
        environment=Environment(device=HOSTILE, trace="x" * 300),
        sections=(
            Section(
                title=f"Moon {HOSTILE}",
                metrics=(
                    metric("moon/phase", HOSTILE, "waxing", "", HOSTILE),
                    metric("moon/full", "full", True, "", "whether it is"),
                    metric("moon/area", "area", 3.793e13, "m2", "of its surface"),
                    metric("moon/mass", "mass", 1.25, "", "in units of its own"),
                    metric("moon/unknown", "unknown", None, "ns", "nobody knows"),
                    metric("moon/tiny", "tiny", 3, "ns", "never shown as nothing"),
                    metric("moon/share", "share", 0.25, "ratio", "of the sky"),
                    metric("moon/bytes", "size", 1_048_576, "bytes", "of its image"),
                    metric("tide/median", "tide", 1_500, "ns", "a median of its own"),
                ),
                tables=(
                    Table(
                        tag="craters",
                        columns=(Column(name="name"), Column(name="shape"), *columns),
                        rows=tuple(
                            (f"{HOSTILE} {row}", [row, 2], *(row * 1000 * n for n in range(9)))
                            for row in range(25)
                        ),
                    ),
                    Table(tag="nothing", columns=(Column(name="name"),), rows=()),
                    Table(
                        tag="fields",
                        columns=(Column(name="fields"), Column(name="size", unit="bytes")),
                        rows=(({"tile": 128, "warp": None, "kind": HOSTILE}, 4), (None, None)),
                    ),
                ),
                findings=(Finding(tag="moon/x", severity="warning", fact=HOSTILE, advice=HOSTILE),),
            ),
            Section(title="Empty"),
        ),
    )
