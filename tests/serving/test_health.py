"""Live, ready, measured."""

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.serving.conftest import BASE
from tests.serving.server import wait_until
from tests.standins import WordEmbedder
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.settings import Settings
from wiki.tenants import run_file

DOCUMENTS = "/api/v1/knowledge/documents"


def test_health_answers_without_an_envelope(client: TestClient) -> None:
    body = client.get("/health").json()
    assert body["status"] == "ok"
    assert body["uptime_seconds"] >= 0


def test_ready_becomes_200_with_the_first_reconcile_and_tells_what_is_up(
    root: Path, word_embedder: WordEmbedder
) -> None:
    library = Library(Settings(root=root), embedder=word_embedder)
    run_file(root).parent.mkdir()
    run_file(root).write_text(json.dumps({"pid": os.getpid(), "started": datetime.now(UTC).isoformat()}))
    begin = threading.Event()

    def cascade(stop: threading.Event) -> None:
        begin.wait(20)
        Cascade(library).run(stop)

    with TestClient(create_app(library.settings, library, cascade), base_url=BASE) as client:
        before = client.get("/ready")
        assert (before.status_code, before.json()["ready"]) == (503, False)
        begin.set()
        wait_until(lambda: client.get("/ready").status_code == 200, 20)
        body = client.get("/ready").json()
        assert body["ready"] is True
        assert {"pending", "faults", "providers", "cascade", "models"} <= set(body)
    library.close()


def test_requests_uploads_searches_and_sizes_are_measured(client: TestClient, project: str) -> None:
    client.post(f"{DOCUMENTS}?wait=20", files={"file": ("a.md", b"# Bees\n\nBees visit flowers all day long.\n")})
    client.post(DOCUMENTS, files={"file": ("a.md", b"")})
    client.post("/api/v1/knowledge/search", json={"query": "bees", "method": "keyword"})
    client.get(f"{DOCUMENTS}/d_0123456789ab")
    client.get("/wp-login.php")
    reply = client.get("/metrics")
    assert reply.headers["Content-Type"].startswith("text/plain")
    text = reply.text
    for line in (
        'wiki_http_requests_total{method="POST",route="/api/v1/knowledge/documents",status="201"} 1.0',
        'wiki_http_requests_total{method="GET",route="/api/v1/knowledge/documents/{doc_id}",status="404"} 1.0',
        'wiki_http_requests_total{method="GET",route="unmatched",status="404"} 1.0',
        'wiki_uploads_total{outcome="created"} 1.0',
        'wiki_uploads_total{outcome="INVALID_INPUT"} 1.0',
        'wiki_searches_total{method="keyword"} 1.0',
        f'wiki_documents{{app_id="default",project_id="{project}"}} 1.0',
        f'wiki_tenant_readable{{app_id="default",project_id="{project}"}} 1.0',
    ):
        assert line in text, line
    assert "d_0123456789ab" not in text
    assert "wp-login" not in text


def test_a_cascade_runs_while_the_application_does(settings: Settings, library: Library) -> None:
    started, ended = threading.Event(), threading.Event()

    def cascade(stop: threading.Event) -> None:
        started.set()
        stop.wait(20)
        ended.set()

    with TestClient(create_app(settings, library, cascade), base_url=BASE):
        assert started.wait(10)
        assert not ended.is_set()
    assert ended.is_set()


def test_health_answers_while_the_models_load(
    settings: Settings, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(library, "warm", lambda: loaded.wait(20))
    with TestClient(create_app(settings, library), base_url=BASE) as client:
        assert client.get("/health").status_code == 200
        assert client.get("/ready").json()["models"] == "loading"
        loaded.set()
        wait_until(lambda: client.get("/ready").json()["models"] == "loaded")
