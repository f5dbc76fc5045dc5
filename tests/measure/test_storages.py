from __future__ import annotations

import pytest
import torch

from tracelens.measure.storages import Saved, overwrite, poison, poison_free_memory, storages
from tracelens.measure.values import copied, difference_of_frames


def test_what_changed_is_found_and_put_back_under_every_view_of_it() -> None:
    base, other = torch.arange(6.0), torch.ones(3)
    inputs = (base[2:], base.view(2, 3), other)
    saved = Saved.of(inputs)

    base[0] = 9.0
    changed = saved.changed()
    changed.restore()

    assert len(saved.live) == 2
    assert len(changed.live) == 1
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_nan_that_stays_is_no_change() -> None:
    x = torch.tensor([float("nan")])

    assert Saved.of(x).changed().live == []


def test_copies_share_memory_where_the_originals_do() -> None:
    base = torch.arange(6.0)

    view, whole = copied((base[2:], base))
    whole[2] = 9.0

    assert view[0] == 9.0
    assert base[2] == 2.0
    assert copied(torch.ones(1).expand(4)).stride() == (0,)


def test_overwriting_reaches_leaves_that_record_gradients_and_overlapping_views() -> None:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(1).expand(3)

    overwrite((x, y), (torch.zeros(2), torch.zeros(1).expand(3)))

    assert (x.tolist(), y.tolist()) == ([0.0, 0.0], [0.0, 0.0, 0.0])


def test_poison_is_no_number() -> None:
    floats = [torch.zeros(2, dtype=d) for d in (torch.float16, torch.bfloat16, torch.float32)]
    whole = torch.zeros(2, dtype=torch.int32)
    for tensor in (*floats, whole):
        poison(tensor.untyped_storage())

    assert all(tensor.isnan().all() for tensor in floats)
    assert whole.tolist() == [-1, -1]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_memory_that_is_handed_out_next_is_poisoned() -> None:
    result = torch.ones(1000, device="cuda")
    size = storages(torch.ones(1000, device="cuda"))
    del result

    poison_free_memory(size)

    assert torch.empty(1000, device="cuda").isnan().all()


def test_tensors_without_a_storage_of_their_own_are_left_out() -> None:
    assert storages((torch.eye(2).to_sparse(), torch.empty(0), torch.ones(1, device="meta"))) == []


def test_frames_differ_by_shape_dtype_numbers_and_structure_but_not_by_content() -> None:
    def frame(*value: object) -> str | None:
        return difference_of_frames((torch.zeros(2), 3, {"f": lambda: 1}), value)

    same = {"f": lambda: 1}
    assert frame(torch.ones(2), 4, same) == "a value of type int changed"
    assert frame(torch.ones(3), 3, same) == "float32[2] cpu became float32[3] cpu"
    assert frame(torch.ones(2), 3) == "3 items became 2"
    assert frame(torch.ones(2), 3, None) == "dict became NoneType"
