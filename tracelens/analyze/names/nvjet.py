"""nvjet: cuBLASLt's GEMMs for Hopper and Blackwell. Its maker documents none of the name.

`tile_M` lies on cuBLAS's column-major M, which is torch's N. Read off many profiles: the tile, its
stages, the cluster and two-CTA tensor operations are confirmed by grids and by shared memory.
Nobody has said what `bz`, `badd`, `coopA` or `algo2` mean, nor what the third layout letter is:
it is not the layout of the output. The factor of a split-K is not in the name; the grid holds it.
"""

from tracelens.analyze.names.decoder import INFERRED, Family, Fields, Words, first_of

_FAMILY = Family("nvjet", "cuBLASLt", "gemm", INFERRED)

_HEAD = r"nvjet_ (?:(?P<arch>sm[0-9]{2,3})[af]?_)? (?P<type_code>[a-z]{3,6})"
_WORDS = r"""
      (?P<two_cta_flag>2cta)
    | (?P<raster>[vh])
    | (?P<split_k_flag>splitK)
    | (?P<epilogue>bias(?:_(?:relu|gelu))?|relu|gelu)
    | A(?P<block_scale_A>vec[A-Z0-9]+) | B(?P<block_scale_B>vec[A-Z0-9]+)
    | (?P<layout_letters>[NT]{3,4})
"""

_ELEMENT = {"t": "bf16", "h": "fp16", "s": "fp32", "q": "fp8", "o": "fp4"}


def _name_types(code: str) -> Fields:
    """`tst` is operands, compute, output; `qqtst` is A, B, C, compute, D."""
    operands = {3: code[:1], 5: code[:2]}.get(len(code), "")
    if len(set(operands)) != 1 or not set(code) <= _ELEMENT.keys():
        return {}
    return {
        "dtype": _ELEMENT[code[0]],
        "dtype_acc": _ELEMENT[code[-2]],
        "dtype_out": _ELEMENT[code[-1]],
    }


def _derive(fields: Fields) -> Fields:
    derived = _name_types(str(fields["type_code"]))
    if letters := fields.get("layout_letters"):
        derived["layout"] = str(letters)[:2].lower()
    return derived


DECODER = first_of(
    Words(
        _FAMILY,
        head=_HEAD + r"_mma_ (?P<tile_M>%)x(?P<tile_N>%)x(?P<tile_K>%) (?:_(?P<stages>%)(?=_))?",
        words=r"(?P<warp_tile>%x%x%)|" + _WORDS,
        derive=_derive,
    ),
    Words(
        _FAMILY,
        head=_HEAD + r"_ (?P<tile_M>%)x(?P<tile_N>%)_(?P<tile_K>%)x(?P<stages>%)_(?P<cluster>%x%)",
        words=_WORDS,
        derive=_derive,
    ),
    Words(_FAMILY, head=r"nvjet_", words=_WORDS),
)
