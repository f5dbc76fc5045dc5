from tests.analyze.names.reading import fields_of, kind_of


def test_a_name_of_hopper_gives_tile_stages_cluster_and_types():
    assert fields_of("nvjet_sm90_hsh_320x128_64x3_1x2_h_bz_coopB_splitK_TNT") == {
        "arch": "sm90",
        "type_code": "hsh",
        "tile_M": 320,
        "tile_N": 128,
        "tile_K": 64,
        "stages": 3,
        "cluster": "1x2",
        "raster": "h",
        "split_k": True,
        "layout_letters": "TNT",
        "dtype": "fp16",
        "dtype_acc": "fp32",
        "dtype_out": "fp16",
        "layout": "tn",
        "unexplained": ("bz", "coopB"),
    }
    assert kind_of("nvjet_tst_64x8_64x16_4x1_v_bz_TNT") == (
        "nvjet",
        "cuBLASLt",
        "gemm",
        "inferred",
    )


def test_block_scaled_fp4_and_a_cluster_with_a_letter_are_read():
    name = "nvjet_sm103_ootst_128x128_256x7_2x2f_2cta_v_bx_Avec16UE4M3_Bvec16UE4M3_TNT"
    assert fields_of(name) == {
        "arch": "sm103",
        "type_code": "ootst",
        "tile_M": 128,
        "tile_N": 128,
        "tile_K": 256,
        "stages": 7,
        "cluster": "2x2",
        "two_cta": True,
        "raster": "v",
        "block_scale_A": "vec16UE4M3",
        "block_scale_B": "vec16UE4M3",
        "layout_letters": "TNT",
        "dtype": "fp4",
        "dtype_acc": "fp32",
        "dtype_out": "bf16",
        "layout": "tn",
        "unexplained": ("f", "bx"),
    }


def test_the_names_of_small_blackwell_hold_a_warp_tile_and_no_cluster():
    assert fields_of("nvjet_sm121_tst_mma_160x128x64_2_80x32x64_tmaAB_alignCD4_bz_TNNN") == {
        "arch": "sm121",
        "type_code": "tst",
        "tile_M": 160,
        "tile_N": 128,
        "tile_K": 64,
        "stages": 2,
        "warp_tile": "80x32x64",
        "layout_letters": "TNNN",
        "dtype": "bf16",
        "dtype_acc": "fp32",
        "dtype_out": "bf16",
        "layout": "tn",
        "unexplained": ("tmaAB", "alignCD4", "bz"),
    }


def test_the_letter_of_a_card_that_has_two_is_no_part_of_the_types():
    read = fields_of("nvjet_sm103a_tst_128x256_64x4_1x2_h_bz_TNT")
    assert (read["arch"], read["type_code"], read["stages"]) == ("sm103", "tst", 4)


def test_types_that_nobody_has_named_stay_a_code():
    read = fields_of("nvjet_sm120_biu_mma_256x128x128_2_64x64x128_bz_TNNN")
    assert (read["type_code"], "dtype" in read) == ("biu", False)


def test_a_name_cut_short_is_of_the_family_and_states_nothing():
    assert fields_of("nvjet_sm90_hsh_512x8") == {"unexplained": ("sm90", "hsh", "512x8")}


def test_an_epilogue_of_two_words_is_read_whole():
    read = fields_of("nvjet_sm100_tst_128x256_64x4_1x2_h_bz_bias_gelu_TNT")
    assert (read["epilogue"], read["unexplained"]) == ("bias_gelu", ("bz",))
