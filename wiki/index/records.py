"""One document folder and its ids -> the rows that describe it. Pure: rebuild and sync agree by construction."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from wiki.documents import ids
from wiki.documents.marks import is_generated
from wiki.documents.model import IndexFile, Problem, TopicFile
from wiki.documents.taxonomy import Taxonomy
from wiki.index.folders import DiskFile, FileStamp, Folder
from wiki.index.folding import fold
from wiki.index.identity import Assignment, Claimant, normalised
from wiki.index.rows import DocumentRow, Fault, FileRow, Passage, PassageRow, StoredVector, TopicRow

PASSAGE_VERSION = 1
"""Raised when cutting or row contents change, so that a reindex rewrites the rows."""
_POSITION = re.compile(r"^\d+(\.\d+)*$")


@dataclass(frozen=True)
class Record:
    """A document as the stores hold it."""

    document: DocumentRow
    topics: tuple[TopicRow, ...]
    files: tuple[FileRow, ...]
    faults: tuple[Fault, ...]
    bodies: Mapping[str, TopicFile]
    """Parsed topic file by topic id, for cutting."""


def document_claimant(folder: Folder) -> Claimant:
    """The document id a folder claims or may have."""
    suffix = ids.doc_id_of_folder(folder.path.rpartition("/")[2])
    derived = ids.derived_doc_id(normalised(folder.path))
    claim = folder.index.parsed.claim if folder.index else None
    return Claimant(folder.path, claim, (suffix, derived) if suffix and suffix != claim else (derived,))


def topic_claimant(file: DiskFile[TopicFile], doc_id: str) -> Claimant:
    """The topic id a file claims or may have inside document ``doc_id``."""
    name = file.path.rpartition("/")[2]
    number = ids.number_of(name)
    by_name = ids.derived_topic_id(doc_id, name)
    candidates = (ids.topic_id(doc_id, number), by_name) if number is not None else (by_name,)
    return Claimant(file.path, file.parsed.claim, candidates)


def build_record(
    folder: Folder, doc: Assignment, topic_ids: Mapping[str, Assignment], taxonomy: Taxonomy, prefix: str
) -> Record:
    """The rows of one folder. ``prefix`` is the path of ``knowledge`` relative to the root, for faults."""
    faults = _FaultList(prefix)
    index = folder.index.parsed if folder.index else None
    if folder.index:
        faults.problems(folder.index.path, folder.index.stamp, folder.index.parsed.problems)
    else:
        faults.add(folder.path, None, "the folder has no index.md", "add one, or delete the folder")
    if doc.lost_to:
        faults.add(
            folder.path,
            folder.index.stamp if folder.index else None,
            f"its doc_id is already used by {doc.lost_to}; it answers as {doc.id}",
            "give one of the two another doc_id, or remove one",
        )
    document = _document_row(folder, index, doc.id, taxonomy, faults)
    topics, bodies = _topic_rows(folder, document, topic_ids, faults)
    files = [_file_row(folder, folder.index, doc.id, None)] if folder.index else []
    files += [_file_row(folder, file, topic_ids[file.path].id, topic_claimant(file, doc.id)) for file in folder.topics]
    return Record(document, topics, tuple(files), tuple(faults.found), bodies)


def passage_rows(
    document: DocumentRow,
    topic: TopicRow,
    passages: tuple[Passage, ...],
    vectors: Mapping[str, StoredVector],
    model: str,
) -> list[PassageRow]:
    """The LanceDB rows of one topic; ``vectors`` by passage hash."""
    pages = _pages(topic.source)
    labels = _merged(document.labels, topic.labels)
    head = [document.title, topic.name, *(topic.labels if _labels_from_text(document) else labels)]
    rows: list[PassageRow] = []
    for passage in passages:
        stored = vectors[passage.sha256]
        rows.append(
            PassageRow(
                passage_id=f"{topic.topic_id}#{passage.ordinal}",
                record_id=topic.topic_id,
                doc_id=document.doc_id,
                record_type="topic",
                namespace=document.category_id,
                title=document.title,
                name=topic.name,
                heading_path=" > ".join(passage.heading_path),
                text=passage.text,
                search_text=fold("\n".join([*head, *passage.heading_path, passage.searched_text])),
                labels=labels,
                type=document.source_type,
                status=_text(document.fields.get("status")),
                language=document.language,
                created_at=document.created_at,
                updated_at=topic.updated_at,
                document_date=document.document_date,
                fields=field_entries(document.fields),
                line_start=passage.line_start,
                line_end=passage.line_end,
                pages=pages,
                topic_sha256=topic.sha256,
                passage_sha256=passage.sha256,
                model=model,
                vector=stored.vector,
                tokens=stored.tokens,
            )
        )
    return rows


def field_entries(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """A person's own metadata as ``name=value``; a list gives one entry an item."""
    entries: list[str] = []
    for name, value in fields.items():
        values: list[Any] = value if isinstance(value, list) else [value]
        entries += [f"{name}={_text(item)}" for item in values]
    return tuple(entries)


def iso(mtime_ns: int) -> str:
    """A file time as UTC, to the second."""
    return datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _document_row(
    folder: Folder, index: IndexFile | None, doc_id: str, taxonomy: Taxonomy, faults: "_FaultList"
) -> DocumentRow:
    category_folder, _, name = folder.path.partition("/")
    category = taxonomy.category_of_folder(category_folder)
    written = index.category_id if index else None
    if category and written and written != category:
        faults.add(
            f"{folder.path}/index.md",
            folder.index.stamp if folder.index else None,
            f"category_id says {written}, but the folder says {category}: the folder counts",
            "change the category with PATCH or `wiki`, or move the folder; then correct category_id",
        )
    stamps = [f.stamp for f in ((folder.index,) if folder.index else ()) + folder.topics]
    oldest = iso(min((stamp.mtime_ns for stamp in stamps), default=0))
    own = iso(folder.index.stamp.mtime_ns) if folder.index else oldest
    claimant = document_claimant(folder)
    return DocumentRow(
        doc_id=doc_id,
        folder=folder.path,
        claim=claimant.claim,
        candidates=claimant.candidates,
        category_id=category or written or category_folder,
        title=(index.title if index else None) or _title_of(name),
        summary=index.summary if index else "",
        source_name=(index.source_name if index else None) or _name_of(folder.original),
        source_type=index.source_type if index else None,
        source_sha256=index.source_sha256 if index else None,
        source_bytes=folder.original_bytes,
        original=folder.original,
        created_at=(index.created_at if index else None) or oldest,
        updated_at=(index.updated_at if index else None) or own,
        document_date=index.document_date if index else None,
        language=index.language if index else None,
        labels=index.labels if index else (),
        fields=_plain(index.fields) if index else {},
        extraction=_plain(index.extraction) if index else {},
        index_sha256=folder.index.sha256 if folder.index else None,
    )


def _topic_rows(
    folder: Folder, document: DocumentRow, topic_ids: Mapping[str, Assignment], faults: "_FaultList"
) -> tuple[tuple[TopicRow, ...], dict[str, TopicFile]]:
    ordered = sorted(folder.topics, key=_place)
    by_id = {topic_ids[file.path].id: file for file in ordered}
    by_position = {f.parsed.position: topic_ids[f.path].id for f in reversed(ordered) if f.parsed.position}
    parents = {i: _parent(i, file.parsed, by_id, by_position) for i, file in by_id.items()}
    rows: list[TopicRow] = []
    for rank, (topic_id, file) in enumerate(by_id.items()):
        faults.problems(file.path, file.stamp, file.parsed.problems)
        if (winner := topic_ids[file.path].lost_to) is not None:
            reason = f"its topic_id is already used by {winner}; it answers as {topic_id}"
            faults.add(file.path, file.stamp, reason, "give one of the two another topic_id, or remove one")
        chain = _chain(topic_id, parents)
        row = TopicRow(
            topic_id=topic_id,
            doc_id=document.doc_id,
            folder=folder.path,
            path=file.path,
            name=file.parsed.name,
            topic_path=" > ".join([document.title, *(by_id[i].parsed.name for i in chain)]),
            position=file.parsed.position,
            rank=rank,
            depth=file.parsed.depth or len(chain),
            parent_id=parents[topic_id],
            labels=file.parsed.labels,
            summary=file.parsed.summary,
            summary_stale=file.parsed.summary_stale,
            source=_plain(file.parsed.source),
            sha256=file.sha256,
            body_line=file.parsed.body_line,
            updated_at=iso(file.stamp.mtime_ns),
            row_hash="",
        )
        rows.append(_with_hash(row, document))
    return tuple(rows), {topic_id: file.parsed for topic_id, file in by_id.items()}


def _labels_from_text(document: DocumentRow) -> bool:
    """Whether the outline took the document's labels from its text: there they are found already, and as words of
    every topic they would make all of them match alike."""
    marks = {"labels": document.extraction.get("generated_labels")}
    given = document.extraction.get("method") != "outline"
    return not given and bool(document.labels) and is_generated(marks, "labels", *document.labels)


def _with_hash(row: TopicRow, document: DocumentRow) -> TopicRow:
    seen = (
        PASSAGE_VERSION, row.topic_id, row.sha256, row.name, row.labels, row.updated_at, row.source, row.body_line,
        document.doc_id, document.category_id, document.title, document.labels, document.language, document.source_type,
        document.created_at, document.document_date, document.fields,
        *(["labels from the text"] if _labels_from_text(document) else []),
    )  # fmt: skip
    digest = sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()
    return replace(row, row_hash=digest)


def _place(file: DiskFile[TopicFile]) -> tuple[bool, tuple[int, ...], str]:
    position = file.parsed.position
    if position and _POSITION.match(position):
        return False, tuple(int(part) for part in position.split(".")), file.path
    return True, (), normalised(file.path)


def _parent(
    topic_id: str, parsed: TopicFile, by_id: Mapping[str, object], by_position: Mapping[str, str]
) -> str | None:
    if parsed.parent_id in by_id and parsed.parent_id != topic_id:
        return parsed.parent_id
    above = parsed.position.rpartition(".")[0] if parsed.position else ""
    parent = by_position.get(above)
    return parent if parent != topic_id else None


def _chain(topic_id: str, parents: Mapping[str, str | None]) -> list[str]:
    """Ids from the top down to the topic; a loop made by hand is cut."""
    chain: list[str] = []
    current: str | None = topic_id
    while current is not None and current not in chain:
        chain.append(current)
        current = parents[current]
    return chain[::-1]


def _file_row(
    folder: Folder, file: DiskFile[IndexFile] | DiskFile[TopicFile], record_id: str, claimant: Claimant | None
) -> FileRow:
    stamp = file.stamp
    claim, candidates = (claimant.claim, claimant.candidates) if claimant else (None, ())
    return FileRow(
        file.path, folder.path, stamp.size, stamp.mtime_ns, stamp.inode, file.sha256, claim, candidates, record_id
    )


def _pages(source: Mapping[str, Any]) -> tuple[int, ...]:
    pages = source.get("pages")
    if not isinstance(pages, list) or not all(isinstance(page, int) for page in pages):
        return ()
    return tuple(range(pages[0], pages[-1] + 1)) if len(pages) == 2 and pages[1] - pages[0] < 1000 else tuple(pages)


def _plain(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """As it comes back from the catalog, so that equal is equal."""
    return json.loads(json.dumps(mapping, ensure_ascii=False, default=str))


def _merged(*groups: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for group in groups for label in group))


def _text(value: Any) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _title_of(folder_name: str) -> str:
    suffix = ids.doc_id_of_folder(folder_name)
    stem = folder_name.removesuffix(suffix) if suffix else folder_name
    return stem.strip("_").replace("_", " ") or folder_name


def _name_of(original: str | None) -> str | None:
    return original.rpartition("/")[2] if original else None


class _FaultList:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.found: list[Fault] = []

    def add(self, path: str, stamp: FileStamp | None, reason: str, remedy: str, line: int | None = None) -> None:
        since = iso(stamp.mtime_ns) if stamp else ""
        self.found.append(Fault(f"{self.prefix}/{path}", reason, remedy, since, line))

    def problems(self, path: str, stamp: FileStamp, problems: tuple[Problem, ...]) -> None:
        for problem in problems:
            self.add(path, stamp, problem.reason, problem.remedy, problem.line)
