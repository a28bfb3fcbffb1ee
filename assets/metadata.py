"""What a person sees beside an event: sizes, counts, durations, the document. Never body text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import dagster as dg

from wiki.incoming import IncomingOutcome
from wiki.index.rows import BatchReport, DecisionSummary, DocumentChange, NoteChange, TopicChange
from wiki.tenants import Tenant

Metadata = dict[str, Any]


def document_link(api_url: str | None, tenant: Tenant, doc_id: str) -> Metadata:
    """A link to the document in the API, when the API's address is known."""
    if api_url is None:
        return {}
    query = "" if tenant == Tenant() else "?" + urlencode({"app_id": tenant.app_id, "project_id": tenant.project_id})
    return {"document": dg.MetadataValue.url(f"{api_url}/api/v1/knowledge/documents/{quote(doc_id)}{query}")}


def raw_file(outcome: IncomingOutcome) -> Metadata:
    return {
        "file": outcome.name,
        "bytes": outcome.size,
        "type": outcome.media_type or "unknown",
        "came_from": "incoming",
        "hash_seconds": outcome.seconds.get("hash", 0.0),
    }


def parsed_document(outcome: IncomingOutcome) -> Metadata:
    return {
        "file": outcome.name,
        "type": outcome.media_type or "unknown",
        "parser": outcome.parser,
        "characters": outcome.characters,
        "blocks": outcome.blocks,
        "seconds": outcome.seconds.get("parse", 0.0),
    }


def markdown_topics(outcome: IncomingOutcome) -> Metadata:
    return {
        "doc_id": outcome.doc_id or "",
        "title": outcome.title,
        "category": outcome.category_id,
        "topics": outcome.topics,
        "path": outcome.path or "",
        "seconds": outcome.seconds.get("write", 0.0),
        **extraction(outcome.extraction),
    }


def extraction(told: Mapping[str, Any]) -> Metadata:
    """What a language model's part in the topics was; nothing where none was asked."""
    if told.get("method") != "llm" and "fallback" not in told:
        return {}
    numbers = {"repairs": "repaired", "llm_calls": "calls", "llm_cached": "cached", "coverage": "coverage"}
    found: Metadata = {"method": str(told.get("method")), "model": str(told.get("model"))}
    for name, key in numbers.items():
        try:
            found[name] = float(told[key]) if name == "coverage" else int(told[key])
        except (KeyError, TypeError, ValueError):
            continue
    return found | ({"fallback": str(told["fallback"])} if "fallback" in told else {})


def uploaded(change: DocumentChange) -> dict[str, Metadata]:
    """The metadata of the three ingest assets for a document that came in over HTTP or the command line."""
    name, kind = change.source_name or Path(change.path).name, change.source_type or "unknown"
    return {
        "raw_files": {"file": name, "bytes": change.source_bytes, "type": kind, "came_from": "upload"},
        "parsed_documents": {"file": name, "type": kind},
        "markdown_topics": {
            "doc_id": change.doc_id,
            "title": change.title,
            "category": change.category_id,
            "topics": change.topic_count,
            "path": change.path,
            **extraction(change.extraction),
        },
    }


def topic(change: TopicChange) -> Metadata:
    found: Metadata = {
        "change": change.kind,
        "path": change.path,
        "doc_id": change.doc_id,
        "topic_id": change.topic_id,
        "passages": change.passages,
        "embedded": change.embedded,
    }
    if change.previous_sha256 is not None:
        found["previous_hash"] = change.previous_sha256
    return found


def note(change: NoteChange) -> Metadata:
    found: Metadata = {
        "change": change.kind,
        "vault": change.vault,
        "path": change.path,
        "note_id": change.note_id,
        "passages": change.passages,
        "embedded": change.embedded,
    }
    if change.previous_sha256 is not None:
        found["previous_hash"] = change.previous_sha256
    return found


def decisions(tenant: Tenant, summary: DecisionSummary) -> Metadata:
    """New decisions of an audit: Dagster's store is no place for what a person or an agent wrote."""
    found: Metadata = {"tenant": _shown(tenant), "decisions": summary.count}
    if summary.newest:
        found["newest"] = summary.newest
    counts = ("actions", "outcomes", "actors", "rules", "vaults")
    found |= {name: dg.MetadataValue.json(getattr(summary, name)) for name in counts}
    return found | {"note_ids": dg.MetadataValue.json(list(summary.note_ids))}


def lance_batch(report: BatchReport) -> Metadata:
    return {
        **_batch(report),
        "rows_upserted": report.rows_upserted,
        "rows_deleted": report.rows_deleted,
        "embedded": report.embedded,
        "passages": report.passage_count,
        "table_version": report.lance_version,
        "bytes": report.lance_bytes,
    }


def catalog_batch(report: BatchReport) -> Metadata:
    return {
        **_batch(report),
        "snapshot": report.snapshot,
        "documents": report.document_count,
        "topics": report.topic_count,
        "faults": len(report.faults),
        **({"notes": report.note_count} if report.note_count or report.notes else {}),
        **({"decisions": report.decision_count} if report.decision_count else {}),
    }


def _batch(report: BatchReport) -> Metadata:
    return {
        "tenant": _shown(report.tenant),
        "reason": report.reason,
        "topics_changed": len(report.topics),
        "seconds": round(report.seconds, 3),
        **({"notes_changed": len(report.notes)} if report.notes else {}),
    }


def _shown(tenant: Tenant) -> str:
    return f"{tenant.app_id}/{tenant.project_id}"
