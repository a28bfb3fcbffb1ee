"""A client hears that the embedding model does not know the language of many passages: over HTTP and as an agent's tool."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from serving.mcp.arguments import Search
from serving.mcp.reading import search
from tests.index.library_on_disk import write_document
from tests.index.notes.vaults_on_disk import write_note
from tests.index.test_languages import TOLD
from tests.serving.conftest import BASE
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings

KNOWLEDGE_SEARCH = "/api/v1/knowledge/search"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A tenant ``mixed`` with 10 foreign passages of 60, and one ``english`` with none of 60."""
    library = Library(Settings(root=tmp_path_factory.mktemp("languages")), embedder=WordEmbedder())
    for project, foreign in (("mixed", 10), ("english", 0)):
        here = library.tenant("default", project)
        for number in range(10):
            text = TOLD["de" if number < foreign else "en"]
            write_note(here.layout.home / "vaults" / "work", f"Pumps/{number}.md", text)
        bodies = {f"{number}_Pump.md": TOLD["en"] for number in range(1, 51)}
        write_document(here.layout, "Technology/P_d_aaaaaaaaaaaa", "d_aaaaaaaaaaaa", bodies)
        here.sync()
    yield library
    library.close()


@pytest.fixture(scope="module")
def asked(shelf: Library) -> Iterator[TestClient]:
    with TestClient(create_app(shelf.settings, shelf), base_url=BASE) as client:
        yield client


def test_ready_warns_with_the_share_the_languages_and_the_remedy(asked: TestClient) -> None:
    reply = asked.get("/ready")
    (warning,) = reply.json()["warnings"]
    assert warning["code"] == "EMBEDDER_LANGUAGE"
    assert warning["details"] == {
        "share": 0.0833, "passages": 120, "foreign_passages": 10, "languages": {"de": 10},
    }  # fmt: skip
    assert "wiki rebuild" in warning["remedy"]
    assert "Pumpe" not in reply.text and "mixed" not in reply.text


@pytest.mark.parametrize(("method", "warnings"), [("hybrid", 1), ("vector", 1), ("keyword", 0)])
def test_a_library_search_warns_when_it_looks_by_meaning(asked: TestClient, method: str, warnings: int) -> None:
    body = {"query": "pump", "method": method, "project_id": "mixed"}
    data = asked.post(KNOWLEDGE_SEARCH, json=body).json()["data"]
    assert [warning["code"] for warning in data["warnings"]] == ["EMBEDDER_LANGUAGE"] * warnings
    assert data["hits"]
    assert asked.post(KNOWLEDGE_SEARCH, json={**body, "project_id": "english"}).json()["data"]["warnings"] == []


@pytest.mark.parametrize("hybrid", [True, False])
def test_the_unified_search_warns_beside_its_hits(asked: TestClient, hybrid: bool) -> None:
    body = {"query": "pump", "hybrid": hybrid}
    mixed = asked.post("/search", json={**body, "project_id": "mixed"}).json()
    english = asked.post("/search", json={**body, "project_id": "english"}).json()
    assert [warning["code"] for warning in mixed["warnings"]] == ["EMBEDDER_LANGUAGE"]
    assert english["warnings"] == []
    assert mixed["hits"][0].keys() == english["hits"][0].keys()


def test_an_agent_is_told_in_one_line(shelf: Library) -> None:
    (line,) = search(shelf.tenant("default", "mixed"), Search(query="pump")).warnings
    assert "16.7 % of the passages" in line and "embedding.provider" in line and "\n" not in line
    assert search(shelf.tenant("default", "english"), Search(query="pump")).warnings == []
