"""What a command costs from its start to its end, with every process that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

LOOK_EVERY_S = 0.005

MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
"""The unit of `ru_maxrss`."""


@dataclass(frozen=True)
class Cost:
    wall_s: float
    cpu_s: float
    """Of all its processes and threads, user and system."""
    peak_bytes: int
    """The most that its processes held in memory at one time."""
    output: bytes


def run(command: list[str]) -> Cost:
    """Run a command to its end. Raises CalledProcessError where it fails."""
    with TemporaryFile() as output, TemporaryFile() as complaints:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=complaints, env=plain_environment()
        )
        together = 0
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            together = max(together, family_bytes(process.pid))
            time.sleep(LOOK_EVERY_S)
        wall_s = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        complaints.seek(0)
        if process.returncode:
            sys.stderr.buffer.write(complaints.read())
            raise subprocess.CalledProcessError(process.returncode, command)
        return Cost(
            wall_s=wall_s,
            cpu_s=usage.ru_utime + usage.ru_stime,
            peak_bytes=max(usage.ru_maxrss * MAXRSS_BYTES, together),
            output=output.read(),
        )


def plain_environment() -> dict[str, str]:
    """Let Python keep its compiled modules, as it does unless a shell forbids it."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def family_bytes(pid: int) -> int:
    """Return what a process and those it started hold; 0 where it is alone.

    `wait4` tells the peak of the largest process, which is exact where it is the only one.
    """
    pids = [pid]
    try:
        for member in pids:  # grows while children are found
            for children in Path(f"/proc/{member}/task").glob("*/children"):
                pids += map(int, children.read_text().split())
        if len(pids) == 1:
            return 0
        pages = [int(Path(f"/proc/{p}/statm").read_text().split()[1]) for p in pids]
    except OSError:  # one has just ended, or the system has no /proc
        return 0
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")
