import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tracelens.analyze.names import LENGTH_READ, decode
from tracelens.analyze.names.config import spell_config
from tracelens.model.kernel_name import Field, KernelName, weakest

NAMES = Path(__file__).parents[3] / "fixtures" / "kernel_names"
HANDED = list(csv.DictReader((NAMES / "names.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE))
SEEN = (NAMES / "seen.txt").read_text().splitlines()


@pytest.mark.parametrize("row", HANDED, ids=lambda row: row["name"][:60])
def test_a_handed_name_says_at_least_what_the_table_says(row):
    read = decode(row["name"])
    wanted = json.loads(row["fields"])
    assert (read.family, read.status) == (row["family"], row["status"])
    assert {name: read.value(name) for name in wanted} == wanted


def test_every_name_of_the_public_profiles_gets_a_family():
    assert [name for name in SEEN if decode(name).family is None] == []


def test_every_name_that_holds_a_tile_gets_it_as_its_configuration():
    generated = ("cutlass_80_", "Cijk_", "nvjet_", "_sgemm_", "scudnn_", "igemm_", "_tilesize")
    holding = [name for name in SEEN if any(word in name for word in generated)]
    assert len(holding) == 168
    assert [name for name in holding if not spell_config(decode(name)).startswith("tile ")] == []


def test_the_status_of_a_name_is_that_of_its_weakest_field():
    for name in SEEN:
        read = decode(name)
        assert read.status == weakest(f.status for f in read.fields.values()) or not read.fields


def test_an_unknown_kernel_says_so():
    assert decode("add_kernel") == KernelName(
        name="add_kernel", family=None, library=None, role=None, recognition="unknown", fields={}
    )
    assert decode("add_kernel").status == "unknown"


def test_a_users_template_is_read_by_the_users_names():
    read = decode(
        "void gemvz_kernel<16, 1, 1, 2>(float const*, float*)",
        configs={"gemvz_kernel": ("NW", "UG", "NB", "PIPE")},
    )
    assert read.fields == {
        "NW": Field(16, "documented"),
        "UG": Field(1, "documented"),
        "NB": Field(1, "documented"),
        "PIPE": Field(2, "documented"),
    }
    assert (read.family, read.status, read.notes) == ("user", "documented", ())
    assert spell_config(read) == "NW=16 UG=1 NB=1 PIPE=2"


def test_a_users_template_is_known_by_its_namespace_too_and_holds_any_sort_of_argument():
    read = decode(
        "void mine::scale<true, __half, mine::Policy<4>, (mine::Mode)3>(float*)",
        configs={"mine::scale": ("FAST", "T", "POLICY", "MODE")},
    )
    assert {name: field.value for name, field in read.fields.items()} == {
        "FAST": True,
        "T": "fp16",
        "POLICY": "mine::Policy<4>",
        "MODE": 3,
    }


def test_a_truth_value_of_a_users_template_is_no_number_however_it_is_spelled():
    for spelled in ("true", "(bool)1", "bool=1"):
        read = decode(f"void scale<{spelled}>(float*)", configs={"scale": ("FAST",)})
        assert read.fields == {"FAST": Field(True, "documented")}


def test_a_users_template_with_another_number_of_arguments_is_not_guessed_at():
    read = decode(
        "void gemvz_kernel<16, 1, 1>(float*)", configs={"gemvz_kernel": ("NW", "UG", "NB", "PIPE")}
    )
    assert read.fields == {}
    assert read.status == "unknown"
    assert read.notes == (
        "configs names 4 template arguments of gemvz_kernel, the kernel has 3: none is named",
    )


def test_configs_leave_other_kernels_to_the_decoders():
    read = decode("ampere_sgemm_128x128_tn", configs={"gemvz_kernel": ("NW",)})
    assert read.family == "cublas_sass_gemm"


def test_of_a_name_of_megabytes_the_beginning_is_read_and_a_note_says_so():
    name = "void at::native::vectorized_elementwise_kernel<4, " + "std::pair<" * 300_000
    read = decode(name)
    assert (read.family, read.value("vec_size"), read.name) == ("aten_elementwise", 4, name)
    assert read.notes == (f"only the first {LENGTH_READ} of {len(name)} characters were read",)


@pytest.mark.parametrize(
    "name",
    [
        "at::native::" + "scan" * 16_000 + "!",
        "at::native::" + "a::" * 9_000 + "layer_norm" * 3_000 + "!",
        "vllm::" + "norm" * 16_000 + "!",
        "aiter::" + "quant" * 13_000 + "!",
        "convolve_" * 7_000 + "!",
        "cunn_S" + "oftmax" * 10_000 + "!",
        "trsm" + "_kernel" * 9_000 + "!cublas",
        "Op" + "Tensor" * 10_000 + "!",
        "transpose_A2" + "A" * 60_000 + "!",
        "fbgemm_gpu::" + "OpA" * 20_000,
        "triton_poi_fused_" + "1_0c0" * 12_000 + "!",
    ],
    ids=lambda name: name[:20],
)
def test_a_long_name_that_fits_up_to_its_last_sign_takes_no_longer_than_its_length(name):
    assert len(decode(name).fields) <= 1  # by the square of it each would take seconds


def test_no_field_holds_what_could_move_a_cursor():
    for name in (
        "nvjet_sm90_tst_64x8_64x16_4x1_\x1b[31m_bz_TNT",
        "triton_poi_fused_add\x1b[2J_1",
        "Cijk_Alik_Bljk_BBS_<script>_MT128x192x64",
        "Memcpy \x1b[31m (Device -> Host)",
    ):
        assert decode(name).fields == {}


PIECES = st.sampled_from(
    [
        *("_", "::", "<", ">", "(", ")", "{", "}", "[", "]", ",", " ", "operator", "operator()"),
        *("->", "(anonymous namespace)::", "lambda(int)#1", "void ", "const", "\x00", "é", "٣"),
        *("nvjet", "tst", "64x8", "4x1", "splitK", "TNT", "cutlass_80_tensorop", "s1688gemm"),
        *("cutlass::Kernel2<", "flash::", "flash_fwd_kernel", "_kernel_traits<", "GemmShape<"),
        *("at::native::", "elementwise_kernel<128, 4, ", "gpu_kernel_impl<", "reduce_kernel<"),
        *("BinaryFunctor<", "func_wrapper_t<", "CollectiveMma<", "cute::tuple<", "cute::C<"),
        *("_Z", "_ZN", "2ck", "7ck_tile", "I", "E", "S_", "Li1E", "ck::", "ck::Sequence<1>"),
        *("triton_poi_fused_", "_to_copy", "native_layer_norm", "0d1d", "Cijk_Alik_Bljk_BBS"),
        *("MT128x64x32", "ncclDevKernel_", "AllReduce", "Sum", "bf16", "1", "99999999999", "0"),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
@example("_Z" + "N" * 1000)
@example("at::native::" + "BinaryFunctor<" * 500)
@example("void f<" + ">" * 100 + "(" * 100)
@settings(max_examples=400, deadline=None)
def test_no_text_makes_the_decoder_raise(name):
    read = decode(name)
    assert read.name == name
    assert spell_config(read) == spell_config(read).strip()


@given(st.sampled_from(SEEN), st.data())
@settings(max_examples=300, deadline=None)
def test_no_damage_to_a_real_name_makes_the_decoder_raise(name, data):
    at = data.draw(st.integers(0, len(name)))
    until = data.draw(st.integers(at, len(name)))
    decode(name[:at] + data.draw(st.text(max_size=4)) + name[until:])


@pytest.mark.parametrize(
    "name",
    [
        "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
        "triton_poi_fused_add_addmm_silu_21",
        "MIOpenConvUni",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEEEEviT0_",
    ],
)
def test_the_suffix_of_amds_profilers_changes_nothing(name):
    assert replace(decode(f"{name}.kd"), name=name) == decode(name)
    assert decode(name).family is not None
