"""The tools that read: search, a note, a topic, the brief."""

from typing import Any

from serving.mcp.answers import BriefText, Found, FoundPassage, NoteText, TopicText
from serving.mcp.arguments import Brief, GetNote, GetTopic, Search
from serving.mcp.bounds import MOST_CHARS, fitting, piece, shortened, size
from serving.schemas import plain
from wiki.errors import NotFound
from wiki.library import TenantLibrary
from wiki.search.unified import UnifiedHit

MOST_PASSAGE = 2_000


def search(tenant: TenantLibrary, asked: Search) -> Found:
    result = tenant.unified_search(asked.to_query())
    hits = result.hits[asked.offset :]
    warnings = [f"{warning.message}; {warning.remedy}" for warning in result.warnings]
    shown: list[FoundPassage] = []
    room = MOST_CHARS - size(warnings)
    for hit in hits:
        passage = _passage(hit)
        room -= size(passage.model_dump(mode="json"))
        if shown and room < 0:
            break
        shown.append(passage)
    after = asked.offset + len(shown) if len(shown) < len(hits) else None
    how = None if after is None else f"{len(hits) - len(shown)} more: the same search with offset={after}"
    return Found(hits=shown, next_offset=after, read_on=how, warnings=warnings)


def get_note(tenant: TenantLibrary, asked: GetNote) -> NoteText:
    try:
        note = tenant.note(asked.wanted())
    except NotFound as error:
        raise NotFound(f"{error.message}; `search` tells the ids of notes", **error.details) from None
    part = piece(note.content, asked.offset, asked.max_chars)
    about = {
        "namespace": note.namespace,
        "type": note.type,
        "status": note.status,
        "date": note.date,
        "updated_at": note.updated_at,
        **_sides(
            front_matter=[{"key": key, "value": plain(value)} for key, value in note.front_matter.items()],
            tags=note.tags,
            aliases=note.aliases,
            headings=[{"level": h.level, "text": h.text, "line": h.line} for h in note.headings],
            links=[{"target": link.target, "note_id": link.note_id, "path": link.path} for link in note.links],
            backlinks=[{"note_id": link.note_id, "path": link.path} for link in note.backlinks],
        ),
    }
    return NoteText(
        **vars(part),
        read_on=_read_on(part.next_offset, part.total_chars),
        note_id=note.note_id,
        vault=note.vault,
        path=note.path,
        title=shortened(note.title),
        content_hash=note.content_hash,
        about=None if asked.offset else about,
    )


def get_topic(tenant: TenantLibrary, asked: GetTopic) -> TopicText:
    try:
        topic = tenant.topic(asked.topic_id)
    except NotFound as error:
        raise NotFound(f"{error.message}; `search` tells the ids of topics", **error.details) from None
    part = piece(topic.content, asked.offset, asked.max_chars)
    about = {
        "summary": shortened(topic.summary, 2_000),
        "summary_stale": topic.summary_stale,
        "position": topic.position,
        "parent_topic_id": topic.parent_topic_id,
        "md_path": topic.md_path,
        "updated_at": plain(topic.updated_at),
        **_sides(
            labels=topic.labels,
            children_topic_ids=topic.children_topic_ids,
            source=[{"key": key, "value": plain(value)} for key, value in topic.source.items()],
        ),
    }
    return TopicText(
        **vars(part),
        read_on=_read_on(part.next_offset, part.total_chars),
        topic_id=topic.topic_id,
        doc_id=topic.doc_id,
        topic_name=shortened(topic.topic_name),
        topic_path=shortened(topic.topic_path, 1_000),
        category_id=shortened(topic.category_id),
        content_hash=topic.etag,
        about=None if asked.offset else about,
    )


def brief(tenant: TenantLibrary, asked: Brief) -> BriefText:
    return BriefText.model_validate(tenant.brief(asked.tokens))


def _passage(hit: UnifiedHit) -> FoundPassage:
    return FoundPassage(
        note_id=hit.note_id,
        topic_id=hit.topic_id,
        vault=hit.vault_id,
        namespace=hit.namespace,
        path=hit.path,
        title=shortened(hit.title),
        heading_path=[shortened(heading, 200) for heading in hit.heading_path],
        lines=hit.lines,
        score=hit.score,
        content=shortened(hit.content, MOST_PASSAGE),
        cut=len(hit.content) > MOST_PASSAGE,
        explain=hit.explain,
    )


def _sides(**lists: Any) -> dict[str, Any]:
    """Each list as far as it fits, and how many items of each are left out."""
    sides: dict[str, Any] = {name: list(fitting(items)) for name, items in lists.items()}
    left = {name: len(items) - len(sides[name]) for name, items in lists.items() if len(items) > len(sides[name])}
    return {**sides, "left_out": left}


def _read_on(after: int | None, total: int) -> str | None:
    return None if after is None else f"{total - after} characters follow: the same call with offset={after}"
