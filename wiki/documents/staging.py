"""Half-done writes: each in its own folder below ``.staging``, with a journal that says how to finish it."""

import json
import os
import re
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from wiki.documents.model import INDEX_FILE
from wiki.errors import Conflict, InternalError
from wiki.filesystem import FileLock, fsync_dir, recover_exchange, remove_tree, rename_noreplace, write_atomic
from wiki.tenants import Layout

_WRITE = re.compile(r"(d_[a-f0-9]{12,32})\.(create|replace|patch|delete)\.[0-9a-f]{32}")
_JOURNAL = "journal.json"
STAGED = "staged"


class Unfinished(InternalError):
    """A write could be neither finished nor undone; its staging folder is kept for ``recover``."""


@dataclass(frozen=True)
class Journal:
    """What a crash must not leave half done."""

    folder: str
    """Where the document lies, below ``knowledge/``."""
    target: str
    """Where it shall lie in the end."""
    staged: int
    """Inode of what was staged, a folder or an ``index.md``: tells whether it has been published in ``folder``."""


@dataclass(frozen=True)
class Write:
    """One write under way."""

    path: Path

    @property
    def staged(self) -> Path:
        return self.path / STAGED

    def journal(self, knowledge: Path, folder: Path, target: Path) -> None:
        """Note what is about to be done. From here on a crash is finished by ``recover``."""
        source, destination = (path.relative_to(knowledge).as_posix() for path in (folder, target))
        entry = Journal(source, destination, self.staged.stat().st_ino if self.staged.exists() else 0)
        write_atomic(self.path / _JOURNAL, json.dumps(asdict(entry)).encode())

    def read_journal(self) -> Journal | None:
        try:
            return Journal(**json.loads((self.path / _JOURNAL).read_bytes()))
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """The write stands, or is given up: forget it."""
        journal = self.path / _JOURNAL
        if journal.exists():
            journal.unlink()
            fsync_dir(self.path)
        remove_tree(self.path)


class Staging:
    """The ``.staging`` folder of one tenant."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._locks = layout.staging / "locks"

    def begin(self, doc_id: str, operation: str) -> Write:
        """A new, empty staging folder. The caller holds the document's lock."""
        path = self._layout.staging / f"{doc_id}.{operation}.{uuid.uuid4().hex}"
        path.mkdir(parents=True)
        try:
            fsync_dir(self._layout.staging)
        except BaseException:
            remove_tree(path)
            raise
        return Write(path)

    @contextmanager
    def lock(self, doc_id: str, *, timeout: float, kind: str = "write") -> Generator[None]:
        """Nobody else writes this document meanwhile. Raises Conflict when it stays busy."""
        lock = FileLock(self._locks / f"{doc_id}.{kind}.lock", remove=True)
        if not lock.acquire(timeout):
            raise Conflict(f"another {kind} of document {doc_id} is running: try again when it is done", doc_id=doc_id)
        try:
            yield
        finally:
            lock.release()

    def recover(self) -> int:
        """Finish or forget what a crash left; writes of living processes are left alone. How many were mended."""
        if not self._layout.staging.is_dir():
            return 0
        mended = 0
        for path in sorted(self._layout.staging.iterdir()):
            match = _WRITE.fullmatch(path.name)
            if match is None:
                continue
            lock = FileLock(self._locks / f"{match[1]}.write.lock", remove=True)
            if not lock.try_acquire():
                continue
            try:
                if path.is_dir():
                    self._mend(Write(path))
                    mended += 1
            finally:
                lock.release()
        return mended

    def _mend(self, write: Write) -> None:
        journal = write.read_journal()
        if journal is not None:
            folder, target = self._layout.knowledge / journal.folder, self._layout.knowledge / journal.target
            recover_exchange(folder, write.staged)
            published = _is(folder, journal.staged) or _is(folder / INDEX_FILE, journal.staged)
            if published and folder != target and not os.path.lexists(target):
                move(folder, target)
            remove_if_empty(folder.parent)
            remove_if_empty(target.parent)
        write.close()


def move(folder: Path, target: Path) -> None:
    """Rename a document folder, for good: its category folder is made, an emptied one removed."""
    known = target.parent.exists()
    try:
        _rename(folder, target)
    except BaseException:
        if not known:
            remove_if_empty(target.parent)
        raise
    fsync_dir(target.parent)
    if folder.parent != target.parent:
        fsync_dir(folder.parent)
        remove_if_empty(folder.parent)


def _rename(folder: Path, target: Path) -> None:
    while True:
        make_folder(target.parent)
        try:
            if target.exists() and os.path.samefile(folder, target):
                os.rename(folder, target)
            else:
                rename_noreplace(folder, target)
            return
        except FileNotFoundError:
            # Somebody removed the category folder, empty until now, in between.
            if not folder.exists():
                raise


def make_folder(path: Path) -> None:
    """Make a folder and those above it, each entry forced to disk."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    fsync_dir(path.parent)


def remove_if_empty(path: Path) -> None:
    """Remove a folder that holds nothing any more."""
    try:
        path.rmdir()
    except FileNotFoundError:
        return
    except OSError:
        if path.is_dir() and not any(path.iterdir()):
            raise
    else:
        fsync_dir(path.parent)


def _is(path: Path, inode: int) -> bool:
    try:
        return path.stat().st_ino == inode
    except FileNotFoundError:
        return False
