"""A configuration in a few words, for one cell of a table."""

from __future__ import annotations

from tracelens.model.kernel_name import FieldValue, KernelName

_WORDS: tuple[tuple[str, str], ...] = (
    ("stages", "stages {}"),
    ("cluster", "cluster {}"),
    ("head_dim", "head_dim {}"),
    ("warps", "warps {}"),
    ("threads", "threads {}"),
    ("largest_block", "block <= {}"),
    ("output_vec_size", "output vec {}"),
    ("vec_size", "vec {}"),
    ("elements_per_thread", "elements {}"),
    ("log2_elements", "row <= 2^{}"),
    ("dims", "dims {}"),
    ("align", "align {}"),
    ("align_bytes", "align {} B"),
    ("page_size", "page {}"),
    ("sliced", "sliced {}"),
)
_FLAGS: tuple[tuple[str, str], ...] = (
    ("two_cta", "2-CTA"),
    ("cast", "cast"),
)


def spell_config(kernel: KernelName) -> str:
    """Return the configuration that a name states: `tile 64x32x64 stages 16 cluster 4x1 split-K`.

    Empty where the name states none. A user's own template is spelled by the user's names.
    """
    values = {name: field.value for name, field in kernel.fields.items()}
    if kernel.family == "user":
        return " ".join(f"{name}={value}" for name, value in values.items())
    words = []
    tile = [values[n] for n in ("tile_M", "tile_N", "tile_K") if n in values]
    if tile:
        words.append("tile " + "x".join(map(str, tile)))
    words += [form.format(values[name]) for name, form in _WORDS if name in values]
    words += [word for name, word in _FLAGS if values.get(name) is True]
    words += _spell_split(values.get("split_k"))
    return " ".join(words)


def _spell_split(factor: FieldValue | None) -> list[str]:
    if factor is True:
        return ["split-K"]
    return [f"split-K {factor}"] if isinstance(factor, int) and factor > 1 else []
