import pytest

from tests.analyze.names.reading import fields_of, kind_of
from tracelens.analyze.names.inductor import split_ops


@pytest.mark.parametrize(
    ("joined", "ops"),
    [
        ("add_addmm_silu", ("add", "addmm", "silu")),
        ("_to_copy_add_native_layer_norm", ("_to_copy", "add", "native_layer_norm")),
        ("mul__softmax__unsafe_view", ("mul", "_softmax", "_unsafe_view")),
        (
            "native_layer_norm_native_layer_norm_backward",
            ("native_layer_norm", "native_layer_norm_backward"),
        ),
        ("some_new_op", ("some", "new", "op")),
        ("", ()),
    ],
)
def test_ops_that_hold_underscores_are_put_together_again(joined, ops):
    assert split_ops(joined) == ops


def test_a_template_is_a_gemm_or_attention_and_the_rest_is_fused():
    assert kind_of("triton_tem_fused_addmm_relu_3") == (
        "inductor",
        "Inductor",
        "gemm",
        "documented",
    )
    assert kind_of("triton_tem_fused_flex_attention_0")[2] == "attention"
    assert kind_of("triton_unk_fused_scatter_4")[2] == "fused"
    assert kind_of("triton_red_fused_mean_1") == ("inductor", "Inductor", "fused", "inferred")


def test_a_kernel_may_fuse_nothing_that_has_a_name():
    assert fields_of("triton_poi_fused_0") == {"category": "pointwise", "index": 0}
