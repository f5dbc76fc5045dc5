import pytest

from tests.analyze.names.reading import fields_of, kind_of


@pytest.mark.parametrize(
    ("name", "library", "role", "fields"),
    [
        ("Memcpy PtoP (Device -> Device)", "CUDA", "copy",
         {"direction": "PtoP", "source": "Device", "destination": "Device"}),
        ("Memset (Unknown)", "CUDA", "fill", {"destination": "Unknown"}),
        ("[CUDA memcpy HtoD]", "CUDA", "copy", {"direction": "HtoD"}),
        ("[CUDA memcpy Host-to-Device]", "CUDA", "copy", {"direction": "Host-to-Device"}),
        ("[CUDA memset]", "CUDA", "fill", {}),
        ("CopyHostToDevice", "HIP", "copy", {"source": "Host", "destination": "Device"}),
    ],
)  # fmt: skip
def test_each_profiler_spells_copies_and_sets_its_own_way(name, library, role, fields):
    assert kind_of(name) == ("memop", library, role, "documented")
    assert fields_of(name) == fields


@pytest.mark.parametrize("name", ["[CUDA memcpy HtoD", "CopyHostToHell", "Memcpy", "Memset ()"])
def test_what_only_begins_like_one_is_none(name):
    assert kind_of(name)[0] is None
