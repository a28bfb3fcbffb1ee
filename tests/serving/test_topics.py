"""Topics over HTTP: read one, edit its Markdown file."""

import pytest
from fastapi.testclient import TestClient

DOCUMENTS = "/api/v1/knowledge/documents"
TOPICS = "/api/v1/knowledge/topics"
TEXT = "# Bees\n\nBees visit flowers, carry pollen between them and store honey in wax combs.\n"


@pytest.fixture
def topic_id(client: TestClient) -> str:
    doc_id = client.post(DOCUMENTS, files={"file": ("bees.md", TEXT.encode())}).json()["data"]["doc_id"]
    return client.get(f"{DOCUMENTS}/{doc_id}").json()["data"]["topics"][0]["topic_id"]


def test_a_topic_tells_its_place_and_its_source(client: TestClient, topic_id: str) -> None:
    data = client.get(f"{TOPICS}/{topic_id}").json()["data"]
    assert data["topic_id"] == topic_id
    assert data["doc_id"] == topic_id.rpartition("_")[0]
    assert "honey" in data["content"]
    assert data["depth"] >= 1
    assert data["source"]["lines"]
    assert data["summary_stale"] is False
    assert data["md_path"].endswith(".md")


def test_an_edited_body_is_read_back_and_found(client: TestClient, topic_id: str) -> None:
    body = {"content": "Bees also dance to tell where clover blooms, a zigzag waggle.\n"}
    reply = client.patch(f"{TOPICS}/{topic_id}?wait=20", json=body)
    assert reply.status_code == 200, reply.text
    assert reply.json()["data"]["updated_fields"] == ["content"]
    assert reply.json()["data"]["indexed"] is True
    assert client.get(f"{TOPICS}/{topic_id}").json()["data"]["content"] == body["content"]
    hits = client.post("/api/v1/knowledge/search", json={"query": "waggle", "method": "keyword"}).json()["data"]["hits"]
    assert [hit["topic_id"] for hit in hits] == [topic_id]


def test_if_match_guards_an_edit(client: TestClient, topic_id: str) -> None:
    tag = client.get(f"{TOPICS}/{topic_id}").headers["ETag"]
    assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "Bee"}, headers={"If-Match": '"x"'}).status_code == 409
    assert (
        client.patch(f"{TOPICS}/{topic_id}", json={"name": "Bee"}, headers={"If-Match": f"W/{tag}"}).status_code == 409
    )
    assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "Bee"}, headers={"If-Match": tag}).status_code == 200
    assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "Bug"}, headers={"If-Match": tag}).status_code == 409


def test_a_topic_that_is_not_there_is_404(client: TestClient) -> None:
    for topic_id in ("d_0123456789ab_1", "d_0123456789ab_h0123abcd"):
        assert client.get(f"{TOPICS}/{topic_id}").status_code == 404
        assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "x"}).status_code == 404


@pytest.mark.parametrize("topic_id", ["x", "d_0123456789ab", "d_0123456789ab_", "d_0123456789ab_x", "d_0123456789ab_٣"])
def test_an_id_of_the_wrong_form_is_422(client: TestClient, topic_id: str) -> None:
    assert client.get(f"{TOPICS}/{topic_id}").status_code == 422
    assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "x"}).status_code == 422


@pytest.mark.parametrize("body", [{"name": ""}, {"name": "..."}, {"labels": [" "]}, {"body": "x"}, {"content": 3}])
def test_an_edit_that_cannot_be_is_refused(client: TestClient, topic_id: str, body: dict) -> None:
    assert client.patch(f"{TOPICS}/{topic_id}", json=body).status_code == 422


def test_another_tenant_has_no_such_topic(client: TestClient, topic_id: str) -> None:
    assert client.get(f"{TOPICS}/{topic_id}?app_id=other").status_code == 404
    assert client.patch(f"{TOPICS}/{topic_id}", json={"name": "x", "app_id": "other"}).status_code == 404
