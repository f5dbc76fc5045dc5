from tests.analyze.names.reading import fields_of, kind_of


def test_each_release_is_told_by_its_number_of_arguments():
    old = "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 160u, 128u, 0u, 64u, 9u, 4u, 128u, 128u, 1u, true, (deep_gemm::GemmType)1>(int)"  # noqa: E501  # a name as it is
    assert fields_of(old) == {
        "shape_N": 4096,
        "shape_K": 7168,
        "tile_M": 128,
        "tile_N": 160,
        "tile_K": 128,
        "groups": 9,
        "stages": 4,
    }
    new = "void deep_gemm::sm100_fp8_fp4_gemm_1d1d_impl<(cute::UMMA::Major)0, (cute::UMMA::Major)0, 128u, 128u, 0u, 0u, 0u, 240u, 128u, 128u, 1u, 128u, 128u, 128u, 6u, 128u, 128u, 2u, true, 148u, true, (deep_gemm::GemmType)0, false, cutlass::float_e4m3_t, cutlass::float_e4m3_t, cutlass::bfloat16_t, deep_gemm::EpilogueIdentity>(int)"  # noqa: E501  # a name as it is
    assert fields_of(new) == {
        "tile_M": 240,
        "tile_N": 128,
        "tile_K": 128,
        "groups": 1,
        "stages": 6,
        "arch": "sm100",
    }


def test_another_order_of_as_many_arguments_is_told_by_stages_that_have_no_room():
    name = "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 2112u, 7168u, 1u, 64u, 96u, 128u, 128u, 128u, 0u, 8u, 128u, 128u, 2u, true, 132u, (deep_gemm::GemmType)0>(int)"  # noqa: E501  # a name as it is
    assert fields_of(name) == {"arch": "sm90", "template_arguments": "17 in an unknown order"}


def test_a_release_that_nobody_has_read_is_said_to_be_unknown():
    name = "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u, 1024u>(int)"
    assert fields_of(name) == {"arch": "sm90", "template_arguments": "3 in an unknown order"}
    assert kind_of(name) == ("deep_gemm", "DeepGEMM", "gemm", "unknown")
