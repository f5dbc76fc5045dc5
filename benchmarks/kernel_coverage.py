"""How much of real kernel names is read, and that the time grows with a name's length and no more.

    python benchmarks/kernel_coverage.py [FILE]

The first table counts, by family, the names of FILE (one a line; the public names of the fixtures
by default) that get a family and a configuration. Not every name holds a configuration: a Triton
kernel's holds none. The second reads hostile names of two lengths, the longer twice the shorter:
a ratio near 2 is linear, near 4 would be quadratic.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter_ns

from tracelens.analyze.names import LENGTH_READ, decode
from tracelens.analyze.names.config import spell_config

SEEN = Path(__file__).parent.parent / "fixtures" / "kernel_names" / "seen.txt"

HOSTILE = {
    "opening brackets": "void f" + "<" * LENGTH_READ,
    "brackets of two sorts": "void f" + "<(" * LENGTH_READ,
    "comparisons": "void f<" + "((8)>(0))&&" * LENGTH_READ,
    "wrapped functors": "void at::native::elementwise_kernel<128, 2, "
    + "BinaryFunctor<" * LENGTH_READ,
    "one long namespace": "at::native::" + "a::" * LENGTH_READ,
    "one long word": "at::native::" + "a" * LENGTH_READ,
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


def time_to_read(name: str) -> int:
    """Return the shortest of five readings, in nanoseconds: the cache is passed by."""
    shortest = sys.maxsize
    for trial in range(5):
        begun = perf_counter_ns()
        decode(f"{name}{trial}")
        shortest = min(shortest, perf_counter_ns() - begun)
    return shortest


def print_growth() -> None:
    """Print what hostile names cost at half the length that is read and just below the whole."""
    print(f"\n{'hostile name':24}{'32 K':>12}{'64 K':>12}{'ratio':>8}")
    for what, name in HOSTILE.items():
        half, whole = (time_to_read(name[: LENGTH_READ // n - 8]) for n in (2, 1))
        print(f"{what:24}{half / 1e6:9.1f} ms{whole / 1e6:9.1f} ms{whole / half:8.1f}")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else SEEN
    print_coverage(chosen.read_text(encoding="utf-8").splitlines())
    print_growth()
