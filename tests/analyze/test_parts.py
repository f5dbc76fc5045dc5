"""The split as slices in tracks. All times in ns."""

from hypothesis import given
from hypothesis import strategies as st

from tests.analyze.test_split import PARTS, random_timelines
from tests.timelines import copy, kernel, launch, sync, timeline_of, window
from tracelens.analyze.parts import split_tracks
from tracelens.analyze.split import split
from tracelens.analyze.timeline import Timeline
from tracelens.analyze.windows import choose


def tracks_of(*events, **asked):
    timeline = Timeline.of(timeline_of(*events))
    return split_tracks(timeline, choose(timeline, **asked))


def slices(track):
    rows = zip(track.name, track.start_ns, track.duration_ns, track.window, strict=True)
    return [(track.names[name], int(s), int(s + d), int(w)) for name, s, d, w in rows]


def test_each_window_is_a_slice_around_the_slices_of_its_parts():
    (track,) = tracks_of(
        window(100, 160),
        launch(120, 140, called=1),
        kernel(150, 170, by=1),
        launch(145, 148, called=2),
        copy(160, 175, by=2, stream=8),
        sync(165, 190),
        window(300, 304),
        launch(301, 302, called=3),
        kernel(302, 305, by=3),
        sync(306, 307),
    )
    assert track.title == "tracelens::call (thread 1 of process 1)"
    assert slices(track) == [
        ("tracelens::call", 100, 190, 0),
        ("host dispatch", 100, 120, 0),
        ("launch", 120, 150, 0),
        ("kernel", 150, 170, 0),
        ("memory", 170, 175, 0),
        ("sync", 175, 190, 0),
        ("tracelens::call", 300, 307, 1),
        ("host dispatch", 300, 301, 1),
        ("launch", 301, 302, 1),
        ("kernel", 302, 305, 1),
        ("return", 305, 306, 1),
        ("sync", 306, 307, 1),
    ]


def test_windows_of_two_threads_and_windows_that_overlap_have_tracks_of_their_own():
    found = tracks_of(
        window(0, 100, name="step#0"),
        window(20, 50, name="step#1"),
        window(100, 120, name="step#2"),
        window(0, 30, name="step#3", thread=2),
        time_window="step",
    )
    assert [track.title for track in found] == [
        "step (thread 1 of process 1)",
        "step (thread 2 of process 1)",
        "step (thread 1 of process 1)",
    ]
    assert [[s[0] for s in slices(track) if s[0].startswith("step")] for track in found] == [
        ["step#0", "step#2"],
        ["step#3"],
        ["step#1"],
    ]


def test_a_trace_without_windows_is_one_slice_around_its_parts():
    (track,) = tracks_of(launch(10, 20, called=1), kernel(30, 40, by=1))
    assert track.title == "whole trace"
    assert slices(track) == [
        ("whole trace", 10, 40, 0),
        ("launch", 10, 30, 0),
        ("kernel", 30, 40, 0),
    ]


@given(random_timelines(), st.sampled_from(["call", "time", "whole"]))
def test_the_slices_of_a_part_sum_to_the_split_and_nest_in_their_track(events, kind):
    asked = {"call": {"window": "tracelens::call"}, "time": {"time_window": "tracelens::call"}}
    events = [e for e in events if kind != "whole" or e.sort != "annotation"]
    timeline = Timeline.of(timeline_of(*events))
    windows = choose(timeline, **asked.get(kind, {}))
    found, tracks = split(timeline, windows), split_tracks(timeline, windows)
    every = [piece for track in tracks for piece in slices(track)]
    for at in range(len(windows)):
        for part in PARTS:
            name = part.replace("_", " ")
            total = sum(e - s for named, s, e, w in every if (named, w) == (name, at))
            assert total == getattr(found, f"{part}_ns")[at]
    for track in tracks:
        window_end = part_end = None
        for name, start, end, at in slices(track):
            if name == windows.names[at]:
                assert window_end is None or start >= window_end
                window_end, part_end = end, start
            else:
                assert part_end <= start < end <= window_end
                part_end = end
