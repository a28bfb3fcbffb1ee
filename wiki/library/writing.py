"""Writing: uploads, replaces, edits and deletes of one tenant, each waiting for the index."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wiki.documents import ids
from wiki.documents.model import INDEX_FILE
from wiki.documents.timestamps import read_date
from wiki.errors import Conflict, InvalidInput, NotFound
from wiki.extraction.llm.method import TreeModel
from wiki.index.reading import moment
from wiki.index.records import Record
from wiki.ingest import RawFile, checked_title, extract_topics, new_document, parse_raw, read_raw, title_of
from wiki.jobs.stages import OnStage, no_stage
from wiki.library.chosen import highest_topic, marks_that_stay
from wiki.library.parts import TenantParts
from wiki.parsing.source import Progress
from wiki.views import OnDuplicate, PatchResult, UploadResult


class Writing(TenantParts):
    """Every write enters the disk by one atomic step, or leaves nothing behind."""

    def upload(
        self,
        path: Path,
        *,
        name: str,
        title: str | None = None,
        category_id: str | None = None,
        doc_id: str | None = None,
        new_id: bool = False,
        source_type: str | None = None,
        labels: Sequence[str] = (),
        on_duplicate: OnDuplicate = "new",
        wait: float | None = None,
        progress: Progress | None = None,
        on_stage: OnStage = no_stage,
    ) -> UploadResult:
        """Make a document of a file. ``path`` holds the bytes, ``name`` is what the sender calls them.
        ``progress`` hears of each page, sheet or minute of a long file, ``on_stage`` of each stage passed.
        ``new_id``: ``doc_id`` was made for this file, so no other document is looked for that has it.

        Raises InvalidInput, ExtractionEmpty, UnsupportedFormat, CapabilityUnavailable, Conflict (``doc_id`` exists);
        nothing is left behind then.
        """
        self._check_upload(title, category_id, doc_id)
        raw = read_raw(path, name, source_type)
        twin = self.has_source(raw.sha256)
        if twin and on_duplicate == "return":
            return self._existing(twin)
        if twin and on_duplicate == "replace":
            return self.replace(twin, path, name=name, title=title, category_id=category_id, source_type=source_type,
                                labels=labels or None, wait=wait, progress=progress, on_stage=on_stage)  # fmt: skip
        if doc_id and not new_id and self.documents.find(doc_id):
            raise Conflict(f"document {doc_id} exists already: PUT replaces it", doc_id=doc_id)
        folder, document_id, topics = self.write_document(
            raw, title=title, category_id=category_id, doc_id=doc_id, source_type=source_type, labels=labels,
            progress=progress, on_stage=on_stage,
        )  # fmt: skip
        return self._uploaded(folder, document_id, topics, wait, created=True, duplicate_of=twin)

    def write_document(
        self,
        raw: RawFile,
        *,
        title: str | None = None,
        category_id: str | None = None,
        doc_id: str | None = None,
        source_type: str | None = None,
        labels: Sequence[str] = (),
        progress: Progress | None = None,
        on_stage: OnStage = no_stage,
    ) -> tuple[Path, str, int]:
        """Parse, extract and write one file; gives folder, document id and topic count. Does not wait for the index."""
        model = self._tree_model()
        parsed = parse_raw(self._library.parser, self.layout, raw, progress)
        on_stage("parsed")
        name = title_of(parsed, raw.name, title)
        on_stage("extracting")
        prepared, tree = extract_topics(
            parsed,
            title=name,
            embedder=self._library.embedder,
            taxonomy=self.taxonomy.load()[0],
            settings=self._library.settings.extraction,
            category_id=category_id,
            labels=labels,
            model=model,
            progress=progress,
        )
        on_stage("classified")
        new = new_document(prepared, tree, raw, title=name, doc_id=doc_id, source_type=source_type, labels=labels)
        self.taxonomy.ensure()
        folder = self.documents.create(new, raw.path)
        on_stage("written")
        return folder, new.doc_id, len(new.topics)

    def replace(
        self,
        doc_id: str,
        path: Path,
        *,
        name: str,
        title: str | None = None,
        category_id: str | None = None,
        source_type: str | None = None,
        labels: Sequence[str] | None = None,
        if_match: str | None = None,
        wait: float | None = None,
        progress: Progress | None = None,
        on_stage: OnStage = no_stage,
    ) -> UploadResult:
        """Put a new file in a document's place; the old version answers until the new one stands.

        Title, category and labels that are not given stay. Raises NotFound, Conflict (another replace runs, or
        ``if_match`` is no longer the etag) and what ``upload`` raises.
        """
        self._check_upload(title, category_id, None)
        with self.documents.replacing(doc_id):
            before = self._record(doc_id)
            folder = self.layout.knowledge / before.document.folder
            raw = read_raw(path, name, source_type)
            model = self._tree_model()
            parsed = parse_raw(self._library.parser, self.layout, raw, progress)
            on_stage("parsed")
            kept = tuple(labels) if labels is not None else before.document.labels
            shown = checked_title(title) if title is not None else before.document.title
            on_stage("extracting")
            prepared, tree = extract_topics(
                parsed,
                title=shown,
                embedder=self._library.embedder,
                taxonomy=self.taxonomy.load()[0],
                settings=self._library.settings.extraction,
                category_id=category_id or before.document.category_id,
                labels=kept,
                model=model,
                progress=progress,
            )
            on_stage("classified")
            new = new_document(prepared, tree, raw, title=shown, doc_id=doc_id, source_type=source_type, labels=kept)
            marks = marks_that_stay(before.document, category=category_id is None, labels=labels is None)
            highest = max(highest_topic(before.document), len(new.topics))
            new = replace(new, extraction=new.extraction | marks | {"highest_topic": highest})
            target = self.documents.replace(folder, new, raw.path, if_match=if_match, turn_held=True)
        on_stage("written")
        return self._uploaded(target, doc_id, len(new.topics), wait, created=False, old=folder)

    def patch_document(
        self,
        doc_id: str,
        *,
        title: str | None = None,
        category_id: str | None = None,
        labels: Sequence[str] | None = None,
        document_date: str | None = None,
        fields: Mapping[str, Any] | None = None,
        if_match: str | None = None,
        wait: float | None = None,
    ) -> PatchResult:
        """Change a document's metadata. Values equal to the present ones change nothing and are not listed."""
        before = self._record(doc_id).document
        self._check_upload(title, category_id, None)
        if document_date and read_date(document_date) is None:
            raise InvalidInput(f"document_date {document_date!r} is no date: write 2026, 2026-11 or 2026-11-30")
        wanted = {
            "title": None if title is None else checked_title(title),
            "category_id": category_id,
            "labels": None if labels is None else list(labels),
            "document_date": document_date,
            "fields": None if fields is None else dict(fields),
        }
        present = {**before.__dict__, "labels": list(before.labels)}
        changes = {key: value for key, value in wanted.items() if value is not None and value != present[key]}
        folder = target = self.layout.knowledge / before.folder
        self._check_etag(folder / INDEX_FILE, if_match)
        if changes:
            target = self.documents.patch_index(folder, changes, doc_id=doc_id, if_match=if_match)
        indexed = self._wait([target, folder], wait)
        after = self._record(doc_id).document
        return PatchResult(doc_id, tuple(changes), moment(after.updated_at), indexed)

    def delete_document(self, doc_id: str) -> int | None:
        """Delete a document with its original; gone from search before this returns. None when there is none."""
        try:
            record = self._record(doc_id)
        except NotFound:
            return None
        self.documents.delete(self.layout.knowledge / record.document.folder)
        self.index.apply([record.document.folder], "request")
        return len(record.topics)

    def patch_topic(
        self,
        topic_id: str,
        *,
        content: str | None = None,
        name: str | None = None,
        summary: str | None = None,
        labels: Sequence[str] | None = None,
        if_match: str | None = None,
        wait: float | None = None,
    ) -> PatchResult:
        """Edit a topic's Markdown file; only what is given and differs changes."""
        row, _, body = self._topic(topic_id)
        path = self.layout.knowledge / row.path
        self._check_etag(path, if_match)
        content = None if content == body else content
        name = None if name is None or checked_title(name) == row.name else checked_title(name)
        summary = None if summary is None or " ".join(summary.split()) == row.summary else " ".join(summary.split())
        labels = None if labels is None or tuple(labels) == row.labels else labels
        given = {"content": content, "name": name, "summary": summary, "labels": labels}
        changed = tuple(key for key, value in given.items() if value is not None)
        if changed:
            self.documents.patch_topic(
                path, content=content, name=name, summary=summary, labels=labels, topic_id=topic_id, if_match=if_match
            )
        indexed = self._wait([path.parent], wait)
        after, _, _ = self._topic(topic_id)
        return PatchResult(topic_id, changed, moment(after.updated_at), indexed)

    def _tree_model(self) -> TreeModel | None:
        """The model that proposes topic trees; None where none is needed. Raises ConfigurationError when it is missing."""
        settings = self._library.settings
        if settings.extraction.method != "llm":
            return None
        return TreeModel(self._library.chat, settings.llm.reply_tokens, self.layout.replies)

    def _check_upload(self, title: str | None, category_id: str | None, doc_id: str | None) -> None:
        if title is not None:
            checked_title(title)
        if category_id is not None and self.taxonomy.load()[0].get(category_id) is None:
            known = ", ".join(self.taxonomy.load()[0].ids)
            raise InvalidInput(
                f"category {category_id[:80]!r} is not in the taxonomy; it has {known}", field="category_id"
            )
        if doc_id is not None and not ids.is_doc_id(doc_id):
            raise InvalidInput("doc_id must be d_ and 12 to 32 hex digits", field="doc_id")

    def _existing(self, doc_id: str) -> UploadResult:
        record = self._record(doc_id)
        folder = self.layout.knowledge / record.document.folder
        return self._upload_result(record, self._is_indexed(folder), created=False, duplicate_of=doc_id)

    def _uploaded(
        self,
        folder: Path,
        doc_id: str,
        topics: int,
        wait: float | None,
        *,
        created: bool,
        duplicate_of: str | None = None,
        old: Path | None = None,
    ) -> UploadResult:
        indexed = self._wait([folder, old or folder], wait)
        try:
            record = self._record(doc_id)
        except NotFound as error:
            raise Conflict(f"document {doc_id} was written ({topics} topics) and removed again meanwhile") from error
        return self._upload_result(record, indexed, created=created, duplicate_of=duplicate_of)

    def _upload_result(
        self, record: Record, indexed: bool, *, created: bool, duplicate_of: str | None = None
    ) -> UploadResult:
        document = record.document
        fallback = document.extraction.get("fallback")
        return UploadResult(
            doc_id=document.doc_id,
            title=document.title,
            category_id=document.category_id,
            topic_count=len(record.topics),
            source_name=document.source_name or "",
            md_path=f"{self.prefix}/{document.folder}",
            original_file_path=f"{self.prefix}/{document.original}" if document.original else "",
            indexed=indexed,
            created=created,
            duplicate_of=duplicate_of,
            extraction_fallback=fallback if isinstance(fallback, str) else None,
        )
