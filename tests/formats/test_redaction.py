"""What is private goes, what a report is about stays."""

import pytest

from tracelens.formats.private_words import PrivateWord
from tracelens.formats.redaction import Redactor
from tracelens.model.report import Finding

WORDS = (
    PrivateWord("user name", "bob"),
    PrivateWord("host name", "acme-gpu-03"),
    PrivateWord("job name", "rollout"),
)


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("/home/bob/clients/serve.py(77): decode", "REDACTED_PATH(77): decode"),
        ("/home/eve/My Files/a.py(7): f", "REDACTED_PATH(7): f"),
        ("serve.py(7): decode", "REDACTED_PATH(7): decode"),
        ("acme/llm/serve.py(7): decode", "REDACTED_PATH(7): decode"),
        ("/v/site-packages/torch/f.py(1): g", "REDACTED_PATH/site-packages/torch/f.py(1): g"),
        ("open('~/a/b.txt', '../up.py')", "open('REDACTED_PATH', 'REDACTED_PATH')"),
        (r"C:\Users\bob\x.py and \\host\share\y", "REDACTED_PATH and REDACTED_PATH"),
        ("file:///srv/x", "REDACTED_PATH"),
        ("HF_TOKEN=abc BLOCK=1024", "HF_TOKEN=REDACTED_ENVIRONMENT BLOCK=1024"),
        ("train --api-key zz1 --lr 3", "train --api-key REDACTED_ENVIRONMENT --lr 3"),
        ("key ghp_0123456789abcdefABCD here", "key REDACTED_TOKEN here"),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer REDACTED_TOKEN"),
        ("ask eve.x@acme.example.com", "ask REDACTED_EMAIL"),
        ("at 10.1.2.3:8080, fe80::1ff:fe23:4567:890a", "at REDACTED_ADDRESS, REDACTED_ADDRESS"),
        ("http://ci.acme.io/job/3", "REDACTED_ADDRESS"),
        ("GPU-01234567-89ab-cdef-0123-456789abcdef", "REDACTED_ADDRESS"),
        ("gpu-7.acme.internal", "REDACTED_HOST"),
        ("ACME-GPU-03 ran prerollout_2", "REDACTED_HOST ran preREDACTED_JOB_2"),
        ("a_bob_b bobsled", "a_REDACTED_USER_b bobsled"),
        ("bob2 BobKernel addBob", "REDACTED_USER2 REDACTED_USERKernel addREDACTED_USER"),
        ("open('/srv/My Files/a (1).txt')", "open('REDACTED_PATH')"),
        ("PATH=/usr/xy:/opt/y/z", "PATH=REDACTED_PATH:REDACTED_PATH"),
        ("-I/home/eve/include -lfoo", "-IREDACTED_PATH -lfoo"),
        ("x/HOME/eve/q", "xREDACTED_PATH"),
        ("scp eve@node9:/data/q .", "scp REDACTED_ADDRESS ."),
        ("git@git.acme.io:team/repo", "REDACTED_EMAIL"),
        ("ssh eve@build", "ssh REDACTED_ADDRESS"),
        ("[eve@node9 ~]$ ls", "[REDACTED_ADDRESS ~]$ ls"),
        ("on db.acme.lan and a.b-1.corp.acme.com", "on REDACTED_HOST and REDACTED_HOST"),
        ("acme.com", "REDACTED_HOST"),
        ("/Users/Eve Smith/My Runs/a.py", "REDACTED_PATH"),
        ("x-api-key: 4f3c2b1a0d9e", "x-api-key: REDACTED_TOKEN"),
        ("token=deadbeefdeadbeefdead", "token=REDACTED_TOKEN"),
        ('"password": "correcthorse"', '"password": "REDACTED_TOKEN"'),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer REDACTED_TOKEN"),
        ("0123456789abcdef0123456789abcdef", "REDACTED_TOKEN"),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "REDACTED_TOKEN"),
        ("sk_live_abcdefghijklmnop", "REDACTED_TOKEN"),
        ("at %2Fhome%2Feve%2Fq now", "at REDACTED_PATH now"),
        ("to eve%40acme.example", "to REDACTED_EMAIL"),
        ("SLURM_JOB_NAME=SLURM_JOB", "SLURM_JOB_NAME=REDACTED_ENVIRONMENT"),
        ("run --username user7 x", "run --username REDACTED_ENVIRONMENT x"),
        ("password=passwo1", "password=REDACTED_TOKEN"),
        ("SLURM_JOB_NAME: march-run", "SLURM_JOB_NAME: REDACTED_ENVIRONMENT"),
        ('{"USER": "eve x", "N": "8"}', '{"USER": "REDACTED_ENVIRONMENT", "N": "8"}'),
        (r'{\"HOSTNAME\": \"n7x\"}', r'{\"HOSTNAME\": \"REDACTED_ENVIRONMENT\"}'),
        ("getenv('USER', 'eve')", "getenv('USER', 'REDACTED_ENVIRONMENT')"),
        ("my_job_name=march", "my_job_name=REDACTED_ENVIRONMENT"),
        ("user=eve", "user=REDACTED_ENVIRONMENT"),
        ("eve@localhost", "REDACTED_ADDRESS"),
        ("on gpu-7.acme.io", "on REDACTED_HOST"),
        ("acme/llm/serve.cc:12", "REDACTED_PATH:12"),
    ],
)  # fmt: skip
def test_private_strings_are_replaced_by_what_they_are(text, public):
    assert Redactor(WORDS).text(text) == public


@pytest.mark.parametrize(
    "text",
    [
        "void at::native::(anonymous namespace)::softmax<8, float>(float*, float const*, int)",
        "nvjet_sm90_tst_64x8_64x16_2x1_v_bz_splitK_NNT",
        "triton_poi_fused_add_0",
        "torch/nn/modules/module.py(1501): _call_impl",
        "threading.py(973): run",
        "kernel/eager/busy: (kernel + memory)/wall, 3.2 GB/s, and/or, x / y",
        "580.159.04, 2.11.0+cu130, cudnn==9.10.2.21",
        "Linux-6.18.44-x86_64-with-glibc2.39",
        "https://github.com/pytorch/pytorch/issues/1",
        "BLOCK=1024, num_warps=4, tokens: 4096",
        "basic elementwise_kernel_with_index",
        "pointwise_0123456789abcdef0123456789abcdef_kernel.py:18",
        "token = tokenizer(words), token_type: bfloat16",
        "see pytorch.org, self.net and threading.local",
        "12:34:56 at::native::add::dead",
        "#include <ATen/cuda/CUDAContext.h> <c10/cuda/CUDAGuard.h> <cub/cub.cuh> <cute/tensor.hpp>",
        '{"role": "user", "content": "hello"}, the owner: nobody',
        "CLUSTER: 2x1x1, JOB_NAME: softmax, JOB_COUNT: 12, x = a/b.c",
    ],
)
def test_what_a_report_is_about_stays(text):
    redactor = Redactor(WORDS)
    assert (redactor.text(text), dict(redactor.counts)) == (text, {})


@pytest.mark.parametrize(
    "text",
    [
        "nvidia-cudnn-cu12==9.10.2.21, cudnn[extra]>=9.1.0.70 and tensorrt-cu12~=10.0.1.6",
        "version 9.10.2.21",
        '{"name": "x", "version": "9.10.2.21"}',
        "__version__ = '9.10.2.21'",
        "CUDNN_VERSION=9.10.2.21 cudnnVersion: 9.10.2.21",
        "cudnn_version: 9.10.2.21.",
        "the version is 9.10.2.21",
        "v9.10.2.21 and x/v9.10.2.21",
        "nvidia-cublas-cu12 12.8.4.1 pypi_0",
        "cuDNN 9.10.2.21, cufft: 11.3.3.83, TensorRT-10.0.1.6",
        '{"nvidia-curand-cu12": "10.3.9.90"}',
        "9.10.2.21.post1 9.10.2.21rc1 9.10.2.21+cu128 9.10.2.21.dev3",
        "some_lib-9.10.2.21-py3-none-any.whl and some_lib-9.10.2.21.dist-info",
        "Linux-5.15.167.4-microsoft-standard-WSL2-x86_64-with-glibc2.39",
        "580.159.04 1.2.3 300.1.2.3 1.2.3.4.5.6",
    ],
)
def test_four_numbers_that_are_clearly_a_version_stay(text):
    redactor = Redactor(WORDS)
    assert (redactor.text(text), dict(redactor.counts)) == (text, {})


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("at 10.1.2.3.", "at REDACTED_ADDRESS."),
        ("9.10.2.21", "REDACTED_ADDRESS"),
        ("host=10.1.2.3 --addr=8.8.8.8", "host=REDACTED_ADDRESS --addr=REDACTED_ADDRESS"),
        ("addr==8.8.8.8 ip.addr == 8.8.8.8", "addr==REDACTED_ADDRESS ip.addr == REDACTED_ADDRESS"),
        ("10.0.0.1-10.0.0.5", "REDACTED_ADDRESS-REDACTED_ADDRESS"),
        ("node-10.0.0.1 ip10.0.0.1", "node-REDACTED_ADDRESS ipREDACTED_ADDRESS"),
        ("x_10.0.0.1_y", "x_REDACTED_ADDRESS_y"),
        ("10.0.0.1.nip.io", "REDACTED_ADDRESS.nip.io"),
        ("IP 10.0.0.1.443 > 8.8.8.8.53:", "IP REDACTED_ADDRESS > REDACTED_ADDRESS:"),
        ("version 9.1.0.70:8080", "version REDACTED_ADDRESS"),
        ("version 192.168.1.5", "version REDACTED_ADDRESS"),
        ("version: 172.20.0.1", "version: REDACTED_ADDRESS"),
        ("subversion 9.1.0.70", "subversion REDACTED_ADDRESS"),
        ("version of 9.1.0.70", "version of REDACTED_ADDRESS"),
        ("cudnn==9.1.0.70/8", "cudnn==REDACTED_ADDRESS/8"),
        ("on host version-server at 9.1.0.70", "on host version-server at REDACTED_ADDRESS"),
        ("010.001.002.003", "REDACTED_ADDRESS"),
        ("[::ffff:10.0.0.1]:80", "[::ffff:REDACTED_ADDRESS]:80"),
        ("curl -v 10.0.0.1", "curl -v REDACTED_ADDRESS"),
        ("-> 10.0.0.1 <= 10.0.0.2", "-> REDACTED_ADDRESS <= REDACTED_ADDRESS"),
        ("ip-10-0-0-1 ip-10-0-0-1.ec2.internal", "REDACTED_HOST REDACTED_HOST"),
        ("cudnn 9.1.0.70 on 10.0.0.1", "cudnn 9.1.0.70 on REDACTED_ADDRESS"),
    ],
)  # fmt: skip
def test_four_numbers_that_may_be_an_address_are_one(text, public):
    assert Redactor(WORDS).text(text) == public


def test_the_versions_of_a_runs_packages_are_known_wherever_they_stand():
    versions = ("9.1.0.70", "192.168.1.5", "node7.acme.internal", "eve@acme.com")
    redactor = Redactor(versions=versions)
    assert redactor.text("mylib 9.1.0.70, 9.1.0.71, 9.1.0.70:80, 192.168.1.5") == (
        "mylib 9.1.0.70, REDACTED_ADDRESS, REDACTED_ADDRESS, REDACTED_ADDRESS"
    )
    assert redactor.text("node7.acme.internal eve@acme.com") == "REDACTED_HOST REDACTED_EMAIL"


def test_code_keeps_strings_that_it_calls_versions():
    source = "__version__ = '9.1.0.70'\nPEER = '9.1.0.70'\nd = {'cudnn': '9.1.0.70'}\n"
    assert Redactor().source(source) == source.replace(
        "PEER = '9.1.0.70'", "PEER = 'REDACTED_ADDRESS'"
    )


@pytest.mark.parametrize(
    "text", ["1.2.3.4.5.6.7." * 20_000, "version " * 50_000 + "1.2.3.4", "1.2.3.4:" * 30_000]
)
def test_numbers_without_end_take_no_longer_than_their_length(text):
    assert len(Redactor().text(text)) > 0  # by the square it would take minutes


PARTS = [
    "a",
    "-",
    ".",
    "/",
    "a-",
    "a.",
    "!",
    "~",
    "A_",
    "--a",
    ":",
    "a/",
    "\\",
    "%2F",
    "a@",
    '"/a',
    "/home",
]


@pytest.mark.parametrize("part", PARTS)
def test_a_name_of_a_hundred_thousand_characters_takes_no_longer_than_its_length(part):
    assert len(Redactor(WORDS).text(part * 100_000)) > 0  # by the square it would take minutes


@pytest.mark.parametrize(
    ("name", "text", "public"),
    [
        ("al", "/x/al/y ~al/z", "REDACTED_PATH REDACTED_PATH"),
        ("al", "al@h9 user=al et al", "REDACTED_USER@h9 user=REDACTED_USER et al"),
        ("mm", "aten::mm mm_kernel (mm)", "aten::mm mm_kernel (mm)"),
        ("r.b+x", "by r.b+x, not by rabbx", "by REDACTED_USER, not by rabbx"),
        ("smith", "\u017fMITH", "REDACTED_USER"),
        ("j\u00f3zef", "jo\u0301zef and J\u00d3ZEF", "REDACTED_USER and REDACTED_USER"),
    ],
    ids=["in paths", "two letters", "an op's name", "marks", "another s", "two spellings"],
)  # fmt: skip
def test_odd_names_are_found_and_break_nothing(name, text, public):
    assert Redactor([PrivateWord("user name", name)]).text(text) == public


def test_a_folder_with_a_blank_in_its_name_goes_with_all_that_lies_in_it():
    redactor = Redactor([PrivateWord("path", "/srv/heron drafts")])
    assert redactor.text("in /srv/heron drafts/a/b.txt, x/srv/heron%20drafts/c d") == (
        "in REDACTED_PATH xREDACTED_PATH d"
    )
    assert dict(redactor.found) == {
        ("path", "/srv/heron drafts/a/b.txt,"): 1,
        ("path", "/srv/heron%20drafts/c"): 1,
    }


def test_everything_replaced_is_counted_by_kind_and_kept_for_its_owner():
    redactor = Redactor(WORDS)
    for _ in range(2):
        redactor.text("bob on acme-gpu-03")
    assert dict(redactor.counts) == {"user name": 2, "host name": 2}
    assert dict(redactor.found) == {("user name", "bob"): 2, ("host name", "acme-gpu-03"): 2}


def test_code_keeps_its_operators_and_loses_its_strings_and_names():
    source = (
        "# by bob@acme.com\n"
        "def bob_op(q, k):\n"
        '    """Reads /data/q.pt."""\n'
        "    return q@k.mT / 2 // q.size(0), open('/home/x', 'rb')\n"
    )
    assert Redactor(WORDS).source(source) == (
        "# by REDACTED_EMAIL\n"
        "def REDACTED_USER_op(q, k):\n"
        '    """Reads REDACTED_PATH."""\n'
        "    return q@k.mT / 2 // q.size(0), open('REDACTED_PATH', 'rb')\n"
    )


@pytest.mark.parametrize(
    ("source", "public"),
    [
        ("API_KEY = 'abc123def456'\n", "API_KEY = 'REDACTED_TOKEN'\n"),
        ('key.password: str = "correcthorse"\n', 'key.password: str = "REDACTED_TOKEN"\n'),
        ("env['HF_TOKEN'] = 'abc123def456'\n", "env['HF_TOKEN'] = 'REDACTED_TOKEN'\n"),
        ("getenv('HF_TOKEN', 'abc123def456')\n", "getenv('HF_TOKEN', 'REDACTED_TOKEN')\n"),
        ("login(token='abc123def456')\n", "login(token='REDACTED_TOKEN')\n"),
        ("{'secret': 'correcthorse'}\n", "{'secret': 'REDACTED_TOKEN'}\n"),
        ("pad_token = '<extra_1>'; token_type = 'bfloat16'; n_tokens = 'abc123'\n",) * 2,
        ("tokens['abcdef12'] = 'word'\n",) * 2,
        ("environ['USER'] = 'eve x'\n", "environ['USER'] = 'REDACTED_ENVIRONMENT'\n"),
        ("getenv('JOB_NAME', 'march')\n", "getenv('JOB_NAME', 'REDACTED_ENVIRONMENT')\n"),
        ("user = 'eve'\n", "user = 'REDACTED_ENVIRONMENT'\n"),
        ("dict(JOB_NAME='march')\n", "dict(JOB_NAME='REDACTED_ENVIRONMENT')\n"),
        ("('user', 'content'), {'user': 'input'}, HOST == 'x86', host = 'pinned'\n",) * 2,
    ],
)  # fmt: skip
def test_a_string_that_code_calls_a_key_or_a_setting_is_one(source, public):
    assert Redactor(WORDS).source(source) == public


def test_code_in_a_formatted_string_stays_code():
    source = 'f"{total /count/2:.2f} /home/eve/{x} {{/opt/acme}} {n/k/m}"\n'
    assert Redactor(WORDS).source(source) == (
        'f"{total /count/2:.2f} REDACTED_PATH{x} {{REDACTED_PATH}} {n/k/m}"\n'
    )


def test_strings_inside_any_value_are_replaced():
    finding = Finding(tag="t", severity="info", fact="bob", advice="")
    public = Finding(tag="t", severity="info", fact="REDACTED_USER", advice="")
    assert Redactor(WORDS).value({"bob": [(finding, 3, None)]}) == {
        "REDACTED_USER": [(public, 3, None)]
    }


@pytest.mark.parametrize(
    ("cut_off", "left"),
    [
        ("kernel_of acme-prod-rollo… ran", "kernel_of … ran"),
        ("'hf_Q1w2E3r4T5y6…' under 2", "'…' under 2"),
        ("mail alice.smith@kestrel-mai…", "mail …"),
        ("void ns::k<float, /home/ali… x 3, Judy Exa…", "void ns::k<float, … x 3, …"),
        ("nothing is cut here", "nothing is cut here"),
    ],
)
def test_half_of_what_is_private_is_not_left_where_text_was_cut(cut_off: str, left: str) -> None:
    words = {"acme-prod-rollout": "job name", "Judy Example": "user name"}
    redactor = Redactor(PrivateWord(kind=kind, text=text) for text, kind in words.items())

    assert redactor.value(cut_off) == left
    assert redactor.source("x = 'loading…'") == "x = 'loading…'"
