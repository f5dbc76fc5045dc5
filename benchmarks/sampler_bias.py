"""How true the samplers of Python functions are, and what they cost: busy-waits of known length.

A wait of 400 us stands alone in its function; a wait of 100 us stands beside about 300 us of small
Python calls, where a sampler that waits for the interpreter goes wrong; the same again inside an op
that launches kernels, where there is a GPU. Every way samples the same loop of calls: blocks under
the sampler and without alternate, and a function's time is its share of the samples times the wall
of the calls without. py-spy cannot be paused: its calls run before, under and after it.

A copy of a stack that changes meanwhile mixes two moments: two short functions that are called in
turn through C code show how many samples name a caller that never was.

Op files that are named are sampled too, and what it cost their calls is printed.

    python benchmarks/sampler_bias.py [op.py ...]
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

import torch

from tracelens.analyze.host_sampled import slowed
from tracelens.measure.choice import choose_device
from tracelens.measure.device import Unavailable
from tracelens.measure.functions import sample_functions
from tracelens.measure.inputs import make_inputs
from tracelens.measure.op_file import load_op
from tracelens.measure.sampling.memory_sampler import memory_sampler
from tracelens.measure.sampling.sampler import PAUSE_NS, Counted, Line, Sampler, call_in_a_row
from tracelens.measure.sampling.signal_sampler import signal_sampler
from tracelens.measure.timing import Timed, warm_up
from tracelens.model.functions import FunctionSamples

SAMPLES = 12_000
BUDGET_NS = 6_000_000_000
PY_SPY_S = 4
HEAVY_NS = 300_000


def planted(length_ns: int) -> None:
    end_ns = time.perf_counter_ns() + length_ns
    while time.perf_counter_ns() < end_ns:
        pass


def smallest(value: int) -> int:
    return value + 1


def small(value: int) -> int:
    return smallest(value) + smallest(value + 1)


def call_heavy(calls: int) -> None:
    for value in range(calls):
        small(value)


def heavy_calls() -> int:
    """Return how many small calls last for about as long as is wanted here."""
    call_heavy(1_000)
    begun_ns = time.perf_counter_ns()
    call_heavy(10_000)
    return max(1, round(10_000 * HEAVY_NS / (time.perf_counter_ns() - begun_ns)))


@dataclass(frozen=True)
class Plant:
    """A call with a wait of known length in the function `planted`."""

    name: str
    call: Callable[[], object]
    truth_ns: int


def plants() -> Iterator[Plant]:
    calls = heavy_calls()

    def beside() -> None:
        call_heavy(calls)
        planted(100_000)

    yield Plant("400 us alone", partial(planted, 400_000), 400_000)
    yield Plant("100 us beside calls", beside, 100_000)
    if torch.cuda.is_available():
        x = torch.ones(4096, device="cuda")

        def among_launches() -> torch.Tensor:
            y = x + 1
            call_heavy(calls)
            planted(100_000)
            return y * 2

        yield Plant("100 us among launches", among_launches, 100_000)


class FramesThread:
    """A thread that looks at `sys._current_frames` whenever the interpreter lets it."""

    way = "signal"  # the record knows no third way; nothing of it is kept

    def __init__(self) -> None:
        self._counts: Counter[tuple[Line, ...]] = Counter()
        self._sampling = threading.Event()
        self._pause_s = PAUSE_NS / 1e9
        self._ended = False
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def resume(self, *, pause_ns: int = PAUSE_NS) -> None:
        self._pause_s = pause_ns / 1e9
        self._sampling.set()

    def pause(self) -> Counted:
        self._sampling.clear()
        return Counted(sum(self._counts.values()))

    def stacks(self) -> dict[tuple[Line, ...], int]:
        self._ended = True
        self._sampling.set()
        self._thread.join()
        return self._counts

    def _run(self) -> None:
        while self._sampling.wait() and not self._ended:
            time.sleep(random.uniform(0, 2 * self._pause_s))
            lines: list[Line] = []
            frame: FrameType | None = sys._current_frames()[self._watched]
            while frame is not None and frame.f_code is not call_in_a_row.__code__:
                lines.append((frame.f_code, frame.f_lasti))
                frame = frame.f_back
            if frame is not None:
                self._counts[tuple(reversed(lines))] += 1


@contextmanager
def frames_thread(interval_s: float) -> Iterator[Sampler]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval_s)
    try:
        yield FramesThread()
    finally:
        sys.setswitchinterval(before)


WAYS: dict[str, Callable[[], object]] = {
    "another process reads memory": memory_sampler,
    "timer signal": signal_sampler,
    "frames thread, 5 ms switch": partial(frames_thread, 0.005),
    "frames thread, 0.1 ms switch": partial(frames_thread, 0.0001),
}


@dataclass(frozen=True)
class Row:
    way: str
    plant: str
    found_ns: float
    error_ns: float
    truth_ns: int
    slowed: float
    samples: int
    took_s: float

    def __str__(self) -> str:
        off = self.found_ns / self.truth_ns - 1
        return (
            f"{self.way:30} {self.plant:22} {self.found_ns / 1e3:8.1f} us +/- "
            f"{self.error_ns / 1e3:4.1f}  {off:+7.1%}  call x{self.slowed:5.3f}  "
            f"{self.samples:6d} samples in {self.took_s:4.1f} s"
        )


@dataclass(frozen=True)
class Taken:
    """Samples inside `planted`, of how many; the wall of a call without and under; how long."""

    inside: int
    samples: int
    plain_ns: float
    sampled_ns: float
    took_s: float

    def row(self, way: str, plant: Plant) -> Row:
        """Make a row; the error is one standard deviation of a binomial share."""
        share = self.inside / max(self.samples, 1)
        error = (share * (1 - share) / max(self.samples, 1)) ** 0.5
        return Row(
            way=way,
            plant=plant.name,
            found_ns=share * self.plain_ns,
            error_ns=error * self.plain_ns,
            truth_ns=plant.truth_ns,
            slowed=self.sampled_ns / self.plain_ns,
            samples=self.samples,
            took_s=self.took_s,
        )


def taken(call: Callable[[], object], way: Callable[[], object]) -> tuple[FunctionSamples, float]:
    device = choose_device((), wanted=None, settled=False)
    subject = Timed(call=call, device=device, grad="no_grad")
    warm_up(subject, calls=5, duration_ns=200_000_000)
    begun_s = time.perf_counter()
    with way() as sampler:  # type: ignore[attr-defined]
        found = sample_functions(subject, sampler, samples=SAMPLES, budget_ns=BUDGET_NS)
    return found, time.perf_counter() - begun_s


def ours(way: str, plant: Plant) -> Row:
    found, took_s = taken(plant.call, WAYS[way])
    inside = sum(
        stack.count
        for stack in found.stacks
        if any(found.frames[place].function == "planted" for place in stack.frames)
    )
    plain = statistics.median(found.plain_ns)
    sampled = plain * (slowed(found) or 0.0)
    return Taken(inside, found.samples, plain, sampled, took_s).row(way, plant)


def py_spy(way: str, plant: Plant, *flags: str) -> Row:
    call_in_a_row(plant.call, 50)
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw.txt")
        before_ns = mean_ns(plant.call, 1.0)
        begun_s = time.perf_counter()
        command = ["py-spy", "record", "--pid", str(os.getpid()), "--rate", "3000"]
        command += ["--format", "raw", "--output", str(raw), *flags]
        spy = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mean_ns(plant.call, 0.7)  # it looks around first
        under_ns = mean_ns(plant.call, PY_SPY_S)
        spy.send_signal(signal.SIGINT)
        spy.wait(30)
        took_s = time.perf_counter() - begun_s
        after_ns = mean_ns(plant.call, 1.0)
        inside = whole = 0
        for line in raw.read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            below = stack.partition("call_in_a_row")[2]
            whole += int(count) * bool(below)
            inside += int(count) * ("planted" in below)
    return Taken(inside, whole, (before_ns + after_ns) / 2, under_ns, took_s).row(way, plant)


def mean_ns(call: Callable[[], object], length_s: float) -> float:
    begun_ns, calls = time.perf_counter_ns(), 0
    while time.perf_counter_ns() - begun_ns < length_s * 1e9:
        call_in_a_row(call, 10)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        calls += 10
    return (time.perf_counter_ns() - begun_ns) / calls


def first(value: int) -> int:
    return inside_first(value)


def inside_first(value: int) -> int:
    return sum(range(40)) + value


def second(value: int) -> int:
    return inside_second(value)


def inside_second(value: int) -> int:
    return sum(range(60)) - value


def in_turn() -> None:
    sorted([1], key=first)
    sorted([1], key=second)


POSSIBLE = {
    (),
    *(("in_turn",), ("in_turn", "first"), ("in_turn", "second")),
    *(("in_turn", "first", "inside_first"), ("in_turn", "second", "inside_second")),
}


def report_mixed() -> None:
    """Print how many stacks are none that the calls ever had."""
    found, _ = taken(in_turn, memory_sampler)
    mixed = sum(
        stack.count
        for stack in found.stacks
        if tuple(found.frames[place].function for place in stack.frames) not in POSSIBLE
    )
    print(
        f"calls of {statistics.median(found.plain_ns) / 1e3:.1f} us in turn: {mixed} of "
        f"{found.samples} stacks are mixed, {found.unread} more could not be read"
    )


def report_op(path: Path) -> None:
    """Sample an op file's last variant, and print what it cost and where the calls were."""
    op = load_op(path)
    if op.setup:
        op.setup()
    inputs = make_inputs(op, op.cases[0], seed=0)
    found, took_s = taken(partial(op.variants[-1].call, *inputs), memory_sampler)
    plain = statistics.median(found.plain_ns)
    print(
        f"{path.name:30} {plain / 1e3:8.1f} us a call, under the sampler x{slowed(found):5.3f}, "
        f"{found.samples} samples in {took_s:.1f} s, {found.unread} unread"
    )
    for stack in found.stacks[:6]:
        frame = found.frames[stack.frames[-1]] if stack.frames else None
        where = f"{frame.function} {frame.file}:{frame.line}" if frame else "no Python function"
        print(f"    {stack.count / found.samples * plain / 1e3:6.1f} us  {where}")


def main() -> None:
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} processors")
    for plant in plants():
        for way in WAYS:
            try:
                print(ours(way, plant), flush=True)
            except Unavailable as reason:
                print(f"{way:30} {plant.name:22} {reason.reason}", flush=True)
        if shutil.which("py-spy"):
            print(py_spy("py-spy", plant), flush=True)
            print(py_spy("py-spy --nonblocking", plant, "--nonblocking"), flush=True)
    report_mixed()
    for path in sys.argv[1:]:
        report_op(Path(path))


if __name__ == "__main__":
    main()
