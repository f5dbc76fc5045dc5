"""The memory under an op's inputs: saved, compared, put back and overwritten, byte by byte.

Whole storages are handled, not tensors: views and aliases stay what they are, gaps between rows
are covered, NaN equals itself, and autograd sees nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from tracelens.measure.values import is_plain, tensors

_POISON = 0xFF
"""As every byte of a number: NaN in each floating format of 16 bits and more, -1 in an integer."""

_POISONED_BYTES = 1 << 30
"""Most memory that is poisoned for one storage, beyond its own size."""

_POISONED_BLOCKS = 4
"""Free blocks of a size that an allocator may hand out first; an op may take several."""


def storages(value: Any) -> list[torch.UntypedStorage]:
    """Return the distinct storages of the plain tensors in a value, in order.

    Sparse tensors and tensor subclasses keep their memory elsewhere and are left out.
    """
    found: dict[int, torch.UntypedStorage] = {}
    for tensor in tensors(value):
        if is_plain(tensor):
            storage = tensor.untyped_storage()
            found.setdefault(storage.data_ptr(), storage)
    return list(found.values())


def addresses(value: Any) -> set[int]:
    """Return where the storages of a value begin."""
    return {storage.data_ptr() for storage in storages(value)}


def as_bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    """Return a tensor of uint8 over the same memory."""
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


@dataclass(frozen=True, slots=True)
class Saved:
    """Storages and what they held when they were saved."""

    live: list[torch.UntypedStorage]
    bytes: list[torch.Tensor]

    @classmethod
    def of(cls, value: Any) -> Saved:
        """Save every storage of a value."""
        live = storages(value)
        return cls(live, [as_bytes(storage).clone() for storage in live])

    @classmethod
    def nothing(cls) -> Saved:
        """Return what saves no storage."""
        return cls([], [])

    def holds(self, value: Any) -> bool:
        """Say whether a value of the same frame has the content that was saved."""
        theirs = map(as_bytes, storages(value))
        return all(map(torch.equal, self.bytes, theirs))

    def changed(self) -> Saved:
        """Return those that hold something else now."""
        differ = [
            not torch.equal(as_bytes(storage), saved)
            for storage, saved in zip(self.live, self.bytes, strict=True)
        ]
        return Saved(
            [storage for storage, is_changed in zip(self.live, differ, strict=True) if is_changed],
            [saved for saved, is_changed in zip(self.bytes, differ, strict=True) if is_changed],
        )

    def restore(self) -> None:
        """Put back what was saved, at the same addresses, on the current stream."""
        for storage, saved in zip(self.live, self.bytes, strict=True):
            as_bytes(storage).copy_(saved, non_blocking=True)


def overwrite(value: Any, by: Any) -> None:
    """Put the content of `by` under the tensors of `value`; both must have the same frame."""
    for target, source in zip(storages(value), storages(by), strict=True):
        as_bytes(target).copy_(as_bytes(source), non_blocking=True)


def poison(storage: torch.UntypedStorage) -> None:
    """Fill a storage with bytes that no right result is made of."""
    as_bytes(storage).fill_(_POISON)


def poison_free_memory(like: list[torch.UntypedStorage]) -> None:
    """Fill memory that the allocator is likely to hand out next for storages of these sizes.

    What an op allocates and does not write is then no earlier result by chance.
    """
    blocks = [
        torch.empty(storage.nbytes(), dtype=torch.uint8, device=storage.device)
        for storage in like
        for _ in range(min(_POISONED_BLOCKS, 1 + _POISONED_BYTES // storage.nbytes()))
    ]
    for block in blocks:
        block.fill_(_POISON)
