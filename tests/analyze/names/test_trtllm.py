from tests.analyze.names.reading import fields_of


def test_an_attention_kernel_with_two_head_sizes_is_read_in_camel_case():
    name = "fmhaSm100fKernel_QE4m3KvE2m1OBfloat16HQk576HV512PagedKvDenseStaticTokenSparseP32MultiCtasKvVarSeqQ16Kv128PersistentSwapsAbForGen"  # noqa: E501  # a name as it is
    assert fields_of(name) == {
        "arch": "sm100",
        "dtype_Q": "fp8_e4m3",
        "dtype_KV": "fp4_e2m1",
        "dtype_out": "bf16",
        "head_dim_qk": 576,
        "head_dim_v": 512,
        "kv_layout": "PagedKv",
        "mask": "Dense",
        "sparsity": "StaticTokenSparse",
        "page_size": 32,
        "multi_cta_kv": True,
        "variable_length": True,
        "tile_M": 16,
        "tile_N": 128,
        "scheduler": "Persistent",
        "phase": "SwapsAbForGen",
        "head_dim": 576,
    }


def test_a_gemm_with_split_k_is_read():
    name = "Gemm_Bfloat16_E4m3E4m3_Fp32_t128x8x128_s7_et128x8_m128x8x32_cga1x1x2_splitK2_TN_sm100f"
    assert fields_of(name) == {
        "dtype_out": "bf16",
        "dtype": "fp8_e4m3",
        "dtype_B": "fp8_e4m3",
        "dtype_acc": "fp32",
        "tile_M": 128,
        "tile_N": 8,
        "tile_K": 128,
        "stages": 7,
        "epilogue_tile": "128x8",
        "mma": "128x8x32",
        "cluster": "1x1x2",
        "split_k": 2,
        "arch": "sm100",
        "layout": "tn",
    }
