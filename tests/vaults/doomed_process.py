"""Run as a program: does what it is told on a library, each thing in a child that may be killed at any change of the disk.

``python -m tests.vaults.doomed_process`` reads a JSON line for each order, ``{"root", "vaults", "act", "wanted", "at"}``,
and answers ``killed`` or ``done``. It has no other threads when it forks.
"""

import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.documents.steps import Steps
from tests.standins import WordEmbedder
from wiki.errors import WikiError
from wiki.library import Library
from wiki.settings import Settings, VaultsSettings
from wiki.vaults.discard import Rejection, expire, reject
from wiki.vaults.promotion import Promotion, promote
from wiki.vaults.write import NoteRequest, write_note


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(_ordered(json.loads(line)) + "\n")
        sys.stdout.flush()


def _ordered(order: dict[str, Any]) -> str:
    child = os.fork()
    if child == 0:
        steps = Steps(lambda: os.kill(os.getpid(), signal.SIGKILL))
        with steps.watching():
            steps.start(order["at"])
            _do(order)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        assert os.waitstatus_to_exitcode(status) == 0, order
    return "killed" if os.WIFSIGNALED(status) else "done"


def _do(order: dict[str, Any]) -> None:
    vaults = VaultsSettings(**order["vaults"])
    library = Library(Settings(root=Path(order["root"]), vaults=vaults), embedder=WordEmbedder())
    here, wanted = library.tenant(), order["wanted"]
    try:
        match order["act"]:
            case "stage":
                write_note(here.layout, vaults, NoteRequest(**wanted))
            case "promote":
                promote(here.layout, vaults, Promotion(wanted, "facts", actor="person"))
            case "reject":
                reject(here.layout, vaults, Rejection(wanted, "untrue", actor="person"))
            case "expire":
                expire(here.layout, vaults, now=datetime.now(UTC) + timedelta(days=3_650))
            case "sync":
                here.sync()
            case "rebuild":
                here.rebuild()
    except WikiError:
        pass  # What is refused is refused: here only what a kill leaves behind counts.


if __name__ == "__main__":
    main()
