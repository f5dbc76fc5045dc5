import json
import sys
from pathlib import Path

from tracelens.measure.sampling.frames import frame_of, is_own
from tracelens.model.functions import Frame

QUALIFIED = sys.version_info >= (3, 11)


def compiled(path):
    """Return the code of a function of three lines that a file of that name would hold."""
    names: dict[str, object] = {}
    exec(compile("def f(x):\n    y = x + 1\n    return y\n", path, "exec"), names)
    return names["f"].__code__


def last_offset(code):
    return len(code.co_code) - 2


def named(path, own_files=()):
    return frame_of(compiled(path), 0, own_files=own_files).file


def test_a_frame_says_the_line_that_an_instruction_belongs_to():
    code = compiled("/home/someone/ops/mine.py")

    assert frame_of(code, last_offset(code), own_files={"/home/someone/ops/mine.py"}) == Frame(
        function="f", file="<op file>", line=3, defined=1
    )


def test_names_that_code_was_given_can_be_written_and_are_of_readable_length():
    names = {"co_name": "f\ud800", **({"co_qualname": "f\ud800"} if QUALIFIED else {})}
    odd = compiled("/home/someone/\ud800.py").replace(**names)
    long = compiled(f"/home/someone/{'y' * 999}.py")

    assert frame_of(odd, 0, own_files=()) == Frame(function="f?", file="?.py", line=1, defined=1)
    assert frame_of(long, 0, own_files=()).file == "y" * 199 + "…"


def test_an_instruction_without_a_line_is_where_the_function_begins():
    assert frame_of(compiled("x.py"), 10_000, own_files=()).line == 1
    assert frame_of(compiled("x.py"), -1, own_files=()).line == 1


def test_file_names_hold_nothing_of_the_machine():
    assert {
        path: named(path)
        for path in (
            "/home/someone/venv/lib/python3.12/site-packages/triton/runtime/jit.py",
            "/usr/lib/python3/dist-packages/numpy/core.py",
            "/tmp/torchinductor_someone/ab/cabc.py",
            "/home/someone/.flaggems/code_cache/pointwise.py",
            "/home/someone/secret/neighbour.py",
            "<string>",
        )
    } == {
        "/home/someone/venv/lib/python3.12/site-packages/triton/runtime/jit.py": (
            "triton/runtime/jit.py"
        ),
        "/usr/lib/python3/dist-packages/numpy/core.py": "numpy/core.py",
        "/tmp/torchinductor_someone/ab/cabc.py": "<torchinductor>/cabc.py",
        "/home/someone/.flaggems/code_cache/pointwise.py": "<flag_gems code cache>/pointwise.py",
        "/home/someone/secret/neighbour.py": "neighbour.py",
        "<string>": "<string>",
    }


def test_a_package_that_is_not_installed_keeps_its_own_name(tmp_path: Path):
    package = tmp_path / "mine" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "mine" / "__init__.py").touch()
    (package / "__init__.py").touch()

    assert named(str(package / "ops.py")) == "mine/inner/ops.py"


def test_the_standard_library_is_named_from_its_root_and_its_lines_have_their_text():
    frame = frame_of(json.dumps.__code__, last_offset(json.dumps.__code__), own_files=())

    assert frame.file == "json/__init__.py"
    assert frame.function == "dumps"
    assert frame.text.startswith(("**kw).encode(obj)", "separators=", "return cls("))


def test_a_file_of_the_users_is_told_from_a_package_and_from_pythons_own():
    assert is_own("/home/someone/op.py")
    assert not is_own(json.__file__)
    assert not is_own(f"{sys.prefix}/lib/python3.12/site-packages/torch/nn/functional.py")
