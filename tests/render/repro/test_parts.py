"""The script's own functions, each part of it executed alone."""

from pathlib import Path

import pytest

import tracelens.render.repro

PARTS = Path(tracelens.render.repro.__file__).parent / "parts"


def part(name, **known):
    """The names that a part of the script defines, where these are known already."""
    names = dict(known)
    exec((PARTS / f"{name}.py.txt").read_text(), names)
    return names


class Device:
    def __init__(self, log):
        self.synchronize = lambda: log.append("wait")


def test_a_sample_begins_with_inputs_restored_then_the_cache_made_cold_then_a_wait():
    log = []
    subject = part("timing")["ReproSubject"](
        call=None,
        device=Device(log),
        grad="no_grad",
        restore=lambda: log.append("restore"),
        flush=lambda: log.append("flush"),
    )
    subject.begin()
    subject.flushed(None).begin()
    assert log == ["restore", "flush", "wait", "restore", "wait"]


def test_a_full_call_is_timed_until_its_wait_ends_and_begins_outside_the_sample():
    now_ns = [0]

    def passing(ns):
        now_ns[0] += ns

    class Busy:
        def synchronize(self):
            passing(7)

    script = part("timing", repro_now_ns=lambda: now_ns[0], REPRO_RUN={"budget_ns": 10_000})
    script["ReproSubject"].stretch = lambda self: __import__("contextlib").nullcontext()
    subject = script["ReproSubject"](lambda: passing(10), Busy(), "no_grad", lambda: passing(1_000))
    submit_ns, full_ns = script["repro_full_calls"](subject, 6)
    assert (submit_ns, full_ns) == ([10] * 6, [17] * 6)


RUN = {"median": 100, "q20": 90, "q80": 120, "least": 80, "most": 200}


@pytest.mark.parametrize(
    ("middle", "run", "place"),
    [
        (100, RUN, "q20 to q80"),
        (85, RUN, "range"),
        (70, RUN, "none: its least was 0.08"),
        (2_000, RUN, "none: its most was 0.20"),
        (70, {"median": 100, "q20": 90, "q80": 120}, ""),
        (70, {"median": 100}, ""),
        (None, RUN, ""),
    ],
)
def test_a_median_is_placed_among_the_samples_of_the_run(middle, run, place):
    assert part("main")["repro_place"](middle, run) == place


ONE, OTHER = ["add", [4, 1, 1], [128, 1, 1], 2.0], ["mul", None, [64, 1, 1], 1.0]


@pytest.mark.parametrize(
    ("ours", "theirs", "whole", "lines"),
    [
        ([ONE, OTHER], [OTHER, ONE], True,
         ["kernels: the 2 of the run, as often, with the same grids and blocks"]),
        ([ONE, OTHER], [ONE], True,
         ["kernels: not those of the run (name, grid, block, launches a call)",
          "  only here: mul None [64, 1, 1] 1.0"]),
        ([ONE, OTHER], [ONE], False,  # the run named its longest kernels alone
         ["kernels: the 1 of the run, as often, with the same grids and blocks"]),
        ([["add", [8, 1, 1], [128, 1, 1], 2.0]], [ONE], True,
         ["kernels: not those of the run (name, grid, block, launches a call)",
          "  only here: add [8, 1, 1] [128, 1, 1] 2.0",
          "  only in the run: add [4, 1, 1] [128, 1, 1] 2.0"]),
        ([], [ONE], True, []),
    ],
)  # fmt: skip
def test_kernels_are_compared_by_name_grid_block_and_launches(capsys, ours, theirs, whole, lines):
    part("main", REPRO_RUN={"all": whole})["repro_compare_kernels"](ours, theirs)
    assert capsys.readouterr().out.splitlines() == lines
