"""A small library of topics behind a search engine, with the stand-in embedder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.standins import WordEmbedder
from wiki.index.folding import fold
from wiki.index.lance import PassageStore
from wiki.index.passages import cut_passages
from wiki.index.rows import PassageRow
from wiki.models.rerankers import LateInteraction
from wiki.search.engine import SearchEngine
from wiki.search.records import TopicRecord
from wiki.settings import SearchSettings


@dataclass
class Shelf:
    """Topics that can be put, removed and searched."""

    path: Path
    embedder: WordEmbedder = field(default_factory=WordEmbedder)
    records: dict[str, TopicRecord] = field(default_factory=dict[str, TopicRecord])
    bodies: dict[str, str] = field(default_factory=dict[str, str])
    settings: SearchSettings = field(default_factory=SearchSettings)

    def __post_init__(self) -> None:
        self.store = PassageStore(self.path, self.embedder.dim)

    def put(self, topic_id: str, name: str, body: str, category: str = "Science", **values: Any) -> None:
        self.put_many([(topic_id, name, body, category, values)])

    def put_many(self, topics: Sequence[tuple[str, str, str, str, Mapping[str, Any]]]) -> None:
        rows = [row for topic in topics for row in self._rows(*topic)]
        self.store.replace_records(rows, [topic[0] for topic in topics])
        for topic_id, name, body, category, values in topics:
            self.bodies[topic_id] = body
            self.records[topic_id] = TopicRecord(
                topic_id, topic_id.rpartition("_")[0], category, name, f"Report > {name}", 1, "Short.", "Report",
                "About it.", f"default/default/knowledge/{name}.md", tuple(values.get("labels", ())),
            )  # fmt: skip

    def engine(self, reranker: Callable[[], Any] = LateInteraction, **settings: Any) -> SearchEngine:
        return SearchEngine(
            lambda: self.store,
            lambda: self.embedder,
            reranker,
            SearchSettings(**settings) if settings else self.settings,
            join=lambda ids: {key: self.records[key] for key in ids if key in self.records},
            content=self.bodies.__getitem__,
        )

    def _rows(self, topic_id: str, name: str, body: str, category: str, values: Mapping[str, Any]) -> list[PassageRow]:
        passages = cut_passages(name, body, 5, self.embedder)
        embedded = self.embedder.embed([passage.embedded_text for passage in passages])
        rows: list[PassageRow] = []
        for passage, made in zip(passages, embedded, strict=True):
            row = PassageRow(
                f"{topic_id}#{passage.ordinal}", topic_id, topic_id.rpartition("_")[0], "topic", category, "Report",
                name, " > ".join(passage.heading_path), passage.text, fold(f"Report\n{name}\n{passage.text}"), (),
                None, None, None, "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", None, (), passage.line_start,
                passage.line_end, (3,), "sha", passage.sha256, self.embedder.fingerprint, made.vector, made.tokens,
            )  # fmt: skip
            rows.append(replace(row, **values))
        return rows


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "lance")


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Three categories, 130 topics about rivers, and a few of their own kind."""
    shelf = Shelf(tmp_path_factory.mktemp("stocked") / "lance")
    shelf.put_many(
        [
            ("d_a_1", "Costs", "Rent and power rose in March.", "Finance", {"labels": ("money",), "language": "en"}),
            ("d_a_2", "Growth", "Revenue grew in spring, costs fell.", "Finance", {"fields": ("team=red",)}),
            ("d_b_1", "Whales", "Whales sing at night under the ice.", "Science", {"document_date": "2024-05-06"}),
            ("d_c_1", "東京", "東京都は日本の首都である。", "Travel", {"created_at": "2026-12-24T12:00:00Z"}),
            *(
                (f"d_r{number}_1", f"River {number}", f"The river number {number} flows to the sea.", "Travel", {})
                for number in range(130)
            ),
        ]
    )
    return shelf
