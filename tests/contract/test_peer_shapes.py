"""A client written for the peer works unchanged: its requests are taken, and every reply fits its shapes."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from serving.app import create_app
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings

BASE = "http://127.0.0.1:8000"
KNOWLEDGE = "/api/v1/knowledge"
TEXT = (
    "# Tides\n\nThe moon pulls the sea, so the water rises and falls twice a day along the coast.\n\n"
    "## Spring tides\n\nWhen sun and moon pull in one line the difference is greatest, at new and full moon.\n"
)


@pytest.fixture(scope="module")
def peer(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "facts" / "everos-openapi.json").read_text())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(root=tmp_path_factory.mktemp("contract"))
    library = Library(settings, embedder=WordEmbedder())
    with TestClient(create_app(settings, library), base_url=BASE) as client:
        yield client
    library.close()


def fits(peer: dict[str, Any], schema: str, reply: Any, status: int = 200) -> dict[str, Any]:
    """The reply's data, once its body fits the peer's schema of that name. Further fields are ours to add."""
    assert reply.status_code == status, reply.text
    reference = {"$ref": f"#/components/schemas/{schema}", "components": peer["components"]}
    problems = [error.message for error in Draft202012Validator(reference).iter_errors(reply.json())]
    assert problems == []
    return reply.json()["data"]


@pytest.fixture(scope="module")
def created(client: TestClient, peer: dict[str, Any]) -> dict[str, Any]:
    """Uploaded as the peer's clients do: everything in the form, all of its fields."""
    form = {
        "title": "About tides",
        "category_id": "Science",
        "source_type": "markdown",
        "app_id": "default",
        "project_id": "default",
    }
    reply = client.post(f"{KNOWLEDGE}/documents", files={"file": ("tides.md", TEXT, "text/markdown")}, data=form)
    return fits(peer, "SuccessEnvelope_DocumentCreateResponse_", reply, 201)


def test_an_upload(created: dict[str, Any]) -> None:
    assert created["category_id"] == "Science"
    assert created["source_name"] == "tides.md"


def test_a_replacement(client: TestClient, peer: dict[str, Any], created: dict[str, Any]) -> None:
    reply = client.put(
        f"{KNOWLEDGE}/documents/{created['doc_id']}",
        files={"file": ("tides.md", TEXT + "\nNeap tides differ least.\n", "text/markdown")},
        data={"title": "About tides"},
    )
    assert fits(peer, "SuccessEnvelope_DocumentCreateResponse_", reply)["doc_id"] == created["doc_id"]


def test_a_document_list(client: TestClient, peer: dict[str, Any], created: dict[str, Any]) -> None:
    query = {"category_id": "Science", "page": 1, "page_size": 5, "sort_by": "updated_at", "sort_order": "asc"}
    reply = client.get(f"{KNOWLEDGE}/documents", params=query)
    data = fits(peer, "SuccessEnvelope_DocumentListResponse_", reply)
    assert created["doc_id"] in {item["doc_id"] for item in data["documents"]}
    moment(data["documents"][0]["created_at"])
    fits(peer, "SuccessEnvelope_DocumentListResponse_", client.get(f"{KNOWLEDGE}/documents?project_id=unused"))


def test_a_document_and_its_topics(client: TestClient, peer: dict[str, Any], created: dict[str, Any]) -> None:
    reply = client.get(f"{KNOWLEDGE}/documents/{created['doc_id']}")
    data = fits(peer, "SuccessEnvelope_DocumentDetailResponse_", reply)
    moment(data["created_at"])
    assert data["topics"]
    for topic in data["topics"]:
        reply = client.get(f"{KNOWLEDGE}/topics/{topic['topic_id']}")
        detail = fits(peer, "SuccessEnvelope_TopicDetailResponse_", reply)
        assert detail["topic_path"].startswith(f"{data['title']} > ")
        moment(detail["updated_at"])


def test_a_patch(client: TestClient, peer: dict[str, Any], created: dict[str, Any]) -> None:
    body = {"title": "Tides", "category_id": None, "app_id": "default", "project_id": "default"}
    reply = client.patch(f"{KNOWLEDGE}/documents/{created['doc_id']}", json=body)
    data = fits(peer, "SuccessEnvelope_DocumentPatchResponse_", reply)
    assert data["updated_fields"] == ["title"]
    moment(data["updated_at"])


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid"])
@pytest.mark.parametrize("content", [True, False])
def test_a_search(
    client: TestClient, peer: dict[str, Any], created: dict[str, Any], method: str, content: bool
) -> None:
    assert created
    body = {
        "query": "moon and sea",
        "method": method,
        "top_k": 5,
        "score_threshold": None,
        "include_content": content,
        "app_id": "default",
        "project_id": "default",
    }
    data = fits(peer, "SuccessEnvelope_KnowledgeSearchResponse_", client.post(f"{KNOWLEDGE}/search", json=body))
    assert data["hits"]
    assert all((hit["content"] is not None) is content for hit in data["hits"])
    assert all(hit["source"] in ("keyword", "vector", "both") for hit in data["hits"])
    nothing = client.post(f"{KNOWLEDGE}/search", json=body | {"project_id": "unused"})
    assert fits(peer, "SuccessEnvelope_KnowledgeSearchResponse_", nothing)["hits"] == []


def test_categories(client: TestClient, peer: dict[str, Any], created: dict[str, Any]) -> None:
    assert created
    data = fits(peer, "SuccessEnvelope_CategoryListResponse_", client.get(f"{KNOWLEDGE}/categories"))
    counts = {item["category_id"]: item["document_count"] for item in data["categories"]}
    assert counts["Science"] == 1
    assert "Others" in counts


def test_a_delete(client: TestClient) -> None:
    reply = client.post(f"{KNOWLEDGE}/documents", files={"file": ("gone.md", TEXT)})
    doc_id = reply.json()["data"]["doc_id"]
    reply = client.delete(f"{KNOWLEDGE}/documents/{doc_id}", params={"app_id": "default"})
    assert reply.json()["data"]["doc_id"] == doc_id
    assert reply.json()["data"]["deleted_topics"] >= 1
    assert client.delete(f"{KNOWLEDGE}/documents/{doc_id}").status_code == 204


def test_every_operation_and_parameter_of_the_peer_is_there(client: TestClient, peer: dict[str, Any]) -> None:
    ours = client.get("/openapi.json").json()["paths"]
    for path, operations in peer["paths"].items():
        if not path.startswith(KNOWLEDGE):
            continue
        for method, operation in operations.items():
            named = {item["name"] for item in ours[path][method].get("parameters", [])}
            assert {item["name"] for item in operation.get("parameters", [])} <= named, (method, path)


def moment(text: str) -> None:
    assert datetime.fromisoformat(text).tzinfo is not None
