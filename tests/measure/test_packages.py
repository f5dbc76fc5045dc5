"""Versions of what an op file imports, from an environment that is known."""

from importlib.metadata import version
from types import ModuleType, SimpleNamespace

import hypothesis
import pytest
import torch
from click import Command

from tracelens.measure.op_file import load_op
from tracelens.measure.packages import package_versions


def test_a_module_and_a_name_from_one_are_told_with_the_version_of_their_package():
    names = {
        "h": hypothesis,
        "Command": Command,
        "torch": torch,
        "SimpleNamespace": SimpleNamespace,
    }
    assert package_versions(names) == {
        "click": version("click"),
        "hypothesis": version("hypothesis"),
    }


def test_what_no_distribution_is_named_after_tells_its_own_version_or_is_left_out(monkeypatch):
    told, silent = ModuleType("my_kernels"), ModuleType("neighbour")
    told.__version__ = "1.2"
    monkeypatch.setitem(__import__("sys").modules, "my_kernels", told)
    assert package_versions({"a": told, "b": silent, "c": 3}) == {"my_kernels": "1.2"}


@pytest.mark.parametrize(
    "source",
    [
        "import hypothesis\ndef inputs(): return ()\ndef op(): return 1\n",
        "import hypothesis\nimport torch\nclass Model(torch.nn.Module): pass\n"
        "def get_inputs(): return []\n",
    ],
    ids=["op file", "KernelBench"],
)
def test_an_op_knows_the_packages_of_its_file(tmp_path, source):
    path = tmp_path / "some_op.py"
    path.write_text(source)
    assert load_op(path).packages == {"hypothesis": version("hypothesis")}
