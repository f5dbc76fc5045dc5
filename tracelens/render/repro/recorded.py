"""One recorded framework op as the source of an op file: inputs and a call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tracelens.model.dossier import RecordedArgument, RecordedOp

_DTYPES = {
    "float": "float32",
    "double": "float64",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "long int": "int64",
    "long": "int64",
    "long long": "int64",
    "int": "int32",
    "short int": "int16",
    "short": "int16",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "bool",
    "c10::complex<float>": "complex64",
    "c10::complex<double>": "complex128",
    "c10::Float8_e4m3fn": "float8_e4m3fn",
    "c10::Float8_e5m2": "float8_e5m2",
}
"""C++ names of dtypes, as a trace has them under `Input type`."""

_NUMBERS = {"double": "1.5", "long int": "2", "bool": "True"}
"""What a Python number beside tensors is recorded as: a tensor without dimensions."""

_NAME = re.compile(r"(\w+)::(\w+)")
_LIST_DTYPE = "float32"

_SOURCE = '''"""One call of {title}, as a trace recorded it, with random values: it records none."""

import torch

device = "{device}"


def made(shape, dtype, strides):
    """Return a tensor laid out as recorded; strides of 0 share memory, as a broadcast does."""
    values = torch.empty_strided(shape, strides, dtype=dtype, device=device)
    memory = torch.empty(0, dtype=dtype, device=device).set_(values.untyped_storage())
    if dtype.is_floating_point and dtype.itemsize == 1:
        memory.copy_(torch.randn(memory.shape, device=device))
    elif dtype.is_floating_point or dtype.is_complex:
        memory.normal_()
    else:
        memory.random_(0, 2)  # safe as an index too
    return values


def recorded_overload(count):
    """Return the overload with as many arguments as were recorded."""
    packet = getattr(torch.ops.{namespace}, "{name}")
    overloads = [getattr(packet, name) for name in packet.overloads()]
    fitting = [o for o in overloads if len(o._schema.arguments) == count]
    fitting.sort(key=lambda o: (-fits(o._schema.arguments), o._schema.is_mutable))
    if not fitting:
        raise RuntimeError("this torch has no overload of {title} with as many arguments")
    return fitting[0]


def fits(arguments):
    """Count the arguments that take what was recorded."""
    return sum(takes(str(a.type), kind) for a, kind in zip(arguments, KINDS))


def takes(declared, kind):
    """Say whether an argument of that type takes one of a kind."""
    listed = "List[" in declared
    if kind in ("List[Tensor]", "List["):
        return listed and ("Tensor" in declared) == ("Tensor" in kind)
    return not listed and any(name in declared for name in TAKEN_BY[kind])


TAKEN_BY = {{
    "Tensor": ["Tensor"],
    "bool": ["bool", "number"],
    "int": ["int", "float", "number"],
    "number": ["float", "number"],
    "Optional": ["Optional"],
}}
KINDS = {kinds}
CALL = recorded_overload({count})


def inputs():
    return (
{inputs}
    )


def op(*arguments):
    schema = CALL._schema.arguments
    named = {{a.name: v for a, v in zip(schema, arguments) if a.kwarg_only and v is not None}}
    return CALL(*(v for a, v in zip(schema, arguments) if not a.kwarg_only), **named)
'''


@dataclass(slots=True)
class _Missing:
    """What could not be taken from a trace, a sentence each, once."""

    facts: list[str] = field(default_factory=list)

    def add(self, fact: str) -> None:
        if fact not in self.facts:
            self.facts.append(fact)


def is_callable_op(name: str) -> bool:
    """Say whether a recorded name is one that torch dispatches, such as `aten::mm`."""
    return _NAME.fullmatch(name) is not None


def source_of_recorded(op: RecordedOp, *, device: str) -> tuple[str, tuple[str, ...]]:
    """Return the op's source, and a sentence for everything that the trace did not record."""
    missing = _Missing()
    for fact in (
        "values of tensors: random numbers stand for them, 0 and 1 for integers",
        "devices of tensors, storage offsets, aliasing and whether gradients were recorded",
        "which overload was called: the one with as many arguments is taken",
    ):
        missing.add(fact)
    namespace, _, name = op.name.partition("::")
    if namespace != "aten":
        missing.add(f"where {op.name} is defined: import the package that registers it first")
    if not op.arguments:
        missing.add("shapes: record with record_shapes=True")
    source = _SOURCE.format(
        title=op.name,
        namespace=namespace,
        name=name,
        device=device,
        kinds="[{}]".format(", ".join(f'"{_kind(argument)}"' for argument in op.arguments)),
        count=len(op.arguments),
        inputs="\n".join(f"        {made}," for made in _made(op, missing)),
    )
    return source, tuple(missing.facts)


def _made(op: RecordedOp, missing: _Missing) -> Iterator[str]:
    beside_tensors = any(argument.shapes for argument in op.arguments)
    for place, argument in enumerate(op.arguments):
        if argument.type in _NUMBERS and not argument.shapes and beside_tensors:
            missing.add(f"whether argument {place} was a number or a tensor: a number is passed")
            yield _NUMBERS[argument.type]
        elif argument.type == "TensorList":
            missing.add(
                f"dtypes of the list of tensors in argument {place}: {_LIST_DTYPE} is taken"
            )
            made = (_tensor(argument, at, missing) for at in range(len(argument.shapes)))
            yield f"[{', '.join(made)}]"
        elif argument.type in _DTYPES:
            yield _tensor(argument, 0, missing)
        elif argument.type in ("", "Scalar", "ScalarList"):
            if not argument.value:
                missing.add(f"argument {place}, if it was given at all: None is passed")
            yield _scalar(argument.value)
        else:
            missing.add(f"argument {place}, of type {argument.type}: None is passed")
            yield "None"


def _tensor(argument: RecordedArgument, at: int, missing: _Missing) -> str:
    shape = list(argument.shapes[at]) if at < len(argument.shapes) else []
    strides = list(argument.strides[at]) if at < len(argument.strides) else _contiguous(shape)
    if shape and at >= len(argument.strides):
        missing.add("strides: contiguous tensors are made")
    dtype = _DTYPES.get(argument.type, _LIST_DTYPE)
    return f"made({shape}, torch.{dtype}, {strides})"


def _contiguous(shape: list[int]) -> list[int]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def _scalar(text: str) -> str:
    """Return a recorded scalar as Python spells it; what is none is passed as text."""
    try:
        return repr(ast.literal_eval(text)) if text else "None"
    except (ValueError, SyntaxError):
        return {"inf": 'float("inf")', "-inf": 'float("-inf")', "nan": 'float("nan")'}.get(
            text, repr(text)
        )


def _kind(argument: RecordedArgument) -> str:
    """Return what the type of a schema's argument has in its name for a recorded one."""
    if argument.type == "TensorList":
        return "List[Tensor]"
    if argument.type in _DTYPES:
        return "Tensor"
    if argument.type == "ScalarList":
        return "List["
    value = argument.value
    if value in ("True", "False"):
        return "bool"
    if re.fullmatch(r"-?\d+", value):
        return "int"
    return "number" if value else "Optional"
