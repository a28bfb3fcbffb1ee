"""What one batch changes: the records derived from disk against those in the catalog."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from wiki.documents.model import TopicFile
from wiki.documents.taxonomy import Taxonomy
from wiki.index.catalog import Catalog
from wiki.index.lance import any_of
from wiki.index.languages import counted
from wiki.index.records import Record, build_record
from wiki.index.resolve import Resolution
from wiki.index.rows import DocumentRow, Fault, Passage, TopicRow


@dataclass(frozen=True)
class Batch:
    """Folders to write anew. ``written`` topics need their passages made, ``deleted`` records lose theirs."""

    folders: tuple[str, ...]
    records: tuple[Record, ...]
    faults: tuple[Fault, ...]
    old_documents: Mapping[str, DocumentRow]
    """By document id, as the catalog had them."""
    old_topics: Mapping[str, TopicRow]
    written: tuple[TopicRow, ...]
    deleted: tuple[str, ...]
    differs: bool
    passages: Mapping[str, tuple[Passage, ...]]
    """By topic id, once cut."""

    @property
    def record_ids(self) -> set[str]:
        return {*self.deleted, *(topic.topic_id for topic in self.written)}

    def deleted_filter(self) -> str:
        return any_of("record_id", self.deleted)

    def document_of(self, topic: TopicRow) -> DocumentRow:
        return self._by_folder[topic.folder].document

    def file_of(self, topic: TopicRow) -> TopicFile:
        return self._by_folder[topic.folder].bodies[topic.topic_id]

    def embedded_of(self, topic_id: str, embedded: set[str]) -> int:
        """How many of a topic's passages went through the model."""
        return sum(passage.sha256 in embedded for passage in self.passages.get(topic_id, ()))

    @cached_property
    def _by_folder(self) -> dict[str, Record]:
        return {record.document.folder: record for record in self.records}

    def with_passages(self, cut: Mapping[str, tuple[Passage, ...]], known: Collection[str] | None) -> "Batch":
        """The same batch, knowing how many passages each written topic has; ``known`` languages are not foreign."""
        records = tuple(
            replace(
                record,
                topics=tuple(counted(t, cut[t.topic_id], known) if t.topic_id in cut else t for t in record.topics),
            )
            for record in self.records
        )
        return replace(self, records=records, passages=cut)

    def write(self, catalog: Catalog) -> None:
        """Replace the folders' rows. The caller holds a transaction."""
        catalog.delete_folders(self.folders)
        catalog.insert("documents", [record.document for record in self.records])
        catalog.insert("topics", [topic for record in self.records for topic in record.topics])
        catalog.insert("files", [file for record in self.records for file in record.files])
        catalog.replace_folder_faults(self.folders, self.faults)
        catalog.dequeue(self.folders)


def plan_batch(
    catalog: Catalog, resolution: Resolution, taxonomy: Taxonomy, prefix: str, orphans: Sequence[str]
) -> Batch:
    """Compare a resolution with the catalog. ``orphans`` are records a crashed batch may have half written."""
    folders = tuple(resolution.folders)
    records = tuple(
        build_record(folder, resolution.documents[path], resolution.topics, taxonomy, prefix)
        for path, folder in resolution.folders.items()
        if folder
    )
    in_batch = "folder IN (SELECT unnest(?))", [list(folders)]
    old_documents = {row.doc_id: row for row in catalog.documents(*in_batch)}
    old_topics = {row.topic_id: row for row in catalog.topics(*in_batch)}
    elsewhere = {
        row.topic_id
        for row in catalog.topics(
            "topic_id IN (SELECT unnest(?)) AND folder NOT IN (SELECT unnest(?))", [list(orphans), list(folders)]
        )
    }
    records = tuple(_with_old_counts(record, old_topics) for record in records)
    topics = [topic for record in records for topic in record.topics]
    written = tuple(topic for topic in topics if _needs_rows(topic, old_topics.get(topic.topic_id), orphans))
    kept = {topic.topic_id for topic in topics} | elsewhere
    deleted = tuple(sorted(({*old_topics, *orphans}) - kept))
    faults = (*(fault for record in records for fault in record.faults), *_unreadable(resolution, prefix))
    differs = (
        bool(written or deleted)
        or sorted(map(repr, old_topics.values())) != sorted(map(repr, topics))
        or _differs(catalog, folders, records, faults, prefix)
    )
    return Batch(folders, records, faults, old_documents, old_topics, written, deleted, differs, {})


def _with_old_counts(record: Record, old: Mapping[str, TopicRow]) -> Record:
    def with_old(topic: TopicRow) -> TopicRow:
        before = old.get(topic.topic_id)
        if before is None:
            return topic
        return replace(topic, passages=before.passages, foreign_passages=before.foreign_passages)

    return replace(record, topics=tuple(map(with_old, record.topics)))


def _needs_rows(topic: TopicRow, old: TopicRow | None, orphans: Sequence[str]) -> bool:
    return old is None or old.row_hash != topic.row_hash or topic.topic_id in orphans or old.foreign_passages is None


def _differs(
    catalog: Catalog, folders: Sequence[str], records: Sequence[Record], faults: Sequence[Fault], prefix: str
) -> bool:
    in_batch = "folder IN (SELECT unnest(?))", [list(folders)]
    if sorted(map(repr, catalog.documents(*in_batch))) != sorted(repr(record.document) for record in records):
        return True
    if set(catalog.files(*in_batch)) != {file for record in records for file in record.files}:
        return True
    below = tuple(f"{prefix}/{folder}" for folder in folders)
    stored = {f for f in catalog.faults() if f.origin == "file" and _at_or_below(f.path, below)}
    return stored != set(faults)


def _at_or_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _unreadable(resolution: Resolution, prefix: str) -> list[Fault]:
    return [
        Fault(f"{prefix}/{path}", f"cannot be read: {reason}", "mend its permissions; its rows are kept until then")
        for path, reason in resolution.unreadable.items()
    ]
