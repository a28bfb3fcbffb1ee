"""``POST /search``: what an agent written for the original sends and gets, without an envelope."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.index.library_on_disk import write_document
from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings

BASE = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(root=tmp_path_factory.mktemp("unified"))
    library = Library(settings, embedder=WordEmbedder())
    here = library.tenant()
    write_note(here.layout.home / "vaults" / "work", "CloudOps/Tides.md", "# Tides\n\nThe moon pulls the sea.\n")
    write_note(here.layout.home / "vaults" / "user", "_inbox/Staged.md", "# Moon\n\nThe moon, says a stage.\n")
    write_document(here.layout, "Science/P_d_aaaaaaaaaaaa", "d_aaaaaaaaaaaa", {"1_Moon.md": "The moon is far.\n"})
    here.sync()
    with TestClient(create_app(settings, library), base_url=BASE) as client:
        yield client
    library.close()


def test_the_original_request_gets_the_original_shape(client: TestClient) -> None:
    body = {"query": "moon", "top": 8, "vaults": [], "namespaces": [], "hybrid": True, "mmr": True, "mmr_lambda": 0.7}
    reply = client.post("/search", json=body)
    assert reply.status_code == 200
    hits = reply.json()["hits"]
    assert {hit["vault_id"] for hit in hits} == {"work", None}
    for hit in hits:
        assert {"chunk_id", "vault_id", "namespace", "path", "heading", "content", "score"} <= hit.keys()
        assert (hit["note_id"] is None) != (hit["topic_id"] is None)
        assert not hit["path"].startswith("/")
    assert "stage" not in reply.text
    assert reply.headers["x-request-id"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": "  "},
        {"query": "moon", "top": 0},
        {"query": "moon", "top": 51},
        {"query": "moon", "mmr_lambda": 2},
        {"query": "moon", "vaults": ["nowhere"]},
        {"query": "moon", "namespaces": ["Nothing"]},
        {"query": "moon", "record_types": ["document"]},
        {"query": "moon", "unknown": 1},
        {"query": "x" * 2_001},
    ],
)
def test_what_makes_no_sense_is_422(client: TestClient, body: dict[str, object]) -> None:
    reply = client.post("/search", json=body)
    assert reply.status_code == 422
    assert reply.json()["error"]["code"] == "INVALID_INPUT"


def test_filters_and_explanation(client: TestClient) -> None:
    reply = client.post(
        "/search", json={"query": "moon", "vaults": ["work"], "namespaces": ["CloudOps"], "explain": True}
    )
    (hit,) = reply.json()["hits"]
    assert (hit["path"], hit["lines"]) == ("CloudOps/Tides.md", [1, 3])
    assert hit["explain"]["ranks"]


def test_a_tenant_sees_nothing_of_another(client: TestClient) -> None:
    assert client.post("/search", json={"query": "moon", "app_id": "other"}).json()["hits"] == []
    reply = client.post("/search", json={"query": "moon", "app_id": "other", "vaults": ["work"]})
    assert reply.status_code == 422
