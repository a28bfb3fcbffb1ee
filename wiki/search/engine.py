"""Query -> hits: embed, recall by channel, fuse, rerank, boost, cut."""

import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from wiki.errors import IndexModelMismatch, InvalidInput, WikiError, check_range
from wiki.index.lance import PassageStore, Recall, unpack_tokens
from wiki.models.protocols import Candidate, Embedder, QueryEmbedding, Reranker
from wiki.search.filters import filter_condition
from wiki.search.fusion import reciprocal_rank, score_sum
from wiki.search.grouping import Found, group_by_record
from wiki.search.hits import count_facets, make_hit
from wiki.search.ranking import Ranked, follow, rank
from wiki.search.records import TopicRecord
from wiki.settings import SearchSettings
from wiki.views import Hit, Method, SearchQuery, SearchResult

MAX_QUERY = 2_000
HIT_COLUMNS = ["text", "heading_path", "line_start", "line_end", "pages"]
CHANNELS: dict[Method, tuple[str, ...]] = {
    "keyword": ("keyword",),
    "vector": ("vector",),
    "hybrid": ("keyword", "vector"),
}
Join = Callable[[Sequence[str]], Mapping[str, TopicRecord]]
_T = TypeVar("_T")


class SearchEngine:
    """Search over one tenant's passages. Thread safe; keeps no state between queries but one helper thread.

    ``store`` gives the tenant's passages as they are now. ``join`` gives the catalog's record of each topic id it
    knows: a hit it does not know was deleted a moment ago and is left out. ``content`` gives a topic's body.
    """

    def __init__(
        self,
        store: Callable[[], PassageStore],
        embedder: Callable[[], Embedder],
        reranker: Callable[[], Reranker],
        settings: SearchSettings,
        *,
        join: Join,
        content: Callable[[str], str] | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker
        self._settings = settings
        self._join = join
        self._content = content
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="recall")

    def search(self, query: SearchQuery) -> SearchResult:
        """The hits of a query. Raises ``InvalidInput`` for a query, range or filter that makes no sense,
        ``ConfigurationError`` without an embedder or reranker, ``IndexModelMismatch`` when the index was made by
        another model.
        """
        check_query(query, self._settings)
        clock = Clock()
        wanted = query.offset + query.top_k
        ranking, stored = self.rank(query, clock, group_by_record, lambda found: len(found) >= wanted)
        if query.score_threshold is not None:
            ranking = [item for item in ranking if item.score >= query.score_threshold]
        with clock.step("join"):
            live, gone = self._live(ranking, wanted, everything=query.facets)
            hits = self._hits(query, live[query.offset : wanted], stored)
        facets = count_facets(live) if query.facets else None
        return SearchResult(hits, len(ranking) - gone, clock.total(), clock.steps, facets)

    def rank(
        self,
        query: SearchQuery,
        clock: "Clock",
        group: Callable[[dict[str, Sequence[Recall]]], dict[str, Found]],
        enough: Callable[[Mapping[str, Found]], bool],
    ) -> tuple[list[Ranked], dict[str, dict[str, Any]]]:
        """Every recalled candidate of a query, best first, and the rows of the passages that were read for it.

        ``group`` makes candidates of recalled passages. Recall goes deeper while they are not ``enough``.
        """
        where = filter_condition(query.filters)
        embedder, reranker = self._embedder(), self._reranker()
        limit = self._settings.recall_n
        embedded: QueryEmbedding | None = None
        while True:
            embedded, channels = self._recall(query, embedder, reranker, embedded, where, limit, clock)
            found = group(channels)
            full = any(len(recalls) >= limit for recalls in channels.values())
            if enough(found) or not full or limit >= 16 * self._settings.recall_n:
                break
            limit *= 4
        with clock.step("fuse"):
            fused = self._fuse(query, found)
        with clock.step("rerank"):
            return self._rerank(query, embedded, reranker, fused)

    def read(self, passage_ids: Collection[str], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Columns of passages, by passage id; those that are gone are left out."""
        return self._read(lambda store: store.fetch(passage_ids, columns)) if passage_ids else {}

    def _recall(
        self,
        query: SearchQuery,
        embedder: Embedder,
        reranker: Reranker,
        embedded: QueryEmbedding | None,
        where: str,
        limit: int,
        clock: "Clock",
    ) -> tuple[QueryEmbedding | None, dict[str, Sequence[Recall]]]:
        names = CHANNELS[query.method]
        keyword = (
            self._pool.submit(self._read, lambda store: store.keyword(query.query, limit, where))
            if "keyword" in names
            else None
        )
        channels: dict[str, Sequence[Recall]] = {}
        if embedded is None and ("vector" in names or reranker.needs_tokens):
            with clock.step("embed"):
                embedded = embedder.embed_query(query.query)
        with clock.step("recall"):
            if embedded is not None and "vector" in names:
                vector = embedded.vector
                channels["vector"] = self._read(lambda store: store.vector(vector, limit, where))
            if keyword is not None:
                channels["keyword"] = keyword.result()
        for recall in (recalls[0] for recalls in channels.values() if recalls):
            if recall.model != embedder.fingerprint:
                raise IndexModelMismatch(
                    f"the index was made by the embedding model {recall.model}, the settings name "
                    f"{embedder.fingerprint}: run wiki rebuild, or set embedding.model back",
                    index=recall.model,
                    configured=embedder.fingerprint,
                )
        return embedded, channels

    def _fuse(self, query: SearchQuery, found: Mapping[str, Found]) -> list[Ranked]:
        channels = CHANNELS[query.method]
        if query.fusion == "score":
            fused = score_sum(
                [{key: item.scores[name] for key, item in found.items() if name in item.scores} for name in channels]
            )
        else:
            rankings = [
                sorted(
                    (key for key, item in found.items() if name in item.ranks), key=lambda key: found[key].ranks[name]
                )
                for name in channels
            ]
            fused = reciprocal_rank(rankings, self._settings.rrf_k)
        order = sorted(fused, key=lambda key: (-fused[key], key))
        return [Ranked(found[key], next(iter(found[key].passages.values())), fused[key]) for key in order]

    def _rerank(
        self,
        query: SearchQuery,
        embedded: QueryEmbedding | None,
        reranker: Reranker,
        fused: Sequence[Ranked],
    ) -> tuple[list[Ranked], dict[str, dict[str, Any]]]:
        """The ranking, and the rows of the passages that were read for it."""
        first, rest = list(fused[: self._settings.rerank_n]), fused[self._settings.rerank_n :]
        if not first:
            return [], {}
        ids = [
            (place, passage)
            for place, item in enumerate(first)
            for passage in dict.fromkeys(item.found.passages.values())
        ]
        columns = [*HIT_COLUMNS, *(["vector"] if embedded is not None else [])]
        columns += ["tokens"] if reranker.needs_tokens else ["name"]
        stored = self._read(lambda store: store.fetch({passage for _, passage in ids}, columns))
        ids = [(place, passage) for place, passage in ids if passage in stored]
        candidates = [_candidate(stored[passage], reranker, embedded) for _, passage in ids]
        scores = reranker.score(query.query, embedded, candidates)
        best: dict[int, tuple[float, str]] = {}
        cosines: dict[int, float] = {}
        for (place, passage), score in zip(ids, scores, strict=True):
            if place not in best or score > best[place][0]:
                best[place] = score, passage
            if embedded is not None:
                cosine = float(np.dot(np.asarray(stored[passage]["vector"], np.float32), embedded.vector))
                cosines[place] = max(cosine, cosines.get(place, -1.0))
        known = [
            replace(first[place], rerank=score, passage_id=passage, cosine=cosines.get(place))
            for place, (score, passage) in sorted(best.items())
        ]
        settings, channels = self._settings, CHANNELS[query.method]
        trust = embedded.trust if embedded is not None else 1.0
        ranked = rank(known, channels, settings.lambda_, settings.mass_top_m, trust)
        return ranked + follow(rest, ranked[-1].score if ranked else 0.0), stored

    def _live(
        self, ranking: Sequence[Ranked], wanted: int, *, everything: bool
    ) -> tuple[list[tuple[Ranked, TopicRecord]], int]:
        """The first ``wanted`` candidates the catalog knows, and how many it did not know on the way."""
        live: list[tuple[Ranked, TopicRecord]] = []
        place = 0
        while place < len(ranking) and (everything or len(live) < wanted):
            step = len(ranking) if everything else max(10, wanted - len(live))
            part = ranking[place : place + step]
            records = self._join([item.found.record_id for item in part])
            live.extend((item, records[item.found.record_id]) for item in part if item.found.record_id in records)
            place += len(part)
        return live, place - len(live)

    def _hits(
        self, query: SearchQuery, chosen: Sequence[tuple[Ranked, TopicRecord]], stored: Mapping[str, dict[str, Any]]
    ) -> tuple[Hit, ...]:
        missing = {item.passage_id for item, _ in chosen} - stored.keys()
        rows = {**stored, **self.read(missing, HIT_COLUMNS)}
        return tuple(
            make_hit(query, item, record, rows[item.passage_id], self._body(query, record))
            for item, record in chosen
            if item.passage_id in rows
        )

    def _body(self, query: SearchQuery, record: TopicRecord) -> str | None:
        return self._content(record.topic_id) if query.include_content and self._content is not None else None

    def _read(self, read: Callable[[PassageStore], _T]) -> _T:
        """Read from the store; once more from a newly opened one when a rebuild exchanged it meanwhile."""
        store = self._store()
        try:
            return read(store)
        except WikiError:
            raise
        except (RuntimeError, OSError, ValueError):
            return read(PassageStore(store.path, store.dim, store.language))


def check_query(query: SearchQuery, settings: SearchSettings) -> None:
    """Raises ``InvalidInput`` for an empty or over-long query and for numbers out of range."""
    check_words(query.query)
    check_range("top_k", query.top_k, 1, settings.top_k_cap)
    if query.offset < 0:
        raise InvalidInput(f"offset {query.offset} is negative", field="offset")
    if query.score_threshold is not None:
        check_range("score_threshold", query.score_threshold, 0, 1)


def check_words(query: str) -> None:
    """Raises ``InvalidInput`` for an empty or over-long query."""
    if not query.strip():
        raise InvalidInput("the query is empty", field="query")
    if len(query) > MAX_QUERY:
        raise InvalidInput(f"the query has {len(query):,} characters, at most {MAX_QUERY:,} are allowed", field="query")


def _candidate(row: Mapping[str, Any], reranker: Reranker, embedded: QueryEmbedding | None) -> Candidate:
    if not reranker.needs_tokens:
        return Candidate(f"{row['name']}\n{row['text']}".strip(), None)
    if embedded is not None and embedded.tokens is None:
        return Candidate("", np.rint(np.asarray(row["vector"], np.float32) * 127).astype(np.int8)[None, :])
    return Candidate("", unpack_tokens(row["tokens"]))


class Clock:
    """Milliseconds by step of one search."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self.steps: dict[str, float] = {"embed": 0.0, "recall": 0.0, "fuse": 0.0, "rerank": 0.0, "join": 0.0}

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        begin = time.perf_counter()
        yield
        self.steps[name] = round(self.steps[name] + (time.perf_counter() - begin) * 1_000, 3)

    def total(self) -> float:
        return round((time.perf_counter() - self._begin) * 1_000, 3)
