"""One search over everything: passages of notes and of topics together, as agents read them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wiki.errors import InvalidInput, check_range
from wiki.index.notes.rows import is_note_id
from wiki.search.diversity import most_diverse
from wiki.search.engine import HIT_COLUMNS, Clock, Join, SearchEngine, check_words
from wiki.search.grouping import Found, group_by_passage
from wiki.search.hits import explanation
from wiki.search.ranking import Ranked
from wiki.search.records import TopicRecord
from wiki.views import SearchFilters, SearchQuery, WarningView

MOST_HITS = 50
POOL = 5
"""Candidates to choose from, for each hit that is asked for."""
RecordType = Literal["topic", "note"]


@dataclass(frozen=True)
class UnifiedQuery:
    """What ``POST /search`` takes. An empty filter lets everything through."""

    query: str
    top: int = 8
    vaults: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    """Domain folders of notes, categories of topics."""
    hybrid: bool = True
    """By words and by meaning; by meaning alone when false."""
    mmr: bool = False
    mmr_lambda: float = 0.7
    record_types: tuple[RecordType, ...] = ()
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    updated_after: str | None = None
    max_per_note: int = 3
    """Passages of one note, or of one topic."""
    explain: bool = False


@dataclass(frozen=True)
class UnifiedHit:
    """A passage that answers, and where it stands. Either ``note_id`` or ``topic_id`` is set."""

    chunk_id: str
    note_id: str | None
    topic_id: str | None
    vault_id: str | None
    namespace: str
    path: str
    """A note's in its vault; a topic's relative to the root."""
    title: str
    heading: str
    heading_path: tuple[str, ...]
    content: str
    lines: tuple[int, int]
    score: float
    link: str | None
    """Opens the note in its editor."""
    explain: dict[str, Any] | None = None


@dataclass(frozen=True)
class UnifiedResult:
    hits: tuple[UnifiedHit, ...]
    took_ms: float
    timings: dict[str, float]
    warnings: tuple[WarningView, ...] = ()


class UnifiedSearch:
    """The engine of the library search, asked for passages. Thread safe.

    ``join`` gives the catalog's record of each id that may be shown now. ``vaults`` and ``namespaces`` give the names
    there are.
    """

    def __init__(
        self,
        engine: SearchEngine,
        *,
        join: Join,
        vaults: Callable[[], Collection[str]],
        namespaces: Callable[[], Collection[str]],
    ) -> None:
        self._engine = engine
        self._join = join
        self._vaults = vaults
        self._namespaces = namespaces

    def search(self, query: UnifiedQuery) -> UnifiedResult:
        """The hits of a query. Raises ``InvalidInput`` for an unknown vault or namespace, or a number out of range."""
        self._check(query)
        clock = Clock()
        pool = POOL * query.top

        def enough(found: Mapping[str, Found]) -> bool:
            kept: dict[str, int] = {}
            for item in found.values():
                kept[item.record_id] = min(kept.get(item.record_id, 0) + 1, query.max_per_note)
            return sum(kept.values()) >= pool

        asked = SearchQuery(query.query, "hybrid" if query.hybrid else "vector", filters=_filters(query))
        ranking, stored = self._engine.rank(asked, clock, group_by_passage, enough)
        with clock.step("join"):
            live = self._live(ranking, pool if query.mmr else query.top, query.max_per_note)
            if query.mmr:
                live = self._diverse(live, query, stored)
            rows = {**stored, **self._engine.read({i.passage_id for i, _ in live} - stored.keys(), HIT_COLUMNS)}
            hits = tuple(
                _hit(item, record, rows[item.passage_id], query) for item, record in live if item.passage_id in rows
            )
        return UnifiedResult(hits, clock.total(), clock.steps)

    def _live(self, ranking: Sequence[Ranked], wanted: int, most: int) -> list[tuple[Ranked, TopicRecord]]:
        """The first ``wanted`` candidates that may be shown, at most ``most`` of one record."""
        live: list[tuple[Ranked, TopicRecord]] = []
        counts: dict[str, int] = {}
        place = 0
        while place < len(ranking) and len(live) < wanted:
            part = ranking[place : place + max(50, wanted)]
            place += len(part)
            records = self._join(list(dict.fromkeys(item.found.record_id for item in part)))
            for item in part:
                record_id = item.found.record_id
                if record_id in records and counts.get(record_id, 0) < most and len(live) < wanted:
                    counts[record_id] = counts.get(record_id, 0) + 1
                    live.append((item, records[record_id]))
        return live

    def _diverse(
        self, live: list[tuple[Ranked, TopicRecord]], query: UnifiedQuery, stored: Mapping[str, dict[str, Any]]
    ) -> list[tuple[Ranked, TopicRecord]]:
        missing = [item.passage_id for item, _ in live if "vector" not in stored.get(item.passage_id, {})]
        read = self._engine.read(missing, ["vector"])
        vectors = {i.passage_id: {**stored.get(i.passage_id, {}), **read.get(i.passage_id, {})} for i, _ in live}
        there = [pair for pair in live if "vector" in vectors[pair[0].passage_id]]
        scores = [item.score for item, _ in there]
        of = [vectors[item.passage_id]["vector"] for item, _ in there]
        return [there[place] for place in most_diverse(scores, of, query.top, query.mmr_lambda)]

    def _check(self, query: UnifiedQuery) -> None:
        check_words(query.query)
        check_range("top", query.top, 1, MOST_HITS)
        check_range("mmr_lambda", query.mmr_lambda, 0, 1)
        check_range("max_per_note", query.max_per_note, 1, MOST_HITS)
        _known("vaults", query.vaults, self._vaults)
        _known("namespaces", query.namespaces, self._namespaces)


def _known(field: str, asked: Sequence[str], names: Callable[[], Collection[str]]) -> None:
    known = names() if asked else ()
    for name in asked:
        if name not in known:
            there = ", ".join(sorted(known)[:30]) or "none"
            raise InvalidInput(f"{field}: there is no {name[:80]!r}; there are: {there}", field=field)


def _filters(query: UnifiedQuery) -> SearchFilters:
    return SearchFilters(
        category_id=query.namespaces,
        vault=query.vaults,
        record_type=query.record_types or ("topic", "note"),
        label=query.tags,
        type=query.types,
        status=query.status,
        updated_after=query.updated_after,
    )


def _hit(item: Ranked, record: TopicRecord, passage: Mapping[str, Any], query: UnifiedQuery) -> UnifiedHit:
    note = is_note_id(record.topic_id)
    headings = tuple(passage["heading_path"].split(" > ")) if passage["heading_path"] else ()
    return UnifiedHit(
        chunk_id=item.passage_id,
        note_id=record.topic_id if note else None,
        topic_id=None if note else record.topic_id,
        vault_id=record.vault,
        namespace=record.category_id,
        path=record.vault_path if note else record.md_path,
        title=record.topic_name,
        heading=headings[-1] if headings else record.topic_name,
        heading_path=headings,
        content=passage["text"],
        lines=(passage["line_start"], passage["line_end"]),
        score=round(item.score, 6),
        link=record.link,
        explain=explanation(item) if query.explain else None,
    )
