from __future__ import annotations

import pytest

from tracelens.errors import UsageError
from tracelens.model.sweep import Sweep


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("n=256..4096", (256, 512, 1024, 2048, 4096)),
        ("n=3..20", (3, 6, 12)),
        ("n=7..7", (7,)),
        ("n=4096,256,256", (256, 4096)),
        ("n", ()),
    ],
)
def test_a_range_doubles_a_list_is_sorted_and_a_name_alone_leaves_sizes_open(
    text: str, sizes: tuple[int, ...]
) -> None:
    assert Sweep.read(text) == Sweep(parameter="n", sizes=sizes)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "'' is no sweep."),
        ("n=", "'n=' is no sweep."),
        ("n=1..", "'n=1..' is no sweep."),
        ("2n=1..4", "'2n=1..4' is no sweep."),
        ("n=-1..4", "'n=-1..4' is no sweep."),
        ("n=1.5,2", "'n=1.5,2' is no sweep."),
        ("n=8..4", "The sweep 'n=8..4' ends before it begins."),
        ("n=0..4", "The sweep of n has the size 0; it must be from 1 to 2^63 - 1."),
        ("n=0,4", "The sweep of n has the size 0; it must be from 1 to 2^63 - 1."),
        (
            f"n=4,{2**63}",
            f"The sweep of n has the size {2**63}; it must be from 1 to 2^63 - 1.",
        ),
        ("n=\u0663", "'n=\u0663' is no sweep."),
        (f"n={'9' * 5_000}", f"'n={'9' * 78}' is no sweep."),
        (f"n={','.join(map(str, range(1, 66)))}", "The sweep has 65 sizes; 64 are enough."),
        (f"n=1..{2**200}", "The sweep has 65 sizes; 64 are enough."),
    ],
)
def test_what_is_no_sweep_says_so(text: str, fact: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sweep.read(text)

    assert caught.value.fact == fact
