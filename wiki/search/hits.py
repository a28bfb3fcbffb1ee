"""Hits and facets from ranked candidates and their catalog records."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wiki.index.notes.rows import is_note_id
from wiki.search.ranking import Ranked
from wiki.search.records import TopicRecord
from wiki.search.snippets import make_snippet
from wiki.views import DocumentContext, Hit, SearchQuery


def make_hit(
    query: SearchQuery, item: Ranked, record: TopicRecord, passage: Mapping[str, Any], content: str | None
) -> Hit:
    """A hit as callers see it; ``passage`` holds text, heading_path, lines and pages of its best passage."""
    return Hit(
        topic_id=record.topic_id,
        category_id=record.category_id,
        topic_name=record.topic_name,
        topic_path=record.topic_path,
        depth=record.depth,
        summary=record.summary,
        content=content,
        score=round(item.score, 6),
        retrieval_method=query.method,
        source=item.found.source,
        document=DocumentContext(record.doc_id, record.document_title, record.document_summary),
        snippet=make_snippet(passage["text"], query.query),
        heading_path=tuple(passage["heading_path"].split(" > ")) if passage["heading_path"] else (),
        lines=(passage["line_start"], passage["line_end"]),
        pages=tuple(passage["pages"]),
        provenance=record.provenance,
        md_path=record.md_path,
        labels=record.labels,
        explain=explanation(item) if query.explain else None,
    )


def explanation(item: Ranked) -> dict[str, Any]:
    """Every part of a hit's score."""
    channels = dict(item.found.scores)
    if item.cosine is not None:
        channels["vector"] = item.cosine
    return {
        "ranks": dict(item.found.ranks),
        "channel_scores": channels,
        "fused": item.fused,
        "rerank": item.rerank,
        "blend": item.blend,
        "boost": item.boost,
        "evidence": item.evidence,
        "passage_id": item.passage_id,
    }


def count_facets(live: Sequence[tuple[Ranked, TopicRecord]]) -> dict[str, dict[str, int]]:
    """Recalled records by category, record type and label, the most frequent first."""
    counts = {
        "category": Counter(record.category_id for _, record in live),
        "record_type": Counter("note" if is_note_id(record.topic_id) else "topic" for _, record in live),
        "label": Counter(label for _, record in live for label in record.labels),
    }
    return {name: dict(counter.most_common()) for name, counter in counts.items()}
