"""Jobs over HTTP: accepted, followed, tried again, cancelled."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from serving.run import GRACE_SECONDS
from tests.crash.test_jobs_killed import service
from tests.jobs.conftest import MoodyEmbedder
from tests.serving.conftest import BASE
from tests.serving.server import running, wait_until
from wiki.errors import ExternalServiceUnavailable
from wiki.jobs.stages import STAGES
from wiki.library import Library
from wiki.settings import KnowledgeSettings, Settings

DOCUMENTS, JOBS = "/api/v1/knowledge/documents", "/api/v1/knowledge/jobs"
TEXT = b"# Bridges\n\nA bridge bends under load and swings back. It is measured every spring.\n"


def post(
    client: TestClient | httpx.Client, content: bytes = TEXT, name: str = "a.md", query: str = "", **form: Any
) -> Any:
    return client.post(f"{DOCUMENTS}?mode=async{query}", files={"file": (name, content)}, data=form)


def accepted(client: TestClient | httpx.Client, *arguments: Any, **options: Any) -> dict[str, Any]:
    reply = post(client, *arguments, **options)
    assert reply.status_code == 202, reply.text
    return reply.json()["data"]


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each event of a stream."""
    found: list[tuple[str, dict[str, Any]]] = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def ended(client: TestClient | httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """The job once it is done or failed, as its events tell it."""
    return events(client.get(job["links"]["events"]).text)[-1][1]


@pytest.fixture
def moody(root: Path) -> Iterator[tuple[TestClient, MoodyEmbedder, Library]]:
    """A service on a root of its own, whose model can be made to wait or to fail."""
    embedder = MoodyEmbedder()
    library = Library(Settings(root=root), embedder=embedder)
    library.warm()
    with TestClient(create_app(library.settings, library), base_url=BASE) as client:
        yield client, embedder, library
        embedder.open.set()
    library.close()


def test_an_upload_is_answered_at_once_followed_and_found(client: TestClient, project: str) -> None:
    reply = post(client, title="Of bridges", labels="steel", category_id="Engineering")
    assert reply.status_code == 202
    job = reply.json()["data"]
    assert reply.headers["Location"] == job["links"]["self"]
    assert project in job["links"]["self"]
    told = client.get(job["links"]["events"])
    assert told.headers["Content-Type"].startswith("text/event-stream")
    names, states = zip(*events(told.text), strict=True)
    assert set(names[:-1]) == {"progress"} and names[-1] == "done"
    stages = list(dict.fromkeys(state["stage"] for state in states))
    assert stages == [stage for stage in STAGES if stage in stages] and stages[-1] == "indexed"
    assert [state["progress"] for state in states] == sorted(state["progress"] for state in states)
    done = client.get(job["links"]["self"]).json()["data"]
    assert done == states[-1]
    assert (done["status"], done["progress"], done["error"]) == ("done", 1.0, None)
    assert done["result"]["indexed"] and done["result"]["title"] == "Of bridges"
    detail = client.get(f"{DOCUMENTS}/{done['result']['doc_id']}").json()["data"]
    assert (detail["category_id"], detail["labels"], detail["doc_id"]) == ("Engineering", ["steel"], job["doc_id"])
    assert client.get(f"{DOCUMENTS}/{job['doc_id']}/original").content == TEXT


def test_a_stream_that_begins_late_tells_each_stage_that_was_passed_in_between(
    moody: tuple[TestClient, MoodyEmbedder, Library],
) -> None:
    client, embedder, _ = moody
    embedder.open.clear()
    job = accepted(client)
    wait_until(lambda: embedder.waiting > 0, 20)
    threading.Timer(3, embedder.open.set).start()
    states = [state for _, state in events(client.get(job["links"]["events"]).text)]
    assert [state["stage"] for state in states[1:]][-4:] == ["classified", "written", "indexed", "indexed"]
    assert states[0]["status"] == states[-2]["status"] == "running"
    assert states[-2]["result"] is None


def test_the_bytes_are_safe_before_the_answer_and_gone_once_the_document_stands(
    moody: tuple[TestClient, MoodyEmbedder, Library],
) -> None:
    client, embedder, library = moody
    embedder.open.clear()
    job = accepted(client)
    folder = library.tenant().layout.jobs / job["job_id"]
    assert (folder / "original").read_bytes() == TEXT
    assert list((library.root / ".index" / ".uploads").iterdir()) == []
    wait_until(lambda: client.get(job["links"]["self"]).json()["data"]["status"] == "running", 20)
    embedder.open.set()
    assert ended(client, job)["status"] == "done"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({"category_id": "Astrology9"}, 422, "INVALID_INPUT"),
        ({"doc_id": "d_1"}, 422, "INVALID_INPUT"),
        ({"title": " "}, 422, "INVALID_INPUT"),
        ({"doc_id": "d_0123456789ab"}, 409, "CONFLICT"),
        ({"content": b""}, 422, "INVALID_INPUT"),
    ],
)
def test_what_can_be_known_at_once_is_refused_at_once(
    client: TestClient, form: dict[str, Any], status: int, code: str
) -> None:
    client.post(DOCUMENTS, files={"file": ("a.md", TEXT)}, data={"doc_id": "d_0123456789ab"})
    reply = post(client, **form)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert client.get(JOBS).json()["data"]["total"] == 0


def test_an_upload_over_the_limit_is_refused(root: Path, word_embedder: Any) -> None:
    library = Library(Settings(root=root, knowledge=KnowledgeSettings(max_upload_bytes=100)), embedder=word_embedder)
    with TestClient(create_app(library.settings, library), base_url=BASE) as client:
        assert post(client, b"a" * 101).status_code == 413
    library.close()


def test_a_damaged_file_ends_failed_with_the_code_a_synchronous_upload_has(client: TestClient) -> None:
    for name, content, code in (
        ("a.pdf", b"%PDF-1.4 broken", "UNSUPPORTED_FORMAT"),
        ("a.md", b" \n\t\n", "INVALID_INPUT"),
        ("silence.vtt", b"WEBVTT\n\n", "EXTRACTION_EMPTY"),
    ):
        job = accepted(client, content, name)
        (*_, (event, state)) = events(client.get(job["links"]["events"]).text)
        assert (event, state["error"]["code"], state["error"]["retryable"]) == ("failed", code, False)
        assert state["result"] is None
    assert client.get(DOCUMENTS).json()["data"]["total"] == 0
    failed = client.get(JOBS, params={"status": "failed", "page_size": 2}).json()["data"]
    assert (failed["total"], len(failed["jobs"])) == (3, 2)
    assert [job["source_name"] for job in failed["jobs"]] == ["silence.vtt", "a.md"]


def test_a_duplicate_is_handled_as_asked(client: TestClient) -> None:
    first = ended(client, accepted(client))["result"]
    again = ended(client, accepted(client, query="&on_duplicate=return"))["result"]
    third = ended(client, accepted(client, query="&on_duplicate=replace", title="Anew"))["result"]
    fourth = ended(client, accepted(client))["result"]
    assert first["doc_id"] == again["doc_id"] == third["doc_id"] == fourth["duplicate_of"]
    assert third["title"] == "Anew"
    assert client.get(DOCUMENTS).json()["data"]["total"] == 2


def test_a_provider_that_is_down_leaves_nothing_and_its_job_is_retried(
    moody: tuple[TestClient, MoodyEmbedder, Library],
) -> None:
    client, embedder, _ = moody
    embedder.error = ExternalServiceUnavailable("the endpoint does not answer")
    job = accepted(client)
    failed = ended(client, job)
    assert (failed["status"], failed["error"]["code"]) == ("failed", "EXTERNAL_SERVICE_UNAVAILABLE")
    assert failed["error"]["retryable"] and failed["retry_at"] > failed["updated_at"]
    assert client.get(DOCUMENTS).json()["data"]["total"] == 0
    embedder.error = None
    reply = client.post(f"{JOBS}/{job['job_id']}/retry")
    assert (reply.status_code, reply.json()["data"]["status"]) == (202, "queued")
    assert ended(client, job)["status"] == "done"
    reply = client.post(f"{JOBS}/{job['job_id']}/retry")
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "CONFLICT")


def test_a_waiting_job_can_be_cancelled_a_running_one_not(moody: tuple[TestClient, MoodyEmbedder, Library]) -> None:
    client, embedder, library = moody
    embedder.open.clear()
    jobs = [accepted(client, name=f"{n}.md") for n in range(3)]
    wait_until(lambda: embedder.waiting == 2, 20)
    assert client.delete(f"{JOBS}/{jobs[2]['job_id']}").status_code == 204
    assert client.get(f"{JOBS}/{jobs[2]['job_id']}").status_code == 404
    reply = client.delete(f"{JOBS}/{jobs[0]['job_id']}")
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "CONFLICT")
    metrics = client.get("/metrics").text
    assert 'wiki_jobs{app_id="default",project_id="default",status="running"} 2.0' in metrics
    assert 'wiki_uploads_total{outcome="accepted"} 3.0' in metrics
    embedder.open.set()
    assert [ended(client, job)["status"] for job in jobs[:2]] == ["done", "done"]
    assert library.tenant().list_documents().total == 2


def test_a_job_of_another_tenant_is_not_there(client: TestClient) -> None:
    job = accepted(client, app_id="acme")
    ended(client, job)
    place = f"{JOBS}/{job['job_id']}"
    for reply in (
        client.get(place),
        client.get(f"{place}/events"),
        client.post(f"{place}/retry"),
        client.delete(place),
        client.get(f"{JOBS}/j_000000000000000000"),
        client.get(f"{JOBS}/nonsense"),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert client.get(place, params={"app_id": "acme"}).status_code == 200
    assert client.get(f"/api/v1/jobs/{job['job_id']}", params={"app_id": "acme"}).status_code == 200


def test_the_description_names_every_route_and_what_it_answers(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert set(paths[f"{JOBS}/{{job_id}}"]) == {"get", "delete"}
    assert "202" in paths[DOCUMENTS]["post"]["responses"]
    stream = paths[f"{JOBS}/{{job_id}}/events"]["get"]["responses"]
    assert "text/event-stream" in stream["200"]["content"] and "404" in stream
    assert not any(path.startswith("/api/v1/jobs") for path in paths)


def test_an_open_stream_does_not_hold_up_the_end_of_the_service(root: Path, word_embedder: Any) -> None:
    library = Library(Settings(root=root), embedder=word_embedder)
    (root / "a.md").write_bytes(TEXT)
    with library.tenant().accept(root / "a.md", name="a.md") as claim, service(root) as (process, client):
        with client.stream("GET", f"{JOBS}/{claim.job.job_id}/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: progress"
            started = time.monotonic()
            process.terminate()
            assert "event: done" not in list(lines)
        assert process.wait(20) in (0, -signal.SIGTERM)
        assert time.monotonic() - started < GRACE_SECONDS
    library.close()


def test_a_client_that_goes_away_leaves_nothing_running(
    moody: tuple[TestClient, MoodyEmbedder, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, embedder, library = moody
    embedder.open.clear()
    reads: list[str] = []
    whole = type(library.tenant()).job
    monkeypatch.setattr(type(library.tenant()), "job", lambda here, job_id: reads.append(job_id) or whole(here, job_id))
    with running(create_app(library.settings, library)) as port:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
            job = accepted(client)
            with client.stream("GET", job["links"]["events"]) as stream:
                assert next(stream.iter_lines()) == "event: progress"

        def quiet() -> bool:
            before = len(reads)
            threading.Event().wait(0.4)
            return len(reads) == before

        wait_until(quiet, 10)
