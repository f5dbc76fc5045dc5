"""How an op behaves: what a stale, partial, deferred or cheating fast path gets wrong.

Each trial calls the op in another way and compares the result with the truth. What it proves is
said beside it. The trials of `BEFORE` use inputs such as the op file gives and stop a run; those of
`AFTER` go beyond its promise, may make an op compile again, and come when all is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from tracelens.errors import WrongResultError
from tracelens.measure.device import Replay, Unavailable
from tracelens.measure.inputs import seed_generators
from tracelens.measure.probe import Probe, Test, trials
from tracelens.measure.storages import Saved, overwrite, poison_free_memory, storages
from tracelens.measure.timing import timed_stretch
from tracelens.measure.values import copied, is_plain, replaced
from tracelens.model.measurement import Trial
from tracelens.model.op import Inputs

_REPEATS = 2
_ASKEW_BYTES = 64
"""How far from the allocator's alignment: what is honest about vectors and TMA still runs."""


def graph_trials(probe: Probe, replay: Replay) -> Iterator[Trial]:
    """Make the trials of a captured call: its replay must do what the call does."""
    yield from trials(
        (
            Test(
                "graph replay",
                "a replay writes every output anew: no kernel was left out of the graph",
                lambda probe: _replayed(probe, replay),
            ),
            Test(
                "graph inputs",
                "a replay reads its inputs: it is no result of the capture",
                lambda probe: _replayed_otherwise(probe, replay),
            ),
        ),
        probe,
    )


def _repeated(probe: Probe) -> str:
    hint = "Let every call do all of its work: one of them returned another result."
    for _ in range(_REPEATS):
        result = probe.result(probe.bench.inputs)
        probe.judge(result, probe.truth.expected, hint=hint)
    return f"{_REPEATS} more calls returned the same result, free memory poisoned before each"


def _moved(probe: Probe) -> str:
    hint = "Do not remember results, or what they depend on, by the address of an input."
    result = probe.result(probe.bench.copy())
    probe.judge(result, probe.truth.expected, hint=hint)
    return "inputs of the same values at new addresses gave the same result"


def _overwritten(probe: Probe) -> str:
    hint = "Read the inputs in every call: a result kept from an earlier call is stale."
    result = probe.result(probe.bench.inputs, holding=probe.bench.other_inputs())
    probe.judge(result, probe.truth.other_expected, hint=hint)
    if probe.truth.against is None and _equal(result, probe.truth.expected):
        raise Unavailable(
            "the result did not change with the inputs, and nothing says whether it should",
            "Add reference(*inputs) to the op file.",
        )
    return "inputs overwritten in place gave their own result"


def _aside(probe: Probe) -> str:
    bench, device = probe.bench, probe.device
    other = bench.other_inputs()
    hint = "Queue all work on torch.cuda.current_stream(), or let that stream wait for the others."
    seed_generators(bench.seed)
    with device.aside():
        overwrite(bench.inputs, other)
        poison_free_memory(storages(probe.truth.expected))
        with timed_stretch(grad=bench.grad):
            result = probe.call(*bench.inputs)
        device.wait_current()
        seen = copied(result)
    device.synchronize()
    probe.judge(seen, probe.truth.other_expected, hint=hint)
    return "on a stream of its own, waiting for that stream alone, the result was right"


def _settled(probe: Probe) -> str:
    bench, device = probe.bench, probe.device
    if not device.asynchronous:
        raise Unavailable("calls on the CPU return when they are done", "")
    probe.prepare()
    seed_generators(bench.seed)
    with timed_stretch(grad=bench.grad):
        result = probe.call(*bench.inputs)
    device.wait_current()
    seen = copied(result)
    device.wait_current()
    device.synchronize()
    if not _equal(seen, result):
        raise WrongResultError(
            "the result still changed after its stream was done",
            "Let a call queue all of its work, on the current stream, before it returns.",
        )
    return "the result was final when its stream was done"


def _restrided(probe: Probe) -> str:
    result = probe.result(_laid_out(probe.bench.copy(), _transposed, "no floating matrix"))
    hint = "Check the strides of the inputs, or read them by their strides."
    probe.judge(result, probe.truth.expected, hint=hint)
    return "matrices laid out by columns gave the same result"


def _realigned(probe: Probe) -> str:
    result = probe.result(_laid_out(probe.bench.copy(), _shifted, "no tensor"))
    hint = "Check the addresses of the inputs before using wide loads."
    probe.judge(result, probe.truth.expected, hint=hint)
    return f"inputs {_ASKEW_BYTES} bytes further on gave the same result"


def _replayed(probe: Probe, replay: Replay) -> str:
    hint = "Find what op() does only outside of a capture: the replay leaves it out."
    probe.judge(probe.replayed(replay), probe.truth.expected, hint=hint)
    return "a replay over poisoned outputs gave the result of the call"


def _replayed_otherwise(probe: Probe, replay: Replay) -> str:
    hint = "Let op() read its inputs on the device: a capture freezes what the host reads."
    result = probe.replayed(replay, holding=probe.bench.other_inputs())
    probe.judge(result, probe.truth.other_expected, hint=hint)
    return "a replay over overwritten inputs gave their result"


def _equal(one: Any, other: Any) -> bool:
    """Say whether two results hold the same bytes."""
    return Saved.of(one).holds(other)


def _laid_out(
    inputs: Inputs, change: Callable[[torch.Tensor], torch.Tensor | None], nothing: str
) -> Inputs:
    changed = 0

    def change_some(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal changed
        other = change(tensor) if is_plain(tensor) and tensor.is_contiguous() else None
        changed += other is not None
        return tensor if other is None else other.requires_grad_(tensor.requires_grad)

    with torch.no_grad():
        laid_out = replaced(inputs, change_some)
    if not changed:
        raise Unavailable(f"the inputs have {nothing} to lay out otherwise", "")
    return laid_out  # type: ignore[no-any-return]  # a tuple stays one


def _transposed(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the same matrix, dense, with its last two strides swapped.

    Dense, so that an op that takes the strides for its output's too stays within that memory, and
    no integers, which may be indices: an op that misreads its inputs must not leave them.
    """
    if not tensor.is_floating_point() or tensor.dim() < 2 or min(tensor.shape[-2:]) < 2:
        return None
    return tensor.detach().mT.contiguous().mT


def _shifted(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the same tensor at an address that is aligned to 64 bytes and no more."""
    gap = _ASKEW_BYTES // tensor.element_size()
    flat = torch.empty(tensor.numel() + gap, dtype=tensor.dtype, device=tensor.device)
    return flat[gap:].view(tensor.shape).copy_(tensor.detach())


BEFORE: tuple[Test, ...] = (
    Test("repeated calls", "every call does its work, and writes all of its output", _repeated),
    Test(
        "new addresses", "the result does not hang on where the inputs lie", _moved, may_refuse=True
    ),
    Test("new values", "the result follows the inputs, at the same addresses too", _overwritten),
    Test(
        "another stream",
        "all work is queued on the current stream, or waited for by it",
        _aside,
        may_refuse=True,
    ),
    Test("deferred work", "nothing is left to do when the stream is done", _settled),
)

LAST = Test("after timing", "the timed calls computed what the checked ones did", _overwritten)
"""Made again when all calls were timed: an op could count them."""

AFTER: tuple[Test, ...] = (
    Test(
        "other strides",
        "the op reads its inputs by their strides, or declines",
        _restrided,
        may_refuse=True,
        stops=False,
    ),
    Test(
        "other alignment",
        "the op needs no more alignment than 64 bytes, or declines",
        _realigned,
        may_refuse=True,
        stops=False,
    ),
)
