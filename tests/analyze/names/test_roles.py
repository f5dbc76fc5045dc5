import pytest

from tracelens.analyze.names.roles import read_role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("MIOpenConvUni", "convolution"),
        ("naive_conv_fwd_nchw", "convolution"),
        ("vllm::convert_fp8_kernel", "quantization"),
        ("tensorrt_llm::kernels::invokeConversion", "other"),
        ("fbgemm_gpu::_offsets_range_cuda_kernel", "auxiliary"),
        ("flashinfer::sampling::MinPSamplingKernel", "random"),
        ("at::native::upsample_bilinear2d_out_frame", "other"),
        ("at::native::grid_sampler_2d_kernel", "other"),
        ("mine::randn_kernel", "random"),
        ("mine::load_operand", "other"),
    ],
)
def test_a_role_is_read_off_the_words_of_a_function(name, role):
    assert read_role(name) == role
