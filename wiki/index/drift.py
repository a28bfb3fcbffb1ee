"""What differs between the disk and the published catalog, told by size, time and inode: no file is opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from wiki.index.folders import Survey, survey
from wiki.index.notes.rows import NoteRef
from wiki.index.rows import Fault


@dataclass(frozen=True)
class NoteDrift:
    """The same for the notes of vaults."""

    notes: tuple[NoteRef, ...] = ()
    """Present or changed ones first, vanished ones last."""
    vanished: frozenset[NoteRef] = frozenset()
    really_gone: int = 0
    """Vanished ones no new one looks like a move of."""
    known: int = 0
    sizes: Mapping[NoteRef, int] = field(default_factory=dict[NoteRef, int])
    faults: tuple[Fault, ...] = ()
    rules: str = ""
    """What decides which notes are hidden and how they are read; the catalog keeps it once a whole look was applied."""


@dataclass(frozen=True)
class Drift:
    """What a walk over the folders found to differ from the catalog."""

    folders: tuple[str, ...]
    """Present or changed ones first, vanished ones last."""
    vanished: frozenset[str]
    faults: tuple[Fault, ...]
    notes: NoteDrift = NoteDrift()
    audit: tuple[str, ...] = ()
    """Files of the audit, by name."""

    @property
    def pending(self) -> int:
        return len(self.folders) + len(self.notes.notes) + len(self.audit)


def document_drift(
    cursor: duckdb.DuckDBPyConnection | None, knowledge: Path, prefix: str, taxonomy_hash: str, *, everything: bool
) -> Drift:
    """Document folders that differ; all of them when ``everything`` is asked for or the categories changed."""
    seen = survey(knowledge)
    if cursor is None:
        return Drift(tuple(seen.folders), frozenset(), _survey_faults(seen, prefix))
    known: dict[str, dict[str, tuple[int, int, int]]] = {}
    for folder, path, *stamp in cursor.execute("SELECT folder, path, size, mtime_ns, inode FROM files").fetchall():
        known.setdefault(folder, {})[path] = (stamp[0], stamp[1], stamp[2])
    documents = {row[0] for row in cursor.execute("SELECT folder FROM documents").fetchall()}
    queued = {row[0] for row in cursor.execute("SELECT folder FROM queue").fetchall()}
    uncounted = cursor.execute("SELECT DISTINCT folder FROM topics WHERE foreign_passages IS NULL").fetchall()
    again = queued | {row[0] for row in uncounted}
    taxonomy = cursor.execute("SELECT value FROM meta WHERE key = 'taxonomy'").fetchone()
    everything = everything or taxonomy is None or taxonomy[0] != taxonomy_hash
    changed = [
        path
        for path, stamps in seen.folders.items()
        if everything
        or path in again
        or known.get(path) != {file: (s.size, s.mtime_ns, s.inode) for file, s in stamps.items()}
    ]
    gone = [path for path in sorted(documents | queued) if path not in seen.folders and not seen.shields(path)]
    return Drift((*changed, *gone), frozenset(gone), _survey_faults(seen, prefix))


def _survey_faults(seen: Survey, prefix: str) -> tuple[Fault, ...]:
    unreadable = [
        Fault(
            f"{prefix}/{item.path}".rstrip("/"),
            f"cannot be read: {item.reason}",
            "mend its permissions or its mount; its rows are kept until then",
            origin="survey",
        )
        for item in seen.unreadable
    ]
    stray = [
        Fault(f"{prefix}/{path}", "lies outside any document folder", "move it into one", origin="survey")
        for path in seen.stray
    ]
    return (*unreadable, *stray)
