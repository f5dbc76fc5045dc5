"""The script itself: Python that compiles, with the run's own words and figures in it."""

import ast
import builtins
from dataclasses import replace
from pathlib import Path

import tracelens.render.repro
from tests.render.issue.dossiers import add_small_dossier
from tracelens.render.repro import read_op_source, repro_of_run

PARTS = Path(tracelens.render.repro.__file__).parent / "parts"

OP = "from __future__ import annotations\ndef op(x): ...\n"


def assigned(script, name):
    """The value of a constant at the top of a script."""
    for node in ast.parse(script).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"{name} is not assigned")


def test_a_script_carries_the_protocol_the_medians_and_the_words_of_the_run():
    script = repro_of_run(add_small_dossier().run, read_op_source(OP))
    run = assigned(script, "REPRO_RUN")
    assert {key: run[key] for key in ("op", "device", "seed", "warmup_ns", "batch")} == {
        "op": "add_small", "device": "cuda:0", "seed": 0, "warmup_ns": 200_000_000, "batch": 100,
    }  # fmt: skip
    (subject,) = run["subjects"]
    assert subject["medians"]["full/eager"] == {
        "median": 18_300, "q20": 17_912, "q80": 19_540, "samples": 200,
        "least": 18_300, "most": 18_300, "batch": 1,
    }  # fmt: skip
    (kernel,) = subject["kernels"]
    assert kernel[0].startswith("void at::native::vectorized_elementwise_kernel<8,")
    assert kernel[1:] == [[1, 1, 1], [128, 1, 1], 1.0]
    words = assigned(script, "REPRO_WORDS")
    assert words["kernel/graph/busy"] == ("kernel busy", "graph")
    assert [tag for tag in subject["medians"] if tag not in words] == []


def test_the_first_statement_is_the_ops_import_from_the_future():
    script = repro_of_run(add_small_dossier().run, read_op_source(OP))
    first = ast.parse(script).body[0]
    assert (first.module, first.names[0].name) == ("__future__", "annotations")
    compile(script, "repro.py", "exec")


def test_an_op_that_has_our_names_keeps_them_and_ours_give_way():
    source = read_op_source("def repro_seed(): return 1\ndef op(x): ...\n")
    functions = [
        node.name
        for node in ast.parse(repro_of_run(add_small_dossier().run, source)).body
        if isinstance(node, ast.FunctionDef)
    ]
    assert functions.count("repro_seed") == functions.count("repro_2_seed") == 1


def test_a_name_that_is_no_python_stays_a_string():
    run = replace(add_small_dossier().run, op='"""\nimport os  # \\')
    script = repro_of_run(run, read_op_source(OP))
    assert assigned(script, "REPRO_RUN")["op"] == '"""\nimport os  # \\'
    assert "os" not in [n.name for node in ast.parse(script).body[:1] for n in node.names]


def test_a_script_follows_the_cache_state_of_the_run_and_names_its_packages():
    dossier = add_small_dossier()
    found = dossier.run.subjects[0]
    environment = replace(dossier.run.environment, packages={"flag_gems": "5.0.2"})
    protocol = replace(found.protocol, cache_state="both")
    run = replace(
        dossier.run, environment=environment, subjects=(replace(found, protocol=protocol),)
    )
    script = repro_of_run(run, read_op_source(OP))
    stated = assigned(script, "REPRO_RUN")
    assert (stated["l2"], stated["packages"]) == ("both", ["flag_gems"])
    assert stated["environment"].endswith(" · flag_gems 5.0.2")
    words = assigned(script, "REPRO_WORDS")
    assert words["full_cold/graph"] == ("full call, cold L2", "graph")


def test_ours_use_no_builtin_inside_a_formatted_string_where_it_could_not_be_told():
    found = [
        (path.name, name.id)
        for path in sorted(PARTS.glob("*.txt"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.JoinedStr)
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and hasattr(builtins, name.id)
    ]
    assert found == []


def test_where_an_op_hides_a_builtin_ours_ask_for_pythons_own():
    source = read_op_source("def max(x): ...\n")
    script = repro_of_run(add_small_dossier().run, source)
    called = [n.func for n in ast.walk(ast.parse(script)) if isinstance(n, ast.Call)]
    names = {f.id for f in called if isinstance(f, ast.Name)}
    attributes = {ast.unparse(f) for f in called if isinstance(f, ast.Attribute)}
    assert ("max" in names, "repro_builtins.max" in attributes, "sum" in names) == (
        False,
        True,
        True,
    )
