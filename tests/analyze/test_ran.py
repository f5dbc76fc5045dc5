"""What ran in the calls of a subject. All times in ns."""

from dataclasses import replace

from tests.timelines import copy, kernel, launch, sync, timeline_of, window
from tracelens.analyze.expected import hold
from tracelens.analyze.names.config import spell_config
from tracelens.analyze.ran import Ran
from tracelens.analyze.timeline import Timeline
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.launched import CompiledKernel, Launched
from tracelens.model.measurement import Capture, SubjectRun

FOUND = SubjectRun(
    stated=StatedKernels(configs={"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}),
    capture=Capture(path="t", window="tracelens::call", replay_window=None),
)
GEMVZ = "void gemvz_kernel<16, 1, 1, 2>(float const*, float*)"


def call(at: int) -> list:
    return [
        window(at, at + 50),
        launch(at + 1, at + 5, called=at + 1),
        launch(at + 6, at + 10, called=at + 2),
        launch(at + 11, at + 15, called=at + 3, name="cudaMemcpyAsync"),
        kernel(at + 60, at + 70, by=at + 1, name="short"),
        kernel(at + 80, at + 110, by=at + 2, name=GEMVZ),
        copy(at + 120, at + 130, by=at + 3),
        sync(at + 90, at + 200),
    ]


def test_the_kernels_of_a_call_are_longest_first_beside_its_copies():
    ran = Ran.of(FOUND, Timeline.of(timeline_of(*call(1_000), *call(2_000))))
    assert ran.kernels is not None
    assert [(use.name, use.per_call_ns, use.count) for use in ran.kernels] == [
        (GEMVZ, 30, 1),
        ("short", 10, 1),
    ]
    assert (ran.memory_ns, ran.device_ns, ran.complete) == (10, 50, True)


def test_the_names_of_template_arguments_come_from_the_op_file():
    ran = Ran.of(FOUND, Timeline.of(timeline_of(*call(1_000))))
    assert ran.kernels is not None
    fields = {name: field.value for name, field in ran.kernels[0].kernel.fields.items()}
    assert fields == {"NW": 16, "UG": 1, "NB": 1, "PIPE": 2}


def test_without_a_profiled_pass_or_kernel_records_no_kernels_are_known():
    host = Timeline.of(timeline_of(window(0, 50), launch(1, 5, called=1), sync(60, 70)))
    assert (Ran.of(FOUND, None).kernels, Ran.of(FOUND, host).kernels) == (None, None)


def test_what_the_compiler_said_of_a_kernel_is_in_its_configuration():
    compiled = CompiledKernel(
        name="short", compiler="triton", constexprs={"BLOCK": 1024}, num_warps=4, num_stages=3
    )
    found = replace(FOUND, launched=Launched(kernels=(compiled,), order=(0,)))
    ran = Ran.of(found, Timeline.of(timeline_of(*call(1_000), *call(2_000))))
    assert ran.kernels is not None
    (short,) = [use.kernel for use in ran.kernels if use.name == "short"]
    assert spell_config(short) == "BLOCK=1024 num_warps=4 num_stages=3"
    for fields, outcome in (
        ({"BLOCK": 1024, "num_warps": 4}, "met"),
        ({"BLOCK": 512, "num_warps": 4}, "not met"),
        ({"GROUP": 8}, "cannot tell"),
    ):
        assert hold(ExpectedKernel(kernel="short", fields=fields), ran).outcome == outcome
