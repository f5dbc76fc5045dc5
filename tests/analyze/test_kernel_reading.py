"""What kernel names and launches give away, each with the share that makes it matter."""

from dataclasses import replace

from tests.timelines import kernel, launch, timeline_of
from tracelens.analyze.kernels import kernels
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose
from tracelens.model.report import Finding
from tracelens.model.trace import Device

H200 = Device(id=0, name="NVIDIA H200", multiprocessors=132, compute_capability="9.0")
SGEMM = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma_kernel"
REDUCE = "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>(int)"


def findings_of(*work, device=H200) -> tuple[Finding, ...]:
    calls = [launch(e.start - 5, e.start - 2, called=e.correlation) for e in work]
    trace = replace(timeline_of(*calls, *work), devices=(device,))
    timeline = Timeline.of(trace)
    return kernels(timeline, choose(timeline)).findings


def test_a_smell_carries_its_share_of_the_kernel_time():
    found = findings_of(
        kernel(1000, 1900, by=1, name=SGEMM), kernel(2000, 2100, by=2, name="unheard_of")
    )
    assert found == (
        Finding(
            tag="kernel/smell/fp32-without-tensor-cores",
            severity="info",
            fact="sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stag…, 90 % of the "
            "kernel time: an fp32 matrix product runs without tensor cores",
            advice='if TF32 is precise enough, torch.set_float32_matmul_precision("high")',
        ),
    )


def test_what_depends_on_the_card_is_not_said_of_an_unknown_one():
    assert findings_of(kernel(1000, 1900, by=1, name=SGEMM), device=Device(id=0)) == ()


def test_a_kernel_that_takes_no_time_to_speak_of_is_not_worth_a_line():
    found = findings_of(
        kernel(1000, 1001, by=1, name=SGEMM), kernel(2000, 3000, by=2, name="unheard_of")
    )
    assert found == ()


def test_a_smell_of_several_kernels_is_said_once_of_the_longest():
    other = REDUCE.replace("32, 16", "16, 16")
    found = findings_of(kernel(1000, 1100, by=1, name=REDUCE), kernel(2000, 2900, by=2, name=other))
    assert [finding.fact for finding in found if finding.tag.startswith("kernel/smell")] == [
        "cublasLt::splitKreduce_kernel<16, 16, int, float, __nv_bflo…, 90 % of the kernel time: "
        "a matrix product is split along K and summed by a second kernel (and another kernel)"
    ]


def test_a_launch_that_contradicts_the_name_is_a_finding_not_a_guess():
    name = (
        "void at::native::reduce_kernel<16, 1, at::native::ReduceOp<float, Sum, float, 4, 4> >(x)"
    )
    (found,) = findings_of(kernel(1000, 1900, by=1, name=name))  # the builder's blocks: 32 threads
    assert (found.tag, found.severity) == ("kernel/contradiction", "warning")
    assert found.fact.endswith("contradicts its name: 32 threads in a block, the name allows 16")
