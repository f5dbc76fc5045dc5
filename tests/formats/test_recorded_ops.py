"""Framework ops with what a trace recorded of their arguments."""

import json
from pathlib import Path

import pytest

from tracelens.errors import TraceError
from tracelens.formats.recorded_ops import read_op_names, read_ops_named, read_ops_within
from tracelens.model.dossier import RecordedArgument, RecordedOp

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"

SQUARE = RecordedArgument(
    type="c10::BFloat16", shapes=((4096, 4096),), strides=((4096, 1),), value=""
)


def trace(folder, *events):
    path = folder / "t.json"
    path.write_text(json.dumps({"traceEvents": list(events)}))
    return path


def op(name, ts, dur, **arguments):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur,
            "args": {key.replace("_", " "): value for key, value in arguments.items()}}  # fmt: skip


def test_an_op_of_a_real_trace_has_its_shapes_strides_and_dtypes():
    assert read_ops_named(TRACES / "mm_4096.json.gz", "aten::mm") == (
        RecordedOp(name="aten::mm", arguments=(SQUARE, SQUARE), count=40),
    )


def test_scalars_lists_of_tensors_and_missing_arguments_are_told_apart(tmp_path):
    path = trace(
        tmp_path,
        op("aten::cat", 1, 1, Input_type=["TensorList", "Scalar"], Concrete_Inputs=["", "1"],
           Input_Dims=[[[2, 3], [2, 4]], []], Input_Strides=[[[3, 1], [4, 1]], []]),
        op("aten::cat", 3, 1, Input_Dims=None),
    )  # fmt: skip
    assert read_ops_named(path, "aten::cat") == (
        RecordedOp(
            name="aten::cat",
            arguments=(
                RecordedArgument(
                    type="TensorList", shapes=((2, 3), (2, 4)), strides=((3, 1), (4, 1))
                ),
                RecordedArgument(type="Scalar", value="1"),
            ),
            count=1,
        ),
        RecordedOp(name="aten::cat", arguments=(), count=1),
    )


def test_within_a_window_only_outermost_ops_count_and_repeats_are_one(tmp_path):
    path = trace(
        tmp_path,
        op("before", 0, 5),
        op("outer", 10, 8),
        op("inner", 11, 2),
        op("outer", 20, 1),
        op("after", 90, 1),
    )
    assert read_ops_within(path, (10_000, 50_000)) == (
        RecordedOp(name="outer", arguments=(), count=2),
    )


def test_the_commonest_names_come_first(tmp_path):
    path = trace(tmp_path, op("aten::a", 1, 1), op("aten::b", 2, 1), op("aten::b", 3, 1))
    assert read_op_names(path) == ("aten::b", "aten::a")


def test_a_file_without_recorded_ops_says_what_to_pass(tmp_path):
    path = tmp_path / "t.json"
    path.write_text("{}")
    with pytest.raises(TraceError) as raised:
        read_ops_named(path, "aten::mm")
    assert raised.value.fact.endswith("its framework ops and their arguments cannot be read")
    assert "record_shapes=True" in raised.value.hint
