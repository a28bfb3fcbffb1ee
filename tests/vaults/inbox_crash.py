"""Run as a program: decides on a staged note, killed before every change of the disk in turn, and then again.

``python -m tests.vaults.inbox_crash ROOT promote|reject|expire``. Forks, so no other threads may run in it.
"""

import os
import signal
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from tests.documents.steps import Steps
from tests.vaults.conftest import Inboxes
from wiki.tenants import Layout, Tenant
from wiki.vaults.notes.parser import parse_note

BODY = "The user prefers vim over every other editor.\n"


def main(root: Path, change: str) -> None:
    killed = 0
    for at in range(1, 200):
        here = Inboxes(Layout(root / str(at), Tenant()))
        staged = here.stage("Editor", BODY)
        work: Callable[[], object] = {
            "promote": lambda here=here, i=staged.note_id: here.promote(i),
            "reject": lambda here=here, i=staged.note_id: here.reject(i),
            "expire": lambda here=here: here.expire(),
        }[change]
        struck = _killed_at(at, work)
        inbox, curated, trash = _copies(here, "user/_inbox"), _copies(here, "user/facts"), _trashed(here)
        assert len(inbox) + len(curated) + len(trash) >= 1, at
        assert len(curated) <= 1 and not (inbox and curated), at
        assert not (curated and change != "promote"), at
        if inbox:
            work()
            assert not _copies(here, "user/_inbox"), at
        assert len(_copies(here, "user/facts")) == (change == "promote"), at
        assert bool(_trashed(here)) == (change != "promote"), at
        assert not here.staged(), at
        if change == "promote":
            told = parse_note("x.md", _copies(here, "user/facts")[0].read_bytes()).front_matter
            assert (told["source"], told["promoted_from"]) == ("chat of Monday", staged.path), at
        state = {"promote": "promoted", "reject": "rejected", "expire": "expired"}[change]
        assert [note.note_id for note in here.decided(state)] == [staged.note_id], at  # type: ignore[arg-type]
        if not struck:
            break
        killed += 1
    assert killed > 5


def _killed_at(at: int, work: Callable[[], object]) -> bool:
    """Whether a child that does ``work`` was killed before its ``at``-th change of the disk."""
    child = os.fork()
    if child == 0:
        steps = Steps(lambda: os.kill(os.getpid(), signal.SIGKILL))
        with steps.watching():
            steps.start(at)
            work()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def _copies(here: Inboxes, folder: str) -> list[Path]:
    return [path for path in sorted((here.home / folder).rglob("*.md")) if BODY in path.read_text(encoding="utf-8")]


def _trashed(here: Inboxes) -> list[Path]:
    found = [path for path in (here.layout.home / ".trash").rglob("*.md") if BODY in path.read_text(encoding="utf-8")]
    assert len({sha256(path.read_bytes()).hexdigest() for path in found}) <= 1
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
