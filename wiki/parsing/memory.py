"""Memory and lifetime of a process, as far as the platform tells."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys

_PR_SET_PDEATHSIG = 1


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process in bytes; None when the platform or a finished process tells nothing.

    Resident, not virtual: numeric libraries reserve far more address space than they use.
    """
    if sys.platform == "linux":
        try:
            with open(f"/proc/{pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return None
    if sys.platform == "darwin":
        shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return int(shown.stdout) * 1024 if shown.stdout.strip().isdigit() else None
    return None


def tree_bytes(pid: int) -> int:
    """Resident memory of a process and all it started, in bytes; on macOS of the process alone."""
    return sum(resident_bytes(one) or 0 for one in (*descendants(pid), pid))


def descendants(pid: int) -> list[int]:
    """The processes a process started, and those they started, deepest first; none where /proc is missing."""
    found: list[int] = []
    # A process that ends between two looks has no files any more.
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as file:
                for child in map(int, file.read().split()):
                    found += [*descendants(child), child]
    return found


def end_with_parent() -> None:
    """On Linux: the kernel kills this process as soon as the thread that started it is gone."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)
