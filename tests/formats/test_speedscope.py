from __future__ import annotations

from typing import Literal

import msgspec

from tracelens.formats.speedscope import encode_speedscope
from tracelens.model.functions import Function, FunctionTimes


class Frame(msgspec.Struct, forbid_unknown_fields=True):
    """What the published format (src/lib/file-format-spec.ts of speedscope) allows in a frame."""

    name: str
    file: str | msgspec.UnsetType = msgspec.UNSET
    line: int | msgspec.UnsetType = msgspec.UNSET
    col: int | msgspec.UnsetType = msgspec.UNSET


class Shared(msgspec.Struct, forbid_unknown_fields=True):
    frames: list[Frame]


class Sampled(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["sampled"]
    name: str
    unit: Literal["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]
    startValue: int  # noqa: N815  # the format's own spelling
    endValue: int  # noqa: N815
    samples: list[list[int]]
    weights: list[int]


class File(msgspec.Struct, forbid_unknown_fields=True):
    schema: Literal["https://www.speedscope.app/file-format-schema.json"] = msgspec.field(
        name="$schema"
    )
    shared: Shared
    profiles: list[Sampled]
    name: str
    activeProfileIndex: int  # noqa: N815
    exporter: str


SMALL = FunctionTimes(
    name="op small",
    functions=(Function("op", "<op file>", 6), Function("outside Python functions")),
    stacks=(((0,), 700, 7), ((1,), 300, 3)),
    whole_ns=1_000,
    samples=10,
)
LARGE = FunctionTimes(
    name="op large",
    functions=(Function('"\ud800</x>', "json/decoder.py", 3), Function("op", "<op file>", 6)),
    stacks=(((1, 0, 0), 2_000, 20),),
    whole_ns=2_000,
    samples=20,
)


def decoded() -> File:
    return msgspec.json.decode(encode_speedscope([SMALL, LARGE], name="op"), type=File)


def test_the_file_is_what_the_published_format_asks_for() -> None:
    found = decoded()

    assert (found.name, found.activeProfileIndex) == ("op", 0)
    for profile in found.profiles:
        assert len(profile.samples) == len(profile.weights)
        assert sum(profile.weights) == profile.endValue - profile.startValue
        assert {at for stack in profile.samples for at in stack} <= set(
            range(len(found.shared.frames))
        )


def test_each_subject_is_a_profile_and_they_share_their_frames() -> None:
    found = decoded()

    assert found.shared.frames == [
        Frame(name="op", file="<op file>", line=6),
        Frame(name="outside Python functions"),
        Frame(name='"\\ud800</x>', file="json/decoder.py", line=3),
    ]
    assert [(p.name, p.unit, p.endValue, p.samples, p.weights) for p in found.profiles] == [
        ("op small", "nanoseconds", 1_000, [[0], [1]], [700, 300]),
        ("op large", "nanoseconds", 2_000, [[0, 2, 2]], [2_000]),
    ]
