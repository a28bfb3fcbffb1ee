"""What writing, reading and keeping share: a tenant's parts, and its documents as they lie on disk now."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from wiki.documents import ids
from wiki.documents.folders import claimed_id, named_folder
from wiki.documents.store import DocumentStore, etag
from wiki.documents.taxonomy import TaxonomyFile
from wiki.errors import Conflict, InternalError, NotFound
from wiki.index import reading
from wiki.index.catalog import select
from wiki.index.folders import read_folder, survey_folder
from wiki.index.identity import Assignment, Claimant, assign
from wiki.index.notes.rows import NoteRef, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.index.records import Record, build_record, document_claimant, topic_claimant
from wiki.index.rows import DocumentRow, FileRow, TopicRow
from wiki.index.sync import TenantIndex
from wiki.tenants import Layout, Tenant
from wiki.vaults.model import Vault
from wiki.vaults.vaults import vaults_of

if TYPE_CHECKING:
    from wiki.library.library import Library

_POLL = 0.01
_ALONE = 0.15
"""Nobody watches for this long: the writer indexes its own write. A handover of the baton is far shorter."""


class TenantParts:
    """One tenant's store, taxonomy and index. Thread safe. Ids of other tenants are simply not found."""

    def __init__(self, library: "Library", layout: Layout) -> None:
        self._library = library
        self.layout = layout
        self.documents = DocumentStore(layout)
        self.taxonomy = TaxonomyFile(layout.taxonomy, layout.index / "taxonomy.json")
        language = library.settings.knowledge.search.language
        self.index = TenantIndex(layout, lambda: library.embedder, self.taxonomy, vaults=self.vaults, language=language)

    @property
    def tenant(self) -> Tenant:
        return self.layout.tenant

    @property
    def prefix(self) -> str:
        """``knowledge`` relative to the root."""
        return self.layout.relative(self.layout.knowledge)

    def vaults(self) -> tuple[Vault, ...]:
        """The tenant's vaults: its own, and those the settings name."""
        return vaults_of(self.layout, self._library.settings.vaults)

    def has_source(self, digest: str) -> str | None:
        """The oldest document made from bytes with this SHA-256, when it still is on disk."""
        cursor = self._cursor()
        if cursor is None:
            return None
        found = cursor.execute(
            "SELECT doc_id, folder FROM documents WHERE source_sha256 = ? ORDER BY created_at, doc_id", [digest]
        ).fetchall()
        return next((row[0] for row in found if (self.layout.knowledge / row[1]).is_dir()), None)

    def _cursor(self) -> duckdb.DuckDBPyConnection | None:
        return self.index.snapshots.cursor()

    def _record(self, doc_id: str) -> Record:
        """A document as it lies on disk now. Raises NotFound."""
        cursor = self._cursor()
        rows: list[DocumentRow] = select(cursor, "documents", "doc_id = ?", [doc_id]) if cursor else []
        for folder in [*(row.folder for row in rows), *self._found(doc_id)]:
            record = self._record_of(folder)
            if record and record.document.doc_id == doc_id:
                return record
        raise NotFound(f"there is no document {doc_id}", doc_id=doc_id)

    def _topic(self, topic_id: str) -> tuple[TopicRow, Record, str]:
        """A topic's row, its document and its body, as they lie on disk now. Raises NotFound."""
        cursor = self._cursor()
        rows: list[TopicRow] = select(cursor, "topics", "topic_id = ?", [topic_id]) if cursor else []
        for folder in [*(row.folder for row in rows), *self._found(ids.doc_id_of_topic(topic_id))]:
            record = self._record_of(folder)
            row = next((t for t in record.topics if t.topic_id == topic_id), None) if record else None
            if record and row:
                return row, record, record.bodies[topic_id].body
        raise NotFound(f"there is no topic {topic_id}", topic_id=topic_id)

    def _found(self, doc_id: str) -> Iterator[str]:
        """Where the disk may have a document that the catalog does not know yet, or no longer where it said."""
        named = named_folder(self.layout, doc_id)
        if named is not None:
            yield named.relative_to(self.layout.knowledge).as_posix()
        for folder in self.index.drift().folders:
            if claimed_id(self.layout.knowledge / folder) in (doc_id, None):
                yield folder

    def _record_of(self, path: str) -> Record | None:
        """One folder with the ids the catalog gave it, or, where the catalog does not know it so, its own."""
        try:
            folder = read_folder(self.layout.knowledge, path)
        except OSError as error:
            raise InternalError(f"{self.prefix}/{path} cannot be read: {error.strerror}") from error
        if folder is None:
            return None
        cursor = self._cursor()
        documents: list[DocumentRow] = select(cursor, "documents", "folder = ?", [path]) if cursor else []
        files: list[FileRow] = select(cursor, "files", "folder = ?", [path]) if cursor else []
        known = {row.folder: (row.claim, row.doc_id) for row in documents}
        document = _assign_known([document_claimant(folder)], known)[path]
        claimants = [topic_claimant(file, document.id) for file in folder.topics]
        topics = _assign_known(claimants, {row.path: (row.claim, row.record_id) for row in files})
        return build_record(folder, document, topics, self.taxonomy.load()[0], self.prefix)

    def _check_etag(self, path: Path, if_match: str | None) -> None:
        if if_match is not None and (now := etag_of(path)) != if_match:
            raise Conflict(f"{self.layout.relative(path)} has changed since it was read: read it again", etag=now)

    def _is_indexed(self, folder: Path) -> bool:
        """Whether the published catalog holds exactly these files; a folder that is gone must be unknown to it."""
        cursor = self._cursor()
        path = folder.relative_to(self.layout.knowledge).as_posix()
        return cursor is not None and reading.indexed_files(cursor, path) == _hashes(self.layout.knowledge, path)

    def wait_for_notes(self, notes: Sequence[NoteRef], wait: float | None = None) -> bool:
        """Until the index holds these notes as they lie on disk, at most ``wait`` seconds. When nobody watches, index
        them here."""
        return self._until(
            lambda: all(self._is_note_indexed(ref) for ref in notes),
            lambda: self.index.apply((), "request", notes=notes),
            wait,
        )

    def _is_note_indexed(self, ref: NoteRef) -> bool:
        cursor = self._cursor()
        found = VaultFolders(self.layout, self.vaults()).locate(ref)
        rows: list[NoteRow] = select(cursor, "notes", "vault = ? AND path = ?", [ref.vault, ref.path]) if cursor else []
        return [row.stamp for row in rows] == ([found.stamp] if found else [])

    def _wait(self, folders: Sequence[Path], wait: float | None, *, poll: float = _POLL) -> bool:
        """Until the cascade indexed these folders, at most ``wait`` seconds. When nobody watches, index them here."""
        paths = {folder.relative_to(self.layout.knowledge).as_posix() for folder in folders}
        return self._until(
            lambda: all(self._is_indexed(folder) for folder in folders),
            lambda: self.index.apply(paths, "request"),
            wait,
            poll=poll,
        )

    def _until(
        self, done: Callable[[], bool], apply: Callable[[], object], wait: float | None, *, poll: float = _POLL
    ) -> bool:
        wait = self._library.settings.api.wait_seconds if wait is None else wait
        deadline = time.monotonic() + wait
        alone_since: float | None = None
        own: Future[object] | None = None
        while not done():
            now = time.monotonic()
            if now >= deadline:
                return False
            if own is not None and own.done():
                own.result()
                own = None
            elif self._library.presence.somebody_watches():
                alone_since = None
            elif alone_since is None:
                alone_since = now
            elif own is None and now - alone_since >= min(_ALONE, wait):
                own = self._library.background.submit(apply)
            time.sleep(poll)
        return True


def etag_of(path: Path) -> str:
    """The etag of a file now; that of an empty one when it is absent."""
    try:
        return etag(path.read_bytes())
    except FileNotFoundError:
        return etag(b"")


def _assign_known(claimants: Sequence[Claimant], known: dict[str, tuple[str | None, str]]) -> dict[str, Assignment]:
    assigned = assign(claimants)
    for claimant in claimants:
        claim, stored = known.get(claimant.path, (None, ""))
        if stored and claim == claimant.claim:
            lost = claimant.claim if claimant.claim and claimant.claim != stored else None
            assigned[claimant.path] = Assignment(stored, lost)
    return assigned


def _hashes(knowledge: Path, path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for stamps in survey_folder(knowledge, path).folders.values():
        for file in stamps:
            try:
                found[file] = sha256((knowledge / file).read_bytes()).hexdigest()
            except FileNotFoundError:
                continue
    return found
