"""How much of real kernel names is read, and that the time grows with a name's length and no more.

    python benchmarks/kernel_coverage.py [FILE]

The first table counts, by family, the names of FILE (one a line; the public names of the fixtures
by default) that get a family and a configuration. Not every name holds a configuration: a Triton
kernel's holds none. The second gives the same shares of the kernel time of the recorded traces.

The third reads names of twice the length, five times over: for each family a name of its own,
stretched in the ways of `STRETCHES`, of which the slowest stands; then hostile names that are aimed
at one part of the reader each. Each is read as it is, and with a sign at its end that no name has:
then nothing fits the whole of it. Times are ms of CPU time, the shortest of some readings.
`growth` is the time of the longest over that of half its length: 2 is linear, 4 is quadratic.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import thread_time_ns

import numpy as np

from tracelens.analyze.names import LENGTH_READ, decode
from tracelens.analyze.names.config import spell_config
from tracelens.formats import read_trace
from tracelens.model.trace import KERNEL

FIXTURES = Path(__file__).parent.parent / "fixtures"
SEEN = FIXTURES / "kernel_names" / "seen.txt"
HANDED = FIXTURES / "kernel_names" / "names.tsv"
TRACES = FIXTURES / "traces"

LENGTHS = tuple(LENGTH_READ >> halved for halved in range(4, -1, -1))
TRIALS = 5

STRETCHES: Mapping[str, Callable[[str], str]] = {
    "the end again and again": lambda name: name + name[len(name) // 2 :] * LENGTH_READ,
    "every bracket opened again": lambda name: name + name.partition("<")[0][-30:] * LENGTH_READ,
    "nested in itself": lambda name: (name.rstrip(">()") + "<") * LENGTH_READ,
    "its function again and again": lambda name: (
        name.partition("<")[0]
        + name.partition("<")[0].rpartition(":")[2].rpartition(" ")[2] * LENGTH_READ
    ),
}

HOSTILE = {
    "opening brackets": "void f" + "<" * LENGTH_READ,
    "brackets of two sorts": "void f" + "<(" * LENGTH_READ,
    "comparisons": "void f<" + "((8)>(0))&&" * LENGTH_READ,
    "wrapped functors": "void at::native::elementwise_kernel<128, 2, "
    + "BinaryFunctor<" * LENGTH_READ,
    "one long namespace": "at::native::" + "a::" * LENGTH_READ,
    "one long word": "at::native::" + "a" * LENGTH_READ,
    "a telling word": "at::native::" + "scan" * LENGTH_READ,
    "a word of roles": "cudnn::" + "OpA" * LENGTH_READ,
    "words of nvjet": "nvjet_sm90_tst_64x8_64x16_4x1" + "_v" * LENGTH_READ,
    "digits": "triton__" + "1" * LENGTH_READ + "x",
    "fused ops": "triton_poi_fused_" + "native_layer_" * LENGTH_READ,
    "nested attention types": "void cutlass::device_kernel<flash::FlashAttn"
    + "CollectiveMainloopFwdSm90<" * LENGTH_READ,
    "template arguments": "void ck::f<ck::G<" + "1, " * LENGTH_READ,
    "mangled components": "_ZN" + "2ck" * LENGTH_READ,
    "mangled back references": "_Z1f1pIiiE" + "S_IS0_S0_E" * LENGTH_READ,
}


def print_coverage(names: list[str]) -> None:
    """Print the share of names with a family and with a configuration, whole and by family."""
    families: Counter[str] = Counter()
    configured: Counter[str] = Counter()
    for name in names:
        read = decode(name)
        family = read.family or "(unknown)"
        families[family] += 1
        configured[family] += bool(spell_config(read))
    known = len(names) - families["(unknown)"]
    print(f"{len(names)} names, {known / len(names):.1%} with a family, ", end="")
    print(f"{configured.total() / len(names):.1%} with a configuration\n")
    print(f"{'family':24}{'names':>7}{'configured':>12}")
    for family, count in families.most_common():
        print(f"{family:24}{count:7}{configured[family]:12}")


def print_time_covered(traces: Iterable[Path]) -> None:
    """Print the share of the recorded kernel time with a family and with a configuration."""
    whole, known, configured = 0, 0, 0
    count = 0
    for path in traces:
        trace = read_trace(path)
        work = trace.device_work.take(trace.device_work.kind == KERNEL)
        count += 1
        for number in np.unique(work.name).tolist():
            took_ns = int(work.duration_ns[work.name == number].sum())
            read = decode(trace.names[number])
            whole += took_ns
            known += took_ns * (read.family is not None)
            configured += took_ns * bool(spell_config(read))
    print(f"\n{whole / 1e6:.1f} ms of kernels in {count} recorded traces, ", end="")
    print(f"{known / whole:.1%} with a family, {configured / whole:.1%} with a configuration")


def time_to_read(name: str) -> int:
    """Return the shortest of some readings, in ns of CPU time, of the ending that takes longer."""
    return max(
        min(_time_of_one(f"{name}{ending}{trial}") for trial in range(TRIALS))
        for ending in ("", "!")
    )


def _time_of_one(name: str) -> int:
    """Return what one reading takes. No name is read twice: the cache is passed by."""
    begun = thread_time_ns()
    decode(name)
    return thread_time_ns() - begun


def times_by_length(name: str) -> list[int]:
    """Return what the starts of a name take, each twice as long as the one before."""
    return [time_to_read(name[: length - 1]) for length in LENGTHS]


def print_growth(handed: Iterable[tuple[str, str]]) -> None:
    """Print what long names cost: of every family, then those aimed at one part of the reader."""
    by_family: dict[str, list[list[int]]] = defaultdict(list)
    for name, family in handed:
        if family not in by_family:
            by_family[family] = [times_by_length(way(name)) for way in STRETCHES.values()]
    heads = "".join(f"{length // 1024:>7} K" for length in LENGTHS)
    print(f"\n{'family':24}{heads}   growth")
    for family, ways in sorted(by_family.items()):
        print_times(family, max(ways, key=lambda times: times[-1]))
    print(f"\n{'hostile name':24}{heads}   growth")
    for what, name in HOSTILE.items():
        print_times(what, times_by_length(name))


def print_times(what: str, times: list[int]) -> None:
    """Print one row of milliseconds."""
    cells = "".join(f"{ns / 1e6:9.2f}" for ns in times)
    print(f"{what:24}{cells}{times[-1] / times[-2]:9.1f}")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else SEEN
    print_coverage(chosen.read_text(encoding="utf-8").splitlines())
    print_time_covered(sorted(TRACES.glob("*.json.gz")))
    lines = HANDED.read_text(encoding="utf-8").splitlines()[1:]
    print_growth((name, family) for name, family, *_ in (line.split("\t") for line in lines))
