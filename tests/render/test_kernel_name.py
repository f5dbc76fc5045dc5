from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.render.sample_metrics import ADD, ADD_SELF, MUL, SCALE, TANH
from tracelens.render.kernel_name import shorten_names

SORT = (
    "void at_cuda_detail::cub::detail::radix_sort::DeviceRadixSortHistogramKernel<"
    "at_cuda_detail::cub::detail::radix::policy_hub<float, at::cuda::cub::detail::OpaqueType<8>, "
    "unsigned long long>::Policy1000, (at_cuda_detail::cub::SortOrder)0, float, unsigned long long>"
    "(unsigned long long*, float const*, unsigned long long, int, int)"
)
FILL = (
    "at::native::(anonymous namespace)::fill_reverse_indices_kernel(long*, int, "
    "at::cuda::detail::IntDivider<unsigned int>)"
)


def test_a_name_keeps_as_much_as_fits_and_loses_first_what_says_least() -> None:
    assert [shorten_names([ADD], width)[0] for width in (200, 100, 66, 42, 24)] == [
        "at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "std::array<char*, 3>>",
        "vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, array<char*, 3>>",
        "vectorized_elementwise_kernel<8, CUDAFunctor_add<..>, array<..>>",
        "vectorized_elem…<8, CUDAFunctor_add<..>, …",
        "vectoriz…<8, CUDAFuncto…",
    ]


def test_names_of_libraries_and_compilers_are_shortened_by_their_own_habits() -> None:
    assert shorten_names(
        [
            SORT,
            FILL,
            TANH,
            "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT",
            "triton_poi_fused_add_0",
            "void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int) [clone .kd]",
            "unbalanced)",
            "",
        ],
        40,
    ) == [
        "DeviceRadixSort…<policy_hub<..>::Policy…",
        "fill_reverse_indices_kernel",
        "vectorized_elem…<8, tanh_kernel_cuda(BF…",
        "nvjet_sm90_tst_256x128_6…_h_bz_coopA_NNT",
        "triton_poi_fused_add_0",
        "softmax_warp_forward<float, 10>",
        "unbalanced)",
        "",
    ]


def test_names_that_would_look_alike_show_where_they_differ() -> None:
    mean = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, {}> >(float)"
    assert shorten_names([mean.format("MeanOps<float>"), mean.format("SumOps<float>")], 36) == [
        "reduce_kerne…MeanOps<float>>>",
        "reduce_kerne…SumOps<float>>>",
    ]
    assert shorten_names([MUL, SCALE, ADD, ADD_SELF], 32) == [
        "vectorized_…<8, BinaryFunctor<.…",
        "vectorized_…<8, AUnaryFunctor<.…",
        "vectorized_…<8, CUDAFunctor_add…",
        "vectorized_…<8, CUDAFunctorOnSe…",
    ]


def test_a_name_that_was_rewritten_never_looks_like_a_third_one() -> None:
    apply = "void multi_tensor_apply_kernel<TensorList{}>, {}Functor<c10::BFloat16, 1, 1, 0> >(int)"
    pairs = (
        ("Metadata<1", "BinaryOpScalar"),
        ("Metadata<2", "UnaryOp"),
        ("ScalarListMetadata<float, 1", "BinaryOpScalarList"),
        ("ScalarListMetadata<float, 3", "PointwiseOpScalarList"),
    )
    assert shorten_names([apply.format(*pair) for pair in pairs], 26) == [
        "multi_te…Metadata<1>, Bin…",
        "multi_te…2>, UnaryOpFunct…",
        "multi_te…ScalarListMetada…",
        "multi_te…3>, PointwiseOpS…",
    ]


def test_names_that_differ_only_in_what_is_never_shown_are_numbered() -> None:
    assert shorten_names(["f(int)", "f(float)", "g", "f(int)"], 20) == ["f #1", "f #2", "g", "f #1"]
    assert shorten_names(["f(int)", "f(float)", "f #1"], 20) == ["f #1 #1", "f #2", "f #1 #2"]


@given(
    st.lists(
        st.text("ab<>(), :_{}#1卷", max_size=40) | st.sampled_from([ADD, MUL, SORT, FILL]),
        max_size=8,
    ),
    st.integers(12, 60),
)
def test_different_names_stay_different_and_every_one_fits(names: list[str], width: int) -> None:
    short = shorten_names(names, width)
    assert len(set(zip(names, short, strict=True))) == len(set(names)) == len(set(short))
    assert all(cell_len(text) <= width for text in short)
