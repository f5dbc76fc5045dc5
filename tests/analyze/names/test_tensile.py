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
