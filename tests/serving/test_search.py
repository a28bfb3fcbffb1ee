"""Search over HTTP: its parameters and what a hit carries."""

from collections.abc import Iterator

import httpx2
import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.serving.conftest import BASE
from wiki.library import Library

DOCUMENTS = "/api/v1/knowledge/documents"
SEARCH = "/api/v1/knowledge/search"
BEES = "# Bees\n\nBees visit flowers, carry pollen between them and store honey in wax combs.\n"
RIVERS = "# Rivers\n\nWater runs downhill and carries stones along, rounding them on the way to the sea.\n"


@pytest.fixture(scope="module")
def filled(library: Library) -> Iterator[TestClient]:
    """The tenant search/default with two documents."""

    def into_tenant(request: httpx2.Request) -> None:
        request.url = request.url.copy_merge_params({"app_id": "search"})

    with TestClient(create_app(library.settings, library), base_url=BASE) as client:
        client.event_hooks = {"request": [into_tenant]}
        for name, text, category in (("bees.md", BEES, "Science"), ("rivers.md", RIVERS, "Travel")):
            form = {"category_id": category, "labels": name.partition(".")[0]}
            reply = client.post(f"{DOCUMENTS}?wait=20", files={"file": (name, text.encode())}, data=form)
            assert reply.json()["data"]["indexed"] is True
        yield client


def hits(client: TestClient, **body: object) -> list[dict]:
    reply = client.post(SEARCH, json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()["data"]["hits"]


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid"])
def test_each_method_finds_the_topic_and_says_which_it_was(filled: TestClient, method: str) -> None:
    best = hits(filled, query="honey in wax combs", method=method)[0]
    assert best["document"]["title"] == "Bees"
    assert best["retrieval_method"] == method
    assert 0 <= best["score"] <= 1
    assert best["content"] is None
    assert best["explain"] is None
    start, end = best["snippet"]["matches"][0]
    assert best["snippet"]["text"][start:end].casefold() in ("honey", "wax", "combs", "in")


def test_content_explanation_and_facets_come_when_asked_for(filled: TestClient) -> None:
    body = {"query": "stones", "include_content": True, "explain": True, "facets": True}
    data = filled.post(SEARCH, json=body).json()["data"]
    assert "carries stones along" in data["hits"][0]["content"]
    assert data["hits"][0]["explain"]
    assert data["facets"]["record_type"] == {"topic": 2}
    assert data["took_ms"] > 0
    assert data["timings"]


@pytest.mark.parametrize(
    "filters",
    [
        {"category_id": "Science"},
        {"category_id": ["Science", "Food"]},
        {"label": "bees"},
        {"labels": ["bees"]},
        {"tag": "bees"},
        {"category_id": "Science", "record_type": "topic"},
        {"label": "bees", "created_after": "2020-01-01", "created_before": "2100-01-01T00:00:00Z"},
        {"label": "bees", "updated_after": "2020-01-01T00:00:00+02:00"},
    ],
)
def test_filters_keep_what_they_name(filled: TestClient, filters: dict) -> None:
    found = hits(filled, query="stones honey", method="keyword", filters=filters)
    assert {hit["document"]["title"] for hit in found} == {"Bees"}


def test_labels_out_of_the_text_are_shown_and_filter(filled: TestClient) -> None:
    lines = "The crane lifts the mast. The crane is greased before the mast goes up again.\n"
    text = f"# Shipyard\n\n{lines * 4}\n## Sail loft\n\n{'The sailmaker sews canvas, and canvas is dear. ' * 8}\n"
    reply = filled.post(
        f"{DOCUMENTS}?wait=20", files={"file": ("yard.md", text.encode())}, data={"category_id": "Travel"}
    )
    doc_id = reply.json()["data"]["doc_id"]
    document = filled.get(f"{DOCUMENTS}/{doc_id}").json()["data"]
    assert {"crane", "canvas"} <= set(document["labels"])
    by_name = {topic["topic_name"]: topic["labels"] for topic in document["topics"]}
    assert "canvas" in by_name["Sail loft"]
    assert "crane" not in by_name["Sail loft"]
    found = hits(filled, query="stones honey canvas", filters={"labels": ["canvas"]})
    assert {hit["document"]["doc_id"] for hit in found} == {doc_id}
    assert hits(filled, query="canvas", filters={"labels": ["pollen stones"]}) == []
    filled.delete(f"{DOCUMENTS}/{doc_id}")


@pytest.mark.parametrize(
    "filters",
    [{"created_before": "2020-01-01"}, {"record_type": "note"}, {"fields": {"owner": "Ada"}}, {"language": "xx"}],
)
def test_filters_that_nothing_meets_leave_nothing(filled: TestClient, filters: dict) -> None:
    assert hits(filled, query="stones honey", filters=filters) == []


def test_offset_and_top_k_cut_the_same_list(filled: TestClient) -> None:
    query = {"query": "stones honey carry", "method": "vector"}
    both = [hit["topic_id"] for hit in hits(filled, **query)]
    assert len(both) == 2
    assert [hit["topic_id"] for hit in hits(filled, **query, top_k=1, offset=1)] == both[1:]
    assert hits(filled, **query, offset=1_000_000) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "   \n"},
        {"query": "x" * 2001},
        {"query": 7},
        {"query": "x", "method": "fuzzy"},
        {"query": "x", "top_k": 0},
        {"query": "x", "top_k": 101},
        {"query": "x", "offset": -1},
        {"query": "x", "fusion": "sum"},
        {"query": "x", "category_id": "Science"},
        {"query": "x", "filters": {"colour": "red"}},
        {"query": "x", "filters": {"created_after": "soon"}},
        {"query": "x", "filters": {"record_type": "picture"}},
        {"query": "x", "filters": {"fields": {"a": ["b"]}}},
        {"query": "x", "filters": []},
    ],
)
def test_a_search_that_cannot_be_is_refused(client: TestClient, body: dict) -> None:
    reply = client.post(SEARCH, json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT")


def test_a_query_of_the_full_length_is_answered(client: TestClient) -> None:
    assert hits(client, query="rain " * 400) == []
