"""An op's inputs: made under fixed seeds, and the same again."""

from __future__ import annotations

import random

import numpy as np
import torch

from tracelens.errors import OpFileError
from tracelens.measure.failure import spell_error
from tracelens.measure.values import spell_value
from tracelens.model.op import Case, Inputs, Op


def seed_generators(seed: int) -> None:
    """Seed Python, numpy and torch on every device."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # numpy takes no larger one
    torch.manual_seed(seed)


def make_inputs(op: Op, case: Case, *, seed: int) -> Inputs:
    """Seed every generator, then call the op's `inputs()` with the case's arguments.

    Raises OpFileError where it raises, or returns something other than a tuple.
    """
    seed_generators(seed)
    try:
        inputs = op.inputs(**case.arguments)
    except torch.OutOfMemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise OpFileError(
            f"inputs() of {op.name} raised {spell_error(error)}.",
            f"Mend inputs(): it is called with {_spell_arguments(case)} and returns a tuple.",
        ) from error
    if not isinstance(inputs, tuple):
        raise OpFileError(
            f"inputs() of {op.name} returned {spell_value(inputs)}; it must return a tuple.",
            "Return a tuple, with one element too: `return (x,)`.",
        )
    return inputs


def _spell_arguments(case: Case) -> str:
    names = ", ".join(f"{name}=..." for name in case.arguments)
    return names or "no argument"
