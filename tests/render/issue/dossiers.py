"""A run to write issues of, with figures as they were measured on an H200."""

from dataclasses import replace

from tests.render.sample_reports import add_small
from tracelens.model.dossier import Attachment, Dossier, RecordedArgument, RecordedOp
from tracelens.model.measurement import (
    Check,
    Measurement,
    Protocol,
    Run,
    Subject,
    SubjectRun,
)

PROTOCOL = Protocol(
    device="cuda:0",
    seed=0,
    grad_mode="no_grad",
    warmup_calls=5,
    warmup_ns=200_000_000,
    samples=200,
    batch=100,
    profiled_calls=20,
    head_calls=5,
    cache_state="warm",
    clock="time.perf_counter_ns",
    inputs=("bfloat16[1024] cuda:0", "bfloat16[1024] cuda:0", "1.0"),
)
FULL = Measurement(
    tag="full/eager",
    samples_ns=(18_300,) * 200,
    clock="time.perf_counter_ns",
    includes="device idle; from the call until a synchronize has returned",
)
CHECK = Check(
    status="passed", max_abs_error=0.0, atol=0.0, rtol=0.0, outputs=("bfloat16[1024] cuda:0",)
)
VECTOR = RecordedArgument(type="c10::BFloat16", shapes=((1024,),), strides=((1,),))


def add_small_dossier(**changes):
    """Return the dossier of one small add."""
    report = add_small()
    found = SubjectRun(subject=Subject(), protocol=PROTOCOL, check=CHECK, measurements=(FULL,))
    run = Run(op="add_small", environment=report.environment, subjects=(found,), report=report)
    dossier = Dossier(
        title="add_small",
        report=report,
        run=run,
        recorded=(
            RecordedOp(
                name="aten::add",
                arguments=(VECTOR, VECTOR, RecordedArgument(type="Scalar", value="1")),
                count=1,
            ),
        ),
        reproducer='print("measured")\n',
        needs=("triton",),
        attachments=(Attachment(name="trace.json.gz", size=5_805, holds="684 events"),),
        replaced={"path": 3, "user name": 1},
    )
    return replace(dossier, **changes)
