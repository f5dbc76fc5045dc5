"""Times of functions from samples of known stacks. Times in ns."""

from dataclasses import replace

import pytest

from tracelens.analyze.functions import function_times, functions_section
from tracelens.model.functions import Frame, Function, FunctionSamples, Stack
from tracelens.model.measurement import Measurement, SubjectRun

OP_7 = Frame(function="op", file="<op file>", line=7, defined=6)
OP_8 = Frame(function="op", file="<op file>", line=8, defined=6)
FACTORIAL = Frame(function="factorial", file="<op file>", line=3, defined=2)
OP, FACT, OUTSIDE, UNKEPT = (
    Function("op", "<op file>", 6),
    Function("factorial", "<op file>", 2),
    Function("outside Python functions"),
    Function("stacks too rare to be kept"),
)

SAMPLES = FunctionSamples(
    way="memory",
    frames=(OP_7, OP_8, FACTORIAL),
    stacks=(
        Stack(frames=(0, 2, 2, 2), count=5_000),  # factorial calls itself
        Stack(frames=(0,), count=2_000),
        Stack(frames=(1,), count=1_000),
        Stack(frames=(), count=1_500),
    ),
    samples=10_000,
    batch=10,
    sampled_ns=(101_000, 101_000),
    plain_ns=(99_000, 100_000, 150_000),
    unkept=500,
)


def section(samples, *, in_row_ns=None):
    tag = "submit_in_row/eager"
    timed = [Measurement(tag=tag, samples_ns=(in_row_ns,), clock="c", includes="i")]
    found = functions_section(
        SubjectRun(functions=samples, measurements=tuple(timed) if in_row_ns is not None else ())
    )
    assert found is not None
    return found


def test_a_share_of_the_samples_is_that_share_of_a_call_without_the_sampler():
    (table,) = section(SAMPLES).tables

    assert [column.name for column in table.columns] == [
        *("function", "self_ns", "total_ns", "error_ns", "samples", "file", "line"),
        *("self_error_ns", "in_one_row"),
    ]
    assert table.rows == (
        ("factorial", 50_000, 50_000, 980, 5_000, "<op file>", 2, 980, True),
        ("op", 30_000, 80_000, 784, 8_000, "<op file>", 6, 899, True),
        ("outside Python functions", 15_000, 15_000, 700, 1_500, None, None, 700, True),
        ("stacks too rare to be kept", 5_000, 5_000, 428, 500, None, None, 428, True),
    )


def test_a_function_is_no_one_row_of_the_tree_by_several_purposes_or_in_the_standard_library():
    where = {"file": "triton/compiler/compiler.py", "defined": 493}
    launches = Frame(function="CompiledKernel.runner", line=500, text="self.run(grid)", **where)
    streams = Frame(function="CompiledKernel.runner", line=498, text="driver.active", **where)
    key = Frame(function="compute_key", file="flag_gems/utils/libentry.py", line=9, defined=8)
    debug = Frame(function="Logger.debug", file="logging/__init__.py", line=9, defined=8)
    taken = replace(
        SAMPLES,
        frames=(OP_7, launches, streams, key, debug),
        stacks=(
            Stack(frames=(0, 1), count=10),
            Stack(frames=(0, 2), count=10),
            Stack(frames=(0, 3), count=10),
            Stack(frames=(0, 3, 4), count=10),
        ),
        samples=40,
        unkept=0,
    )
    (table,) = section(taken).tables
    assert {row[0]: row[-1] for row in table.rows} == {
        "CompiledKernel.runner": False,
        "compute_key": True,
        "Logger.debug": False,
        "op": True,  # it has no time of its own
    }


def test_the_functions_own_times_sum_to_the_call_to_the_nanosecond():
    thirds = replace(
        SAMPLES,
        stacks=(
            Stack(frames=(0,), count=1),
            Stack(frames=(2,), count=1),
            Stack(frames=(), count=1),
        ),
        samples=3,
        unkept=0,
        plain_ns=(100_001,),
    )
    (table,) = section(thirds).tables

    assert sorted(row[1] for row in table.rows) == [33_333, 33_334, 33_334]


def test_lines_of_one_function_are_one_stack_of_functions():
    assert function_times(SAMPLES, name="op small").stacks == (
        ((0, 1, 1, 1), 50_000, 5_000),
        ((0,), 30_000, 3_000),
        ((2,), 15_000, 1_500),
        ((3,), 5_000, 500),
    )
    assert function_times(SAMPLES, name="op small").functions == (OP, FACT, OUTSIDE, UNKEPT)


def test_the_section_says_how_many_samples_there_are_and_what_they_cost():
    assert [(m.tag, m.value) for m in section(SAMPLES).metrics] == [
        ("functions/call", 100_000),
        ("functions/samples", 10_000),
        ("functions/unread", 0),
        ("functions/perturbation", 1.01),
    ]
    assert section(SAMPLES).findings == ()


def test_findings_name_the_bias_the_disturbance_and_what_is_missing():
    poor = replace(
        SAMPLES,
        way="signal",
        instead_of="it may not be read",
        sampled_ns=(111_000,),
        samples=900,
        unread=100,
    )

    assert [(f.tag, f.severity) for f in section(poor).findings] == [
        ("functions/signal", "info"),
        ("functions/disturbed", "warning"),
        ("functions/few", "info"),
        ("functions/unread", "warning"),
    ]
    assert section(poor).findings[1].fact == (
        "a call took 1.11 times as long under the sampler as the 100 us that it takes without: "
        "its time may be divided otherwise"
    )
    (faster,) = section(replace(SAMPLES, sampled_ns=(90_000,))).findings
    assert faster.advice == "measure on a quieter machine: no sampler makes calls faster"
    assert faster.fact.startswith("a call took 0.90 times as long under the sampler as the 100 us")


def test_a_run_that_sampled_nothing_has_no_table_and_one_without_the_stage_no_section():
    empty = replace(SAMPLES, stacks=(), samples=0, unkept=0)

    assert section(empty).tables == ()
    assert functions_section(SubjectRun()) is None


@pytest.mark.parametrize(("in_row_ns", "told"), [(90_000, False), (79_000, True), (126_000, True)])
def test_a_host_that_was_another_while_functions_were_sampled_is_told(in_row_ns, told):
    findings = section(SAMPLES, in_row_ns=in_row_ns).findings

    assert [f.tag for f in findings] == (["functions/host_moved"] if told else [])
    if in_row_ns == 79_000:
        assert findings[0].fact.startswith(
            "the host took 100 us a call while functions were sampled, and 79.0 us when calls"
        )
