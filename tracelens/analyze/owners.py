"""Whose code a Python function is: the op's own, a launcher's, a framework's; and what it is for.

One table of rules by file, function and the text of the line. The launchers of Triton and its like
do most of a launch in one function, so that only the line says whether it is busy with
specialisation, with the cache key or with the launch itself. Lines are known by what they call, and
not by their numbers, which change with every version: read from triton 3.2 to 3.6, FlagGems 5.0,
Liger 0.8 and torch 2.11.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tracelens.model.functions import Frame

OWN_CODE = "op's own code"
TRITON_LAUNCHER = "triton launcher"
FLAG_GEMS = "FlagGems"
LIGER = "liger"
TORCH = "torch"
TORCH_DISPATCH = "torch dispatch"
AUTOGRAD = "autograd"
COMPILE_GUARDS = "torch.compile guards"
INDUCTOR_WRAPPER = "inductor wrapper"
OTHER_LIBRARIES = "other libraries"
STANDARD_LIBRARY = "standard library"

SPECIALISATION = "specialisation"
CACHE_KEY = "cache key"
METADATA = "launch metadata"
C_LAUNCHER = "C launcher"
GRID = "grid"
STREAM = "stream and device"
GLOBALS = "global variables check"
HOOKS = "hooks"
OPTIONS = "options"
BINDING = "binding"
OUTSIDE = "C function"
"""The loop that calls was in no function of the op: but in C code, or giving results back."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a frame is (`triton launcher`) and, where that is known, what for (`cache key`)."""

    group: str
    purpose: str | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a frame must match from its start (file) or have somewhere (function, text)."""

    file: str
    owner: Owner
    function: str = ""
    text: str = ""

    def holds(self, frame: Frame) -> bool:
        return (
            re.match(self.file, frame.file) is not None
            and re.search(self.function, frame.function) is not None
            and re.search(self.text, frame.text) is not None
        )


_JIT = r"triton/runtime/jit\.py"
_COMPILER = r"triton/compiler/compiler\.py"
_DRIVER = r"triton/(backends/.*driver|runtime/driver|runtime/_allocation)\.py"
_LIBENTRY = r"flag_gems/utils/libentry\.py"
_DISPATCHER = (
    r"torch/((_ops|library|overrides|_python_dispatcher|_custom_ops|utils/_python_dispatch)\.py"
    r"|(_library|_dispatch|_custom_op)/)"
)
_HEURISTICS = r"torch/_inductor/runtime/triton_heuristics\.py"

RULES = (
    # The first that holds says whose a frame is.
    _Rule(r"<op file>", Owner(OWN_CODE)),
    # Triton: what binds and specialises arguments is generated for each kernel.
    _Rule(r"<string>", Owner(TRITON_LAUNCHER, SPECIALISATION), r"^dynamic_func$"),
    _Rule(
        _JIT,
        Owner(TRITON_LAUNCHER, SPECIALISATION),
        r"speciali[sz]e|mangle_type|canonicalize_dtype",
    ),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, SPECIALISATION), r"\brun$", r"\bbinder\("),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, CACHE_KEY), r"compute_cache_key|replace_callables"),
    _Rule(
        _JIT,
        Owner(TRITON_LAUNCHER, CACHE_KEY),
        r"\brun$",
        r"^key = |kernel_cache\.get",
    ),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, METADATA), r"\brun$", r"launch_metadata = "),
    _Rule(_COMPILER, Owner(TRITON_LAUNCHER, METADATA), r"launch_metadata|LazyDict"),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, C_LAUNCHER), r"\brun$", r"^kernel\.run\(|launch_enter_hook"),
    _Rule(
        _COMPILER, Owner(TRITON_LAUNCHER, C_LAUNCHER), r"CompiledKernel\.(run|__getattribute__)$"
    ),
    _Rule(_COMPILER, Owner(TRITON_LAUNCHER, C_LAUNCHER), r"runner$", r"self\.run\("),
    _Rule(_COMPILER, Owner(TRITON_LAUNCHER, METADATA), r"runner$", r"launch_metadata"),
    _Rule(_COMPILER, Owner(TRITON_LAUNCHER, STREAM), r"runner$", r"driver\.active"),
    _Rule(
        _DRIVER,
        Owner(TRITON_LAUNCHER, C_LAUNCHER),
        r"Launcher\.__call__|allocate_scratch|_allocator",
    ),
    _Rule(_DRIVER, Owner(TRITON_LAUNCHER, STREAM)),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, STREAM), r"\brun$", r"driver\.active|device_caches"),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, GRID), r"\brun$", r"\bgrid\b|grid_size|grid_[012]"),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, GLOBALS), r"\brun$", r"not_present|used_global_vals|newVal"),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, HOOKS), r"\brun$", r"hook"),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, OPTIONS), r"\brun$", r"kwargs\["),
    _Rule(_JIT, Owner(TRITON_LAUNCHER, BINDING), r"__getitem__"),
    _Rule(r"triton/", Owner(TRITON_LAUNCHER)),
    # FlagGems has a launcher of its own around Triton's, and writes its wrappers to files.
    _Rule(_LIBENTRY, Owner(FLAG_GEMS, CACHE_KEY), r"\bkey\b|spec_arg"),
    _Rule(_LIBENTRY, Owner(FLAG_GEMS, C_LAUNCHER), r"LibEntry\.run$", r"kernel\["),
    _Rule(_LIBENTRY, Owner(FLAG_GEMS, BINDING), r"LibEntry\.run$"),
    _Rule(r"flag_gems/utils/pointwise_dynamic\.py", Owner(FLAG_GEMS, "arguments"), r"prepare_args"),
    _Rule(r"flag_gems/utils/type_utils\.py", Owner(FLAG_GEMS, "type promotion")),
    _Rule(r"<flag_gems code cache>", Owner(FLAG_GEMS, "generated wrapper")),
    _Rule(r"flag_gems/", Owner(FLAG_GEMS)),
    _Rule(r"liger_kernel/", Owner(LIGER)),
    # torch.compile: what looks whether a compiled graph still fits, and what then runs it.
    _Rule(r"torch/_dynamo/|torch/_guards\.py|torch/_compile\.py", Owner(COMPILE_GUARDS)),
    _Rule(r"torch/_functorch/", Owner(INDUCTOR_WRAPPER, "AOT wrappers")),
    _Rule(_HEURISTICS, Owner(INDUCTOR_WRAPPER, "triton launch")),
    _Rule(r"torch/_inductor/runtime/", Owner(INDUCTOR_WRAPPER, "triton launch")),
    _Rule(r"<string>", Owner(INDUCTOR_WRAPPER, "triton launch"), r"^launcher$"),
    _Rule(r"<torchinductor>", Owner(INDUCTOR_WRAPPER, "generated code")),
    _Rule(r"torch/_inductor/", Owner(INDUCTOR_WRAPPER)),
    _Rule(r"torch/autograd/", Owner(AUTOGRAD)),
    # The rest of torch is its Python and whatever that calls in C++: on the CPU, the op's own work.
    _Rule(_DISPATCHER, Owner(TORCH_DISPATCH)),
    _Rule(r"torch/_prims_common/", Owner(TORCH, "type promotion")),
    _Rule(r"torch/cuda/", Owner(TORCH, STREAM)),
    _Rule(r"torch/", Owner(TORCH)),
    _Rule(
        r"(?!.*/)", Owner(STANDARD_LIBRARY), r"", r"."
    ),  # has a text, so it is installed or Python's own
    _Rule(
        r"(asyncio|collections|concurrent|ctypes|encodings|importlib|json|logging)/",
        Owner(STANDARD_LIBRARY),
    ),
    _Rule(r"[^/]+/", Owner(OTHER_LIBRARIES)),
    _Rule(r"<string>|<frozen ", Owner(OTHER_LIBRARIES)),
)
"""Whose a frame is. What no rule knows is the user's own: a file in no package."""


def owner_of(frame: Frame) -> Owner:
    """Say whose code a frame is, by its file, its function and the text of its line."""
    return next((rule.owner for rule in RULES if rule.holds(frame)), Owner(OWN_CODE))


def owner_of_stack(frames: Sequence[Frame]) -> Owner:
    """Say whose a sample is, outermost frame first: that of the innermost frame.

    The standard library works for whoever called it. Without frames the op is no Python function.
    """
    for frame in reversed(frames):
        owner = owner_of(frame)
        if owner.group != STANDARD_LIBRARY:
            return owner
    return Owner(STANDARD_LIBRARY) if frames else Owner(OWN_CODE, OUTSIDE)
