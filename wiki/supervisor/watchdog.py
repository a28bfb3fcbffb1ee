"""Ends a process group when the process that holds the other end of standard input is gone, however it went.

``python watchdog.py GRACE`` runs as a program of its own, leads the group of everything ``wiki up`` starts, and
imports nothing of the wiki so that it is small and up at once.
"""

import os
import signal
import sys
import time


def main() -> None:
    for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(kind, signal.SIG_IGN)
    while os.read(sys.stdin.fileno(), 4096):
        pass
    group = os.getpgrp()
    os.killpg(group, signal.SIGTERM)
    time.sleep(float(sys.argv[1]))
    os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
