from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tracelens.measure import driver as ours
from tracelens.measure.device import Unavailable
from tracelens.measure.driver import Driver, open_driver
from tracelens.measure.flush import Flush


class FakeLibrary:
    """A driver that writes down what it is asked for; `fails` names the call that it refuses."""

    def __init__(self, *, fails: str = "") -> None:
        self.log: list[Any] = []
        self._fails = fails

    def cuMemAlloc_v2(self, address: Any, size: Any) -> int:  # noqa: N802  # the driver's name
        ctypes.cast(address, ctypes.POINTER(ctypes.c_uint64))[0] = 4096
        return self._done("cuMemAlloc_v2", size.value)

    def cuMemsetD8Async(self, *arguments: Any) -> int:  # noqa: N802
        return self._done("cuMemsetD8Async", *(argument.value for argument in arguments))

    def cuModuleLoadData(self, module: Any, ptx: bytes) -> int:  # noqa: N802
        assert ptx.endswith(b"\0")
        return self._done("cuModuleLoadData")

    def cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:  # noqa: N802
        return self._done("cuModuleGetFunction", name)

    def cuLaunchKernel(self, function: Any, *rest: Any) -> int:  # noqa: N802
        *where, stream, words, _extra = rest
        sent = [ctypes.cast(w, ctypes.POINTER(ctypes.c_uint64))[0] for w in words if w]
        return self._done("cuLaunchKernel", [w.value for w in where], stream.value, sent)

    def cuGetErrorName(self, status: int, text: Any) -> int:  # noqa: N802
        ctypes.cast(text, ctypes.POINTER(ctypes.c_char_p))[0] = b"CUDA_ERROR_OUT_OF_MEMORY"
        return 0

    def _done(self, name: str, *said: Any) -> int:
        self.log.append((name, *said))
        return 2 if name == self._fails else 0


def test_a_flush_by_writing_sets_twice_the_l2_on_the_ops_stream() -> None:
    library = FakeLibrary()
    flush = Flush(Driver(library), way="write", l2_bytes=1000, stream=7)  # type: ignore[arg-type]  # a fake
    library.log.clear()

    flush()

    assert library.log == [("cuMemsetD8Async", 4096, 0, 2000, 7)]


def test_a_flush_by_reading_launches_our_own_kernel_over_as_much() -> None:
    library = FakeLibrary()
    flush = Flush(Driver(library), way="read", l2_bytes=1000, stream=7)  # type: ignore[arg-type]  # a fake
    library.log.clear()

    flush()

    # Grid, block and no shared memory; from where, how many bytes, and the word behind them.
    assert library.log == [
        ("cuLaunchKernel", [1024, 1, 1, 512, 1, 1, 0], 7, [4096, 2000, 4096 + 2000])
    ]


def test_a_call_that_the_driver_refuses_is_named_with_its_error() -> None:
    driver = Driver(FakeLibrary(fails="cuMemAlloc_v2"))  # type: ignore[arg-type]  # a fake

    with pytest.raises(Unavailable, match="cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY"):
        driver.allocate(1 << 60)


def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "_LIBRARY", "no-such-library.so")
    open_driver.cache_clear()

    with pytest.raises(Unavailable, match=r"The CUDA driver \(no-such-library.so\) cannot be"):
        open_driver()
