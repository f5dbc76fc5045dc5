from __future__ import annotations

from collections.abc import Callable

from tracelens.measure.siblings import compare_cards


class FakeCard:
    """A card that takes `slower` times as long as it should; a clock takes 1 ns, a byte 0.25 us."""

    def __init__(self, slower: float = 1.0) -> None:
        self._slower = slower
        self._took_ns = 0.0

    def cycle(self, cycles: int) -> Callable[[], None]:
        return lambda: self._take(cycles)

    def fill(self, size: int) -> Callable[[], None]:
        return lambda: self._take(size / 4_096)

    def between_events(self, call: Callable[[], object]) -> int:
        call()
        return round(self._took_ns)

    def _take(self, ns: float) -> None:
        self._took_ns = ns * self._slower


def test_each_card_is_beside_what_most_of_them_take() -> None:
    cards = {"cuda:0": FakeCard, "cuda:1": FakeCard, "cuda:2": lambda: FakeCard(slower=1.2)}

    found = list(compare_cards(cards))

    assert [(one.name, one.truth_ns, set(one.samples_ns)) for one in found] == [
        ("card_clock_cuda0", 400_000, {400_000}),
        ("card_clock_cuda1", 400_000, {400_000}),
        ("card_clock_cuda2", 400_000, {480_000}),
        ("card_memory_cuda0", 262_144, {262_144}),
        ("card_memory_cuda1", 262_144, {262_144}),
        ("card_memory_cuda2", 262_144, {314_573}),
    ]


def test_one_card_has_no_siblings_and_is_not_even_opened() -> None:
    def never() -> FakeCard:
        raise AssertionError

    assert list(compare_cards({"cuda:0": never})) == []
