"""The ceiling of a card, beside ops that state what they do, on a device with known truth."""

import statistics
from pathlib import Path

import pytest
import torch

from tests.measure.fake_device import FakeDevice
from tests.measure.test_recipe_cache import OPTIONS
from tracelens.measure.case import measure_op
from tracelens.model.ceiling import Ceiling
from tracelens.model.measurement import Noticed
from tracelens.model.op import Op, Variant
from tracelens.model.records import gather


def run_of(device, monkeypatch, **stated):
    """Measure two variants: the first states its work, the second does not."""
    for module in ("case", "first_call"):
        monkeypatch.setattr(f"tracelens.measure.{module}.choose_device", lambda *_, **__: device)
    variants = (
        Variant(call=lambda: torch.ones(2), name="stating", **stated),
        Variant(call=lambda: torch.ones(2), name="silent"),
    )
    op = Op(name="x", inputs=lambda: (), variants=variants)
    return gather("x", measure_op(op, trace_path=Path("trace.json.gz"), options=OPTIONS))


def test_a_variant_that_states_bytes_gets_the_cards_copy_beside_it(monkeypatch):
    device = FakeDevice(wait_ns=2_000, capturable=False)
    stating, silent = run_of(device, monkeypatch, bytes_moved=lambda: 8).subjects
    # 1,000 copies of 10 us each, behind 1 us of the host's and before a wait of 2 us
    assert stating.ceilings == (
        Ceiling(kind="bandwidth", what="a copy", amount=40_000, samples_ns=(10_003,) * 10),
    )
    assert silent.ceilings == ()


def test_a_ceiling_that_cannot_be_had_costs_a_finding_and_no_figure(monkeypatch):
    device = FakeDevice(wait_ns=2_000, capturable=False)
    run = run_of(device, monkeypatch, flops=lambda: 8)
    stating = run.subjects[0]
    assert (stating.ceilings, stating.failure) == ((), None)
    facts = [n.finding.fact for n in stating.noticed if isinstance(n, Noticed)]
    assert "the card's own throughput could not be measured: There is no product." in facts
    assert "full/eager" in [m.tag for m in stating.measurements]


def test_nothing_is_measured_where_no_work_is_stated(monkeypatch):
    device = FakeDevice(wait_ns=2_000, capturable=False)
    run = run_of(device, monkeypatch)
    assert [subject.ceilings for subject in run.subjects] == [(), ()]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(("kind", "most"), [("bandwidth", 10_000), ("flops", 5_000)])
def test_a_card_copies_and_multiplies_at_a_rate_that_a_card_can_have(kind, most):
    from tracelens.measure.ceiling import _measured  # noqa: PLC0415  # it needs the device
    from tracelens.measure.cuda import Cuda  # noqa: PLC0415

    ceiling = _measured(kind, torch.bfloat16, Cuda(0))
    per_ns = ceiling.amount / statistics.median(ceiling.samples_ns)
    assert 10 < per_ns / (1 if kind == "bandwidth" else 1_000) < most  # GB/s, TFLOP/s
