"""Retrieval quality on a collection with known answers, through the engine that serves users."""

import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from wiki.errors import InvalidInput
from wiki.index.folding import fold
from wiki.index.lance import PassageStore
from wiki.index.passages import TopicText, cut_many
from wiki.index.rows import PassageRow
from wiki.models.factory import make_embedder, make_reranker
from wiki.models.protocols import Embedder, Reranker
from wiki.search.engine import MAX_QUERY, SearchEngine
from wiki.search.records import TopicRecord
from wiki.settings import SearchSettings, Settings
from wiki.views import Fusion, Method, SearchQuery

METHODS: tuple[Method, ...] = get_args(Method)
DEPTH = 100
_BATCH = 500
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class EvalDocument:
    id: str
    title: str
    text: str
    lang: str = ""


@dataclass(frozen=True)
class EvalQuery:
    id: str
    text: str
    lang: str = ""


@dataclass(frozen=True)
class Collection:
    """Documents, queries, and for each judged query the grade of its documents."""

    name: str
    documents: tuple[EvalDocument, ...]
    queries: tuple[EvalQuery, ...]
    grades: Mapping[str, Mapping[str, int]]

    def only(self, lang: str) -> "Collection":
        """The part in one language."""
        return replace(
            self,
            name=f"{self.name}-{lang}",
            documents=tuple(item for item in self.documents if item.lang == lang),
            queries=tuple(item for item in self.queries if item.lang == lang),
        )

    def first(self, queries: int) -> "Collection":
        """The collection with its first judged queries only."""
        return replace(self, queries=tuple(item for item in self.queries if item.id in self.grades)[:queries])


def read_collection(path: Path) -> Collection:
    """``documents.jsonl`` (id, title, text), ``queries.jsonl`` (id, text), ``qrels.tsv`` (query-id, doc-id, grade)."""
    documents = tuple(
        EvalDocument(str(item["id"]), item.get("title") or "", item.get("text") or "", item.get("lang") or "")
        for item in _json_lines(path / "documents.jsonl")
    )
    queries = tuple(
        EvalQuery(str(item["id"]), item["text"], item.get("lang") or "") for item in _json_lines(path / "queries.jsonl")
    )
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate((path / "qrels.tsv").read_text(encoding="utf-8").splitlines()):
        parts = line.split("\t")
        if number == 0 and not parts[-1].lstrip("-").isdigit():
            continue
        if len(parts) != 3:
            raise InvalidInput(f"{path.name}/qrels.tsv line {number + 1} has {len(parts)} columns, not 3")
        if int(parts[2]) > 0:
            grades.setdefault(parts[0], {})[parts[1]] = int(parts[2])
    return Collection(path.name, documents, queries, grades)


def evaluate(
    collection: Path,
    settings: Settings,
    progress: Progress | None = None,
    methods: Sequence[Method] = METHODS,
    max_queries: int | None = None,
) -> dict[str, Any]:
    """Figures of each method on the collection at ``collection``, from a scratch index that is removed again.

    nDCG@10 has linear gain; all figures are means over the judged queries, times are milliseconds a query. ``notes``
    tells what was changed: queries over 2,000 characters are cut there.
    """
    read = read_collection(collection)
    if max_queries is not None:
        read = read.first(max_queries)
    with tempfile.TemporaryDirectory(prefix="wiki-eval-") as scratch:
        embedder, reranker = make_embedder(settings.embedding), make_reranker(settings.rerank)
        bench = Workbench(read, Path(scratch), embedder, reranker, settings.knowledge.search, progress)
        return bench.report(methods, progress)


class Workbench:
    """A collection indexed in a scratch store, each document one topic named by its title."""

    def __init__(
        self,
        collection: Collection,
        scratch: Path,
        embedder: Embedder,
        reranker: Reranker,
        search: SearchSettings,
        progress: Progress | None = None,
    ) -> None:
        self.collection = collection
        self.store = PassageStore(scratch / "lance", embedder.dim, search.language)
        self._records = {f"d_{number}_1": document for number, document in enumerate(collection.documents)}
        self._index(embedder, progress)
        self.engine = SearchEngine(lambda: self.store, lambda: embedder, lambda: reranker, search, join=self._join)

    def report(
        self, methods: Sequence[Method] = METHODS, progress: Progress | None = None, fusion: Fusion = "rrf"
    ) -> dict[str, Any]:
        judged = [query for query in self.collection.queries if self.collection.grades.get(query.id)]
        if not judged:
            raise InvalidInput(f"collection {self.collection.name} has no judged query")
        long = sum(len(query.text) > MAX_QUERY for query in judged)
        report: dict[str, Any] = {"collection": self.collection.name, "queries": len(judged), "methods": {}}
        for place, method in enumerate(methods):
            figures: list[tuple[float, float, float]] = []
            times: list[float] = []
            self.ranking(judged[0].text, method, fusion)
            for number, query in enumerate(judged):
                begin = time.perf_counter()
                ranking = self.ranking(query.text, method, fusion)
                times.append((time.perf_counter() - begin) * 1_000)
                figures.append(measure(ranking, self.collection.grades[query.id]))
                if progress:
                    progress(place * len(judged) + number + 1, len(methods) * len(judged))
            ndcg, recall, mrr = np.mean(figures, axis=0)
            report["methods"][method] = {
                "ndcg@10": round(float(ndcg), 4),
                "recall@100": round(float(recall), 4),
                "mrr@10": round(float(mrr), 4),
                "p50_ms": round(float(np.percentile(times, 50)), 2),
                "p95_ms": round(float(np.percentile(times, 95)), 2),
            }
        if long:
            report["notes"] = [f"{long} queries over {MAX_QUERY:,} characters were cut there"]
        return report

    def ranking(self, text: str, method: Method, fusion: Fusion = "rrf") -> list[str]:
        """Document ids, best first, at most 100."""
        result = self.engine.search(SearchQuery(text[:MAX_QUERY], method=method, top_k=DEPTH, fusion=fusion))
        return [self._records[hit.topic_id].id for hit in result.hits]

    def best_score(self, text: str) -> float:
        """The score of the first hit, 0 without one."""
        hits = self.engine.search(SearchQuery(text, top_k=1)).hits
        return hits[0].score if hits else 0.0

    def document_id(self, topic_id: str) -> str:
        """The collection's id of the document that became this topic."""
        return self._records[topic_id].id

    def _join(self, topic_ids: Sequence[str]) -> dict[str, TopicRecord]:
        return {key: _record(key, self._records[key]) for key in topic_ids}

    def _index(self, embedder: Embedder, progress: Progress | None) -> None:
        items = list(self._records.items())
        for start in range(0, len(items), _BATCH):
            part = items[start : start + _BATCH]
            cuts = cut_many([TopicText(_name(document), document.text) for _, document in part], embedder)
            embedded = iter(embedder.embed([passage.embedded_text for cut in cuts for passage in cut]))
            rows: list[PassageRow] = []
            for (key, document), cut in zip(part, cuts, strict=True):
                for passage in cut:
                    made = next(embedded)
                    rows.append(
                        PassageRow(
                            passage_id=f"{key}#{passage.ordinal}",
                            record_id=key,
                            doc_id=key.removesuffix("_1"),
                            record_type="topic",
                            namespace="Others",
                            title=document.title,
                            name=_name(document),
                            heading_path=" > ".join(passage.heading_path),
                            text=passage.text,
                            search_text=fold("\n".join([document.title, *passage.heading_path, passage.text])),
                            labels=(),
                            type=None,
                            status=None,
                            language=document.lang or None,
                            created_at="",
                            updated_at="",
                            document_date=None,
                            fields=(),
                            line_start=passage.line_start,
                            line_end=passage.line_end,
                            pages=(),
                            topic_sha256="",
                            passage_sha256=passage.sha256,
                            model=embedder.fingerprint,
                            vector=made.vector,
                            tokens=made.tokens,
                        )
                    )
            self.store.replace_records(rows, [key for key, _ in part])
            if progress:
                progress(min(start + _BATCH, len(items)), len(items))
        self.store.optimize()


def measure(ranking: Sequence[str], grades: Mapping[str, int]) -> tuple[float, float, float]:
    """nDCG@10 (linear gain), recall@100 and reciprocal rank at 10 of one ranking."""
    gain = sum(grades.get(key, 0) / math.log2(place + 2) for place, key in enumerate(ranking[:10]))
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:10]))
    hits = sum(key in grades for key in ranking[:100])
    first = next((1 / place for place, key in enumerate(ranking[:10], start=1) if key in grades), 0.0)
    return gain / ideal if ideal else 0.0, hits / len(grades), first


def _name(document: EvalDocument) -> str:
    return document.title or document.id


def _record(topic_id: str, document: EvalDocument) -> TopicRecord:
    name = _name(document)
    doc_id = topic_id.removesuffix("_1")
    return TopicRecord(topic_id, doc_id, "Others", name, name, 1, "", document.title, "", "")


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise InvalidInput(f"{path.parent.name}/{path.name} line {number} is no JSON: {error}") from error
