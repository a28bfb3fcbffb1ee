"""Only loopback, only known hosts, only pages of our own."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from serving.app import create_app
from serving.security import check_bind, is_loopback
from tests.serving.conftest import BASE
from wiki.errors import ConfigurationError
from wiki.library import Library
from wiki.settings import ApiSettings, Settings

ROUTES = ["/health", "/ready", "/metrics", "/openapi.json", "/api/v1/knowledge/documents", "/nowhere"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", "", "10.0.0.1"])
def test_a_bind_that_others_reach_is_refused_without_keys(root: Path, host: str) -> None:
    with pytest.raises(ConfigurationError, match="other machines"):
        check_bind(Settings(root=root, api=ApiSettings(host=host)))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.1.9", "localhost", "LOCALHOST.", "::1", "[::1]"])
def test_loopback_needs_no_key(root: Path, host: str) -> None:
    assert is_loopback(host)
    check_bind(Settings(root=root, api=ApiSettings(host=host)))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost@evil", ""])
def test_a_foreign_host_is_refused_on_every_route(client: TestClient, route: str, host: str) -> None:
    reply = client.get(route, headers={"Host": host})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9", "localhost:8000", "[::1]:8000", "LocalHost"])
def test_loopback_hosts_pass(client: TestClient, host: str) -> None:
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:5173", "https://127.0.0.1:8000"])
def test_a_foreign_origin_is_refused_on_every_route(client: TestClient, route: str, origin: str) -> None:
    reply = client.get(route, headers={"Origin": origin})
    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "FORBIDDEN")


def test_a_page_of_the_service_itself_passes(client: TestClient) -> None:
    assert client.get("/health", headers={"Origin": BASE}).status_code == 200


def test_an_allowed_origin_and_host_pass_and_the_browser_is_told(settings: Settings, library: Library) -> None:
    api = ApiSettings(allowed_origins=("https://app.example",), allowed_hosts=("wiki.example",))
    with TestClient(create_app(settings.model_copy(update={"api": api}), library), base_url=BASE) as client:
        reply = client.get("/health", headers={"Origin": "https://app.example", "Host": "wiki.example"})
        assert reply.status_code == 200
        assert reply.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert client.get("/health", headers={"Origin": "https://other.example"}).status_code == 403
        asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "PATCH"}
        assert client.options("/api/v1/knowledge/search", headers=asked).status_code == 200


def test_no_browser_page_elsewhere_is_told_anything(client: TestClient) -> None:
    assert "Access-Control-Allow-Origin" not in client.get("/health", headers={"Origin": BASE}).headers


def test_replies_may_not_be_guessed_to_be_pages(client: TestClient) -> None:
    assert client.get("/health").headers["X-Content-Type-Options"] == "nosniff"
