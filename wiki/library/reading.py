"""Reading: what one tenant's documents, topics, categories and searches answer."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from wiki.documents.model import INDEX_FILE
from wiki.errors import NotFound
from wiki.index import reading
from wiki.index.catalog import select
from wiki.index.language_counts import LanguageCounts, LanguageReader
from wiki.index.reading import SortBy, SortOrder
from wiki.index.rows import Fault
from wiki.library.language_warning import language_warnings
from wiki.library.parts import TenantParts, etag_of
from wiki.library.topics import TopicLookup
from wiki.search.engine import SearchEngine
from wiki.search.unified import UnifiedQuery, UnifiedResult, UnifiedSearch
from wiki.tenants import Tenant
from wiki.views import (
    CategoryView,
    DocumentPage,
    DocumentView,
    FaultView,
    SearchQuery,
    SearchResult,
    TopicView,
    WarningView,
)


class Reading(TenantParts):
    """Lists and searches come from the published snapshot; one document or topic comes from its files."""

    def list_documents(
        self,
        *,
        category_id: str | None = None,
        label: str | None = None,
        q: str | None = None,
        page: int = 1,
        page_size: int = 20,
        sort_by: SortBy = "created_at",
        sort_order: SortOrder = "desc",
    ) -> DocumentPage:
        cursor = self._cursor()
        if cursor is None:
            return DocumentPage((), 0, page, page_size)
        return reading.list_documents(
            cursor, self.prefix, category_id=category_id, label=label, q=q, page=page, page_size=page_size,
            sort_by=sort_by, sort_order=sort_order,
        )  # fmt: skip

    def document(self, doc_id: str) -> DocumentView:
        """A document with its topic tree. Raises NotFound."""
        record = self._record(doc_id)
        folder = self.layout.knowledge / record.document.folder
        return reading.document_view(
            record.document,
            record.topics,
            record.faults,
            self.prefix,
            indexed=self._is_indexed(folder),
            etag=etag_of(folder / INDEX_FILE),
        )

    def original(self, doc_id: str) -> tuple[Path, str, str]:
        """Path of the uploaded bytes, their name and media type. Raises NotFound."""
        document = self._record(doc_id).document
        if not document.original or not (path := self.layout.knowledge / document.original).is_file():
            raise NotFound(f"document {doc_id} keeps no original file")
        return path, document.source_name or path.name, document.source_type or "application/octet-stream"

    def markdown(self, doc_id: str) -> str:
        """The whole converted text: the topics' bodies in order."""
        record = self._record(doc_id)
        return "".join(record.bodies[topic.topic_id].body for topic in record.topics)

    def topic(self, topic_id: str) -> TopicView:
        """A topic with its body. Raises NotFound."""
        row, record, content = self._topic(topic_id)
        children = [topic.topic_id for topic in record.topics if topic.parent_id == topic_id]
        path = self.layout.knowledge / row.path
        return reading.topic_view(row, record.document, children, content, self.prefix, etag=etag_of(path))

    def categories(self) -> list[CategoryView]:
        """Every category with its count; writes the default taxonomy for a tenant that is there but has none."""
        if self.tenant == Tenant() or self.layout.home.is_dir():
            self.taxonomy.ensure()
        cursor = self._cursor()
        return reading.categories(self.taxonomy.load()[0], reading.category_counts(cursor) if cursor else {})

    def search(self, query: SearchQuery) -> SearchResult:
        """Hits of this tenant, joined with the published catalog; with warnings when it looks by meaning."""
        result = self._engine.search(query)
        return result if query.method == "keyword" else replace(result, warnings=self.warnings())

    def unified_search(self, query: UnifiedQuery) -> UnifiedResult:
        """Passages of notes and topics together. Raises InvalidInput for a vault or namespace that is not there."""
        return replace(self._unified.search(query), warnings=self.warnings())

    def warnings(self) -> tuple[WarningView, ...]:
        """What makes searches by meaning worse than they could be."""
        return language_warnings(self.language_counts())

    def language_counts(self) -> LanguageCounts:
        """How many passages the published catalog has, and in which languages the embedding model does not know."""
        return self._languages.counts()

    def faults(self) -> list[FaultView]:
        cursor = self._cursor()
        rows: list[Fault] = select(cursor, "faults", "TRUE ORDER BY path") if cursor else []
        return [reading.fault_view(row) for row in rows]

    @cached_property
    def _languages(self) -> LanguageReader:
        return LanguageReader(self.index.catalog_path, self.index.snapshots)

    @cached_property
    def _lookup(self) -> TopicLookup:
        return TopicLookup(self.layout, self.index.snapshots, self.vaults)

    @cached_property
    def _unified(self) -> UnifiedSearch:
        return UnifiedSearch(
            self._engine,
            join=self._lookup.records,
            vaults=lambda: [vault.name for vault in self.vaults()],
            namespaces=lambda: self._lookup.namespaces() | set(self.taxonomy.load()[0].ids),
        )

    @cached_property
    def _engine(self) -> SearchEngine:
        library = self._library
        lookup = self._lookup
        return SearchEngine(
            self.index.store,
            lambda: library.embedder,
            lambda: library.reranker,
            library.settings.knowledge.search,
            join=lookup.records,
            content=lookup.content,
        )
