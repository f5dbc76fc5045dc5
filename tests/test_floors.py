"""The house: imports point down only, rooms have no doors, each package has its one home."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "tracelens"
ROOMS = ("measure", "formats", "analyze", "render")
GROUND = ("model", "errors", "version")

MAY_IMPORT = {
    **dict.fromkeys(GROUND, GROUND),
    **{room: (room, *GROUND) for room in ROOMS},
    "processes": ("processes", "measure", "formats", *GROUND),  # the landing
    "recipes": ("recipes", "processes", *ROOMS, *GROUND),  # the stairs
    "api": ("recipes", "processes", *ROOMS, *GROUND),
    "cli": ("cli", "api", *ROOMS, *GROUND),
    "__main__": ("cli",),
    "__init__": ("api", "measure", *GROUND),
}
"""What each part of the package may import of the package."""

HOMES = {
    "click": {"cli"},
    "torch": {"measure"},
    "triton": {"measure"},
    "cupti": {"measure"},
    "pynvml": {"measure"},
    "msgspec": {"formats"},
    "orjson": {"formats"},
    "gzip": {"formats"},
    "zlib": {"formats"},
    "sqlite3": {"formats"},
    "pandas": {"render"},
    "matplotlib": {"render"},
    "rich": {"render"},
    "html": {"render"},
    "demangle": {"analyze"},
}
"""Packages that one part alone may import."""


def imports():
    """Every import in the package: the part it stands in, the module it names, where."""
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            where = f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                yield from ((part, alias.name, where) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{where}: imports are absolute"
                yield part, node.module or "", where


def test_imports_point_down_and_rooms_do_not_import_each_other():
    wrong = [
        f"{where} imports {module}"
        for part, module, where in imports()
        if module.startswith("tracelens.") and module.split(".")[1] not in MAY_IMPORT[part]
    ]
    assert wrong == []


def test_each_third_party_package_is_imported_in_its_one_home():
    wrong = [
        f"{where} imports {module}"
        for part, module, where in imports()
        if part not in HOMES.get(module.split(".")[0], {part})
    ]
    assert wrong == []


HEAVY = ("torch", "matplotlib", "pandas")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["analyze", "--help"],
        ["analyze", "fixtures/traces/add_small.json.gz"],
        ["analyze", "fixtures/traces/add_small.json.gz", "--format", "json"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_no_torch_matplotlib_or_pandas_imports_none(arguments):
    script = (
        "import sys; sys.argv[1:] = sys.argv[1:]\n"
        "from tracelens.cli import main\n"
        "try: main()\n"
        f"finally: print('loaded:', [m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        cwd=PACKAGE.parent,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "loaded: []" in done.stderr
    assert done.stdout
