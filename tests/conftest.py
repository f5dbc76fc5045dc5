"""What tests of several folders share: one core, golden files, the option that rewrites them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tracelens.measure import cores


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="Write the golden files anew from what the code says now; review them as a diff.",
    )


@pytest.fixture(autouse=True)
def _stay_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the same calls on every machine: on one core nothing moves."""
    monkeypatch.setattr(cores, "allowed_cores", lambda: {0})


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file of that name in the folder `golden` beside the test."""

    def compare(name: str, text: str) -> None:
        path = request.path.parent / "golden" / name
        if request.config.getoption("--rewrite-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return compare
