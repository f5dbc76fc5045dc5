"""Nothing that is planted anywhere leaves: names, hosts, jobs, keys, folders, addresses."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.recipes.test_issue import HOST, everything
from tests.render.issue.dossiers import CHECK, FULL
from tracelens.api import report_run, write_issue
from tracelens.formats import open_run_folder
from tracelens.model.expectation import ExpectedKernel, StatedKernels
from tracelens.model.functions import Frame, FunctionSamples, Stack
from tracelens.model.layered import Layered, LayerTimes
from tracelens.model.measurement import (
    Capture,
    Failure,
    Noticed,
    Predicted,
    Run,
    Subject,
    SubjectRun,
    Trial,
    Withheld,
)
from tracelens.model.report import Environment, Finding

PRIVATE = {
    "user": "quentinb",
    "host": "node-kestrel-17",
    "job": "sparrow-pretrain",
    "token": "hf_Q1w2E3r4T5y6U7i8O9p0",
    "home": "/home/quentinb/falcon/secret",
    "folder": "/srv/heron drafts/nest",
    "e-mail": "q.b@kestrel.example.org",
    "environment value": "osprey-4711-blue",
}
PLACES = (
    *("header key", "header", "header list", "event", "kernel", "argument", "argument key"),
    *("process", "category", "thread", "case", "variable", "processor", "input", "output"),
    *("trial", "notice", "withheld", "failure", "comment", "literal", "docstring", "operation"),
    *("function", "file", "line of source", "layer", "package", "expected", "prediction", "other"),
)
AROUND = ["{}", "x {} y", "{}.", "({})", "a={}", "_{}_", "é{}", '"{}"', "file://{}", "[{}]"]


@pytest.fixture(scope="module")
def machine():
    """Let this machine have a user, a host, a job, a key, and a folder with a blank in its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("getpass.getuser", lambda: PRIVATE["user"])
        patch.setattr("socket.gethostname", lambda: PRIVATE["host"])
        patch.setattr("pathlib.Path.cwd", lambda: Path(PRIVATE["folder"]).parent)
        patch.setenv("SLURM_JOB_NAME", PRIVATE["job"])
        patch.setenv("FLOCK", PRIVATE["environment value"])
        yield


plants = st.lists(
    st.tuples(
        st.sampled_from(sorted(PRIVATE)),
        st.sampled_from(PLACES),
        st.sampled_from(AROUND),
        st.sampled_from([str, str, str, str.upper, quote]),
    ),
    min_size=1,
    max_size=8,
)


def secrets_in(written):
    """What of the planted is found, in either case; of a folder its own name is enough."""
    parts = {**PRIVATE, "home": "falcon", "folder": "heron"}
    return [secret for secret in parts.values() if secret.lower() in written.lower()]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plants)
@example([("folder", place, "{}", str) for place in PLACES])
@example([("user", place, "{}", str.upper) for place in PLACES])
@example([("home", place, "{}", quote) for place in PLACES])
@pytest.mark.usefixtures("machine")
def test_nothing_planted_anywhere_is_in_any_file(tmp_path_factory, planted):
    put = dict.fromkeys(PLACES, "")
    for secret, place, around, changed in planted:
        # a key is told from a word by its letters, so it is planted as it is
        change = str if secret in ("token", "e-mail") and changed is str.upper else changed
        put[place] += " " + around.format(change(PRIVATE[secret]))
    folder = tmp_path_factory.mktemp("planted")
    issue = write_issue(planted_run(folder, put), output=folder / "i")
    assert secrets_in(everything(issue)) == []


def planted_run(folder, put):
    """Keep a run that says all of this somewhere, and whose file is named after its user."""
    inside = put["docstring"].replace('"', "'")
    source = (
        f'"""Adds.{inside}"""\n# {put["comment"]}\nname = {put["literal"]!r}\n'
        "import torch, neighbour\ndef inputs(): return (torch.ones(2),)\ndef op(x): return x + 1\n"
    )
    op_path = folder / f"{PRIVATE['user']}_add.py"
    op_path.write_text(source)
    (folder / "neighbour.py").write_text(f"x = {put['other']!r}  # {put['other']}\n")
    case = "c" + put["case"].replace('"', "")
    finding = Finding(tag="t", severity="info", fact=put["notice"], advice=put["notice"])
    subject = SubjectRun(
        subject=Subject(case=case),
        protocol=replace(HOST, inputs=("float32[2] cpu", repr(put["input"]))),
        check=replace(CHECK, outputs=(put["output"],)),
        trials=(Trial(name="n", proves="p", status="failed", fact=put["trial"]),),
        noticed=(Noticed(finding=finding),),
        withheld=(Withheld(tags=("full/graph",), finding=replace(finding, fact=put["withheld"])),),
        measurements=(replace(FULL, samples_ns=(900,) * 5),),
        capture=Capture(path="trace.json.gz", window="tracelens::call", replay_window=None),
        functions=FunctionSamples(
            way="memory",
            frames=(
                Frame(
                    function="f" + put["function"],
                    file=put["file"] or "x.py",
                    line=2,
                    defined=1,
                    text=put["line of source"],
                ),
            ),
            stacks=(Stack(frames=(0,), count=9),),
            samples=9,
            batch=1,
            sampled_ns=(900,),
            plain_ns=(900,),
            instead_of=put["function"],
        ),
        layered=Layered(
            layers=tuple(
                LayerTimes(name=name, full_ns=(900,) * 9, submit_ns=(800,) * 9, failed=failed)
                for name, failed in (("op", None), ("l" + put["layer"], put["layer"] or None))
            ),
            protocol=put["layer"],
        ),
        stated=StatedKernels(expected=(ExpectedKernel(kernel="k" + put["expected"]),)),
        predicted=Predicted(claims=("full: -20%" + put["prediction"],)),
        failure=Failure(stage="s", kind="raised", fact=put["failure"], hint=put["failure"]),
    )
    environment = Environment(
        cpu="cpu" + put["processor"],
        variables={"PYTORCH_X": put["variable"]},
        packages={"acme_ops": "1.0" + put["package"]},
        os="Linux",
    )
    run = Run(op="op" + put["operation"], environment=environment, subjects=(subject,))
    with open_run_folder(folder / "op.run", op_path) as kept:
        kept.trace_path.write_bytes(gzip.compress(json.dumps(trace_of(put)).encode()))
        return kept.keep(replace(run, report=report_run(run, kept.path)))


def trace_of(put):
    common = {"pid": 1, "tid": "t" + put["thread"], "ph": "X"}
    launch = {"correlation": 7}
    arguments = {"Concrete Inputs": [put["argument"]], "k" + put["argument key"]: 1}
    events = [
        {"cat": "user_annotation", "name": "tracelens::call", "ts": 1, "dur": 9},
        {"cat": "cpu_op" + put["category"], "name": "f" + put["event"], "ts": 1, "dur": 2,
         "args": arguments},
        {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 3, "dur": 1, "args": launch},
        {"cat": "kernel", "name": "k" + put["kernel"], "ts": 5, "dur": 1, "args": launch},
    ]  # fmt: skip
    named = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p" + put["process"]}}
    return {
        "h" + put["header key"]: 1,
        "note": put["header"],
        "env": ["FLOCK=" + PRIVATE["environment value"], put["header list"]],
        "traceEvents": [*({**common, **event} for event in events), named],
    }


KEYS = (
    *("ghp_0123456789abcdefABCD", "sk-proj-abc_DEF-0123456789", "AKIAIOSFODNN7EXAMPLE"),
    *("Bearer abcdef0123456789", "0123456789abcdef0123456789abcdef", "api-key: 4f3c2b1a0d9e"),
    *("203.0.113.7", "2001:db8::42", "node12.kestrel.internal", "db.kestrel.lan", "kestrel.com"),
    *("password=correcthorse", "ssh eve@falcon", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.usefixtures("machine")
def test_a_key_or_address_of_any_form_leaves_from_nowhere(tmp_path, key):
    put = dict.fromkeys(PLACES, f" it was {key} then")
    written = everything(write_issue(planted_run(tmp_path, put), output=tmp_path / "i"))
    assert key.rpartition(" ")[2].removeprefix("password=") not in written


@pytest.mark.parametrize("user", ["al", "r.b+x", "j\u00f3zef", "(ed)", "o'n"])
def test_a_run_in_the_home_of_a_user_with_an_odd_name_tells_nothing_of_them(
    tmp_path, monkeypatch, user
):
    home = tmp_path / "home" / user
    home.mkdir(parents=True)
    monkeypatch.setattr("getpass.getuser", lambda: user)
    monkeypatch.setattr("pathlib.Path.home", lambda: home)
    put = dict.fromkeys(PLACES, f"{home}/runs/op.py, ~{user}/x and {user}@node9:/data/{user}")
    written = everything(write_issue(planted_run(home, put), output=home / "i"))
    around = (f"/{user}/", f"/{user}\n", f"~{user}", f"{user}@", f"home/{user}", str(home))
    assert [one for one in around if one in written] == []
