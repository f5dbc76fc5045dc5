"""A recorded op as an op file: each argument as it was recorded, and what was not is said."""

import pytest

from tracelens.model.dossier import RecordedArgument, RecordedOp
from tracelens.render.repro.recorded import is_callable_op, source_of_recorded

MATRIX = RecordedArgument(type="float", shapes=((2, 3),), strides=((1, 2),))


def made(*arguments):
    """The inputs that the source makes, and what it says is missing beside what always is."""
    op = RecordedOp(name="aten::f", arguments=arguments, count=1)
    source, missing = source_of_recorded(op, device="cuda")
    compile(source, "op.py", "exec")
    inputs = source.split("    return (\n")[1].split("    )\n")[0]
    return [line.strip().rstrip(",") for line in inputs.splitlines()], list(missing[3:])


@pytest.mark.parametrize(
    ("argument", "source", "missing"),
    [
        (RecordedArgument(type="c10::BFloat16", shapes=((8,),), strides=((2,),)),
         "made([8], torch.bfloat16, [2])", []),
        (RecordedArgument(type="bool", shapes=((2, 2),)),
         "made([2, 2], torch.bool, [2, 1])", ["strides: contiguous tensors are made"]),
        (RecordedArgument(type="double"), "1.5",
         ["whether argument 1 was a number or a tensor: a number is passed"]),
        (RecordedArgument(type="Scalar", value="-1"), "-1", []),
        (RecordedArgument(type="Scalar", value="inf"), 'float("inf")', []),
        (RecordedArgument(type="Scalar", value="__import__('os')"), '"__import__(\'os\')"', []),
        (RecordedArgument(type="ScalarList", value="[1, 2]"), "[1, 2]", []),
        (RecordedArgument(type="TensorList", shapes=((1,), (2,)), strides=((1,), (1,))),
         "[made([1], torch.float32, [1]), made([2], torch.float32, [1])]",
         ["dtypes of the list of tensors in argument 1: float32 is taken"]),
        (RecordedArgument(type=""), "None",
         ["argument 1, if it was given at all: None is passed"]),
        (RecordedArgument(type="GenericList"), "None",
         ["argument 1, of type GenericList: None is passed"]),
    ],
)  # fmt: skip
def test_an_argument_is_made_as_it_was_recorded(argument, source, missing):
    assert made(MATRIX, argument) == (["made([2, 3], torch.float32, [1, 2])", source], missing)


SQUARE = RecordedArgument(type="float", shapes=((2, 2),), strides=((2, 1),))


@pytest.mark.parametrize(
    ("name", "arguments", "overload"),
    [
        ("pow", (SQUARE, RecordedArgument(type="Scalar", value="2")), "Tensor_Scalar"),
        ("pow", (RecordedArgument(type="Scalar", value="2"), SQUARE), "Scalar"),
        ("gt", (SQUARE, RecordedArgument(type="Scalar", value="0.5")), "Scalar"),
        ("gt", (SQUARE, SQUARE), "Tensor"),
        ("div", (SQUARE, SQUARE, SQUARE), "out"),
        ("sum", (SQUARE, RecordedArgument(type="ScalarList", value="[0]"),
                 RecordedArgument(type="Scalar", value="True"), RecordedArgument(type="")),
         "dim_IntList"),
        ("cat", (RecordedArgument(type="TensorList", shapes=((1,), (1,)), strides=((1,), (1,))),
                 RecordedArgument(type="Scalar", value="0")), "default"),
    ],
)  # fmt: skip
def test_the_overload_is_called_that_takes_what_was_recorded(name, arguments, overload):
    op = RecordedOp(name=f"aten::{name}", arguments=arguments, count=1)
    source, _ = source_of_recorded(op, device="cpu")
    names = {}
    exec(source, names)
    assert names["CALL"]._overloadname == overload
    names["op"](*names["inputs"]())


def test_an_op_of_somebody_elses_says_that_its_package_is_needed():
    op = RecordedOp(name="mylib::f", arguments=(MATRIX,), count=1)
    _, missing = source_of_recorded(op, device="cpu")
    assert missing[-1] == ("where mylib::f is defined: import the package that registers it first")


@pytest.mark.parametrize(
    ("name", "callable_op"),
    [("aten::mm", True), ("MmBackward0", False), ('aten::x"); import os', False)],
)
def test_only_names_that_torch_dispatches_are_ops(name, callable_op):
    assert is_callable_op(name) is callable_op
