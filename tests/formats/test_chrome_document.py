import pytest

from tests.formats.chrome_text import LAUNCH, event
from tracelens.formats.chrome_document import ChromeDocument
from tracelens.formats.json_window import Window

TEXTS = [
    f'{{"a": [1, {{"b": "]"}}], "traceEvents": [{event()}, {event(LAUNCH)}], "c": {{"d": 1}}}}',
    f"[{event(name='a}, {b')},\n\n{event(args={'list': [{'a': 1}, {'ph': 'X'}]})} , {event()}]",
    f"[{event()}, 5, {event()},, {event()}",
    f"\ufeff [{event()}, {event(name='é€😀')}]",
    '[{"ph": "X", "name": "a\x01b", "v": inf}, {"ph": "X", "name": "C:\\dir"}, {"ph": "X"}]',
    '[{"ph": "X", "name": "f<"x">"}, {"ph": "X", "name": "a\nb"}, {"ph": "X"}]',
    f'{{"broken": b c, "traceEvents": [{event()}, {event()[:40]}',
]


def met(chunks):
    """All that a document gives of a text that comes in these chunks."""
    document = ChromeDocument(Window(chunks), recover=False)
    events = [(e.ph, e.name, bytes(e.ts), e.pid) for entries in document for e in entries]
    damage = document.damage
    return events, document.header, +damage.mended, document.open_ended, document.cut


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_is_read_the_same_in_whatever_chunks_it_comes(text):
    data = text.encode()
    whole = met([data])
    for size in range(1, len(data)):
        assert met([data[at : at + size] for at in range(0, len(data), size)]) == whole


def test_values_around_the_events_are_kept_by_their_keys():
    assert met([TEXTS[0].encode()])[1] == {b"a": b'[1, {"b": "]"}]', b"c": b'{"d": 1}'}


def test_a_hostile_header_is_passed_over_but_not_kept():
    keys = ", ".join(f'"k{n}": "{"x" * 1_000}"' for n in range(9_000))
    events, header, *_ = met([f'{{{keys}, "traceEvents": [{event()}]}}'.encode()])
    assert len(events) == 1
    assert sum(map(len, header.values())) < 4 << 20


def test_a_header_nested_deeper_than_any_stack_is_passed_over():
    deep = "[" * 100_000 + "]" * 100_000
    events = met([f'{{"a": {deep}, "traceEvents": [{event()}]}}'.encode()])[0]
    assert events == [("X", "k", b"20.5", 0)]
