"""``python launch.py PARENT COMMAND...``: becomes the command, and on Linux is told to end when its parent dies.

A second belt beside the watchdog, for the case that both it and the supervisor are killed at once.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit("the supervisor is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
