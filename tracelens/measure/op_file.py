"""The op file: Python that a user wrote, executed and held to its contract.

    def inputs() -> tuple: ...          # called once, outside every timed stretch
    def op(*inputs): ...                # returns its result
    def reference(*inputs): ...         # optional
    tolerance = {"atol": .., "rtol": ..}  # optional
    configs = {"kernel": ("NAME", ..)}  # optional: names of template arguments

Other names in the file are the file's own business.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import torch

from tracelens.errors import OpFileError
from tracelens.measure.failure import gist, spell_error
from tracelens.measure.values import spell_tensor
from tracelens.model.op import Inputs, Op, Tolerance

_CONTRACT_HINT = "An op file needs `def inputs(): return (x, ...)` and `def op(x, ...): return y`."


def load_op(path: Path) -> Op:
    """Execute an op file and return the op that it states.

    The file's folder goes to the front of `sys.path`, as when Python runs a script, and stays
    there: an op may import its neighbours later. Raises OpFileError for a file that is missing,
    cannot be read, compiled or executed, or does not keep the contract.
    """
    module = _executed(_compiled(_source(path), path), path)
    return Op(
        name=path.stem,
        call=_function(module, "op", path),
        inputs=_function(module, "inputs", path),
        reference=_function(module, "reference", path) if _has(module, "reference") else None,
        tolerance=_tolerance(getattr(module, "tolerance", None), path),
        configs=_configs(getattr(module, "configs", None), path),
    )


def make_inputs(op: Op, *, seed: int) -> Inputs:
    """Seed Python, numpy and torch on every device, then call the op's `inputs()`.

    Raises OpFileError where it raises, or returns something other than a tuple.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)  # numpy takes no larger one
    torch.manual_seed(seed)
    try:
        inputs = op.inputs()
    except torch.OutOfMemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise OpFileError(
            f"inputs() of {op.name} raised {spell_error(error)}.",
            "Mend inputs(): it is called with no argument and returns a tuple.",
        ) from error
    if not isinstance(inputs, tuple):
        raise OpFileError(
            f"inputs() of {op.name} returned {_spell(inputs)}; it must return a tuple.",
            "Return a tuple, with one element too: `return (x,)`.",
        )
    return inputs


def _source(path: Path) -> bytes:
    if path.is_dir():
        raise OpFileError(f"{path} is a folder; an op file is needed.", _CONTRACT_HINT)
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        raise OpFileError(f"There is no file {path}.", "Check the path of the op file.") from None
    except OSError as error:
        raise OpFileError(
            f"{path} cannot be read: {error.strerror}.", "Check the file and its permissions."
        ) from error
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise OpFileError(
            f"{path} is not UTF-8 text: byte {error.start} is 0x{source[error.start]:02x}.",
            "Give the op's Python source, saved as UTF-8.",
        ) from None
    return source


def _compiled(source: bytes, path: Path) -> CodeType:
    try:
        return compile(source, str(path.resolve()), "exec")
    except SyntaxError as error:
        text = gist(error.text or "")
        raise OpFileError(
            f"{path}:{error.lineno}: {error.msg}{f': {text}' if text else ''}",
            f"Mend line {error.lineno}; `python {path.name}` shows the same error.",
        ) from None
    except ValueError as error:  # a null byte, before Python 3.12
        raise OpFileError(f"{path}: {gist(str(error))}.", "Give the op's Python source.") from None


def _executed(code: CodeType, path: Path) -> ModuleType:
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = ModuleType(_module_name(path))
    module.__file__ = code.co_filename
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise OpFileError(*_import_trouble(error, path)) from error
    return module


def _import_trouble(error: BaseException, path: Path) -> tuple[str, str]:
    if isinstance(error, SystemExit):
        return (
            f"{path} called sys.exit({error.code!r}) while it was loaded.",
            'Guard it with `if __name__ == "__main__":`.',
        )
    if isinstance(error, ImportError):
        return (
            f"{path} cannot be loaded: {spell_error(error)}.",
            f"Install what is missing for {sys.executable}, or mend the import.",
        )
    return (
        f"{path} cannot be loaded: {spell_error(error)}.",
        f"Mend the file; `python {path.name}` shows the whole traceback.",
    )


def _module_name(path: Path) -> str:
    """Return the name other code imports the file by, unless that would hide a loaded module."""
    loaded = sys.modules.get(path.stem)
    ours = loaded is None or getattr(loaded, "__file__", None) == str(path.resolve())
    return path.stem if ours else f"tracelens_op_{path.stem}"


def _has(module: ModuleType, name: str) -> bool:
    return getattr(module, name, None) is not None


def _function(module: ModuleType, name: str, path: Path) -> Callable[..., Any]:
    if not hasattr(module, name):
        raise OpFileError(f"{path} has no {name}().", _CONTRACT_HINT)
    function = getattr(module, name)
    if not callable(function):
        raise OpFileError(
            f"{name} in {path} is {_spell(function)}; it must be a function.", _CONTRACT_HINT
        )
    return function  # type: ignore[no-any-return]  # the user's own: nothing is known of it


def _tolerance(stated: object, path: Path) -> Tolerance | None:
    if stated is None:
        return None
    if (
        not isinstance(stated, dict)
        or set(stated) != {"atol", "rtol"}
        or not all(_is_size(value) for value in stated.values())
    ):
        raise OpFileError(
            f"tolerance in {path} is {gist(repr(stated))}; it must hold atol and rtol, each a "
            "number of at least 0.",
            'Write `tolerance = {"atol": 1e-3, "rtol": 1e-3}`.',
        )
    return Tolerance(atol=float(stated["atol"]), rtol=float(stated["rtol"]))


def _is_size(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and value >= 0


def _configs(stated: object, path: Path) -> dict[str, tuple[str, ...]]:
    if stated is None:
        return {}
    if not isinstance(stated, dict) or not all(
        isinstance(kernel, str)
        and isinstance(names, (tuple, list))
        and all(isinstance(name, str) for name in names)
        for kernel, names in stated.items()
    ):
        raise OpFileError(
            f"configs in {path} is {gist(repr(stated))}; it must map a kernel's name to the "
            "names of its template arguments.",
            'Write `configs = {"my_kernel": ("BLOCK", "WARPS")}`.',
        )
    return {kernel: tuple(names) for kernel, names in stated.items()}


def _spell(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return f"a tensor, {spell_tensor(value)}"
    return f"an object of type {type(value).__name__}"
