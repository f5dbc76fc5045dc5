"""The op file: Python that a user wrote, executed. What it may say is in `contract`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import CodeType, ModuleType

from tracelens.errors import OpFileError
from tracelens.measure.contract import CONTRACT_HINT, read_contract
from tracelens.measure.failure import gist, spell_error
from tracelens.measure.kernelbench import is_kernelbench, read_kernelbench
from tracelens.measure.misspelling import KERNELBENCH, OP_FILE, misspellings
from tracelens.measure.packages import package_versions
from tracelens.model.op import Op


def load_op(path: Path) -> Op:
    """Execute an op file and return the op that it states.

    The file's folder goes to the front of `sys.path`, as when Python runs a script, and stays
    there: an op may import its neighbours later. Raises OpFileError for a file that is missing,
    cannot be read, compiled or executed, or does not keep the contract.
    """
    source = _source(path)
    module = _executed(_compiled(source, path), path)
    known, read = OP_FILE, read_contract
    if is_kernelbench(module):
        known, read = KERNELBENCH, read_kernelbench
    doubtful = misspellings(module, source, known)
    try:
        op = read(module, path)
    except OpFileError as error:
        questions = [one.question(path.name) for one in doubtful]
        fact = "; ".join((error.fact.rstrip("."), *questions)) if questions else error.fact
        raise OpFileError(fact, error.hint) from None
    return replace(
        op,
        packages=package_versions(vars(module)),
        doubts=tuple(one.finding(path.name) for one in doubtful),
    )


def _source(path: Path) -> bytes:
    if path.is_dir():
        raise OpFileError(f"{path} is a folder; an op file is needed.", CONTRACT_HINT)
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
        if not error.lineno:  # no line is to blame: a null byte, an encoding that is unknown
            raise _no_source(error.msg, path) from None
        text = gist(error.text or "")
        raise OpFileError(
            f"{path}:{error.lineno}: {error.msg}{f': {text}' if text else ''}",
            f"Mend line {error.lineno}; `python {path.name}` shows the same error.",
        ) from None
    except ValueError as error:  # a null byte, before Python 3.11.4
        raise _no_source(str(error), path) from None
    except (RecursionError, MemoryError):  # the parser has room for some thousand levels
        raise _no_source("its expressions are nested too deeply", path) from None


def _no_source(why: str, path: Path) -> OpFileError:
    return OpFileError(f"{path}: {gist(why)}.", "Give the op's Python source.")


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
