"""The CUDA driver itself, by ctypes: memory, copies and kernels that no framework stands behind.

A flush or a calibration that went through torch could call the very op under test. It works in the
context that is current in the calling thread, which is torch's.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tracelens.measure.device import Unavailable

_LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


class Driver:
    """The calls of the driver that tracelens makes. Each raises Unavailable where it fails."""

    def __init__(self, library: ctypes.CDLL, runtime: ctypes.CDLL | None = None) -> None:
        self._library = library
        self._runtime = runtime

    def allocate(self, size: int) -> int:
        """Return the address of that many bytes of device memory."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def fill(self, address: int, size: int, *, stream: int) -> None:
        """Queue a set of that many bytes to zero on the stream of that handle.

        By way of the runtime where there is one, for torch's profiler records none of the driver's
        own calls that set memory: the set would be in its trace without the call that queued it.
        """
        what = (ctypes.c_size_t(size), ctypes.c_void_p(stream))
        if self._runtime is None:
            self._call("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(0), *what)
        elif self._runtime.cudaMemsetAsync(ctypes.c_void_p(address), ctypes.c_int(0), *what):
            raise Unavailable(
                "The CUDA runtime's cudaMemsetAsync failed.", "Check the card with nvidia-smi."
            )

    def copy(self, target: int, source: int, size: int, *, stream: int) -> None:
        """Queue a copy of that many bytes within the device's memory on that stream."""
        where = (ctypes.c_uint64(target), ctypes.c_uint64(source))
        what = (ctypes.c_size_t(size), ctypes.c_void_p(stream))
        self._call("cuMemcpyDtoDAsync_v2", *where, *what)

    def read_word(self, address: int) -> int:
        """Wait for the device and return the 64-bit word at an address."""
        word = ctypes.c_uint64()
        self._call(
            "cuMemcpyDtoH_v2", ctypes.byref(word), ctypes.c_uint64(address), ctypes.c_size_t(8)
        )
        return word.value

    def load(self, ptx: str) -> ctypes.c_void_p:
        """Return the module that the driver makes of PTX; it needs no compiler but its own."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
        return module

    def kernel(
        self,
        module: ctypes.c_void_p,
        name: str,
        *arguments: int,
        blocks: int = 1,
        threads: int = 1,
        stream: int = 0,
    ) -> Callable[[], None]:
        """Return a launch of a module's kernel, whose arguments are 64-bit words.

        All is prepared here, so that launching costs one foreign call.
        """
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        words = [ctypes.c_uint64(argument) for argument in arguments]
        addresses = (ctypes.c_void_p * max(len(words), 1))(*map(ctypes.addressof, words))
        launch = self._library.cuLaunchKernel
        where = (*map(ctypes.c_uint, (blocks, 1, 1, threads, 1, 1, 0)), ctypes.c_void_p(stream))

        def call(_kept_alive: object = words) -> None:
            status = launch(function, *where, addresses, None)
            if status:
                raise self._failed("cuLaunchKernel", status)

        return call

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            raise self._failed(name, status)

    def _failed(self, name: str, status: int) -> Unavailable:
        text = ctypes.c_char_p()
        self._library.cuGetErrorName(status, ctypes.byref(text))
        said = text.value.decode() if text.value else f"error {status}"
        return Unavailable(
            f"The driver's {name} failed: {said}.",
            "Check the card and its free memory with nvidia-smi.",
        )


@cache
def open_driver() -> Driver:
    """Return the driver. Raises Unavailable where the machine has none."""
    try:
        return Driver(ctypes.CDLL(_LIBRARY), _open_runtime())
    except OSError as error:
        raise Unavailable(
            f"The CUDA driver ({_LIBRARY}) cannot be loaded.",
            "Run on a machine with a CUDA device.",
        ) from error


def _open_runtime() -> ctypes.CDLL | None:
    """Return the CUDA runtime that torch has loaded, found by its name in Linux's list of files."""
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"/\S*libcudart\S*", mapped)
    return ctypes.CDLL(found.group()) if found else None
