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
        (
            "1, ck_tile::GemmKernel<ck_tile::TileGemmShape<ck_tile::sequence<256, 128, 64>, "
            "ck_tile::sequence<2, 2, 1> > >, int",
            {"op": "GemmKernel", "tile_M": 256, "tile_N": 128, "tile_K": 64},
        ),
        (
            "2, ck_tile::FmhaFwdKernel<ck_tile::TileFmhaShape<ck_tile::sequence<128, 64, 32, 128, "
            "32, 128>, ck_tile::sequence<4, 1, 1> > >, int",
            {"op": "FmhaFwdKernel", "tile_M": 128, "tile_N": 64, "tile_K": 32},
        ),
        ("1, ck_tile::GemmKernel<ck_tile::TileGemmShape<int> >, int", {"op": "GemmKernel"}),
    ],
)
def test_the_kernel_of_ck_tile_is_an_argument_behind_what_it_was_compiled_for(arguments, fields):
    assert fields_of(f"void ck_tile::kentry<{arguments}>(int)") == fields


def test_its_role_is_the_kernels():
    name = "void ck_tile::kentry<ck_tile::gfx9_t, 1, ck_tile::FmhaFwdKernel<int>, int>(int)"
    assert kind_of(name) == ("ck_tile", "Composable Kernel", "attention", "inferred")
