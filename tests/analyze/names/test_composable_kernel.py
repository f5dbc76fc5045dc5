import pytest

from tests.analyze.names.reading import fields_of, kind_of


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ("1, ck_tile::FmhaFwdKernel<int>, int", {"op": "FmhaFwdKernel"}),
        (
            "ck_tile::gfx950_t, 1, ck_tile::FmhaFwdKernel<int>, int",
            {"arch": "gfx950", "op": "FmhaFwdKernel"},
        ),
        ("void, 1, ck_tile::FmhaFwdKernel<int>, int", {"op": "FmhaFwdKernel"}),
        ("ck_tile::gfx950_t", {"arch": "gfx950"}),
    ],
)
def test_the_kernel_of_ck_tile_is_an_argument_behind_what_it_was_compiled_for(arguments, fields):
    assert fields_of(f"void ck_tile::kentry<{arguments}>(int)") == fields


def test_its_role_is_the_kernels():
    name = "void ck_tile::kentry<ck_tile::gfx9_t, 1, ck_tile::FmhaFwdKernel<int>, int>(int)"
    assert kind_of(name) == ("ck_tile", "Composable Kernel", "attention", "inferred")
