"""The pieces that sample reports are made of, as the analyses make them."""

from __future__ import annotations

from tracelens.model.report import (
    Column,
    Environment,
    Metric,
    Table,
    Value,
)

H200 = Environment(
    tracelens="0.1.0",
    device="NVIDIA H200",
    device_count=1,
    compute_capability="9.0",
    multiprocessors=132,
    driver="580.95.05",
    cuda="13.0",
    torch="2.11.0+cu130",
    triton="3.6.0",
    python="3.12.11",
    cpu="Intel Xeon Platinum 8480C",
    os="Linux 6.8.0",
)

ADD = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul>)"
)
ADD_SELF = ADD.replace("CUDAFunctor_add", "CUDAFunctorOnSelf_add").replace("3ul", "2ul")
_FUNCTOR = (
    "at::native::{}<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >"
)
MUL = ADD.replace("at::native::CUDAFunctor_add<c10::BFloat16>", _FUNCTOR.format("BinaryFunctor"))
SCALE = MUL.replace("BinaryFunctor", "AUnaryFunctor").replace("3ul", "2ul")
TANH = ADD.replace(
    "at::native::CUDAFunctor_add<c10::BFloat16>",
    "at::native::tanh_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::"
    "{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}",
).replace("3ul", "2ul")

PARTS = (
    ("wall", "wall", "the whole window"),
    ("kernel", "kernel", "at least one of the window's kernels runs"),
    ("memory", "memory", "no kernel runs, a copy or set does"),
    ("launch", "launch", "the device is idle, a launch is in flight"),
    ("sync", "sync", "none of these, the host waits in a sync call"),
    ("host_dispatch", "host dispatch", "none of these, a later launch is still to begin"),
    ("return", "return", "none of these: no launch is left, the host unwinds"),
)

KERNEL_COLUMNS = (
    Column(name="name"),
    Column(name="family"),
    Column(name="config"),
    Column(name="count", unit="count"),
    Column(name="total_ns", unit="ns"),
    Column(name="share", unit="ratio"),
    Column(name="median_ns", unit="ns"),
    Column(name="q20_ns", unit="ns"),
    Column(name="q80_ns", unit="ns"),
    Column(name="grid"),
    Column(name="block"),
    Column(name="launch_latency_median_ns", unit="ns"),
)


def split_metrics(*values: int | None) -> tuple[Metric, ...]:
    return tuple(
        Metric(tag=f"split/{tag}/median", name=name, value=value, unit="ns", description=meaning)
        for (tag, name, meaning), value in zip(PARTS, values, strict=True)
    )


def sampled(
    tag: str,
    name: str,
    values: tuple[int, int, int] | None,
    description: str,
    *,
    samples: int = 200,
    noise: float | None = None,
) -> tuple[Metric, ...]:
    """Return a median with its companions; `values` are median, q20 and q80."""
    ends = zip(("median", "q20", "q80"), values or (None, None, None), strict=True)
    return (
        *(
            Metric(
                tag=f"{tag}/{end}",
                name=name,
                value=value,
                unit="ns",
                description=description if values else "not measured",
                noise=noise if end == "median" else None,
            )
            for end, value in ends
        ),
        Metric(
            tag=f"{tag}/samples",
            name=f"{name}: samples",
            value=samples if values else 0,
            unit="count",
            description="each over 1 call",
        ),
    )


def metric(tag: str, name: str, value: Value, unit: str, description: str) -> Metric:
    return Metric(tag=tag, name=name, value=value, unit=unit, description=description)


FULL = "synchronize; t0; op(*inputs); synchronize; t1 (warm cache)"
REPLAY = "synchronize; t0; graph.replay(); synchronize; t1 (warm cache)"
SUBMIT = "until the call returns: the device may still be running (warm cache)"
AMORTISED = "50 calls, one synchronize, divided by 50 (warm cache)"
BUSY = "union of the kernel intervals of one call, from the device timeline"
SUM = "plain sum of the kernel durations of one call"
INSIDE = "of the timed full calls, from CUPTI's kernel records"


def measurements(
    figures: dict[str, tuple[int, int, int] | None], *, noise: float | None
) -> tuple[Metric, ...]:
    """Return the metrics of a profile; a figure that is not given was not measured."""
    rows = (
        ("full/eager", "full call, eager", FULL),
        ("submit/eager", "submit, eager", SUBMIT),
        ("amortised/eager", "amortised call, eager", AMORTISED),
        ("full/graph", "full call, graph", REPLAY),
        ("amortised/graph", "amortised call, graph", AMORTISED.replace("calls", "replays")),
        ("kernel/eager/busy", "kernels busy, eager", BUSY),
        ("kernel/eager/sum", "kernel sum, eager", SUM),
        ("kernel/graph/busy", "kernels busy, graph", BUSY),
        ("kernel/graph/sum", "kernel sum, graph", SUM),
        ("undisturbed/before_first", "before the first kernel", INSIDE),
        ("undisturbed/busy", "device busy", INSIDE),
        ("undisturbed/between", "idle between kernels", INSIDE),
        ("undisturbed/after_last", "after the last kernel", INSIDE),
        ("undisturbed/full", "full call", INSIDE),
    )
    return tuple(
        found
        for tag, name, includes in rows
        for found in sampled(
            tag,
            name,
            figures.get(tag),
            includes,
            samples=10 if tag.startswith("kernel") else 200,
            noise=noise if figures.get(tag) else None,
        )
    )


def windows(name: str, *rows: tuple[int, ...]) -> Table:
    """Return a table of windows: start, wall, kernel, memory, launch, sync, dispatch, return."""
    parts = ("wall", "kernel", "memory", "launch", "sync", "host_dispatch", "return")
    return Table(
        tag="windows",
        columns=(
            Column(name="name"),
            *(Column(name=f"{n}_ns", unit="ns") for n in ("start", *parts, "kernel_sum")),
            Column(name="kernel_count", unit="count"),
        ),
        rows=tuple((name, *row) for row in rows),
    )
