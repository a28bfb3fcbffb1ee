"""``wiki eval``: the figures are right and odd collections do not choke it."""

import json
from pathlib import Path

import pytest

from wiki.errors import InvalidInput
from wiki.evaluation import evaluate, measure, read_collection
from wiki.settings import Settings

pytestmark = pytest.mark.evaluation


def write(folder: Path, documents: list[dict[str, str]], queries: list[dict[str, str]], qrels: str) -> Path:
    for name, items in (("documents", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, items)) + "\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_measures_follow_their_definitions() -> None:
    assert measure(["a", "b"], {"a": 1}) == (1.0, 1.0, 1.0)
    assert measure(["x", "a"], {"a": 1}) == pytest.approx((0.63093, 1.0, 0.5), abs=1e-4)
    assert measure(["b", "a"], {"a": 4, "b": 2})[0] == pytest.approx((2 + 4 * 0.63093) / (4 + 2 * 0.63093), abs=1e-4)
    assert measure([], {"a": 1}) == (0.0, 0.0, 0.0)
    assert measure([f"x{n}" for n in range(10)] + ["a"], {"a": 1}) == (0.0, 1.0, 0.0)


@pytest.mark.real_model
def test_the_report_has_the_documented_form(tmp_path: Path) -> None:
    collection = write(
        tmp_path,
        [
            {"id": "1", "title": "Whales", "text": "Whales sing at night."},
            {"id": "2", "title": "", "text": ""},
            {"id": "3", "title": "Rent", "text": "Rent rose in March. " * 100},
        ],
        [{"id": "q1", "text": "whale song"}, {"id": "q2", "text": "rent " * 600}, {"id": "q3", "text": "not judged"}],
        "query-id\tdoc-id\tgrade\nq1\t1\t1\nq1\t3\t0\nq2\t3\t2\n",
    )
    root = tmp_path / "root"
    seen: list[tuple[int, int]] = []
    report = evaluate(collection, Settings(root=root), progress=lambda done, total: seen.append((done, total)))
    assert (report["collection"], report["queries"]) == (tmp_path.name, 2)
    assert set(report["methods"]) == {"keyword", "vector", "hybrid"}
    assert set(report["methods"]["hybrid"]) == {"ndcg@10", "recall@100", "mrr@10", "p50_ms", "p95_ms"}
    assert report["methods"]["hybrid"]["ndcg@10"] == 1.0
    assert "2,000" in report["notes"][0]
    assert not root.exists() and seen[-1][0] == seen[-1][1]
    json.dumps(report)
    only = evaluate(collection, Settings(root=root), methods=("keyword",), max_queries=1)
    assert set(only["methods"]) == {"keyword"} and only["queries"] == 1


def test_a_damaged_collection_says_where(tmp_path: Path) -> None:
    write(tmp_path, [{"id": "1", "title": "", "text": "x"}], [{"id": "q", "text": "x"}], "q\t1\t1\nbroken line\n")
    with pytest.raises(InvalidInput, match="line 2"):
        read_collection(tmp_path)
    (tmp_path / "documents.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"documents\.jsonl line 1"):
        read_collection(tmp_path)
