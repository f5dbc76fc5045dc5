import json

import pytest

from tests.formats.chrome_text import LAUNCH, event, read
from tracelens.formats import chrome_arguments
from tracelens.model.trace import Arguments


def op(**args):
    return event(LAUNCH, cat="cpu_op", name="aten::mm", args=args)


def called_with(folder, *ops):
    """What each op was called with, None where the trace does not say."""
    trace = read(folder, f"[{', '.join(ops)}]")
    return [None if row < 0 else trace.arguments[row] for row in trace.ops.arguments.tolist()]


def test_sizes_and_types_are_those_of_the_file(tmp_path):
    recorded = {
        "Input Dims": [[4, 8], [], [[2], [3]]],
        "Input type": ["float", "Scalar", "TensorList"],
    }
    assert called_with(tmp_path, op(**recorded), op()) == [
        Arguments(((4, 8), (), ()), ("float", "Scalar", "TensorList")),
        None,
    ]


def test_the_same_arguments_are_kept_once(tmp_path):
    first, second = {"Input Dims": [[4]]}, {"Input Dims": [[5]]}
    trace = read(tmp_path, f"[{op(**first)}, {op(**second)}, {op(**first)}]")
    assert trace.arguments == (Arguments(((4,),), ("",)), Arguments(((5,),), ("",)))
    assert trace.ops.arguments.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("spelled", "sizes"),
    [
        ('"x"', ()),
        ("7", ()),
        ("null", ()),
        ("{}", ()),
        ('[[1.5], ["a"], [true], null, 3, [9]]', ((), (), (), (), (), (9,))),
        (json.dumps([[10**30]]), ((10**30,),)),
    ],
)
def test_what_is_no_size_is_none(tmp_path, spelled, sizes):
    (found,) = called_with(tmp_path, op(**{"Input Dims": "HERE"}).replace('"HERE"', spelled))
    assert found == Arguments(sizes, ("",) * len(sizes))


def test_a_hostile_file_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(chrome_arguments, "_MOST_SETS", 2)
    ops = [op(**{"Input Dims": [[size]]}) for size in (1, 2, 3, 1)]
    long = op(**{"Input Dims": [[7]] * 200})
    assert called_with(tmp_path, long, *ops) == [
        None,
        Arguments(((1,),), ("",)),
        Arguments(((2,),), ("",)),
        None,
        Arguments(((1,),), ("",)),
    ]


def test_an_op_that_older_writers_mark_at_its_ends_has_its_arguments(tmp_path):
    begin = event(
        LAUNCH, ph="B", cat="cpu_op", name="aten::mm", dur=None, args={"Input Dims": [[4, 8]]}
    )
    end = event(LAUNCH, ph="E", cat="cpu_op", name="aten::mm", ts=20, dur=None)
    assert called_with(tmp_path, begin, end) == [Arguments(((4, 8),), ("",))]
