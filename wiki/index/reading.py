"""Catalog rows -> views: what GET requests answer from a published snapshot."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

import duckdb

from wiki.documents.taxonomy import Taxonomy
from wiki.documents.timestamps import read_time
from wiki.index.catalog import select
from wiki.index.rows import DocumentRow, Fault, TopicRow
from wiki.views import (
    CategoryView,
    DocumentOverview,
    DocumentPage,
    DocumentView,
    FaultView,
    TopicOverview,
    TopicView,
)

SortBy = Literal["created_at", "updated_at", "title"]
SortOrder = Literal["asc", "desc"]


def moment(text: str) -> datetime:
    """A stored time; the epoch when a hand-written one cannot be read."""
    return read_time(text) or datetime.fromtimestamp(0, UTC)


def fault_view(fault: Fault) -> FaultView:
    return FaultView(fault.path, fault.reason, fault.since, fault.remedy, fault.line)


def list_documents(
    cursor: duckdb.DuckDBPyConnection,
    prefix: str,
    *,
    category_id: str | None,
    label: str | None,
    q: str | None,
    page: int,
    page_size: int,
    sort_by: SortBy,
    sort_order: SortOrder,
) -> DocumentPage:
    """A page of documents with their topic counts."""
    where, values = ["TRUE"], []
    if category_id is not None:
        where.append("category_id = ?")
        values.append(category_id)
    if label is not None:
        where.append("list_contains(labels, ?)")
        values.append(label)
    if q:
        where.append("contains(lower(title || ' ' || coalesce(source_name, '')), lower(?))")
        values.append(q)
    condition = " AND ".join(where)
    total = cursor.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()
    order = f"{'lower(title)' if sort_by == 'title' else sort_by} {sort_order.upper()}, doc_id {sort_order.upper()}"
    rows: list[DocumentRow] = select(
        cursor,
        "documents",
        f"{condition} ORDER BY {order} LIMIT ? OFFSET ?",
        [*values, page_size, (page - 1) * page_size],
    )
    counts = dict(
        cursor.execute(
            "SELECT doc_id, count(*) FROM topics WHERE doc_id IN (SELECT unnest(?)) GROUP BY doc_id",
            [[row.doc_id for row in rows]],
        ).fetchall()
    )
    overviews = tuple(document_overview(row, counts.get(row.doc_id, 0), prefix) for row in rows)
    return DocumentPage(overviews, int(total[0]) if total else 0, page, page_size)


def document_overview(row: DocumentRow, topics: int, prefix: str) -> DocumentOverview:
    return DocumentOverview(
        doc_id=row.doc_id,
        category_id=row.category_id,
        title=row.title,
        topic_count=topics,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        labels=row.labels,
        source_name=row.source_name,
        source_type=row.source_type,
        md_path=f"{prefix}/{row.folder}",
    )


def document_view(
    row: DocumentRow, topics: Sequence[TopicRow], faults: Sequence[Fault], prefix: str, *, indexed: bool, etag: str
) -> DocumentView:
    below = f"{prefix}/{row.folder}"
    own = (fault for fault in faults if fault.path == below or fault.path.startswith(f"{below}/"))
    return DocumentView(
        doc_id=row.doc_id,
        category_id=row.category_id,
        title=row.title,
        summary=row.summary,
        source_name=row.source_name,
        source_type=row.source_type,
        source_sha256=row.source_sha256,
        original_file_path=f"{prefix}/{row.original}" if row.original else None,
        md_path=below,
        topics=tuple(topic_overview(topic, prefix) for topic in topics),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        document_date=row.document_date,
        labels=row.labels,
        language=row.language,
        fields=row.fields,
        extraction=row.extraction,
        indexed=indexed,
        faults=tuple(fault_view(fault) for fault in own),
        etag=etag,
    )


def topic_overview(row: TopicRow, prefix: str) -> TopicOverview:
    return TopicOverview(
        topic_id=row.topic_id,
        topic_name=row.name,
        topic_path=row.topic_path,
        depth=row.depth,
        summary=row.summary,
        position=row.position,
        parent_topic_id=row.parent_id,
        labels=row.labels,
        md_path=f"{prefix}/{row.path}",
    )


def topic_view(
    row: TopicRow, document: DocumentRow, children: Sequence[str], content: str, prefix: str, *, etag: str
) -> TopicView:
    return TopicView(
        topic_id=row.topic_id,
        doc_id=row.doc_id,
        category_id=document.category_id,
        topic_name=row.name,
        topic_path=row.topic_path,
        depth=row.depth,
        summary=row.summary,
        content=content,
        labels=row.labels,
        parent_topic_id=row.parent_id,
        children_topic_ids=tuple(children),
        created_at=moment(document.created_at),
        updated_at=moment(row.updated_at),
        position=row.position,
        source=row.source,
        md_path=f"{prefix}/{row.path}",
        summary_stale=row.summary_stale,
        etag=etag,
    )


def categories(taxonomy: Taxonomy, counts: Mapping[str, int]) -> list[CategoryView]:
    """Every category of the file, then those that documents use but the file lost: no document is uncounted."""
    known = [CategoryView(c.id, c.description, counts.get(c.id, 0), True) for c in taxonomy.categories]
    lost = [CategoryView(i, "", counts[i], False) for i in sorted(counts.keys() - set(taxonomy.ids))]
    return known + lost


def category_counts(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(cursor.execute("SELECT category_id, count(*) FROM documents GROUP BY category_id").fetchall())


def indexed_files(cursor: duckdb.DuckDBPyConnection, folder: str) -> dict[str, str]:
    """Hash by path of what the snapshot holds of a folder."""
    found = cursor.execute("SELECT path, sha256 FROM files WHERE folder = ?", [folder]).fetchall()
    return dict(found)
