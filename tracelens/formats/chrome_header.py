"""What a Chrome trace says of itself beside its events: devices and versions."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelens.formats.chrome_mending import BLOCK_MENDS, mend
from tracelens.model.trace import Device

_VERSION = "_version"


def devices_of(header: dict[bytes, bytes]) -> tuple[Device, ...]:
    """Return the devices that the header lists, in its order; none where it lists none."""
    listed = _decoded(header.get(b"deviceProperties", b"[]"))
    if not isinstance(listed, list):
        return ()
    devices = []
    for properties in listed:
        if isinstance(properties, dict) and type(properties.get("id")) is int:
            name, multiprocessors = properties.get("name"), properties.get("numSms")
            capability = properties.get("computeMajor"), properties.get("computeMinor")
            device = Device(
                id=properties["id"],
                name=name if isinstance(name, str) and name else None,
                multiprocessors=multiprocessors if type(multiprocessors) is int else None,
                compute_capability=_spell_capability(*capability),
            )
            devices.append(device)
    return tuple(devices)


def _spell_capability(major: object, minor: object) -> str | None:
    return f"{major}.{minor}" if type(major) is int and type(minor) is int else None


def versions_of(header: dict[bytes, bytes]) -> dict[str, str]:
    """Return the versions that the header states, by what has them: `cuda_driver` to `13.0`."""
    versions = {}
    for key, text in header.items():
        name = key.decode(errors="replace")
        value = _decoded(text)
        if name.endswith(_VERSION) and type(value) in (int, float, str):
            versions[name.removesuffix(_VERSION)] = _spelled(name, value)
    return versions


def _spelled(name: str, version: float | str) -> str:
    if isinstance(version, int) and name.startswith("cuda_"):
        return f"{version // 1000}.{version % 1000 // 10}"  # CUDA_VERSION in cuda.h
    if isinstance(version, int) and name.startswith("hip_"):
        major, rest = divmod(version, 10_000_000)  # HIP_VERSION in hip_version.h
        return f"{major}.{rest // 100_000}.{rest % 100_000}"
    return str(version)


def _decoded(text: bytes) -> Any:
    """Decode a value; None where it is no JSON even when mended, as nothing here is a figure."""
    for attempt in (text, mend(text, BLOCK_MENDS)[0]):
        try:
            return msgspec.json.decode(attempt)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return None
