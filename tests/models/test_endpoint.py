"""An endpoint: what is tried again, for how long, and what a person is told."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import httpx
import pytest

from tests.models.endpoints import EndpointServer, Script, failure, refused_url
from wiki.errors import ConfigurationError, ExternalServiceUnavailable, WikiError
from wiki.models import endpoint
from wiki.models.endpoint import Endpoint
from wiki.models.endpoint_address import on_this_machine, parsed_url, routes

KEY = "sk-very-secret-0123"
SENT = "a passage nobody else should read"
GOOD = Script({"fine": True})


class Call:
    """An endpoint whose pauses are written down instead of waited."""

    def __init__(self, base_url: str, *, retries: int = 3, paths: tuple[str, ...] = ("embeddings",)) -> None:
        self.pauses: list[float] = []
        self.endpoint = Endpoint(
            "embedding", "embedding model", base_url, KEY, paths, retries=retries, pause=self.pauses.append
        )

    def __call__(self, *, timeout: float = 5, within: float = 60) -> object:
        return self.endpoint.post({"model": "m", "input": [SENT]}, timeout=timeout, within=within)


def refusal(call: Call, **limits: float) -> WikiError:
    with pytest.raises(WikiError) as caught:
        call(**limits)
    message = caught.value.message
    assert KEY not in message and SENT not in message
    assert ("embedding model" in message and "embedding." in message) or "its limit" in message
    return caught.value


def test_calls_share_a_connection_that_is_kept_open() -> None:
    with EndpointServer([GOOD]) as server:
        call = Call(server.base_url)
        assert [call() for _ in range(3)] == [{"fine": True}] * 3
        assert len({made.connection for made in server.calls}) == 1
        assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.calls[0].body == {"model": "m", "input": [SENT]}


def test_threads_share_one_client() -> None:
    with EndpointServer([GOOD]) as server, ThreadPoolExecutor(8) as pool:
        call = Call(server.base_url)
        assert list(pool.map(lambda _: call(), range(40))) == [{"fine": True}] * 40
        assert len({made.connection for made in server.calls}) <= 8


@pytest.mark.parametrize(
    "bad",
    [
        *(failure(status, "busy") for status in (429, 500, 502, 503, 504, 529)),
        Script({}, fault="reset"),
        Script({"whole": False}, fault="short"),
    ],
    ids=lambda script: f"{script.status}-{script.fault}",
)
def test_what_may_pass_is_tried_again(bad: Script) -> None:
    with EndpointServer([bad, bad, GOOD]) as server:
        call = Call(server.base_url)
        assert call() == {"fine": True}
        assert len(server.calls) == 3
        assert len(call.pauses) == 2
        first = endpoint.FIRST_PAUSE
        assert first / 2 <= call.pauses[0] <= first <= call.pauses[1] <= first * 2


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (failure(429, "slow down"), "is asked too often (429): slow down (4 tries"),
        (failure(500, "out of memory"), "failed (500): out of memory (4 tries"),
        (Script("<h1>Bad gateway</h1>", 502), "failed (502) (4 tries"),
        (Script({}, fault="reset"), "broke off its reply (4 tries"),
        (Script({}, fault="short"), "broke off its reply (4 tries"),
    ],
)
def test_after_the_tries_the_service_is_unavailable(bad: Script, says: str) -> None:
    with EndpointServer([bad]) as server:
        error = refusal(Call(server.base_url))
        assert isinstance(error, ExternalServiceUnavailable) and error.retryable
        assert error.details["provider"] == "embedding"
        assert f"{server.base_url}/embeddings {says}" in error.message
        assert len(server.calls) == 4


def test_a_refused_connection_is_tried_again_and_then_told() -> None:
    call = Call(refused_url(), retries=2)
    error = refusal(call)
    assert isinstance(error, ExternalServiceUnavailable)
    assert "could not be reached" in error.message and "3 tries" in error.message
    assert "check that it runs, and embedding.base_url" in error.message
    assert len(call.pauses) == 2


@pytest.mark.parametrize(("given", "least", "most"), [("7", 7, 7), ("0", 0, 0), ("soon", 0.5, 1), ("a date", 20, 30)])
def test_the_endpoint_may_say_how_long_to_wait(given: str, least: float, most: float) -> None:
    said = formatdate(time.time() + 30) if given == "a date" else given
    with EndpointServer([failure(429, retry_after=said), GOOD]) as server:
        call = Call(server.base_url)
        assert call() == {"fine": True}
        assert least <= call.pauses[0] <= most


def test_a_search_is_tried_again_sooner() -> None:
    with EndpointServer([failure(500), GOOD]) as server:
        call = Call(server.base_url)
        assert call(within=10) == {"fine": True}
        assert 0.125 <= call.pauses[0] <= 0.25


def test_a_wait_longer_than_the_time_left_ends_the_tries_at_once() -> None:
    with EndpointServer([failure(429, "quota", retry_after="20")]) as server:
        call = Call(server.base_url)
        error = refusal(call, within=10)
        assert "asks to wait 20 s: quota" in error.message and "wait, or raise its limit" in error.message
        assert call.pauses == [] and len(server.calls) == 1


def test_no_endpoint_may_ask_for_an_hour() -> None:
    with EndpointServer([failure(503, retry_after="3600")]) as server:
        call = Call(server.base_url)
        refusal(call, within=100_000)
        assert call.pauses == []


@pytest.mark.parametrize("fault", ["slow", "dripping"])
def test_a_slow_reply_is_given_up_in_time(fault: str) -> None:
    with EndpointServer([Script({}, fault=fault)]) as server:  # pyright: ignore[reportArgumentType]
        begin = time.monotonic()
        error = refusal(Call(server.base_url), timeout=0.15, within=0.3)
        assert time.monotonic() - begin < 2
        assert isinstance(error, ExternalServiceUnavailable)
        assert "gave no whole reply within 0.1" in error.message and "embedding.timeout_seconds" in error.message


@pytest.mark.parametrize(
    ("status", "kind", "look"),
    [
        (301, ConfigurationError, "embedding.base_url"),
        (400, ConfigurationError, "embedding.model"),
        (401, ConfigurationError, "embedding.api_key"),
        (403, ConfigurationError, "embedding.api_key"),
        (404, ConfigurationError, "embedding.base_url and embedding.model"),
        (413, ExternalServiceUnavailable, "embedding"),
        (422, ExternalServiceUnavailable, "embedding"),
        (501, ExternalServiceUnavailable, "embedding"),
    ],
)
def test_a_rejection_is_not_tried_again(status: int, kind: type[WikiError], look: str) -> None:
    with EndpointServer([failure(status, f"no: {KEY} said {SENT}")]) as server:
        error = refusal(Call(server.base_url))
        assert type(error) is kind and look in error.message and f"({status})" in error.message
        assert error.details["status"] == status
        assert KEY not in str(error.details) and SENT not in str(error.details)
        assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"error": {"message": "no\nsuch   model"}}, ": no such model ("),
        ({"error": "overloaded"}, ": overloaded ("),
        ({"detail": [{"loc": ["body"], "msg": "too long", "input": {"input": [SENT]}}]}, ": too long ("),
        ({"object": "error", "message": "bad " * 300}, "bad bad…"),
        ("<html>Bad request</html>", "rejects the request ("),
        ([], "rejects the request ("),
    ],
)
def test_the_endpoints_own_words_are_quoted_shortly(body: object, reason: str) -> None:
    with EndpointServer([Script(body, 400)]) as server:
        message = refusal(Call(server.base_url)).message
        assert reason in message and len(message) < 500


@pytest.mark.parametrize("body", ["<html>It works!</html>", "", '{"cut": ', "[" * 200_000])
def test_a_reply_that_is_not_json_is_no_reply(body: str) -> None:
    with EndpointServer([Script(body, headers={"content-type": "text/html"})]) as server:
        error = refusal(Call(server.base_url))
        assert isinstance(error, ExternalServiceUnavailable)
        assert "not JSON (text/html)" in error.message and "It works" not in error.message
        assert len(server.calls) == 1


def test_a_reply_without_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LARGEST_REPLY", 1_000)
    with EndpointServer([Script("x" * 5_000)]) as server:
        assert "can't be read: sent more than" in refusal(Call(server.base_url, retries=0)).message


def test_the_path_that_answers_is_found_and_remembered() -> None:
    with EndpointServer([GOOD], only=["/v1/embeddings"]) as server:
        call = Call(server.base_url, paths=("embeddings", "v1/embeddings"))
        assert call() == {"fine": True} and call() == {"fine": True}
        assert call.endpoint.url == f"{server.base_url}/v1/embeddings"


def test_of_two_404_the_one_with_a_reason_is_told() -> None:
    with EndpointServer([failure(404, "no model m")], only=["/v1/embeddings"]) as server:
        message = refusal(Call(server.base_url, paths=("embeddings", "v1/embeddings"))).message
        assert "no model m" in message


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("https://h", ["https://h/rerank", "https://h/v1/rerank"]),
        ("https://h/", ["https://h/rerank", "https://h/v1/rerank"]),
        ("https://h/v1", ["https://h/v1/rerank"]),
        ("https://h/v1/rerank/", ["https://h/v1/rerank"]),
        ("https://h/proxy/v1#x", ["https://h/proxy/v1/rerank"]),
        ("https://h/own?version=2", ["https://h/own/rerank?version=2", "https://h/own/v1/rerank?version=2"]),
    ],
)
def test_a_base_url_may_hold_more_or_less_of_the_path(base: str, expected: list[str]) -> None:
    assert [str(url) for url in routes(parsed_url("rerank", base), ("rerank", "v1/rerank"))] == expected


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://h/v1", "http://", "http://h:0", "https://[::1", "h ost"])
def test_an_address_that_is_none_names_the_setting(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"llm\.base_url"):
        Endpoint("llm", "chat model", url, "", ("x",))


def test_credentials_in_the_address_are_sent_but_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    with EndpointServer([failure(500), failure(404)]) as server:
        url = server.base_url.replace("//", "//user:pa55word@") + "/?token=t0ken"
        named = Endpoint("llm", "chat model", url, "", ("chat",), pause=lambda _: None)
        with caplog.at_level(logging.DEBUG, "wiki"), caplog.at_level(logging.INFO, "httpx"):
            with pytest.raises(ConfigurationError) as error:
                named.post({}, timeout=5, within=30)
        assert server.calls[0].headers["authorization"].startswith("Basic ")
        assert server.calls[0].path == "/chat?token=t0ken"
        for secret in ("pa55word", "t0ken"):
            assert secret not in error.value.message + caplog.text + repr(named)


def test_a_key_no_header_can_carry_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigurationError, match=r"llm\.api_key") as error:
        Endpoint("llm", "chat model", "http://h", "schlüssel\n1", ("x",))
    assert "schl" not in error.value.message


def test_proxies_of_the_environment_are_not_used_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, refused_url())
    monkeypatch.delenv("NO_PROXY", raising=False)
    with EndpointServer([GOOD]) as server:
        assert Call(server.base_url)() == {"fine": True}
    elsewhere = refusal(Call("http://models.invalid/v1", retries=0))
    assert "could not be reached" in elsewhere.message


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.9", "::1", "0.0.0.0"])
def test_this_machine_has_many_names(host: str) -> None:
    assert on_this_machine(host)
    assert not on_this_machine(f"x{host}.example")


def test_a_broken_proxy_setting_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://user:pa55word@proxy:1")
    with pytest.raises(ConfigurationError, match="HTTPS_PROXY") as error:
        Call("https://models.invalid/v1")()
    assert "pa55word" not in error.value.message


def test_connections_end_with_the_endpoint() -> None:
    with EndpointServer([GOOD]) as server:
        call = Call(server.base_url)
        call()
        client = call.endpoint._client  # pyright: ignore[reportPrivateUsage]
        assert isinstance(client, httpx.Client) and not client.is_closed
        del call
        assert client.is_closed


def test_lone_surrogates_are_sent_as_question_marks() -> None:
    with EndpointServer([GOOD]) as server:
        Endpoint("llm", "chat model", server.base_url, "", ("x",)).post({"a": "b\ud800"}, timeout=5, within=5)
        assert server.calls[0].body == {"a": "b?"}
