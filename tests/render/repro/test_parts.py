"""The script's own functions, each part of it executed alone."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

import tracelens.render.repro
from tracelens.measure import cores

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

    script = part(
        "timing",
        repro_now_ns=lambda: now_ns[0],
        REPRO_RUN={"budget_ns": 10_000},
        ReproTour=lambda: SimpleNamespace(cores=[], move=lambda: False),
    )
    script["ReproSubject"].stretch = lambda self: __import__("contextlib").nullcontext()
    subject = script["ReproSubject"](lambda: passing(10), Busy(), "no_grad", lambda: passing(1_000))
    submit_ns, full_ns = script["repro_full_calls"](subject, 6)
    assert (submit_ns, full_ns) == ([10] * 6, [17] * 6)


def test_slow_calls_visit_all_cores_too():
    now_ns, moved_at_ns, calls = [0], [], [0]

    def call():
        now_ns[0] += 10_000_000
        calls[0] += 1

    class Tour:
        cores = (0, 1, 2, 3)

        def move(self):
            moved_at_ns.append(now_ns[0])
            return True

    script = part(
        "timing",
        repro_now_ns=lambda: now_ns[0],
        REPRO_RUN={"budget_ns": 1_000_000_000},
        ReproTour=Tour,
    )
    script["ReproSubject"].stretch = lambda self: __import__("contextlib").nullcontext()
    waiting = SimpleNamespace(synchronize=lambda: None)
    subject = script["ReproSubject"](call, waiting, "no_grad")

    _, full_ns = script["repro_full_calls"](subject, 1_000)

    assert moved_at_ns == [0, 260_000_000, 520_000_000, 780_000_000]
    assert (len(full_ns), calls[0]) == (96, 4 + 96)


def test_a_teardown_that_fails_comes_behind_what_was_measured(tmp_path, monkeypatch, capsys):
    def broken():
        raise RuntimeError("teardown")

    script = part(
        "main",
        sys=__import__("sys"),
        REPRO_RUN={
            "op": "add",
            "environment": "",
            "subjects": [{"case": None, "variant": None, "kernels": [], "medians": {}}],
        },
        ReproOp=lambda names: SimpleNamespace(teardown=broken),
        repro_compare_kernels=lambda ours, theirs: None,
        repro_print=lambda found, medians: None,
        repro_environment=lambda device: "a card",
        repro_say=print,
    )
    script["repro_measure"] = lambda *_: ({"full/eager": [7]}, None)
    monkeypatch.setattr("sys.argv", ["repro.py", "--json", str(tmp_path / "s.json")])

    with pytest.raises(RuntimeError, match="teardown"):
        script["repro_main"]()

    assert capsys.readouterr().out == "add\n\nhere: a card\n"
    assert '"samples_ns": {"full/eager": [7]}' in (tmp_path / "s.json").read_text()


def test_calls_go_through_the_cores_that_the_run_went_through(monkeypatch):
    allowed, given = set(range(12)), []
    for name, answer in {"get": lambda _: allowed, "set": lambda _, to: given.append(to)}.items():
        monkeypatch.setattr(os, f"sched_{name}affinity", answer, raising=False)
    monkeypatch.setattr(cores, "allowed_cores", lambda: allowed)
    script = part("cores", os=os, REPRO_RUN={"cores": 8})
    script["repro_node_cores"] = lambda: set(range(12))
    monkeypatch.setattr(cores, "node_cores", lambda: set(range(12)))

    tour = script["ReproTour"]()

    assert tuple(tour.cores) == cores.Tour().cores == (0, 7, 2, 9, 4, 11, 6, 1)
    assert [tour.move(), tour.move()] == [True, True]
    assert given == [{0}, allowed, {7}, allowed]
    assert part("cores", os=os, REPRO_RUN={"cores": None})["ReproTour"]().move() is False


def test_calls_stay_where_the_system_does_not_name_the_cores():
    def forbidden(_):
        raise PermissionError

    for system in (SimpleNamespace(), SimpleNamespace(sched_getaffinity=forbidden)):
        tour = part("cores", os=system, REPRO_RUN={"cores": 8})["ReproTour"]()
        assert (tour.cores, tour.move()) == ([], False)


RUN = {"median": 100, "q20": 90, "q80": 120, "least": 80, "most": 200}


@pytest.mark.parametrize(
    ("middle", "run", "place"),
    [
        (100, RUN, "ratio 1.00, in q20 to q80"),
        (85, RUN, "ratio 0.85, in the range"),
        (70, RUN, "ratio 0.70, least was 0.08"),
        (2_000, RUN, "ratio 20.00, most was 0.20"),
        (70, {"median": 100, "q20": 90, "q80": 120}, "ratio 0.70"),
        (70, {"median": 100}, "ratio 0.70"),
        (None, RUN, ""),
    ],
)
def test_a_median_is_placed_among_the_samples_of_the_run(middle, run, place):
    assert part("printing")["repro_ratio"](middle, run) == place


WORDS = {
    "cold/first_call": ("first call", ""),
    "full/eager": ("full call", "eager"),
    "full/graph": ("full call", "graph"),
    "kernel_cold/graph/sum": ("kernel sum, cold L2", "graph"),
    "amortised/eager": ("amortised", "eager"),
}


def test_medians_stand_above_the_runs_on_lines_of_at_most_80_columns(capsys):
    found = {
        "cold/first_call": [2_099_515_380],
        "full/eager": [68_000, 69_000, 70_000],
        "kernel_cold/graph/sum": [99_999_990, 99_999_990],
        "amortised/eager": [900],
    }
    run = {
        "cold/first_call": {"median": 312_480_113},
        "full/eager": {"median": 68_900, "q20": 68_000, "q80": 71_000, "samples": 200},
        "full/graph": {"median": 8_480, "q20": 8_440, "q80": 8_550, "samples": 200},
        "kernel_cold/graph/sum": {
            "median": 9_774_193,
            "q20": 9_000_000,
            "q80": 9_800_000,
            "samples": 10,
            "least": 9_000_000,
            "most": 99_999_980,
        },
    }
    part("printing", REPRO_WORDS=WORDS)["repro_print"](found, run)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "times in us                                median       q20       q80 samples",
        "first call                         here 2,099,515         -         -       1",
        "  ratio 6.72                       run    312,480         -         -       1",
        "full call            eager         here     69.00     68.40     69.60       3",
        "  ratio 1.00, in q20 to q80        run      68.90     68.00     71.00     200",
        "full call            graph         here         -         -         -       0",
        "                                   run       8.48      8.44      8.55     200",
        "kernel sum, cold L2  graph         here 99,999.99 99,999.99 99,999.99       2",
        "  ratio 10.23, most was 99,999.98  run   9,774.19  9,000.00  9,800.00      10",
        "amortised            eager         here      0.90         -         -       1",
    ]
    assert max(map(len, lines)) <= 80


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
    part("printing", REPRO_RUN={"all": whole})["repro_compare_kernels"](ours, theirs)
    assert capsys.readouterr().out.splitlines() == lines
