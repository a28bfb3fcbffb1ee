"""Uploads: streamed, bounded, counted, and never left behind."""

import socket
import threading
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from serving.uploads import clear_abandoned, receiving_folder
from tests.serving.conftest import BASE
from tests.serving.server import BOUNDARY, PART, chunk, read_reply, running, upload_head, wait_until
from wiki.library import Library
from wiki.settings import ApiSettings, KnowledgeSettings, Settings

DOCUMENTS = "/api/v1/knowledge/documents"
LIMIT = 20_000
TEXT = b"# Rivers\n\nWater runs downhill and carries stones along.\n"


@pytest.fixture
def settings(library: Library) -> Settings:
    """Small limits for the service; the library has its own."""
    limits = {
        "knowledge": KnowledgeSettings(max_upload_bytes=LIMIT),
        "api": ApiSettings(max_concurrent_uploads=1),
    }
    return library.settings.model_copy(update=limits)


@pytest.fixture
def root(library: Library) -> Path:
    return library.root


def refused(client: TestClient, **form: object) -> str:
    reply = client.post(DOCUMENTS, **form)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT"), reply.text
    return reply.json()["error"]["message"]


def leftovers(root: Path) -> list[Path]:
    return list(receiving_folder(root).iterdir())


def test_nothing_is_left_in_the_receiving_folder(client: TestClient, root: Path) -> None:
    assert client.post(DOCUMENTS, files={"file": ("a.md", TEXT)}).status_code == 201
    refused(client, files={"file": ("a.md", b" \n\t\n")})
    assert leftovers(root) == []


def test_a_file_of_exactly_the_limit_passes_and_one_byte_more_does_not(client: TestClient, root: Path) -> None:
    filling = TEXT * (LIMIT // len(TEXT) + 1)
    assert client.post(DOCUMENTS, files={"file": ("a.md", filling[:LIMIT])}).status_code == 201
    reply = client.post(DOCUMENTS, files={"file": ("b.md", filling[: LIMIT + 1])})
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "TOO_LARGE")
    assert f"{LIMIT:,}" in reply.json()["error"]["message"]
    assert leftovers(root) == []


def test_the_limit_holds_for_a_replacement_too(client: TestClient) -> None:
    doc_id = client.post(DOCUMENTS, files={"file": ("a.md", TEXT)}).json()["data"]["doc_id"]
    reply = client.put(f"{DOCUMENTS}/{doc_id}", files={"file": ("a.md", b"a" * (LIMIT + 1))})
    assert reply.status_code == 413
    assert TEXT.decode().strip() in client.get(f"{DOCUMENTS}/{doc_id}/markdown").text


def test_an_announced_body_over_the_limit_is_refused_before_it_is_sent(settings: Settings, library: Library) -> None:
    with (
        running(create_app(settings, library)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        connection.sendall(upload_head(port, 5_000_000_000))
        status, headers, body = read_reply(connection)
    assert (status, body["error"]["code"], headers["connection"]) == (413, "TOO_LARGE", "close")


def test_an_unannounced_body_is_refused_while_it_streams(settings: Settings, library: Library, root: Path) -> None:
    """The client has not finished sending when the answer comes, and it does come."""
    with (
        running(create_app(settings, library)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        connection.sendall(upload_head(port, None) + chunk(PART))
        for _ in range(4):
            connection.sendall(chunk(b"word " * (LIMIT // 10)))
        status, _, body = read_reply(connection)
        assert (status, body["error"]["code"]) == (413, "TOO_LARGE")
        assert leftovers(root) == []


def test_a_client_that_sends_everything_first_still_reads_the_refusal(settings: Settings, library: Library) -> None:
    with running(create_app(settings, library)) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        reply = client.post(DOCUMENTS, files={"file": ("big.md", b"word " * 4_000_000)})
        assert (reply.status_code, reply.json()["error"]["code"]) == (413, "TOO_LARGE")
        assert client.get("/health").status_code == 200


def test_a_client_that_hangs_up_leaves_no_file_and_gives_its_slot_back(
    settings: Settings, library: Library, root: Path
) -> None:
    app = create_app(settings, library)
    slots = app.state.service.slots
    with running(app) as port:
        connection = socket.create_connection(("127.0.0.1", port), timeout=10)
        connection.sendall(upload_head(port, 10_000) + PART + b"word " * 100)
        wait_until(lambda: slots.taken == 1 and len(leftovers(root)) == 1)
        connection.close()
        wait_until(lambda: slots.taken == 0 and not leftovers(root))


def test_one_upload_too_many_is_told_when_to_come_back(settings: Settings, library: Library) -> None:
    app = create_app(settings, library)
    with (
        running(app) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as first,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        end = f"\r\n--{BOUNDARY}--\r\n".encode()
        first.sendall(upload_head(port, len(PART + TEXT + end)) + PART + TEXT)
        wait_until(lambda: app.state.service.slots.taken == 1)
        reply = client.post(DOCUMENTS, files={"file": ("b.md", TEXT)})
        assert (reply.status_code, reply.json()["error"]["code"]) == (429, "RATE_LIMITED")
        assert int(reply.headers["Retry-After"]) >= 1
        assert client.get(DOCUMENTS).status_code == 200
        first.sendall(end)
        assert read_reply(first)[0] == 201
        assert client.post(DOCUMENTS, files={"file": ("b.md", TEXT + b"more\n")}).status_code == 201


def test_what_a_killed_process_left_half_received_is_cleared_at_start(settings: Settings, library: Library) -> None:
    left = receiving_folder(settings.root) / "999999999-abc"
    left.write_bytes(b"half")
    with TestClient(create_app(settings, library), base_url=BASE):
        assert not left.exists()


def test_a_file_another_process_is_receiving_is_left_alone(root: Path) -> None:
    other = receiving_folder(root) / "1-abc"
    other.write_bytes(b"half")
    try:
        assert clear_abandoned(root) == 0
        assert other.exists()
    finally:
        other.unlink()


def test_a_form_without_a_file_says_so(client: TestClient) -> None:
    assert "no part named file" in refused(client, files={"title": (None, "x")})
    assert "only the part named file" in refused(client, files={"attachment": ("a.md", TEXT)})
    assert "multipart/form-data" in refused(client, json={"title": "x"})
    assert "multipart/form-data" in refused(client)


@pytest.mark.parametrize("name", ["..", ".", "a/", "folder\\", "x" * 300 + ".md"])
def test_an_unusable_file_name_is_refused(client: TestClient, name: str, root: Path) -> None:
    assert "name" in refused(client, files={"file": (name, TEXT)})
    assert leftovers(root) == []


@pytest.mark.parametrize(("given", "kept"), [("../../etc/notes.md", "notes.md"), ("C:\\Temp\\böok.md", "böok.md")])
def test_only_the_last_part_of_a_file_name_counts(client: TestClient, given: str, kept: str) -> None:
    assert client.post(DOCUMENTS, files={"file": (given, TEXT)}).json()["data"]["source_name"] == kept


@pytest.mark.parametrize("title", ["", "   ", "---", "x" * 501])
def test_an_unusable_title_is_refused(client: TestClient, title: str) -> None:
    assert "title" in refused(client, files={"file": ("a.md", TEXT)}, data={"title": title})


@pytest.mark.parametrize("doc_id", ["d_123", "x", "d_0123456789AB", "d_0123456789ab\n1", "../d_0123456789ab"])
def test_an_id_of_the_wrong_form_is_refused(client: TestClient, doc_id: str) -> None:
    assert "doc_id" in refused(client, files={"file": ("a.md", TEXT)}, data={"doc_id": doc_id})


def test_a_form_field_that_is_unknown_or_belongs_in_the_query_is_refused(client: TestClient) -> None:
    assert "body.colour" in refused(client, files={"file": ("a.md", TEXT)}, data={"colour": "red"})
    assert "query" in refused(client, files={"file": ("a.md", TEXT)}, data={"on_duplicate": "return"})
    assert "2 times" in refused(client, files={"file": ("a.md", TEXT)}, data={"category_id": ["Others", "Science"]})


def test_query_parameters_are_checked_before_the_body_is_read(settings: Settings, library: Library) -> None:
    with (
        running(create_app(settings, library)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as connection,
    ):
        connection.sendall(upload_head(port, 100_000, f"{DOCUMENTS}?mode=later"))
        status, _, body = read_reply(connection)
    assert status == 422
    assert "query.mode" in body["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no form at all",
        f"--{BOUNDARY}\r\n".encode(),
        PART + TEXT,
        f"--{BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n--{BOUNDARY}--\r\n".encode(),
        (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n' * 300).encode(),
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{"x" * 70_000}'.encode(),
    ],
)
def test_a_broken_form_is_refused(client: TestClient, body: bytes, root: Path) -> None:
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    refused(client, content=body, headers=headers)
    assert leftovers(root) == []


def test_labels_may_be_repeated_or_separated_by_commas(client: TestClient) -> None:
    reply = client.post(DOCUMENTS, files={"file": ("a.md", TEXT)}, data={"labels": ["water, stone", "water", "hills"]})
    doc_id = reply.json()["data"]["doc_id"]
    assert client.get(f"{DOCUMENTS}/{doc_id}").json()["data"]["labels"] == ["water", "stone", "hills"]


def test_a_request_cut_off_by_a_stop_is_told_so_in_an_envelope(settings: Settings, library: Library) -> None:
    app = create_app(settings, library)
    entered, leave = threading.Event(), threading.Event()

    @app.get("/slow")
    def slow() -> None:
        entered.set()
        leave.wait(20)

    try:
        with running(app) as port:
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            connection.sendall(f"GET /slow HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert entered.wait(10)
            threading.Timer(4, leave.set).start()
        status, headers, body = read_reply(connection)
        connection.close()
    finally:
        leave.set()
    assert (status, body["error"]["code"]) == (503, "SERVICE_STOPPING")
    assert headers["retry-after"] == "5"
