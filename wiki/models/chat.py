"""Chat models behind an OpenAI-compatible ``/chat/completions``: hosted ones, vLLM, Ollama, LM Studio, llama.cpp."""

import json
import logging
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.models.endpoint import Endpoint
from wiki.models.protocols import Reply

Structured = Literal["schema", "object", "none"]
PATHS = ("chat/completions", "v1/chat/completions")
_WEAKER: dict[Structured, Structured] = {"schema": "object", "object": "none"}
_ABOUT_FORMAT = re.compile(r"response.?format|json|schema|grammar|structured|parameter|guided", re.IGNORECASE)
FEWEST_WORDS = 1_000
_WORD = re.compile(r"[A-Za-z]{3,}")
_log = logging.getLogger(__name__)
_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>\s*", re.IGNORECASE)


@dataclass(frozen=True)
class _Dialect:
    """What one server takes."""

    structured: Structured
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True


class OpenAIChat:
    """A ``ChatModel`` at an endpoint. What the server doesn't take (JSON schemas, ``max_tokens``, a temperature) is
    found out by its rejections at the first call and remembered as long as the process lives.

    ``structured`` is how JSON is asked for; ``auto`` goes from ``schema`` over ``object`` to ``none``. Without a
    schema in the request, the schema stands behind the system message in words.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        context_tokens: int,
        timeout_seconds: float,
        within_seconds: float,
        concurrency: int = 4,
        structured: Literal["auto", "schema", "object", "none"] = "auto",
        temperature: float = 0.0,
    ) -> None:
        self.name = model
        self.context_tokens = context_tokens
        self._endpoint = endpoint
        self._timeout = timeout_seconds
        self._within = within_seconds
        self._slots = threading.BoundedSemaphore(concurrency)
        self._auto = structured == "auto"
        self._temperature = temperature
        self._warned = False
        self._dialect = _Dialect("schema" if structured == "auto" else structured)

    def ask(self, system: str, user: str, *, schema: dict[str, object], max_tokens: int) -> Reply:
        """One answer. A refusal of the model is an answer, too: its words are the text.

        Raises ExternalServiceUnavailable when the provider is down, busy, slow or answers with something else than a
        completion, and ConfigurationError when it rejects the key, the model's name or the request.
        """
        with self._slots:
            dialect = self._dialect
            while True:
                payload = self._payload(dialect, system, user, schema, max_tokens)
                try:
                    body = self._endpoint.post(payload, timeout=self._timeout, within=self._within)
                except (ConfigurationError, ExternalServiceUnavailable) as error:
                    if error.details.get("status") not in (400, 404, 422, 500):
                        raise
                    weaker = self._weaker(dialect, str(error.details.get("reason", "")), error.details["status"])
                    if weaker is None:
                        raise
                    dialect = weaker
                    continue
                reply = self._reply(body, payload)
                self._dialect = dialect
                self._look_for_a_cut(user, reply)
                return reply

    def _payload(
        self, dialect: _Dialect, system: str, user: str, schema: dict[str, object], max_tokens: int
    ) -> dict[str, object]:
        if dialect.structured != "schema":
            system = (
                f"{system}\n\nAnswer with one JSON object and nothing else. It fits this JSON Schema:\n"
                + json.dumps(schema, ensure_ascii=False)
            )
        payload: dict[str, object] = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            dialect.limit_name: max_tokens,
        }
        if dialect.temperature:
            payload["temperature"] = self._temperature
        if dialect.structured == "schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            payload["response_format"] = {"type": "json_schema", "json_schema": named}
        elif dialect.structured == "object":
            payload["response_format"] = {"type": "json_object"}
        return payload

    def _weaker(self, dialect: _Dialect, reason: str, status: int) -> _Dialect | None:
        """What to try after a rejection; None when it is about something else."""
        said = reason.lower()
        if dialect.limit_name == "max_tokens" and "max_completion_tokens" in said:
            return replace(dialect, limit_name="max_completion_tokens")
        if dialect.temperature and "temperature" in said:
            return replace(dialect, temperature=False)
        about = _ABOUT_FORMAT.search(said) if said else status in (400, 422)
        if self._auto and about and dialect.structured in _WEAKER:
            return replace(dialect, structured=_WEAKER[dialect.structured])
        return None

    def _look_for_a_cut(self, user: str, reply: Reply) -> None:
        """Warns once when the server counted fewer tokens than half the words sent: some cut a prompt silently."""
        words = sum(1 for _ in _WORD.finditer(user))
        if not self._warned and words > FEWEST_WORDS and 0 < reply.prompt_tokens < words / 2:
            self._warned = True
            _log.warning(
                "the chat model at %s counted %d tokens in a prompt of %d words: it may see only a part. Raise its context "
                "(num_ctx of Ollama) or lower llm.context_tokens",
                self._endpoint.url,
                reply.prompt_tokens,
                words,
            )

    def _reply(self, body: object, sent: dict[str, object]) -> Reply:
        fields = _fields(body)
        choices = fields.get("choices")
        if not isinstance(choices, list) or not choices:
            raise self._endpoint.failed("answered without a choice", body, sent)
        choice = _fields(cast(list[object], choices)[0])
        message = _fields(choice.get("message"))
        if not message:
            raise self._endpoint.failed("answered with a choice that holds no message")
        cut = choice.get("finish_reason") in ("length", "max_tokens")
        written = _text(message.get("content")) or _text(message.get("refusal"))
        text = without_thought(written, cut=cut)
        if not text.strip() and not cut:
            text = _text(message.get("reasoning_content"))
        usage = _fields(fields.get("usage"))
        return Reply(text, cut, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def without_thought(text: str, *, cut: bool = False) -> str:
    """``text`` without the ``<think>`` part some models write first; a cut text that never ends it is all thought."""
    opened = _THOUGHT.match(text)
    ended = _THOUGHT_END.search(text)
    if opened:
        return text[ended.end() :] if ended else "" if cut else text[opened.end() :]
    if ended and not text.lstrip().startswith(("{", "[", "```")):
        return text[ended.end() :]
    return text


def _fields(value: object) -> dict[str, object]:
    return cast(dict[str, object], value) if isinstance(value, dict) else {}


def _text(content: object) -> str:
    """The text of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    return "".join(_parts(cast(list[object], content))) if isinstance(content, list) else ""


def _parts(content: list[object]) -> Iterator[str]:
    for part in content:
        text = part if isinstance(part, str) else _fields(part).get("text")
        if isinstance(text, str):
            yield text


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
