"""Where a worker takes its turn."""

import dataclasses
import os
from pathlib import Path

import pytest

from tests.measure.fake_device import FakeDevice
from tracelens.measure.contender import Contender
from tracelens.measure.options import Options
from tracelens.measure.pairs import Plan
from tracelens.measure.timing import Timed
from tracelens.processes import worker as module

PLAN = Plan(rounds=1, heads=1, calls=1)


@pytest.mark.parametrize(("asynchronous", "cores"), [(True, {3}), (False, {1, 2, 3})])
def test_only_a_turn_whose_work_is_queued_is_taken_on_one_core(monkeypatch, asynchronous, cores):
    here = {"cores": {1, 2, 3}}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: here["cores"])
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: here.update(cores=cores))
    device = FakeDevice(wait_ns=700)
    device.asynchronous = asynchronous
    call = Timed(call=device.op(host_ns=10_000, kernel_ns=5_000), device=device, grad="no_grad")
    worker = module._Worker(Path("op.py"), None, Options())
    worker._contender = Contender(device=device, ways={"eager": call}, call_ns={"eager": 15_000})
    plan = dataclasses.asdict(PLAN)
    answer = worker.answer({"ask": "turn", "way": "eager", "plan": plan, "core": 3})
    assert answer == {"turn": {"full": (15_700,), "submit": (10_000,)}}
    assert here["cores"] == cores
