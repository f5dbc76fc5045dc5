import pytest

from tests.analyze.names.reading import fields_of, kind_of

ROCBLAS = (
    "Cijk_Ailk_Bljk_HHS_BH_MT128x64x16_MI32x32x8x1_SE_1LDSB0_GRVWn1_GSU4_GSUASB_ISA90a_PGR1_PLR3"
    "_WG32_8_1_WGM8.kd"
)


def test_tile_instruction_split_and_threads_are_read():
    assert fields_of(ROCBLAS) == {
        "tile_M": 128,
        "tile_N": 64,
        "tile_K": 16,
        "mma": "32x32x8",
        "split_k": 4,
        "prefetch_global": 1,
        "prefetch_local": 3,
        "layout": "nn",
        "dtype": "fp16",
        "dtype_out": "fp16",
        "dtype_acc": "fp32",
        "arch": "gfx90a",
        "threads": 256,
    }


def test_hipblaslt_alone_takes_its_arguments_from_the_user():
    assert kind_of(ROCBLAS)[1] == "rocBLAS"
    assert kind_of(ROCBLAS.replace("_BH_", "_BH_UserArgs_"))[1] == "hipBLASLt"


@pytest.mark.parametrize(
    ("types", "fields"),
    [
        ("BBS_BH", {"dtype": "bf16", "dtype_out": "bf16", "dtype_acc": "fp32"}),
        ("HSS_BH", {"dtype": "fp16", "dtype_out": "fp32", "dtype_acc": "fp32"}),
        ("F8BS_BH", {"dtype": "fp8_e4m3", "dtype_out": "bf16", "dtype_acc": "fp32"}),
        ("I8II_BH", {"dtype": "int8", "dtype_out": "int32", "dtype_acc": "int32"}),
        ("4xi8II_BH", {"dtype": "int8", "dtype_out": "int32", "dtype_acc": "int32"}),
        (
            "F8B8BS_BH",
            {
                "dtype": "fp8_e4m3",
                "dtype_B": "fp8_e5m2",
                "dtype_out": "bf16",
                "dtype_acc": "fp32",
            },
        ),
        (
            "HF8_HHS_BH",
            {"dtype": "fp16", "dtype_B": "fp8_e4m3", "dtype_out": "fp16", "dtype_acc": "fp32"},
        ),
        # One type, then flags: beta, high-precision accumulation, initial strides.
        ("SB", {"dtype": "fp32"}),
        ("S_B_Bias", {"dtype": "fp32", "bias": True}),
        ("HBH", {"dtype": "fp16"}),
        ("HBHI", {"dtype": "fp16"}),
        ("BBH", {"dtype": "bf16"}),
        ("CB", {"dtype": "complex64"}),
        ("QRSTUV", {}),
    ],
)
def test_types_are_the_operands_the_result_and_the_computation_or_one_and_flags(types, fields):
    read = fields_of(f"Cijk_Alik_Bljk_{types}_MT64x32x16_SN")
    assert read == {"tile_M": 64, "tile_N": 32, "tile_K": 16, "layout": "tn"} | fields


def test_a_kernel_written_by_hand_is_of_the_family_without_a_tile():
    name = "Custom_Cijk_Alik_Bljk_F8B8BS_BH_Bias_HA_S_SAB_SAV_UserArgs_shortname1_gfx950"
    assert kind_of(name) == ("tensile_hipblaslt", "hipBLASLt", "gemm", "documented")
    assert fields_of(name)["arch"] == "gfx950"


def test_what_sums_the_parts_of_a_split_is_no_gemm_and_does_not_say_the_factor():
    name = "Cijk_SB_GG_BiasS_HAS_ScaleAlphaVec_PostGSU8_VW2"  # one kernel serves 5 parts and 8
    assert kind_of(name) == ("tensile_hipblaslt", "hipBLASLt", "reduction", "documented")
    assert fields_of(name) == {"split_k": True, "vec_size": 2}
    assert fields_of("Cijk_Dijk_B_PostGSU") == {"split_k": True}


def test_a_conjugated_operand_is_part_of_the_layout():
    assert fields_of("Cijk_AlikC_Bljk_ZB_MT32x32x8_SN")["layout"] == "cn"
