"""Device times and kernels, as the script reads them off a trace that is typed here."""

from decimal import Decimal
from pathlib import Path

import tracelens.render.repro

PART = Path(tracelens.render.repro.__file__).parent / "parts" / "device_time.py.txt"
SCRIPT = {}
exec(PART.read_text(), SCRIPT)


def event(cat, name, ts, dur, **args):
    return {"cat": cat, "name": name, "ts": Decimal(ts), "dur": Decimal(dur), "args": args}


EVENTS = [
    event("user_annotation", "tracelens::call", "100", "20"),
    event("cuda_runtime", "cudaLaunchKernel", "101", "1", correlation=1),
    event("cuda_driver", "cuLaunchKernel", "101.5", "0.2", correlation=1),
    event("cuda_runtime", "cudaLaunchKernel", "103", "1", correlation=2),
    event("cuda_runtime", "cudaMemcpyAsync", "105", "1", correlation=3),
    event("kernel", "a", "110", "5.001", correlation=1, grid=[4, 1, 1], block=[32, 1, 1]),
    event("kernel", "a", "113", "4", correlation=2, grid=[8, 1, 1], block=[32, 1, 1]),
    event("gpu_memcpy", "Memcpy DtoD", "130", "1", correlation=3),  # later than the annotation
    event("kernel", "b", "112", "1", correlation=9),  # nobody launched it
]


def test_work_belongs_to_the_call_that_launched_it_and_overlap_counts_once():
    calls = SCRIPT["repro_calls"](EVENTS, "tracelens::call")
    assert SCRIPT["repro_device_times"](calls) == {
        "kernel busy": [7_000],
        "kernel sum": [9_001],
        "device busy": [8_000],
    }


def test_a_grid_that_varies_is_none_and_launches_are_counted_by_call():
    calls = SCRIPT["repro_calls"](EVENTS, "tracelens::call")
    assert SCRIPT["repro_kernels"](calls) == [["a", None, [32, 1, 1], 2.0]]


def test_a_call_without_any_device_work_leaves_all_times_unknown():
    events = [*EVENTS, event("user_annotation", "tracelens::call", "200", "20")]
    assert SCRIPT["repro_device_times"](SCRIPT["repro_calls"](events, "tracelens::call")) == {}
