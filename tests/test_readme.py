"""The README and pages of docs/ show what the commands print: each marked block is run again.

A block may end before a section of the report, `until Measurements`, and says so with `...`.
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
DISPATCH = ROOT / "docs/dispatch_overhead.md"
WIDTH = 80

UNTIL = r"(?: until (?P<until>[^\n]+?))?"
COMMAND = re.compile(
    rf"(?P<head><!-- run{UNTIL} -->\n```console\n\$ (?P<what>tracelens [^\n]*)\n)"
    r"(?P<shown>.*?)(?P<tail>```\n)",
    re.DOTALL,
)
REPORT = re.compile(
    rf"(?P<head><!-- report: (?P<what>\S+){UNTIL} -->\n```text\n)(?P<shown>.*?)(?P<tail>```\n)",
    re.DOTALL,
)


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


def shown(block, output):
    text, until = output(block["what"]), block["until"]
    if until is not None:
        kept, cut, _ = text.partition(f"\n{until}")
        assert cut, f"no section {until!r}"
        text = f"{kept}\n...\n"
    return block["head"] + text + block["tail"]


@pytest.mark.parametrize(
    ("path", "block", "output"),
    [
        (README, COMMAND, printed),
        (README, REPORT, reported),
        (COMPARING, COMMAND, printed),
        (DISPATCH, REPORT, reported),
    ],
    ids=["commands", "reports", "comparing", "dispatch overhead"],
)
def test_blocks_show_what_is_printed_now(path, block, output, request):
    text = path.read_text(encoding="utf-8")
    fresh = block.sub(lambda found: shown(found, output), text)
    if request.config.getoption("--rewrite-golden"):
        path.write_text(fresh, encoding="utf-8")
    assert block.search(text)
    assert fresh == path.read_text(encoding="utf-8")


def test_every_command_stands_in_the_readme():
    text = README.read_text(encoding="utf-8")
    assert [name for name in cli.commands if f"tracelens {name}" not in text] == []
