"""``python launch.py PARENT NICENESS COMMAND...``: becomes the command, at that priority, and on Linux is told to end
when its parent dies.

A second belt beside the watchdog, for the case that both it and the supervisor are killed at once.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, niceness, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if hasattr(os, "nice"):
        os.nice(niceness)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit("the supervisor is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
