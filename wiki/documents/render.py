"""New documents and topics as the bytes of their Markdown files."""

from collections.abc import Iterator
from typing import Any

from wiki.documents import front_matter, ids, timestamps
from wiki.documents.marks import mark
from wiki.documents.model import SCHEMA_VERSION, NewDocument, NewTopic
from wiki.documents.reader import DOCUMENT_KIND, TOPIC_KIND, body_sha256
from wiki.documents.yaml_text import Bare, Quoted


def render_index(new: NewDocument, *, created_at: str, updated_at: str) -> bytes:
    """The bytes of ``index.md``: the document's keys, then its summary as body."""
    return _file(document_entries(new, created_at=created_at, updated_at=updated_at), summary_body(new.summary))


def render_topic(new: NewTopic, doc_id: str) -> bytes:
    """The bytes of a topic file: its keys, then its body exactly as given."""
    return _file(topic_entries(new, doc_id), new.body)


def summary_body(summary: str) -> str:
    return f"{summary.strip()}\n" if summary.strip() else ""


def document_entries(new: NewDocument, *, created_at: str, updated_at: str) -> Iterator[tuple[str, Any]]:
    """The front matter of ``index.md`` in its order; keys that are not known are left out."""
    yield "kind", DOCUMENT_KIND
    yield "doc_id", new.doc_id
    yield "title", new.title
    yield "aliases", [new.title]
    yield "category_id", new.category_id
    yield "source_name", new.source_name
    yield "source_type", new.source_type
    yield "source_sha256", new.source_sha256
    yield "created_at", time_value(created_at)
    yield "updated_at", time_value(updated_at)
    if new.document_date:
        yield "document_date", date_value(new.document_date)
    if new.language:
        yield "language", new.language
    if new.labels:
        yield "labels", list(new.labels)
    if new.fields:
        yield "fields", new.fields
    yield "extraction", new.extraction
    if new.source_front_matter:
        yield "source_front_matter", new.source_front_matter
    yield "schema_version", SCHEMA_VERSION


def topic_entries(new: NewTopic, doc_id: str) -> Iterator[tuple[str, Any]]:
    """The front matter of a topic file in its order."""
    yield "kind", TOPIC_KIND
    yield "topic_id", ids.topic_id(doc_id, new.number)
    yield "doc_id", doc_id
    yield "topic_name", new.name
    yield "position", Quoted(new.position)
    yield "depth", new.depth
    yield "parent_id", None if new.parent is None else ids.topic_id(doc_id, new.parent)
    if new.labels:
        yield "labels", list(new.labels)
    if new.summary:
        yield "summary", new.summary
        yield "summary_of", body_sha256(new.body)
    if new.source:
        yield "source", new.source
    marks = {"name": mark(new.name), **({"labels": mark(*new.labels)} if new.labels else {})}
    if kept := {key: value for key, value in marks.items() if key not in new.by_hand}:
        yield "generated", kept
    yield "schema_version", SCHEMA_VERSION


def time_value(text: str) -> Bare | str:
    """A time unquoted when it is one, so that note editors show it as such."""
    moment = timestamps.read_time(text)
    return text if moment is None else Bare(timestamps.write_time(moment))


def date_value(text: str) -> Bare | str:
    day = timestamps.read_date(text)
    return Bare(day) if day is not None and len(day) == len("2026-11-30") else text


def _file(entries: Iterator[tuple[str, Any]], body: str) -> bytes:
    return front_matter.encode(front_matter.render_block(entries) + body)
