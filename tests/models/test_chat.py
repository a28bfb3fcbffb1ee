"""Chat models: what is asked, what servers answer, and what they don't take."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import pytest

from tests.models.endpoints import Call, ChatServer, Reply, Script, completion, failure, refused_url
from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.models.chat import PATHS, OpenAIChat, without_thought
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Reply as ChatReply

SCHEMA: dict[str, object] = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
KEY = "sk-hidden-4711"
SYSTEM, USER = "You split texts.", "The text nobody should find in a log."


def chat(url: str, *, structured: Literal["auto", "schema", "object", "none"] = "auto", **more: Any) -> OpenAIChat:
    endpoint = Endpoint("llm", "chat model", url, KEY, PATHS, retries=2, pause=lambda _: None)
    limits: dict[str, Any] = {"timeout_seconds": 5, "within_seconds": 30, **more}
    return OpenAIChat(endpoint, "some-model", context_tokens=8_000, structured=structured, **limits)


def ask(model: OpenAIChat) -> ChatReply:
    return model.ask(SYSTEM, USER, schema=SCHEMA, max_tokens=500)


def formats(server: ChatServer) -> list[str]:
    return [call.body.get("response_format", {}).get("type", "none") for call in server.calls]


def test_a_call_asks_for_json_by_schema_at_temperature_0() -> None:
    with ChatServer([completion('{"a": 1}', usage=(12, 5))]) as server:
        model = chat(server.base_url)
        assert ask(model) == ChatReply('{"a": 1}', False, 12, 5)
        assert (model.name, model.context_tokens) == ("some-model", 8_000)
    call = server.calls[0]
    assert call.path == "/chat/completions"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body["model"] == "some-model"
    assert call.body["messages"] == [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    assert (call.body["temperature"], call.body["max_tokens"]) == (0, 500)
    asked = call.body["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["schema"] == SCHEMA and asked["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (completion('{"a": 1}'), ChatReply('{"a": 1}', False)),
        (completion('{"a"', finish="length"), ChatReply('{"a"', True)),
        (completion(None, finish="length"), ChatReply("", True)),
        (completion([{"type": "text", "text": '{"a"'}, {"type": "image"}, ": 1}"]), ChatReply('{"a": 1}', False)),
        (completion('{"a": 1}', reasoning_content="hm"), ChatReply('{"a": 1}', False)),
        (completion(None, reasoning_content='{"a": 1}'), ChatReply('{"a": 1}', False)),
        (completion("<think>{ hm }</think>\n{}"), ChatReply("{}", False)),
        (completion("<think>hm", finish="length"), ChatReply("", True)),
        (completion(None, refusal="I won't."), ChatReply("I won't.", False)),
        (completion(None), ChatReply("", False)),
        (Script({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "?"}}), ChatReply("x", False)),
    ],
)
def test_servers_answer_in_many_ways(reply: Script, expected: ChatReply) -> None:
    with ChatServer([reply]) as server:
        assert ask(chat(server.base_url)) == expected


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Script({"choices": []}), "answered without a choice: check llm.base_url"),
        (Script({"choices": None, "error": {"message": "upstream is down"}}), "without a choice: upstream is down"),
        (Script({"error": {"message": f"{KEY} may not ask: {USER}"}}), "without a choice: … may not ask: …: check"),
        (Script({"choices": [{}]}), "holds no message"),
        (Script({"choices": ["text"]}), "holds no message"),
        (Script([1, 2]), "without a choice"),
        (Script("data: {}\n\n"), "not JSON"),
        (failure(500, "out of memory"), "failed (500): out of memory (3 tries"),
        (failure(429, "slow down"), "too often (429): slow down (3 tries"),
        (Script({}, fault="reset"), "broke off its reply (3 tries"),
    ],
)
def test_no_completion_is_an_unavailable_service(reply: Script, says: str) -> None:
    with ChatServer([reply]) as server:
        with pytest.raises(ExternalServiceUnavailable) as error:
            ask(chat(server.base_url))
    assert says in error.value.message and "chat model" in error.value.message
    assert KEY not in error.value.message and USER not in error.value.message


def test_a_server_that_is_not_there_or_too_slow_is_unavailable() -> None:
    with pytest.raises(ExternalServiceUnavailable, match="could not be reached"):
        ask(chat(refused_url()))
    with ChatServer([Script(fault="slow")]) as server:
        with pytest.raises(ExternalServiceUnavailable, match=r"llm\.timeout_seconds"):
            ask(chat(server.base_url, timeout_seconds=0.1, within_seconds=0.2))


@pytest.mark.parametrize(("status", "setting"), [(401, "llm.api_key"), (404, "llm.model"), (400, "llm.model")])
def test_a_rejection_names_the_setting(status: int, setting: str) -> None:
    with ChatServer([failure(status, f"the model {KEY} is unknown: {USER}")]) as server:
        with pytest.raises(ConfigurationError) as error:
            ask(chat(server.base_url))
    assert setting in error.value.message
    assert KEY not in error.value.message and USER not in error.value.message


def taking(*kinds: str) -> Callable[[Call], Script]:
    """A server that takes only these kinds of ``response_format``."""

    def answer(call: Call) -> Script:
        kind = call.body.get("response_format", {}).get("type", "none")
        return completion('{"a": 1}') if kind in kinds else failure(400, f"response_format {kind} is not supported")

    return answer


@pytest.mark.parametrize(
    ("taken", "asked"),
    [
        ("json_schema", ["json_schema", "json_schema"]),
        ("json_object", ["json_schema", "json_object", "json_object"]),
        ("none", ["json_schema", "json_object", "none", "none"]),
    ],
)
def test_what_the_server_takes_is_found_once_and_remembered(taken: str, asked: list[str]) -> None:
    with ChatServer([taking(taken)]) as server:
        model = chat(server.base_url)
        assert ask(model) == ask(model) == ChatReply('{"a": 1}', False)
        assert formats(server) == asked
        last = server.calls[-1].body["messages"][0]["content"]
        assert last.startswith(SYSTEM) and ('"required": ["a"]' in last) == (taken != "json_schema")


@pytest.mark.parametrize("rejected", [Script("Bad Request", 400), failure(422, "Extra inputs: guided_json")])
def test_a_rejection_without_or_with_other_words_is_understood(rejected: Script) -> None:
    with ChatServer([rejected, '{"a": 1}']) as server:
        assert ask(chat(server.base_url)).text == '{"a": 1}'
        assert formats(server) == ["json_schema", "json_object"]


def test_a_grammar_the_server_fails_on_is_left_out() -> None:
    broken = failure(500, "failed to parse grammar")
    with ChatServer([broken, broken, broken, '{"a": 1}']) as server:
        assert ask(chat(server.base_url)).text == '{"a": 1}'
        assert formats(server)[-1] == "json_object"


def test_a_rejection_about_something_else_is_not_tried_in_other_words() -> None:
    with ChatServer([failure(400, "the prompt has 9000 tokens, the context 8192")]) as server:
        with pytest.raises(ConfigurationError, match="9000 tokens"):
            ask(chat(server.base_url))
        assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("structured", "asked"), [("schema", "json_schema"), ("object", "json_object"), ("none", "none")]
)
def test_a_setting_fixes_how_json_is_asked_for(structured: Any, asked: str) -> None:
    with ChatServer(["{}", failure(400, "response_format is unknown")]) as server:
        model = chat(server.base_url, structured=structured)
        ask(model)
        with pytest.raises(ConfigurationError):
            ask(model)
        assert formats(server) == [asked, asked]


def test_newer_models_get_their_own_name_for_the_limit_and_no_temperature() -> None:
    replies: list[Reply | str] = [
        failure(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        failure(400, "Unsupported value: 'temperature' does not support 0 with this model."),
        "{}",
    ]
    with ChatServer(replies) as server:
        model = chat(server.base_url)
        ask(model)
        ask(model)
    for call in server.calls[2:]:
        assert call.body["max_completion_tokens"] == 500
        assert "max_tokens" not in call.body and "temperature" not in call.body
    assert set(formats(server)) == {"json_schema"}


def test_calls_beyond_the_concurrency_wait() -> None:
    guard, together, most, two = threading.Lock(), 0, 0, threading.Event()

    def answer(_: Call) -> Script:
        nonlocal together, most
        with guard:
            together += 1
            most = max(most, together)
            if together == 2:
                two.set()
        two.wait(5)
        with guard:
            together -= 1
        return completion("{}")

    with ChatServer([answer]) as server, ThreadPoolExecutor(6) as pool:
        model = chat(server.base_url, concurrency=2)
        list(pool.map(lambda _: ask(model), range(6)))
        assert len(server.calls) == 6
    assert most == 2


def test_a_server_that_seems_to_cut_prompts_is_warned_about_once(caplog: pytest.LogCaptureFixture) -> None:
    long = "Whales sing at night. " * 1_000
    with ChatServer([completion("{}", usage=(4_000, 1)), completion("{}", usage=(1_024, 1))]) as server:
        model = chat(server.base_url)
        with caplog.at_level(logging.WARNING, "wiki"):
            model.ask(SYSTEM, long, schema=SCHEMA, max_tokens=500)
            assert caplog.records == []
            for _ in range(2):
                model.ask(SYSTEM, long, schema=SCHEMA, max_tokens=500)
    assert len(caplog.records) == 1
    assert "llm.context_tokens" in caplog.text and "Whales" not in caplog.text


def test_a_base_url_without_its_version_works() -> None:
    with ChatServer(["{}"], only=["/v1/chat/completions"]) as server:
        assert ask(chat(server.base_url)).text == "{}"


@pytest.mark.parametrize(
    ("text", "cut", "rest"),
    [
        ("<think>a</think>b", False, "b"),
        ("\n<THINKING>\na </thinking>\n\n{}", False, "{}"),
        ("all this was thought</think>{}", False, "{}"),
        ('{"a": "</think>"}', False, '{"a": "</think>"}'),
        ('```json\n{"a": "</think>"}', False, '```json\n{"a": "</think>"}'),
        ("<think>never ends {}", False, "never ends {}"),
        ("<think>never ends {}", True, ""),
        ("nothing to think", False, "nothing to think"),
    ],
)
def test_thoughts_are_left_out(text: str, cut: bool, rest: str) -> None:
    assert without_thought(text, cut=cut) == rest
