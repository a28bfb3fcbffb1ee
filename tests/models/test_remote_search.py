"""The library and its HTTP service on models behind endpoints: good ones, dead ones, and ones that come back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from serving.app import create_app
from tests.models.endpoints import Call, EndpointServer, Script, failure
from tests.standins import WordEmbedder
from wiki.errors import ExternalServiceUnavailable
from wiki.library import Library
from wiki.models import endpoint
from wiki.settings import EmbeddingSettings, RerankSettings, Settings
from wiki.views import SearchQuery

BASE = "http://127.0.0.1:8000"
DOCUMENTS = "/api/v1/knowledge/documents"
SEARCH = "/api/v1/knowledge/search"
KEY = "sk-hidden-2718"
TEXTS = {
    "bees.md": "# Bees\n\nBees visit flowers, carry pollen between them and store honey in wax combs.\n",
    "rivers.md": "# Rivers\n\nWater runs downhill and carries stones along, rounding them on the way to the sea.\n",
}


class Models(EndpointServer):
    """An embedding and a rerank endpoint in one. ``broken`` maps a path to what it answers instead."""

    def __init__(self) -> None:
        super().__init__([self._answer])
        self.broken: dict[str, Script] = {}
        self._words = WordEmbedder()

    def _answer(self, call: Call) -> Script:
        if call.path in self.broken:
            return self.broken[call.path]
        if call.path == "/v1/embeddings":
            vectors = self._words.embed_vectors(call.body["input"])
            return Script({"data": [{"index": n, "embedding": made.tolist()} for n, made in enumerate(vectors)]})
        asked = set(call.body["query"].casefold().split())
        shares = [len(asked & set(text.casefold().split())) / len(asked) for text in call.body["documents"]]
        return Script({"results": [{"index": n, "relevance_score": share} for n, share in enumerate(shares)]})


def settings(root: Path, url: str, provider: str = "jina") -> Settings:
    key = SecretStr(KEY)
    rerank = RerankSettings.model_validate(
        {"provider": provider, "model": "r", "base_url": f"{url}/v1", "api_key": key, "timeout_seconds": 2}
    )
    embedding = EmbeddingSettings(provider="openai", model="e", base_url=f"{url}/v1", api_key=key)
    return Settings(root=root, embedding=embedding, rerank=rerank)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.001)


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with Models() as models:
        yield models


@pytest.fixture(scope="module")
def client(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    here = settings(tmp_path_factory.mktemp("root"), models.base_url)
    library = Library(here)
    with TestClient(create_app(here, library), base_url=BASE) as client:
        for name, text in TEXTS.items():
            form = {"category_id": "Science", "title": name.partition(".")[0].title()}
            reply = client.post(f"{DOCUMENTS}?wait=20", files={"file": (name, text.encode())}, data=form)
            assert reply.json()["data"]["indexed"] is True, reply.text
        yield client
    library.close()


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid"])
def test_each_method_finds_with_remote_models(client: TestClient, models: Models, method: str) -> None:
    before = len(models.calls)
    reply = client.post(SEARCH, json={"query": "honey in wax combs", "method": method})
    assert reply.status_code == 200, reply.text
    best = reply.json()["data"]["hits"][0]
    assert best["document"]["title"] == "Bees" and 0 <= best["score"] <= 1
    made = models.calls[before:]
    assert [call.path for call in made] == ([] if method == "keyword" else ["/v1/embeddings"]) + ["/v1/rerank"]
    assert made[-1].body["query"] == "honey in wax combs"
    assert any("store honey" in text for text in made[-1].body["documents"])


@pytest.mark.parametrize("path", ["/v1/embeddings", "/v1/rerank"])
@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (failure(503, "loading"), 503, "EXTERNAL_SERVICE_UNAVAILABLE"),
        (failure(429, retry_after="0"), 503, "EXTERNAL_SERVICE_UNAVAILABLE"),
        (Script({}, fault="reset"), 503, "EXTERNAL_SERVICE_UNAVAILABLE"),
        (Script("<html></html>"), 503, "EXTERNAL_SERVICE_UNAVAILABLE"),
        (failure(401, f"bad key {KEY}"), 500, "CONFIGURATION_ERROR"),
    ],
)
def test_a_search_tells_which_model_fails_and_works_again_when_it_is_back(
    client: TestClient, models: Models, path: str, reply: Script, status: int, code: str
) -> None:
    models.broken = {path: reply}
    try:
        failed = client.post(SEARCH, json={"query": "honey", "method": "hybrid"})
    finally:
        models.broken = {}
    assert failed.status_code == status
    assert failed.json()["error"]["code"] == code
    assert f"{models.base_url}{path}" in failed.json()["error"]["message"] and KEY not in failed.text
    assert client.post(SEARCH, json={"query": "honey", "method": "hybrid"}).status_code == 200


def test_an_upload_without_its_embedding_model_is_refused_and_leaves_nothing(
    client: TestClient, models: Models
) -> None:
    text = "# Glass\n\n" + "Sand is molten, blown and cooled over many hours. " * 60
    form = {"title": "Glass"}
    models.broken = {"/v1/embeddings": failure(500)}
    try:
        refused = client.post(DOCUMENTS, files={"file": ("glass.md", text.encode())}, data=form)
    finally:
        models.broken = {}
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "EXTERNAL_SERVICE_UNAVAILABLE")
    titles = [item["title"] for item in client.get(DOCUMENTS).json()["data"]["documents"]]
    assert sorted(titles) == ["Bees", "Rivers"]


def test_late_interaction_works_on_the_vectors_of_an_endpoint(tmp_path: Path, models: Models) -> None:
    library = Library(settings(tmp_path, models.base_url, "late-interaction"))
    try:
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
            library.tenant().upload(tmp_path / name, name=name, category_id="Science", wait=20)
        hits = library.tenant().search(SearchQuery("honey in wax combs")).hits
        assert "honey" in hits[0].snippet.text and hits[0].score > hits[-1].score
        models.broken = {"/v1/embeddings": failure(500)}
        with pytest.raises(ExternalServiceUnavailable):
            library.tenant().search(SearchQuery("honey"))
    finally:
        models.broken = {}
        library.close()
