"""The README and docs/comparing.md show what the commands print: each marked block is run again.

`pytest --rewrite-golden` writes what they print now; review the difference.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tracelens.api import analyze_run
from tracelens.cli import cli
from tracelens.render import render_text

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
COMPARING = ROOT / "docs/comparing.md"
WIDTH = 80

COMMAND = re.compile(r"(<!-- run -->\n```console\n\$ (tracelens [^\n]*)\n)(.*?)(```\n)", re.DOTALL)
REPORT = re.compile(r"(<!-- report: (\S+) -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def printed(command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={"COLUMNS": str(WIDTH), "PYTHONUTF8": "1"},
        check=True,
    )
    return done.stdout


def reported(folder: str) -> str:
    return render_text(analyze_run(ROOT / folder), width=WIDTH, color=False)


@pytest.mark.parametrize(
    ("path", "block", "output"),
    [(README, COMMAND, printed), (README, REPORT, reported), (COMPARING, COMMAND, printed)],
    ids=["commands", "reports", "comparing"],
)
def test_blocks_show_what_is_printed_now(path, block, output, request):
    text = path.read_text(encoding="utf-8")
    fresh = block.sub(lambda found: found[1] + output(found[2]) + found[4], text)
    if request.config.getoption("--rewrite-golden"):
        path.write_text(fresh, encoding="utf-8")
    assert block.search(text)
    assert fresh == path.read_text(encoding="utf-8")


def test_every_command_stands_in_the_readme():
    text = README.read_text(encoding="utf-8")
    assert [name for name in cli.commands if f"tracelens {name}" not in text] == []
