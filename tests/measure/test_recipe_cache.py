"""The state of the cache and of the card through a whole run, on a device with known truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tracelens.measure.case import measure_op
from tracelens.measure.options import Options
from tracelens.model.card import CardReading
from tracelens.model.measurement import Capture, Measurement, Noticed, Protocol, Record
from tracelens.model.op import Op, Variant

OPTIONS = Options(
    functions=False,
    samples=10,
    batches=5,
    batch=10,
    warmup_calls=2,
    warmup_ns=0,
    head_calls=1,
    profiled_calls=2,
    replays=1,
    keep_going=True,
)


def measured(
    device: FakeDevice, monkeypatch: pytest.MonkeyPatch, *, moves: bool = False, **options: Any
) -> list[Record]:
    """Measure 5 us on the host and 20 us on the device, 30 us more there behind a flush."""
    for module in ("case", "first_call"):
        monkeypatch.setattr(f"tracelens.measure.{module}.choose_device", lambda *_, **__: device)
    work = device.op(host_ns=5_000, kernel_ns=20_000)

    def call() -> torch.Tensor:
        work()
        return torch.ones(2)

    variant = Variant(call=call, bytes_moved=(lambda: 8) if moves else None)
    op = Op(name="x", inputs=lambda: (), variants=(variant,))
    whole = replace(OPTIONS, **options)
    return list(measure_op(op, trace_path=Path("trace.json.gz"), options=whole))


def a_device(**more: Any) -> FakeDevice:
    return FakeDevice(wait_ns=2_000, miss_ns=30_000, capturable=False, **more)


def taken(records: list[Record], *tags: str) -> dict[str, tuple[int, str]]:
    """Return the one value of each measurement, and the state of its cache."""
    found = {r.tag: r for r in records if isinstance(r, Measurement)}
    return {
        tag: (found[tag].samples_ns[-1], found[tag].cache_state) for tag in tags if tag in found
    }


TAGS = ("full/eager", "full_cold/eager", "amortised/eager", "undisturbed/busy")
COLD = "cold (twice the L2 written before each sample)"


@pytest.mark.parametrize(
    ("l2", "moves", "found"),
    [
        (
            None,
            False,
            {
                "full/eager": (27_000, "warm"),
                "amortised/eager": (20_700, "warm"),
                "undisturbed/busy": (20_000, "warm"),
            },
        ),
        (
            None,
            True,
            {
                "full/eager": (27_000, "warm"),
                "full_cold/eager": (57_000, COLD),
                "amortised/eager": (20_700, "warm"),
                "undisturbed/busy": (20_000, "warm"),
            },
        ),
        (
            "cold",
            False,
            {
                "full/eager": (57_000, COLD),
                "amortised/eager": (20_700, "warm"),
                "undisturbed/busy": (50_000, COLD),
            },
        ),
    ],
    ids=["warm", "both", "cold"],
)
def test_each_figure_says_in_which_state_of_the_cache_it_was_taken(
    monkeypatch: pytest.MonkeyPatch, l2: Any, moves: bool, found: dict[str, tuple[int, str]]
) -> None:
    records = measured(a_device(), monkeypatch, moves=moves, l2=l2)

    assert taken(records, *TAGS) == found


@pytest.mark.parametrize(
    ("l2", "state", "window"),
    [("warm", "warm", None), ("both", "both", "tracelens::cold_call"), ("cold", "cold", None)],
)
def test_the_protocol_and_the_profiled_pass_say_it_too(
    monkeypatch: pytest.MonkeyPatch, l2: Any, state: str, window: str | None
) -> None:
    records = measured(a_device(), monkeypatch, l2=l2)

    assert [r.cache_state for r in records if isinstance(r, Protocol)] == [state]
    assert [r.cold_window for r in records if isinstance(r, Capture)] == [window]


def test_the_card_is_read_after_each_stage_of_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    device = a_device(readings=[CardReading(stage="", sm_clock_mhz=1980)])

    records = measured(device, monkeypatch, l2="both")

    readings = [record for record in records if isinstance(record, CardReading)]
    assert [(r.stage, r.sm_clock_mhz) for r in readings] == [
        ("full/eager", 1980),
        ("full_cold/eager", 1980),
        ("undisturbed", 1980),
    ]


def test_a_card_that_cannot_be_read_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    records = measured(a_device(readings=None), monkeypatch)

    told = [r.finding for r in records if isinstance(r, Noticed)]
    assert [f.fact for f in told if f.tag == "card/unread"] == ["There is no NVML."]


def test_why_sampling_ended_is_kept_with_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    records = measured(a_device(), monkeypatch)

    (full,) = (r for r in records if isinstance(r, Measurement) and r.tag == "full/eager")
    assert (len(full.samples_ns), full.ended_by, full.discarded) == (10, "precision", 0)
