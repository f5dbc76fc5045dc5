from tracelens.errors import TraceError
from tracelens.render.failure import render_failure


def test_an_error_is_its_fact_and_its_hint_made_safe() -> None:
    error = TraceError("a\x1b[2J.json: no\nevents", "pass a trace")
    assert render_failure(error) == "error: a\\x1b[2J.json: no events\nhint: pass a trace"
