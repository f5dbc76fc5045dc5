"""What an op file imports of its own folder goes into the run folder, and nothing else does."""

from tracelens.formats.neighbours import keep_neighbours, read_neighbours


def written(folder, files):
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    return folder / "op.py"


def test_neighbours_and_theirs_are_kept_in_their_places(tmp_path):
    op_path = written(
        tmp_path / "mine",
        {
            "op.py": "import torch, random\nimport lib\nfrom pack.ops import add\n",
            "lib.py": "def f():\n    import deep\n",
            "deep.py": "import op, lib\n",
            "pack/__init__.py": "",
            "pack/ops.py": "from . import other\nfrom .more import x\n",
            "pack/other.py": "",
            "pack/more.py": "x = 1\n",
            "pack/never.py": "",
            "random.py": "",
            "unused.py": "",
        },
    )
    keep_neighbours(op_path, tmp_path / "run")
    assert read_neighbours(tmp_path / "run") == {
        "deep.py": "import op, lib\n",
        "lib.py": "def f():\n    import deep\n",
        "pack/__init__.py": "",
        "pack/more.py": "x = 1\n",
        "pack/ops.py": "from . import other\nfrom .more import x\n",
        "pack/other.py": "",
    }


def test_a_whole_package_is_left_where_it_is(tmp_path):
    files = {f"big/m{n}.py": f"from big import m{n + 1}\n" for n in range(40)}
    op_path = written(tmp_path / "mine", {"op.py": "import big.m0\n", **files})
    keep_neighbours(op_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_neighbour_that_is_no_python_is_kept_and_one_that_is_no_text_is_not_read(tmp_path):
    op_path = written(tmp_path / "mine", {"op.py": "import odd\nimport raw\n", "odd.py": "def ("})
    (tmp_path / "mine" / "raw.py").write_bytes(b"\xff")
    keep_neighbours(op_path, tmp_path / "run")
    assert read_neighbours(tmp_path / "run") == {"odd.py": "def ("}
