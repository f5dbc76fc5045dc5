"""Broken traces of every sort: whatever a file holds, only a `TracelensError` comes out of it.

A run of any length: `TRACELENS_FUZZ_EXAMPLES=100000 python -m pytest tests/formats/test_fuzz.py`.
"""

import gzip
import io
import json
import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracelens.errors import TracelensError
from tracelens.formats.chrome_trace import read_chrome_trace
from tracelens.model.trace import Trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXAMPLES = int(os.environ.get("TRACELENS_FUZZ_EXAMPLES", "300"))


def shortened(text, *, events):
    """A recording with some of its events, from all of its length."""
    whole = json.loads(text)
    step = max(1, len(whole["traceEvents"]) // events)
    return json.dumps(whole | {"traceEvents": whole["traceEvents"][::step]}, indent=1).encode()


SEEDS = [
    *(
        (FIXTURES / f"cases/{name}.json").read_bytes()
        for name in ("rocm_hip_mix", "string_timestamps")
    ),
    (FIXTURES / "cases/bad_utf8_kernel_name.json").read_bytes(),
    shortened(gzip.decompress((FIXTURES / "traces/item.json.gz").read_bytes()), events=12),
    shortened(
        gzip.decompress((FIXTURES / "public_traces/a100_no_flow.json.gz").read_bytes()), events=9
    ),
]

SOUND_SEEDS = [SEEDS[0], SEEDS[1], SEEDS[3], SEEDS[4]]

TOKENS = st.sampled_from(
    [
        *(bytes((byte,)) for byte in b'{}[]:,"\\\0\x1b\n\t \xff\x9f-+.eE019'),
        *(b"null true false inf -Infinity NaN 1e999 1e-999 -1 0 18446744073709551616".split()),
        *(b'{} [] "" "7" "traceEvents": "ts":"x", "args":[ \\u \\ud800 \\U //'.split()),
        b"9" * 5_000,
        b"[" * 2_000,
        b'{"a":' * 2_000,
        b'"' + b"x" * 100_000 + b'"',
        b"}, {",
        b'"}, {"ph": "X", "cat": "kernel", "name": "fake", "ts": 1, "dur": 1}, {"',
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def cut_and_pasted(draw):
    """A trace with bytes cut out, doubled, put in, or changed one by one."""
    text = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40) | st.integers(0, len(text))))
        match draw(st.integers(0, 4)):
            case 0:
                del text[start:end]
            case 1:
                text[start:start] = text[start:end]
            case 2:
                text[start:start] = draw(TOKENS)
            case 3:
                text[start:end] = draw(TOKENS)
            case _ if start < len(text):
                text[start] ^= draw(st.integers(1, 255))
    return bytes(text)


@st.composite
def retyped(draw):
    """A trace whose JSON is sound and whose fields may have values of any type."""
    whole = json.loads(draw(st.sampled_from(SOUND_SEEDS)))
    events = whole["traceEvents"]
    for _ in range(draw(st.integers(1, 6))):
        row = draw(st.integers(0, len(events) - 1))
        record = events[row]
        if (
            isinstance(record, dict)
            and isinstance(record.get("args"), dict)
            and draw(st.booleans())
        ):
            record = record["args"]
        if isinstance(record, dict) and record:
            record[draw(st.sampled_from([*record]))] = draw(VALUES)
        else:
            events[row] = draw(VALUES)
    if draw(st.booleans()):
        whole[draw(st.sampled_from([*whole]))] = draw(VALUES)
    layout = draw(st.sampled_from([whole, events]))
    separators = draw(st.sampled_from([None, (",", ":"), (" ,\n", "\t: ")]))
    return json.dumps(layout, separators=separators, ensure_ascii=draw(st.booleans())).encode(
        errors="surrogatepass"
    )


@st.composite
def packed(draw):
    """A gzip file of one or more members with bytes cut out or changed."""
    text = draw(st.sampled_from(SEEDS))
    split = draw(st.integers(0, len(text)))
    file = bytearray(gzip.compress(text[:split], mtime=0) + gzip.compress(text[split:], mtime=0))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(file) - 1))
        if draw(st.booleans()):
            file[at] ^= draw(st.integers(1, 255))
        else:
            del file[at : at + draw(st.integers(1, 4000))]
            file += draw(st.binary(min_size=1, max_size=9))
    return bytes(file)


def outcome(content, *, recover):
    """The trace or the error that comes of a file. Any other exception fails the test."""
    try:
        return read_chrome_trace(io.BytesIO(content), recover=recover, max_expanded_bytes=1 << 24)
    except TracelensError as error:
        return error


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(cut_and_pasted() | retyped() | packed())
def test_only_an_error_of_ours_or_a_consistent_trace_comes_out_of_any_file(content):
    strict, recovered = outcome(content, recover=False), outcome(content, recover=True)
    if isinstance(strict, Trace):
        assert isinstance(recovered, Trace)
        assert strict.complete
        assert recovered.complete
        assert strict.event_count == recovered.event_count
    elif isinstance(recovered, Trace):
        assert not recovered.complete
        assert any(finding.severity == "error" for finding in recovered.findings)
    for trace in (strict, recovered):
        if isinstance(trace, Trace):
            columns = (trace.device_work, trace.calls, trace.ops, trace.annotations, trace.flows)
            assert sum(map(len, columns)) <= trace.event_count
            assert all((c.process < len(trace.processes)).all() for c in columns)
            assert all((c.name < len(trace.names)).all() for c in columns[:4])
            "".join(trace.names).encode()
