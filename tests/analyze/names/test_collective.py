import pytest

from tests.analyze.names.reading import fields_of, kind_of


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        (
            "ncclDevKernel_ReduceScatter_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            {"collective": "ReduceScatter", "dtype": "fp16"},
        ),
        (
            "ncclDevKernel_AllReduce_Sum_f32_TREE_LL(int)",
            {"collective": "AllReduce", "dtype": "fp32"},
        ),
        ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", {"collective": "SendRecv"}),
        (
            "ncclKernel_AllReduce_TREE_LL_Max_half(ncclDevComm*)",
            {"collective": "AllReduce", "reduction": "Max", "dtype": "fp16"},
        ),
        ("ncclDevKernel_AllToAll_RING_SIMPLE(int)", {"collective": "AllToAll"}),
        ("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)", {"collective": "AllGather"}),
        (
            "ncclKernel_AllReduce_TREE_LL_Sum___nv_bfloat16(ncclDevComm*)",
            {"collective": "AllReduce", "reduction": "Sum", "dtype": "bf16"},
        ),
        (
            "ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
            {"collective": "AllReduce", "dtype": "bf16"},
        ),
        (
            "ncclSymkDevKernel_AllReduce_AGxLLMC_R_sum_f16(ncclSymkDevArgs)",
            {"collective": "AllReduce", "dtype": "fp16"},
        ),
        (
            "ncclAllReduceRingLLKernel_sum_f16(ncclColl)",
            {"collective": "AllReduce", "reduction": "sum", "dtype": "fp16"},
        ),
    ],
)
def test_neither_protocol_nor_algorithm_nor_a_placeholder_is_reported(name, fields):
    assert fields_of(name) == fields
    assert kind_of(name) == ("nccl", "NCCL", "collective", "documented")


def test_amds_generic_kernel_does_not_name_its_collective():
    assert kind_of("ncclDevKernel_Generic_4(int)") == ("rccl", "RCCL", "collective", "inferred")
    assert fields_of("ncclDevKernel_Generic_4(int)") == {}
