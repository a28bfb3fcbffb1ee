"""Existing files with new values: what they were not asked to change stays, byte for byte."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from wiki.documents import front_matter
from wiki.documents.marks import mark, without
from wiki.documents.model import IndexFile, NewDocument, NewTopic
from wiki.documents.reader import DOCUMENT_KIND, body_sha256
from wiki.documents.render import (
    date_value,
    document_entries,
    render_index,
    render_topic,
    summary_body,
    time_value,
    topic_entries,
)
from wiki.documents.yaml_lines import REMOVED
from wiki.errors import InvalidInput

PATCHABLE = ("title", "category_id", "labels", "document_date", "fields")

_OPTIONAL_OF_TOPIC = ("labels", "summary", "summary_of", "source", "generated")
_OPTIONAL = ("document_date", "language", "labels", "source_front_matter")


def changed_index(old: bytes, before: IndexFile, changes: Mapping[str, Any], *, claim: str | None, now: str) -> bytes:
    """``index.md`` with some keys changed and a new ``updated_at``. Raises InvalidInput on an unknown or empty key."""
    unknown = [key for key in changes if key not in PATCHABLE]
    if unknown:
        raise InvalidInput(f"{unknown[0]} cannot be changed: only {', '.join(PATCHABLE)} can", field=unknown[0])
    values: dict[str, Any] = {"kind": DOCUMENT_KIND} if not old else {}
    if claim is not None:
        values["doc_id"] = claim
    for key in PATCHABLE:
        if key in changes:
            values[key] = _patched(key, changes[key])
    parts = front_matter.split(front_matter.decode(old)[0])
    if "title" in values:
        values["aliases"] = _aliases(parts, before.title, values["title"])
    chosen = {
        "generated_category": str(changes.get("category_id")),
        "generated_labels": mark(*changes.get("labels") or ()),
    }
    if (marks := without(before.extraction, chosen)) is not None:
        values["extraction"] = marks
    values["updated_at"] = time_value(now)
    return front_matter.encode(parts.changed(values).text)


def replaced_index(old: bytes, before: IndexFile, new: NewDocument, *, now: str) -> bytes:
    """``index.md`` of a new version over the old one's: unknown keys, comments and ``fields`` stay."""
    created = new.created_at or before.created_at or now
    parts = front_matter.split(front_matter.decode(old)[0])
    if not parts.present or not parts.tree().readable:
        return render_index(new, created_at=created, updated_at=now)
    values: dict[str, Any] = dict.fromkeys(_OPTIONAL, REMOVED)
    values |= dict(document_entries(new, created_at=created, updated_at=now))
    values["aliases"] = _aliases(parts, before.title, new.title)
    values = {key: value for key, value in values.items() if key not in new.kept_keys}
    return front_matter.encode(parts.changed(values).with_body(summary_body(new.summary)).text)


def replaced_topic(new: NewTopic, doc_id: str) -> bytes:
    """A topic file made anew over ``new.over``: unknown keys and comments of that stay."""
    parts = front_matter.split(front_matter.decode(new.over or b"")[0])
    if not parts.present or not parts.tree().readable:
        return render_topic(new, doc_id)
    values: dict[str, Any] = dict.fromkeys(_OPTIONAL_OF_TOPIC, REMOVED)
    values |= dict(topic_entries(new, doc_id))
    return front_matter.encode(parts.changed(values).with_body(new.body).text)


def changed_topic(
    old: bytes,
    *,
    content: str | None = None,
    name: str | None = None,
    summary: str | None = None,
    labels: Sequence[str] | None = None,
) -> bytes:
    """A topic file with some values changed. Raises InvalidInput on an empty name or unreadable front matter."""
    parts = front_matter.split(front_matter.decode(old)[0])
    if content is not None:
        parts = parts.with_body(content)
    values: dict[str, Any] = {}
    chosen: dict[str, str] = {}
    if name is not None:
        values["topic_name"] = _required("name", name)
        chosen["name"] = mark(values["topic_name"])
    if labels is not None:
        values["labels"] = list(labels) or REMOVED
        chosen["labels"] = mark(*labels)
    generated = parts.tree().values.get("generated") if chosen else None
    if isinstance(generated, dict) and (marks := without(cast(dict[str, Any], generated), chosen)) is not None:
        values["generated"] = marks or REMOVED
    if summary is not None:
        values["summary"] = summary.strip() or REMOVED
        values["summary_of"] = body_sha256(parts.body) if summary.strip() else REMOVED
    return front_matter.encode((parts.changed(values) if values else parts).text)


def _patched(key: str, value: Any) -> Any:
    match key:
        case "title" | "category_id":
            return _required(key, value)
        case "document_date" if value:
            return date_value(value)
        case "labels" if value:
            return list(value)
        case _:
            return value or REMOVED


def _required(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{key} must not be empty", field=key)
    return value.strip()


def _aliases(parts: front_matter.FrontMatter, old_title: str | None, title: str) -> list[str]:
    node = parts.tree().nodes.get("aliases")
    kept = [item.text for item in node.items if item.text] if node else []
    if old_title in kept:
        kept[kept.index(old_title)] = title
    else:
        kept.insert(0, title)
    return list(dict.fromkeys(kept))
