import pytest

from tracelens.analyze.names import decode
from tracelens.analyze.names.config import spell_config


@pytest.mark.parametrize(
    ("name", "config"),
    [
        (
            "nvjet_sm90_tst_64x32_64x16_4x1_v_bz_splitK_TNT",
            "tile 64x32x64 stages 16 cluster 4x1 split-K",
        ),
        (
            "nvjet_sm100_tst_256x128_64x5_2x2_2cta_h_bz_TNT",
            "tile 256x128x64 stages 5 cluster 2x2 2-CTA",
        ),
        ("cutlass_80_simt_sgemm_64x64_8x5_nn_align1", "tile 64x64x8 stages 5 align 1"),
        ("ampere_sgemm_128x64_nn", "tile 128x64"),
        ("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x4_swiglu", "tile 16x256x128 split-K 4"),
        ("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu", "tile 16x256x128"),
        (
            "void at::native::vectorized_elementwise_kernel<4, FillFunctor<int>, A>(int)",
            "vec 4",
        ),
        ("triton_poi_fused_add_0", ""),
        ("add_kernel", ""),
    ],
)
def test_a_configuration_is_a_few_words(name, config):
    assert spell_config(decode(name)) == config
