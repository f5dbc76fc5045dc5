from tests.formats.chrome_text import event, read
from tracelens.model.trace import Device


def header(tmp_path, text):
    return read(tmp_path, f'{{{text}, "traceEvents": [{event()}]}}')


def test_devices_are_what_the_header_lists_and_unknown_fields_are_none(tmp_path):
    trace = header(
        tmp_path,
        '"deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}, '
        '{"id": 1, "name": ""}, {"name": "x"}, {"id": true}, 5]',
    )
    assert trace.devices == (
        Device(id=0, name="NVIDIA H200", multiprocessors=132),
        Device(id=1, name=None, multiprocessors=None),
    )


def test_versions_are_spelled_as_their_vendor_does(tmp_path):
    trace = header(
        tmp_path,
        '"cuda_driver_version": 13000, "cuda_runtime_version": 12080, "cupti_version": 130001, '
        '"hip_runtime_version": 70253211, "roctracer_version": 4.1, "torch_version": "2.11.0", '
        '"schemaVersion": 1, "bad_version": [1], "true_version": true',
    )
    assert trace.versions == {
        "cuda_driver": "13.0",
        "cuda_runtime": "12.8",
        "cupti": "130001",
        "hip_runtime": "7.2.53211",
        "roctracer": "4.1",
        "torch": "2.11.0",
    }


def test_a_header_of_any_other_shape_says_nothing(tmp_path):
    for text in (
        '"deviceProperties": null',
        '"deviceProperties": {"id": 0}',
        '"deviceProperties": ' + "[" * 2_000 + "]" * 2_000,
        '"deviceProperties": [inf, "\\d"]',
        '"a\\ud800": 1',
    ):
        trace = header(tmp_path, text)
        assert (trace.devices, trace.versions) == ((), {})


def test_a_header_damaged_in_its_strings_is_mended(tmp_path):
    trace = header(tmp_path, r'"deviceProperties": [{"id": 0, "name": "\Device", "clock": inf}]')
    assert trace.devices == (Device(id=0, name=r"\Device"),)


def test_a_header_may_follow_the_events(tmp_path):
    trace = read(tmp_path, f'{{"traceEvents": [{event()}], "deviceProperties": [{{"id": 3}}]}}')
    assert trace.devices == (Device(id=3),)
