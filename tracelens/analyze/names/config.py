"""A configuration in a few words, for one cell of a table."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.model.kernel_name import FieldValue, KernelName

_MOST = 4
"""Configurations of one name in one cell."""

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
    ("unroll", "unroll {}"),
    ("vecs_per_thread", "vecs {}"),
    ("thread_group", "group {}"),
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
    ("stream_k", "stream-K"),
    ("sparse", "sparse"),
)


def spell_config(kernel: KernelName) -> str:
    """Return the configuration that a name states: `tile 64x32x64 stages 16 cluster 4x1 split-K`.

    Empty where the name states none. What has names of its author's is spelled by these:
    `BLOCK=1024 num_warps=4`.
    """
    values = {name: field.value for name, field in kernel.fields.items()}
    words = [f"{name}={values.pop(name)}" for name in kernel.settings]
    tile = [values[n] for n in ("tile_M", "tile_N", "tile_K") if n in values]
    if tile:
        words.append("tile " + "x".join(map(str, tile)))
    words += [form.format(values[name]) for name, form in _WORDS if name in values]
    words += [word for name, word in _FLAGS if values.get(name) is True]
    words += _spell_split(values.get("split_k"))
    return " ".join(words)


def different_configs(kernels: Sequence[KernelName]) -> list[str]:
    """Return the different configurations of kernels of one name, each in a few words.

    One that only says less than another, such as the split but not its factor, is not different.
    """
    spelled = list(dict.fromkeys(filter(None, map(spell_config, kernels))))
    return [s for s in spelled if not any(other.startswith(f"{s} ") for other in spelled)]


def spell_configs(kernels: Sequence[KernelName]) -> str:
    """Return the different configurations of kernels of one name, side by side."""
    spelled = different_configs(kernels)
    more = [f"{len(spelled) - _MOST} more"] if len(spelled) > _MOST else []
    return " | ".join((*spelled[:_MOST], *more))


def _spell_split(factor: FieldValue | None) -> list[str]:
    if factor is True:
        return ["split-K"]
    return [f"split-K {factor}"] if isinstance(factor, int) and factor > 1 else []
