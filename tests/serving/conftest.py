"""The service over a real library in a temporary root. One library serves all tests; each has a tenant of its own."""

import uuid
from collections.abc import Iterator

import httpx2
import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings

BASE = "http://127.0.0.1:8000"


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, word_embedder: WordEmbedder) -> Iterator[Library]:
    library = Library(Settings(root=tmp_path_factory.mktemp("root")), embedder=word_embedder)
    yield library
    library.close()


@pytest.fixture
def settings(library: Library) -> Settings:
    return library.settings


@pytest.fixture
def project() -> str:
    """A project no other test uses."""
    return f"p{uuid.uuid4().hex[:12]}"


@pytest.fixture
def client(settings: Settings, library: Library, project: str) -> Iterator[TestClient]:
    """Talks to the test's own project: its id is put into the query of every request."""

    def into_project(request: httpx2.Request) -> None:
        if "project_id" not in request.url.params:
            request.url = request.url.copy_merge_params({"project_id": project})

    with TestClient(create_app(settings, library), base_url=BASE) as client:
        client.event_hooks = {"request": [into_project]}
        yield client
