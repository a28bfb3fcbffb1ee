"""Documents written to disk: staged, forced to disk, and entered by one atomic step.

A write that returned survives ``kill -9``; one that raised left everything as it was. A crash in the
middle leaves the old or the new document, whole; ``recover`` at start tidies up behind it.
"""

import hashlib
import logging
import os
import shutil
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from wiki.documents import folders, ids, slugs, timestamps
from wiki.documents.changes import changed_index, changed_topic, replaced_index
from wiki.documents.model import INDEX_FILE, NewDocument
from wiki.documents.reader import read_index, read_topic
from wiki.documents.render import render_index
from wiki.documents.staged import carry_over, stage
from wiki.documents.staging import Staging, Unfinished, Write, move, remove_if_empty
from wiki.errors import Conflict, InternalError, NotFound
from wiki.filesystem import (
    exchange,
    fsync_dir,
    recover_exchange,
    rename_noreplace,
    write_atomic,
    write_new,
)
from wiki.tenants import Layout

LOCK_SECONDS = 10.0

_log = logging.getLogger(__name__)


def etag(data: bytes) -> str:
    """What ``If-Match`` compares: a hash of a file's bytes, without quotes."""
    return hashlib.sha256(data).hexdigest()[:32]


def markdown_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each Markdown file of a document, by name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.suffix.lower() == ".md" and path.is_file()
    }


class DocumentStore:
    """The document folders of one tenant. Thread safe, and safe between processes."""

    def __init__(self, layout: Layout, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self._layout = layout
        self._staging = Staging(layout)
        self._lock_seconds = lock_seconds

    def create(self, new: NewDocument, original: Path) -> Path:
        """Write a document and the bytes it was made from; gives its folder. Raises Conflict when the id exists."""
        target = self._place(new.category_id, slugs.document_folder_name(new.title, new.doc_id))
        with self._disk(target), self._staging.lock(new.doc_id, timeout=self._lock_seconds):
            if (known := folders.named_folder(self._layout, new.doc_id)) is not None:
                raise Conflict(
                    f"document {new.doc_id} exists already: {self._layout.relative(known)}", doc_id=new.doc_id
                )
            with self._write(new.doc_id, "create") as write:
                now = timestamps.now()
                index = render_index(new, created_at=new.created_at or now, updated_at=now)
                stage(write.staged, new, index, original)
                write.journal(self._layout.knowledge, target, target)
                self._enter(write.staged, target)
        return target

    def _enter(self, staged: Path, target: Path) -> None:
        try:
            move(staged, target)
        except BaseException as error:
            with _undoing(error):
                if not staged.exists() and target.exists():
                    os.rename(target, staged)
                if target.parent.is_dir():
                    remove_if_empty(target.parent)
            raise

    @contextmanager
    def replacing(self, doc_id: str) -> Generator[None]:
        """Hold a document's turn to be replaced, from before extraction on. Raises Conflict at once when taken."""
        with ExitStack() as held:
            with self._disk(self._layout.staging):
                held.enter_context(self._staging.lock(doc_id, timeout=0, kind="replace"))
            yield

    def replace(
        self,
        folder: Path,
        new: NewDocument,
        original: Path | None,
        *,
        if_match: str | None = None,
        turn_held: bool = False,
        keep: Collection[str] = (),
        expected: Mapping[str, str] | None = None,
        in_place: bool = False,
    ) -> Path:
        """Put a new version in a document's place; gives its folder, which moves when title or category change,
        unless ``in_place``.

        ``created_at``, ``fields`` and unknown keys of ``index.md`` and files that are neither Markdown nor the
        original stay unless ``new`` sets them; without ``original`` the old one stays. ``turn_held``: the caller
        is inside ``replacing``. ``keep`` names Markdown files that stay as they are. Raises Conflict when another
        replace runs, ``if_match`` is not the etag of index.md, or the Markdown files are not ``expected`` (SHA-256 by
        name).
        """
        turn: AbstractContextManager[None] = nullcontext() if turn_held else self.replacing(new.doc_id)
        with turn, self._exclusive(folder) as key:
            old = self._index_bytes(folder, if_match)
            before = read_index(folder / INDEX_FILE, old)
            same_name = before.title == new.title or "title" in new.kept_keys
            name = folder.name if same_name else slugs.document_folder_name(new.title, new.doc_id)
            target = folder if in_place else self._free_place(folder, new.category_id, name)
            with self._write(key, "replace") as write:
                stage(write.staged, new, replaced_index(old, before, new, now=timestamps.now()), original, keep)
                carry_over(folder, write.staged, keep_original=original is None, keep=keep)
                if expected is not None and markdown_hashes(folder) != expected:
                    raise Conflict(f"{self._layout.relative(folder)} was edited meanwhile: try again")
                write.journal(self._layout.knowledge, folder, target)
                self._swap(folder, target, write.staged)
        return target

    def _swap(self, folder: Path, target: Path, staged: Path) -> None:
        new = staged.stat().st_ino
        try:
            exchange(folder, staged)
            fsync_dir(folder.parent)
            fsync_dir(staged.parent)
            if target != folder:
                move(folder, target)
        except BaseException as error:
            with _undoing(error):
                recover_exchange(folder, staged)
                if not folder.exists():
                    move(target, folder)
                if folder.stat().st_ino == new:
                    exchange(folder, staged)
            raise

    def patch_index(
        self, folder: Path, changes: Mapping[str, Any], *, doc_id: str | None = None, if_match: str | None = None
    ) -> Path:
        """Change ``title``, ``category_id``, ``labels``, ``document_date`` or ``fields``; gives the folder.

        Empty values take the key out. Rewrites front-matter lines of ``index.md`` only; a new title or category
        renames or moves the folder. ``doc_id``, the id the caller knows it by, is written when the file names no such id, so that it outlives the move.
        """
        with self._exclusive(folder) as key:
            old = self._index_bytes(folder, if_match)
            before = read_index(folder / INDEX_FILE, old)
            title, category = changes.get("title"), changes.get("category_id")
            name = folder.name if title in (None, before.title) else slugs.document_folder_name(title, doc_id or key)
            target = self._free_place(folder, category or folder.parent.name, name)
            wanted = doc_id or key
            claim = wanted if target != folder and before.claim != wanted else None
            data = changed_index(old, before, changes, claim=claim, now=timestamps.now())
            with self._write(key, "patch") as write:
                write_new(write.staged, data)
                write.journal(self._layout.knowledge, folder, target)
                self._publish_index(folder, target, write.staged, old)
        return target

    def _publish_index(self, folder: Path, target: Path, staged: Path, old: bytes) -> None:
        index = folder / INDEX_FILE
        if index.exists():
            shutil.copymode(index, staged)
            if index.read_bytes() != old:
                raise Conflict(f"{self._layout.relative(index)} was edited meanwhile: try again")
        try:
            os.replace(staged, index)
            fsync_dir(folder)
            if target != folder:
                move(folder, target)
        except BaseException as error:
            with _undoing(error):
                if not folder.exists():
                    move(target, folder)
                _put_back(index, old, staged.parent)
            raise

    def patch_topic(
        self,
        path: Path,
        *,
        content: str | None = None,
        name: str | None = None,
        summary: str | None = None,
        labels: Sequence[str] | None = None,
        topic_id: str | None = None,
        if_match: str | None = None,
    ) -> Path:
        """Change a topic file; gives its path, which follows a new name when the id does not hang on the old one.

        Only front-matter lines change unless ``content`` is given. A new ``summary`` is marked as made from the
        body; new ``content`` without one leaves the old summary, which then reads as stale.
        """
        with self._exclusive(path.parent) as key:
            with self._disk(path):
                try:
                    old = path.read_bytes()
                except FileNotFoundError:
                    raise NotFound(f"there is no topic file {self._layout.relative(path)}") from None
            self._check(path, old, if_match)
            before = read_topic(path, old)
            target = path if name is None else path.with_name(_renamed(path.name, name, before.claim, topic_id))
            if target != path and os.path.lexists(target) and not _same_entry(path, target):
                raise Conflict(f"{self._layout.relative(target)} exists already: choose another name")
            data = changed_topic(old, content=content, name=name, summary=summary, labels=labels)
            with self._write(key, "patch") as write:
                if path.read_bytes() != old:
                    raise Conflict(f"{self._layout.relative(path)} was edited meanwhile: try again")
                self._publish_topic(path, target, data, old, write)
        return target

    def _publish_topic(self, path: Path, target: Path, data: bytes, old: bytes, write: Write) -> None:
        try:
            write_atomic(path, data, write.path)
            if target != path:
                os.rename(path, target)
                fsync_dir(path.parent)
        except BaseException as error:
            with _undoing(error):
                if not path.exists():
                    os.rename(target, path)
                _put_back(path, old, write.path)
            raise

    def delete(self, folder: Path) -> None:
        """Remove a document with its original, and its category folder when that is empty then."""
        with self._exclusive(folder) as key, self._write(key, "delete") as write:
            write.journal(self._layout.knowledge, folder, folder)
            rename_noreplace(folder, write.staged)
            try:
                fsync_dir(folder.parent)
                remove_if_empty(folder.parent)
            except BaseException as error:
                with _undoing(error):
                    move(write.staged, folder)
                raise

    def recover(self) -> int:
        """Finish or forget what a crash left in ``.staging``; gives how many writes. Safe at any time."""
        with self._disk(self._layout.staging):
            return self._staging.recover()

    def documents(self) -> Iterator[Path]:
        """Every document folder, sorted by path."""
        with self._disk(self._layout.knowledge):
            yield from folders.document_folders(self._layout.knowledge)

    def topic_paths(self, folder: Path) -> list[Path]:
        """The topic files of a document, by number, then by name."""
        with self._disk(folder):
            return folders.topic_paths(folder)

    def find(self, doc_id: str) -> Path | None:
        """The folder of a document by its id; reads every ``index.md`` only when no folder name tells."""
        with self._disk(self._layout.knowledge):
            return folders.find_folder(self._layout, doc_id)

    def original(self, folder: Path) -> Path | None:
        """The uploaded file of a document, or None."""
        with self._disk(folder):
            return folders.original_path(folder)

    def _place(self, category_id: str, name: str) -> Path:
        return self._layout.knowledge / slugs.category_folder_name(category_id) / name

    def _free_place(self, folder: Path, category_id: str, name: str) -> Path:
        target = self._place(category_id, name)
        if slugs.category_folder_name(folder.parent.name) == target.parent.name:
            target = folder.with_name(name)
        if target != folder and os.path.lexists(target) and not _same_entry(folder, target):
            raise Conflict(f"{self._layout.relative(target)} exists already: rename or remove that folder first")
        return target

    def _index_bytes(self, folder: Path, if_match: str | None) -> bytes:
        index = folder / INDEX_FILE
        data = index.read_bytes() if index.exists() else b""
        self._check(index, data, if_match)
        return data

    def _check(self, path: Path, data: bytes, if_match: str | None) -> None:
        if if_match is not None and if_match != etag(data):
            raise Conflict(
                f"{self._layout.relative(path)} has changed since it was read: read it again", etag=etag(data)
            )

    @contextmanager
    def _exclusive(self, folder: Path) -> Generator[str]:
        """The lock of the document in ``folder``; gives its id."""
        gone = NotFound(f"there is no document folder {self._relative(folder)}: it was moved or deleted")
        with self._disk(folder):
            if not folder.is_dir():
                raise gone
            key = folders.identity(self._layout, folder)
            with self._staging.lock(key, timeout=self._lock_seconds):
                if not folder.is_dir():
                    raise gone
                yield key

    @contextmanager
    def _write(self, key: str, operation: str) -> Generator[Write]:
        write = self._staging.begin(key, operation)
        try:
            yield write
        except Unfinished:
            raise
        except BaseException:
            write.close()
            raise
        try:
            write.close()
        except OSError as error:
            _log.warning("%s stands, its staging folder stays until recovery: %s", operation, error)

    @contextmanager
    def _disk(self, path: Path) -> Generator[None]:
        try:
            yield
        except OSError as error:
            where = self._relative(Path(os.fsdecode(error.filename)) if error.filename else path)
            reason = error.strerror or str(error)
            raise InternalError(
                f"{where}: {reason}. Check the free space and the rights of that folder.", path=where
            ) from error

    def _relative(self, path: Path) -> str:
        return self._layout.relative(path) if path.is_relative_to(self._layout.root) else path.name


@contextmanager
def _undoing(cause: BaseException) -> Generator[None]:
    try:
        yield
    except OSError as error:
        message = f"a write failed ({cause}) and could not be undone ({error}): restart, it is finished then"
        raise Unfinished(message) from error


def _put_back(path: Path, old: bytes, staging: Path) -> None:
    if not old:
        path.unlink(missing_ok=True)
    elif path.read_bytes() != old:
        write_atomic(path, old, staging)


def _renamed(file_name: str, name: str, claim: str | None, topic_id: str | None) -> str:
    number = ids.number_of(file_name)
    if claim is not None and topic_id in (None, claim):
        number = ids.number_of_topic(claim) if number is None else number
    elif topic_id is not None and ids.number_of_topic(topic_id) != number:
        return file_name
    return file_name if number is None else slugs.topic_file_name(number, name)


def _same_entry(path: Path, other: Path) -> bool:
    return other.exists() and os.path.samefile(path, other)
