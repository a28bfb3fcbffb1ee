"""One note and the rules of its vault -> the rows that describe it. Pure but for reading the file."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from wiki.documents.timestamps import read_time, write_time
from wiki.index.folders import FileStamp, stamp_of
from wiki.index.folding import fold
from wiki.index.notes.rows import LinkRow, NoteRef, NoteRow
from wiki.index.notes.survey import VaultFolders
from wiki.index.records import field_entries, iso
from wiki.index.rows import Fault, Passage, PassageRow, StoredVector
from wiki.vaults.model import Note, namespace_of, note_id
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.resolving import keys_of, names_of
from wiki.vaults.visibility import why_hidden

NOTE_VERSION = 3
"""Raised when reading, cutting or row contents change, so that every note is read anew."""
_COLUMNS = {"tags", "tag", "aliases", "alias", "type", "status", "date", "title", "created", "lang", "language"}
"""Front matter with a column of its own, or that is text."""


@dataclass(frozen=True)
class NoteRecord:
    """A note as the stores hold it. ``note`` is None when it is hidden."""

    row: NoteRow
    links: tuple[LinkRow, ...] = ()
    """Not resolved yet."""
    faults: tuple[Fault, ...] = ()
    note: Note | None = None


def read_record(folders: VaultFolders, ref: NoteRef) -> NoteRecord | None:
    """The record of a note as it lies on disk now; None when it is gone.

    Raises OSError when it cannot be looked at: then its rows must stay as they are.
    """
    found = folders.locate(ref)
    if found is None:
        return None
    vault = folders.vaults[ref.vault]
    hidden = why_hidden(vault, ref.path)
    if hidden is not None:
        return NoteRecord(_hidden_row(ref, found.file, found.stamp, "", hidden))
    try:
        data, stamp = _read(vault.root / found.file)
    except FileNotFoundError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    note = parse_note(ref.path, data)
    if (hidden := note.kept_out) is not None:
        return NoteRecord(_hidden_row(ref, found.file, stamp, digest, hidden))
    row = _row(ref, found.file, stamp, digest, note)
    faults = [
        Fault(folders.shown(ref), problem.reason, problem.remedy, iso(stamp.mtime_ns), problem.line, "note")
        for problem in note.problems
    ]
    return NoteRecord(row, _links(row, note), tuple(faults), note)


def note_passage_rows(
    row: NoteRow, passages: Sequence[Passage], vectors: Mapping[str, StoredVector], model: str
) -> list[PassageRow]:
    """The LanceDB rows of one note; ``vectors`` by passage hash."""
    head = list(dict.fromkeys([row.title, stem(row.path), *row.aliases, *row.tags]))
    own = {name: value for name, value in row.front_matter.items() if name.lower() not in _COLUMNS}
    fields = field_entries({**row.properties, **own})
    return [
        PassageRow(
            passage_id=f"{row.note_id}#{passage.ordinal}",
            record_id=row.note_id,
            doc_id=row.note_id,
            record_type="note",
            namespace=row.namespace,
            title=row.title,
            name=row.title,
            heading_path=" > ".join(passage.heading_path or _headings_at(row, passage.line_start)),
            text=passage.shown_text,
            search_text=fold("\n".join([*head, *passage.heading_path, passage.searched_text])),
            labels=row.tags,
            type=row.type,
            status=row.status,
            language=_language(row.front_matter),
            created_at=row.created_at,
            updated_at=row.updated_at,
            document_date=row.date,
            fields=fields,
            line_start=passage.line_start,
            line_end=passage.line_end,
            pages=(),
            topic_sha256=row.sha256,
            passage_sha256=passage.sha256,
            model=model,
            vector=vectors[passage.sha256].vector,
            tokens=vectors[passage.sha256].tokens,
            vault=row.vault,
        )
        for passage in passages
    ]


def _headings_at(row: NoteRow, line: int) -> tuple[str, ...]:
    """The headings above a line, its own among them; a note's only heading counts for all of it."""
    above: list[tuple[int, str]] = []
    for level, text, place in row.headings:
        if place <= line or len(row.headings) == 1:
            above = [(other, said) for other, said in above if other < level] + [(level, text)]
    return tuple(text for _, text in above if text)


def stem(path: str) -> str:
    """A note's file name without its ending: what links call it."""
    return PurePosixPath(path).stem


def _row(ref: NoteRef, file: str, stamp: FileStamp, digest: str, note: Note) -> NoteRow:
    updated = iso(stamp.mtime_ns)
    row = NoteRow(
        note_id=note_id(ref.vault, ref.path),
        vault=ref.vault,
        path=ref.path,
        file=file,
        namespace=note.namespace,
        title=storable(note.title),
        type=storable(note.type),
        status=storable(note.status),
        date=note.date,
        tags=tuple(storable(list(note.tags))),
        aliases=tuple(storable(list(note.aliases))),
        front_matter=storable(note.front_matter),
        properties={name: list(values) for name, values in storable(note.properties).items()},
        headings=storable([[heading.level, heading.text, heading.line] for heading in note.headings]),
        blocks=storable([list(block) for block in note.blocks]),
        keys=tuple(storable(list(names_of(ref.path, note.aliases)))),
        hidden=None,
        size=stamp.size,
        mtime_ns=stamp.mtime_ns,
        inode=stamp.inode,
        sha256=digest,
        created_at=_moment(note.front_matter.get("created")) or updated,
        updated_at=updated,
        row_hash="",
    )
    seen = (NOTE_VERSION, row.note_id, row.sha256, row.updated_at)
    return replace(row, row_hash=hashlib.sha256(json.dumps(seen).encode()).hexdigest())


def _hidden_row(ref: NoteRef, file: str, stamp: FileStamp, digest: str, hidden: str) -> NoteRow:
    """Where a hidden note lies, so that a link to it is no broken one; not a word of what it says."""
    return NoteRow(
        note_id=note_id(ref.vault, ref.path),
        vault=ref.vault,
        path=ref.path,
        file=file,
        namespace=namespace_of(ref.path),
        title=stem(ref.path),
        type=None,
        status=None,
        date=None,
        tags=(),
        aliases=(),
        front_matter={},
        properties={},
        headings=[],
        blocks=[],
        keys=names_of(ref.path, ()),
        hidden=hidden,
        size=stamp.size,
        mtime_ns=stamp.mtime_ns,
        inode=stamp.inode,
        sha256=digest,
        created_at=iso(stamp.mtime_ns),
        updated_at=iso(stamp.mtime_ns),
        row_hash="",
    )


def _read(path: Path) -> tuple[bytes, FileStamp]:
    """Bytes and stamp of the same state of the file, never of what a link leads to."""
    with os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb"
    ) as file:
        data = file.read()
        return data, stamp_of(os.fstat(file.fileno()))


def storable(value: Any) -> Any:
    """The same as it comes back from the catalog: plain JSON, and no half characters, which no store takes."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return json.loads(text if text.isascii() else text.encode("utf-8", "replace"), parse_constant=str)


def _moment(value: object) -> str | None:
    moment = read_time(str(value)) if value else None
    return write_time(moment) if moment else None


def _language(front_matter: Mapping[str, Any]) -> str | None:
    value = front_matter.get("language") or front_matter.get("lang")
    return value if isinstance(value, str) else None


def _links(row: NoteRow, note: Note) -> tuple[LinkRow, ...]:
    return tuple(
        LinkRow(
            from_id=row.note_id,
            ordinal=ordinal,
            kind=link.kind,
            target=storable(link.target),
            heading=storable(link.heading),
            block=storable(link.block),
            shown=storable(link.shown),
            line=link.line,
            keys=tuple(storable(list(keys_of(link)))),
            target_id=None,
            found_by=None,
            ambiguous=False,
        )
        for ordinal, link in enumerate(note.links)
    )
