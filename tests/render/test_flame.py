import re
from xml.etree import ElementTree

from tracelens.model.functions import Function, FunctionTimes
from tracelens.render.flame import render_flame

OP = Function("op", "<op file>", 6)
LAUNCH = Function("JITFunction.run", "triton/runtime/jit.py", 695)


def times(*stacks, functions=(OP, LAUNCH), name="op small"):
    return FunctionTimes(
        name=name,
        functions=functions,
        stacks=stacks,
        whole_ns=sum(ns for _, ns, _ in stacks),
        samples=sum(count for *_, count in stacks),
    )


SVG = "{http://www.w3.org/2000/svg}"


def boxes(svg):
    """What each box says on hover, how far from the left it begins, and how wide it is."""
    return [
        (
            group.find(f"{SVG}title").text,
            float(group.find(f"{SVG}rect").get("x")),
            float(group.find(f"{SVG}rect").get("width")),
        )
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
    ]


def test_boxes_are_as_wide_as_their_time_and_stand_below_their_caller():
    svg = render_flame([times(((0, 1), 59_000, 59), ((0,), 29_500, 30), ((1,), 29_500, 30))])

    assert boxes(svg) == [
        ("one call: 118 us a call, 100 %", 10.0, 1180.0),
        ("op (<op file>:6): 88.5 us a call, 75 %", 10.0, 885.0),
        ("JITFunction.run (triton/runtime/jit.py:695): 59.0 us a call, 50 %", 10.0, 590.0),
        ("JITFunction.run (triton/runtime/jit.py:695): 29.5 us a call, 25 %", 895.0, 295.0),
    ]
    assert "op small: 118 us of host time a call" in svg
    assert "119 samples, profiler off" in svg


def test_boxes_that_nobody_can_see_are_left_out():
    svg = render_flame([times(((0,), 1_000_000, 9), ((1,), 100, 1))])

    assert [hover.split(" ")[0] for hover, *_ in boxes(svg)] == ["one", "op"]


def test_names_are_hostile_and_the_file_runs_and_loads_nothing():
    evil = Function("</text><script>alert(1)</script>\x1b[31m\u202e\x00", '"><image href="x', 1)

    svg = render_flame([times(((0,), 100, 1), functions=(evil,), name="<b>&amp;\ud800")])

    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "style", "rect", "text", "g", "title"}
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\ud800]", svg)
    assert "href" not in {name for e in ElementTree.fromstring(svg).iter() for name in e.attrib}


def test_a_name_that_does_not_fit_loses_its_front_first():
    long = Function("A.very.long.path.to.work", "<op file>", 1)

    svg = render_flame([times(((0,), 60, 1), ((1,), 1_120, 9), functions=(long, OP))])

    assert re.findall(r'<text x="[^"]*" y="[^"]*">([^<]*)</text>', svg) == [
        "one call",
        "op",
        "to.work",
    ]


def test_each_subject_has_a_graph_of_its_own():
    svg = render_flame([times(((0,), 100, 1), name="a"), times(((1,), 100, 1), name="b")])

    assert re.findall(r'class="title"[^>]*>(\w)', svg) == ["a", "b"]


def test_nothing_sampled_is_an_empty_picture():
    assert ElementTree.fromstring(render_flame([times()])).tag == f"{SVG}svg"
