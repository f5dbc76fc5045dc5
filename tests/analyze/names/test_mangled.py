import builtins
import sys

import pytest

from tracelens.analyze.names import _read, decode
from tracelens.analyze.names.mangled import demangle_name, is_mangled, read_path

AITER = "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEEvPT0_PT_"

needs_library = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="the demangling library needs Python 3.11"
)


@needs_library
def test_a_mangled_name_becomes_cxx_with_its_bfloat16():
    assert demangle_name(AITER) == (
        "void aiter::add_rmsnorm_quant_kernel<std::bfloat16_t, std::bfloat16_t, 256, 16>"
        "(std::bfloat16_t*, std::bfloat16_t*)"
    )


@needs_library
def test_the_mark_of_an_amd_kernel_descriptor_is_no_part_of_the_name():
    assert demangle_name("_Z3fooIfEvT_.kd") == "void foo<float>(float)"


def test_the_path_is_read_without_the_library():
    assert read_path(AITER) == "aiter::add_rmsnorm_quant_kernel"
    assert read_path("_ZN2ck12_GLOBAL__N_13fooILi1EEEvv") == "ck::foo"
    assert read_path("_Z12gemvz_kernelILi16EEvPf") == "gemvz_kernel"


def test_without_the_library_a_name_still_has_its_family(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "demangle":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    read = _read(AITER)
    assert (read.name, read.family, read.role, dict(read.fields)) == (
        AITER,
        "aiter",
        "normalization",
        {},
    )


@pytest.mark.parametrize(
    "name",
    [
        "_Z1f1pIiiE" + "S_IS0_S0_E" * 5000,  # would spell 2 to the 5000 characters
        "_Z1f" + "P" * 50_000 + "i",
        "_ZN" + "1aI" * 20_000,
        "_ZN" + "9999a" * 100,
        "_Z",
    ],
)
def test_a_hostile_name_stays_a_name(name):
    assert is_mangled(name)
    assert decode(name).name == name
