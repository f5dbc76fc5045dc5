import pytest

from tests.analyze.names.reading import fields_of, kind_of
from tracelens.analyze.names import decode
from tracelens.analyze.names.config import spell_config

VECTORIZED = "void at::native::vectorized_elementwise_kernel<{}, {}, std::array<char*, 2ul> >(int)"


@pytest.mark.parametrize(
    ("functor", "op", "dtype"),
    [
        ("at::native::CUDAFunctorOnSelf_add<c10::BFloat16>", "add", "bf16"),
        (
            "at::native::BUnaryFunctor<float, float, bool, "
            "at::native::(anonymous namespace)::CompareEqFunctor<float> >",
            "CompareEq",
            "fp32",
        ),
        (
            "at::native::gelu_kernel_impl(at::TensorIteratorBase&)::{lambda()#1}::operator()() "
            "const::{lambda(c10::Half)#1}",
            "gelu",
            "fp16",
        ),
        (
            "at::native::(anonymous namespace)::where_kernel_impl(at::TensorIterator&)::"
            "{lambda()#1}::operator()() const::{lambda(bool, double, double)#1}",
            "where",
            "fp64",
        ),
        (
            "at::native::rsqrt_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]"
            "::operator ()() const::[lambda(float) (instance 1)]",
            "rsqrt",
            "fp32",
        ),
    ],
)
def test_a_pointwise_kernel_names_its_op_and_element(functor, op, dtype):
    assert fields_of(VECTORIZED.format(8, functor)) == {"vec_size": 8, "op": op, "dtype": dtype}


def test_the_strided_path_states_threads_and_elements():
    name = (
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
        "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>"
        "(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"
    )
    assert fields_of(name) == {
        "threads": 128,
        "elements_per_thread": 2,
        "op": "direct_copy",
        "dtype": "fp32",
    }
    assert kind_of(name) == ("aten_elementwise", "PyTorch", "copy", "documented")


def test_a_cast_is_seen_in_how_the_kernel_loads():
    name = (
        "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
        "std::array<char*, 3ul>, 4, OffsetCalculator<2>, at::native::memory::LoadWithCast<2> >(int)"
    )
    assert fields_of(name) == {"op": "add", "dtype": "fp32", "cast": True, "elements_per_thread": 4}


def test_a_reduction_states_its_block_and_the_type_it_reads():
    name = (
        "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half, "
        "at::native::func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, c10::Half>"
        "::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int> >(int)"
    )
    assert fields_of(name) == {
        "largest_block": 128,
        "output_vec_size": 4,
        "op": "sum",
        "dtype": "fp16",
    }


@pytest.mark.parametrize(
    ("name", "family", "role"),
    [
        ("void at::native::bitonicSortKVInPlace<-2, -1, 16>(int)", "aten_sort", "sort"),
        ("void at::native::sbtopk::gatherTopK<float, unsigned int>(int)", "aten_sort", "sort"),
        ("void at::native::mbtopk::computeBlockwiseKthCounts<int>(int)", "aten_sort", "sort"),
        (
            "void at::native::_scatter_gather_elementwise_kernel<128, 4>(int)",
            "aten_scatter",
            "indexing",
        ),
        ("void at::native::tensor_kernel_scan_innermost_dim<float>(int)", "aten_scan", "scan"),
        ("void at::native::indexSelectLargeIndex<long>(int)", "aten_index", "indexing"),
        ("void at::native::fused_dropout_kernel_vec<float>(int)", "aten_rng", "random"),
        ("void at::native::RowwiseMomentsCUDAKernel<float>(int)", "aten_norm", "normalization"),
        ("void at::native::im2col_kernel<float>(int)", "aten_conv", "convolution"),
        ("void at::native::some_kernel_of_tomorrow<float>(int)", "aten_misc", "other"),
        ("at::cuda::(anonymous namespace)::spin_kernel(long)", "aten_misc", "wait"),
    ],
)
def test_every_kernel_of_aten_has_a_family(name, family, role):
    assert kind_of(name)[0::2] == (family, role)


def test_a_users_kernel_of_such_a_name_is_not_taken_for_pytorchs():
    assert kind_of("void mine::elementwise_kernel<128, 4, Add>(int)")[0] is None


def test_an_index_kernel_moves_bytes_of_no_stated_type():
    name = (
        "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<"
        "at::native::index_kernel_impl<at::native::OpaqueType<2> >(int)::{lambda(char*, char "
        "const*, long)#1}>(int)::{lambda(int)#1}>(int)"
    )
    assert "dtype" not in fields_of(name.replace("index_elementwise", "elementwise"))
    assert fields_of(name) == {"threads": 128, "elements_per_thread": 4, "op": "index"}


def test_nvidias_spelling_of_an_anonymous_namespace_and_of_integers_is_read_too():
    name = (
        "void at::native::<unnamed>::CatArrayBatchedCopy_contig<at::native::<unnamed>::OpaqueType"
        "<(unsigned int)2>, unsigned int, (int)3, (int)128, (int)1>(T1 *)"
    )
    assert kind_of(name)[0] == "aten_cat"
    assert fields_of(name) == {"dims": 3, "batch": 128}


@pytest.mark.parametrize(
    ("function", "config"),
    [
        ("cunn_SoftMaxForward<4, float, float, float, E>", "vec 4"),
        ("cunn_SoftMaxForwardReg<c10::Half, float, c10::Half, E, long, 6>", "elements 6"),
        ("cunn_SoftMaxForwardSmem<c10::Half, float>", ""),
        ("distribution_elementwise_grid_stride_kernel<float, 4, A, B>", "unroll 4"),
        ("fused_dropout_kernel_vec<float, float, unsigned int, 1, 8, bool>", "vec 8"),
        ("radixSortKVInPlace<2, -1, 128, 32, long, long, int>", "threads 128 elements 32"),
        ("vectorized_gather_kernel<16, long>", "align 16 B"),
    ],
)
def test_a_kernel_states_what_a_thread_takes_at_once(function, config):
    assert spell_config(decode(f"void at::native::{function}(float*)")) == config
