"""``kill -9`` of the service and of the cascade in the middle of accepted uploads: each is a document, once."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.crash.test_cascade_killed import cascade, eventually
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.settings import Settings

UPLOADS = 20


@contextmanager
def service(root: Path) -> Iterator[tuple["subprocess.Popen[str]", httpx.Client]]:
    command = [sys.executable, "-m", "tests.crash.service_process", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            with httpx.Client(base_url=process.stdout.readline().strip(), timeout=30) as client:
                assert eventually(lambda: healthy(client), 60)
                yield process, client
        finally:
            process.kill()


def healthy(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def accept(client: httpx.Client, number: int) -> dict[str, Any]:
    text = f"# Report {number}\n\nMarker{number} stands in this report and in no other. It has a second sentence.\n"
    reply = client.post(
        "/api/v1/knowledge/documents?mode=async", files={"file": (f"report-{number}.md", text.encode())}
    )
    assert reply.status_code == 202, reply.text
    return reply.json()["data"]


def unfinished(here: TenantLibrary) -> int:
    return sum(job.state.status in ("queued", "running") for job in here.jobs.unfinished())


@pytest.fixture
def here(root: Path) -> Iterator[TenantLibrary]:
    library = Library(Settings(root=root), embedder=WordEmbedder())
    yield library.tenant()
    library.close()


@pytest.mark.timeout(180)
def test_twenty_accepted_uploads_survive_kills_of_the_service_and_of_the_cascade(
    here: TenantLibrary, root: Path
) -> None:
    jobs: list[dict[str, Any]] = []
    with cascade(root):
        with service(root) as (process, client):
            jobs += [accept(client, number) for number in range(12)]
            assert eventually(lambda: here.jobs.newest() != [] and unfinished(here) < 12, 60)
            process.kill()
            process.wait()
        assert unfinished(here) > 0, "the kill came too late to prove anything"
    # The cascade is gone as well from here on: the service watches by itself until the next one comes.
    with service(root) as (process, client):
        jobs += [accept(client, number) for number in range(12, UPLOADS)]
        process.kill()
        process.wait()
    assert unfinished(here) > 0
    with cascade(root) as watching, service(root) as (_, client):
        assert eventually(lambda: unfinished(here) < UPLOADS, 60)
        watching.kill()
        watching.wait()
        assert eventually(lambda: unfinished(here) == 0, 120)
        done = [client.get(job["links"]["self"]).json()["data"] for job in jobs]
        assert [(job["status"], job["error"]) for job in done] == [("done", None)] * UPLOADS
        assert all(job["result"]["indexed"] and job["result"]["doc_id"] == job["doc_id"] for job in done)
        found = client.post("/api/v1/knowledge/search", json={"query": "Marker7", "method": "keyword"}).json()
        assert [hit["document"]["title"] for hit in found["data"]["hits"]] == ["Report 7"]
    folders = sorted(path.name.split("_d_")[0] for path in here.layout.knowledge.glob("*/*") if path.is_dir())
    assert folders == sorted(f"Report_{number}" for number in range(UPLOADS))
    assert here.status().documents == UPLOADS
    assert list(here.layout.jobs.iterdir()) == []
    assert here.verify().differences == ()
