"""Every reply tells its request id, and every failure has the same shape and hides the machine."""

import re
from datetime import datetime

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from serving.app import create_app
from tests.serving.conftest import BASE
from wiki.library import Library
from wiki.settings import Settings

SEARCH = "/api/v1/knowledge/search"


def test_a_success_carries_its_request_id_in_body_and_header(client: TestClient) -> None:
    reply = client.get("/api/v1/knowledge/categories")
    assert set(reply.json()) == {"request_id", "data"}
    assert re.fullmatch(r"[0-9a-f]{32}", reply.json()["request_id"])
    assert reply.headers["X-Request-ID"] == reply.json()["request_id"]


def test_a_sane_request_id_of_the_caller_is_kept(client: TestClient) -> None:
    reply = client.get("/api/v1/knowledge/categories", headers={"X-Request-ID": "trace-1.A_b"})
    assert reply.json()["request_id"] == reply.headers["X-Request-ID"] == "trace-1.A_b"


@pytest.mark.parametrize("given", ["a b", "x" * 65, "<script>", "a;b", ""])
def test_any_other_request_id_is_replaced(client: TestClient, given: str) -> None:
    reply = client.get("/nowhere", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f]{32}", reply.json()["request_id"])


def test_an_unknown_route_is_a_failure_envelope(client: TestClient) -> None:
    reply = client.get("/api/v2/nothing?secret=1")
    error = reply.json()["error"]
    assert reply.status_code == 404
    assert error["code"] == "NOT_FOUND"
    assert error["path"] == "/api/v2/nothing"
    assert datetime.fromisoformat(error["timestamp"]).tzinfo is not None


def test_a_wrong_method_is_a_failure_envelope_that_says_what_is_allowed(client: TestClient) -> None:
    reply = client.delete(SEARCH)
    assert (reply.status_code, reply.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert reply.headers["Allow"] == "POST"


def test_a_validation_error_says_where_and_what(client: TestClient) -> None:
    reply = client.post(SEARCH, json={"query": "rain", "top_k": "many", "colour": "red"})
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (422, "INVALID_INPUT")
    assert {item["where"] for item in error["details"]["errors"]} == {"body.top_k", "body.colour"}
    assert "body.colour: unknown field" in error["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"query": "\\ud800"}',
        b'{"query": "a", "\\ud800": 1}',
        b'{"query": "a", "score_threshold": NaN}',
        b'{"query": "a", "score_threshold": Infinity}',
        b'{"query": ' + b"9" * 6000 + b"}",
        b"[" * 50_000,
    ],
)
def test_a_body_that_is_no_such_json_is_422(client: TestClient, body: bytes) -> None:
    reply = client.post(SEARCH, content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "INVALID_INPUT")


def test_a_json_body_over_its_limit_is_413(client: TestClient) -> None:
    reply = client.post(SEARCH, content=b'{"query": "' + b"a" * 9_000_000 + b'"}')
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "TOO_LARGE")


@pytest.fixture
def broken(settings: Settings, library: Library) -> FastAPI:
    app = create_app(settings, library)

    @app.get("/broken")
    def broken_route() -> None:
        raise RuntimeError(f"something at {settings.root}")

    return app


def test_an_unexpected_error_is_logged_and_told_without_its_insides(
    broken: FastAPI, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with TestClient(broken, base_url=BASE) as client:
        reply = client.get("/broken")
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "INTERNAL_ERROR")
    assert str(settings.root) not in reply.text
    assert "RuntimeError" not in reply.text
    logged = next(record for record in caplog.records if record.exc_info)
    assert reply.json()["request_id"] in logged.getMessage()


def test_a_request_leaves_one_structured_access_line(
    client: TestClient, project: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="serving.access"):
        client.get("/api/v1/knowledge/documents/d_0123456789ab?app_id=acme", headers={"X-Request-ID": "abc"})
    line = next(record.getMessage() for record in caplog.records if record.name == "serving.access")
    assert line.startswith(f"request_id=abc tenant=acme/{project} method=GET ")
    assert "route=/api/v1/knowledge/documents/{doc_id} status=404" in line
    assert line.endswith("doc_id=d_0123456789ab")


def test_the_openapi_text_documents_every_route_with_its_failures(client: TestClient) -> None:
    text = client.get("/openapi.json").json()
    for path, operations in text["paths"].items():
        if not path.startswith("/api/"):
            continue
        for method, operation in operations.items():
            responses = operation["responses"]
            assert {"403", "422", "500"} <= set(responses), (path, method)
            assert responses["422"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Failure"}
    form = text["paths"]["/api/v1/knowledge/documents"]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert form["schema"]["required"] == ["file"]
    assert "HTTPValidationError" not in text["components"]["schemas"]
