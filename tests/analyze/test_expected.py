"""Expectations beside the kernels of two calls. All times in ns."""

from typing import Any

import pytest

from tests.timelines import Event, kernel, launch, op, sync, timeline_of, window
from tracelens.analyze.expected import Difference, hold
from tracelens.analyze.ran import Ran
from tracelens.analyze.timeline import Timeline
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.measurement import Capture, Failure, SubjectRun

NVJET = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT"
REDUCE = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(float*)"
GEMV = "void ours::gemv<16, 1>(float*)"


def call(at: int, *names: str, grid: tuple[int, int, int] = (66, 1, 1)) -> list[Event]:
    """One call of the op: every kernel runs for 10 ns."""
    launched = [launch(at + 10 * n, at + 10 * n + 5, called=at + n) for n in range(len(names))]
    ran = [
        kernel(at + 20 * n + 50, at + 20 * n + 60, by=at + n, name=name, grid=grid)
        for n, name in enumerate(names)
    ]
    return [window(at, at + 90), *launched, *ran, sync(at + 95, at + 200)]


def ran(*events: Event) -> Ran:
    found = SubjectRun(
        stated=StatedKernels(configs={"gemv": ("NW", "UG")}),
        capture=Capture(path="t", window="tracelens::call", replay_window=None),
    )
    return Ran.of(found, Timeline.of(timeline_of(*events)) if events else None)


RAN = ran(*call(1_000, NVJET, REDUCE, GEMV), *call(2_000, NVJET, REDUCE, GEMV))


def expect(kernel: str | None = None, *, family: str | None = None, **fields: Any) -> Any:
    held = hold(ExpectedKernel(kernel=kernel, family=family, fields=fields), RAN)
    return held.outcome, [(d.field, d.found) for d in held.differs]


@pytest.mark.parametrize(
    ("kernel", "fields"),
    [
        ("nvjet*", {}),
        ("nvjet*", {"tile": "64x8", "splitK": True}),
        ("nvjet*", {"tile": "64x8x64", "tile_M": 64, "stages": 16, "cluster": "2x1"}),
        ("nvjet*", {"tile": "64x*", "Tile_m": "64"}),
        ("nvjet*", {"grid": "*x1", "block": "32x1"}),
        ("nvjet*", {"grid": 66, "block": "32", "registers": 16}),
        ("nvjet*", {"calls": 1}),
        ("sgemm*", {"calls": 0}),
        ("nvjet*", {"tile": "128x8", "calls": 0}),
        ("gemv", {"NW": 16, "UG": 1}),
        ("ours::gemv", {}),
        ("gemv<16, 1>", {}),
        ("void ours::gemv*", {}),
        ("*kernel*", {"calls": 1}),
    ],
)
def test_what_ran_as_expected_is_met(kernel, fields):
    assert expect(kernel, **fields) == ("met", [])


def test_a_family_may_stand_for_the_name():
    assert expect(family="nvjet", stages=16) == ("met", [])
    assert expect("gemv", family="nvjet")[0] == "not met"


def test_what_differs_of_the_nearest_kernel_is_named():
    assert expect("nvjet*", tile="128x8", splitK=True) == ("not met", [("tile", "64x8")])
    assert expect("gemv", NW=8, UG=1) == ("not met", [("NW", 16)])
    assert expect("nvjet*", splitK=False) == ("not met", [("splitK", True)])
    assert expect("nvjet*", calls=2) == ("not met", [("calls", 1)])
    assert expect("nvjet*", calls=0) == ("not met", [("calls", 1)])
    assert expect("nvjet*", grid=132) == ("not met", [("grid", "66x1x1")])
    assert expect("nvjet*", grid="*x2") == ("not met", [("grid", "66x1x1")])
    assert expect("nvjet*", cluster="*x1x1") == ("not met", [("cluster", "2x1")])


def test_a_field_that_nothing_states_cannot_be_told():
    assert expect("nvjet*", swizzle=4) == ("cannot tell", [("swizzle", None)])
    assert expect("gemv", swizzle=4, calls=0) == ("cannot tell", [("swizzle", None)])
    assert expect("nvjet*", tile="64x8x64x2") == ("cannot tell", [("tile", None)])


def test_a_field_that_contradicts_outweighs_one_that_nothing_states():
    found = [("swizzle", None), ("stages", 16)]
    assert expect("nvjet*", swizzle=4, stages=3) == ("not met", found)


def test_the_factor_of_a_split_is_not_in_the_name_and_cannot_be_told():
    assert expect("nvjet*", splitK=4) == ("cannot tell", [("splitK", True)])
    assert expect("nvjet*", splitK=1) == ("not met", [("splitK", True)])


def test_a_kernel_that_did_not_run_has_the_likest_name_as_its_nearest():
    held = hold(ExpectedKernel(kernel="nvjet_sm100*", fields={"tile": "64x8"}), RAN)
    assert (held.outcome, held.named, held.differs) == ("not met", False, ())
    assert held.nearest is not None
    assert held.nearest.name == NVJET


def test_the_kernel_with_the_fewest_differences_is_the_nearest():
    other = NVJET.replace("64x16", "64x4").replace("2x1", "1x1")
    both = ran(*call(1_000, other, NVJET), *call(2_000, other, NVJET))
    held = hold(ExpectedKernel(kernel="nvjet*", fields={"stages": 16, "cluster": "1x2"}), both)
    assert held.nearest is not None
    assert held.nearest.name == NVJET
    assert held.differs == (Difference("cluster", "1x2", "2x1"),)


def test_without_device_records_nothing_can_be_told():
    for nothing in (ran(), ran(window(0, 50), launch(5, 9, called=1), sync(60, 70))):
        held = hold(ExpectedKernel(kernel="nvjet*", fields={"calls": 0}), nothing)
        assert (held.outcome, held.why) == ("cannot tell", "no kernel records to look at")


def test_where_records_are_lost_only_what_was_seen_can_be_told():
    lost = [launch(2_040, 2_045, called=9)]
    some = ran(*call(1_000, NVJET), *call(2_000, NVJET), *lost)
    assert not some.complete
    assert hold(ExpectedKernel(kernel="nvjet*"), some).outcome == "met"
    for expected in (
        ExpectedKernel(kernel="gemv"),
        ExpectedKernel(kernel="nvjet*", fields={"calls": 1}),
        ExpectedKernel(kernel="gemv", fields={"calls": 0}),
    ):
        held = hold(expected, some)
        assert (held.outcome, held.why) == ("cannot tell", "records of some calls are lost")


def test_a_shape_of_any_length_is_read_once() -> None:
    assert expect("nvjet*", grid="66" + "x1" * 100_000) == ("met", [])


@pytest.mark.parametrize(
    ("wanted", "outcome"), [(False, "met"), (1, "met"), (True, "not met"), (2, "not met")]
)
def test_no_split_can_be_expected_where_the_grid_shows_that_there_is_none(
    wanted: int, outcome: str
) -> None:
    name = "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_NNT"
    product = ran(
        window(0, 90),
        op(1, 50, name="aten::mm", sizes=((8, 64), (64, 128))),
        launch(10, 15, called=1),
        kernel(60, 70, by=1, name=name, grid=(2, 1, 1)),
        sync(95, 200),
    )
    assert hold(ExpectedKernel(kernel=name, fields={"split_k": wanted}), product).outcome == outcome


def test_a_subject_that_failed_says_in_which_stage() -> None:
    failure = Failure(stage="check", kind="wrong result", fact="It is 3.", hint="Mend it.")
    failed = Ran(found=SubjectRun(failure=failure))
    held = hold(ExpectedKernel(kernel="nvjet*"), failed)
    assert (held.outcome, held.why) == (
        "cannot tell",
        "no kernel records to look at: it ended during 'check'",
    )
