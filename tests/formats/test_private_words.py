"""Which words are private, by what this machine and a trace say."""

import json

import pytest

from tracelens.formats.private_words import (
    PrivateWord,
    kind_of_setting,
    words_of_machine,
    words_of_trace,
)


def test_user_host_job_and_keys_of_this_machine_are_private(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "evelyn")
    monkeypatch.setattr("socket.gethostname", lambda: "gpu-7.acme")
    monkeypatch.setattr("pathlib.Path.home", lambda: __import__("pathlib").Path("/home/eve"))
    environment = {
        "SLURM_JOB_NAME": "llama-sweep",
        "HF_TOKEN": "abcdef",
        "WANDB_RUN": "sunny-day-41",
        "CUDA_VERSION": "13.0.1-alpha",
        "SHELL": "/bin/bash",
        "MODE": "eager",
        "USER": "root",
        "PORT": "8080",
    }
    assert words_of_machine(environment) == (
        PrivateWord("user name", "evelyn"),
        PrivateWord("user name", "eve"),
        PrivateWord("host name", "gpu-7.acme"),
        PrivateWord("host name", "gpu-7"),
        PrivateWord("job name", "llama-sweep"),
        PrivateWord("token", "abcdef"),
        PrivateWord("environment value", "sunny-day-41"),
    )


def test_a_name_that_all_code_has_is_not_private(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "max")
    monkeypatch.setattr("socket.gethostname", lambda: "gpu-7")
    monkeypatch.setattr("pathlib.Path.home", lambda: __import__("pathlib").Path("/home/max"))
    environment = {
        "SLURM_JOB_NAME": "softmax-bench_2",
        "CI_PROJECT_NAME": "flag_gems",
        "DTYPE": "bfloat16",
        "AWS_SECRET_ACCESS_KEY": "wJalrX/K7MDENG+bPx",
        "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
    }
    assert words_of_machine(environment) == (
        PrivateWord("host name", "gpu-7"),
        PrivateWord("host name", "gpu-7"),
        PrivateWord("token", "wJalrX/K7MDENG+bPx"),
    )


def test_a_folder_is_a_private_word_where_a_blank_hides_its_form(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "al")
    monkeypatch.setattr("socket.gethostname", lambda: "h")
    monkeypatch.setattr("pathlib.Path.home", lambda: __import__("pathlib").Path("/home/al"))
    monkeypatch.setattr("pathlib.Path.cwd", lambda: __import__("pathlib").Path("/srv/my runs"))
    assert words_of_machine({}) == (
        PrivateWord("user name", "al"),
        PrivateWord("user name", "al"),
        PrivateWord("path", "/srv/my runs"),
    )


def test_the_header_of_a_trace_and_its_home_folders_name_names(tmp_path):
    trace = tmp_path / "t.json"
    document = {
        "host_name": "acme-gpu-03",
        "deviceProperties": [{"id": 0, "name": "NVIDIA H200 141"}],
        "environ": {"LOGNAME": "carol", "PATH": "/usr/bin:/bin", "RUN": "sunny-day-4"},
        "distributedInfo": {"pg_desc": "default_pg_0"},
        "env": ["MAST_JOB=rollout-7", "LANG=C"],
        "traceEvents": [{"ph": "i", "name": "/Users/dave/x", "ts": 1, "pid": 1, "tid": 1}],
    }
    trace.write_text(json.dumps(document))
    assert words_of_trace(trace) == (
        PrivateWord("host name", "acme-gpu-03"),
        PrivateWord("user name", "carol"),
        PrivateWord("environment value", "sunny-day-4"),
        PrivateWord("job name", "rollout-7"),
        PrivateWord("user name", "dave"),
    )


def test_a_file_that_is_no_chrome_trace_names_nobody(tmp_path):
    path = tmp_path / "t.sqlite"
    path.write_bytes(b"SQLite format 3\0")
    assert words_of_trace(path) == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("HF_TOKEN", "token"),
        ("AWS_SECRET_ACCESS_KEY", "token"),
        ("mast_job_name", "job name"),
        ("HOSTNAME", "host name"),
        ("SLURMD_NODENAME", "host name"),
        ("NODE_VERSION", None),
        ("num_tokens", None),
        ("HOSTTYPE", None),
        ("BLOCK", None),
    ],
)
def test_the_name_of_a_setting_says_what_its_value_is(name, kind):
    assert kind_of_setting(name) == kind
