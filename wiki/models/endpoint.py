"""One HTTP endpoint of a model: a pooled client that tries again while that can help, and tells what went wrong."""

import json
import logging
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

import httpx

from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.models.endpoint_address import on_this_machine, parsed_url, routes, shown
from wiki.models.endpoint_reply import Answer, reason_in, reason_of, rejection

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before the second try (doubled for each further one, with jitter), and the most an endpoint may ask for."""
PAUSE_SHARE = 40
"""The first pause takes no more than this part of a call's time: a search is tried again sooner."""
CONNECT_SECONDS = 10.0
LARGEST_REPLY = 256 * 1024 * 1024
"""Bytes; 512 vectors of 8,192 numbers are 90 million."""
SHORTEST_HIDDEN = 8
NOT_IMPLEMENTED = 501
_log = logging.getLogger(__name__)


class Endpoint:
    """POSTs JSON to one address. Thread safe; connections are kept alive and shared.

    ``section`` is the settings table it comes from (``llm``), ``noun`` what a person calls it (``chat model``).
    ``paths`` are put behind ``base_url`` unless it ends with them; a 404 makes it try the next one, and the one that
    answers is remembered. Environment proxies are used, but never for this machine. Raises ConfigurationError for a
    URL or key no request can be made of.
    """

    def __init__(
        self,
        section: str,
        noun: str,
        base_url: str,
        api_key: str,
        paths: tuple[str, ...],
        *,
        retries: int = 3,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.section = section
        self.noun = noun
        base = parsed_url(section, base_url)
        self._routes = routes(base.copy_with(username=None, password=None), paths)
        self._route = 0
        self._key = api_key.strip()
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            if not (self._key.isascii() and self._key.isprintable()):
                raise ConfigurationError(f"{section}.api_key holds a character that no key can have: set it again")
            self._headers["Authorization"] = f"Bearer {self._key}"
        named = bool(base.username or base.password) and not self._key
        self._auth = httpx.BasicAuth(base.username, base.password) if named else None
        self._tries = retries + 1
        self._pause = pause
        self._local = on_this_machine(base.host)
        self._guard = threading.Lock()
        self._client: httpx.Client | None = None

    @property
    def url(self) -> str:
        """Where it posts to, without credentials and query."""
        return shown(self._routes[self._route])

    def post(
        self, payload: Mapping[str, object], *, timeout: float, within: float, limit: str = "timeout_seconds"
    ) -> object:
        """The JSON of the reply. One try takes at most ``timeout`` seconds, all together ``within``; ``limit`` is the
        setting that says so.

        Raises ExternalServiceUnavailable for a refused or broken connection, a reply that is late, 429, 5xx or not
        JSON, and ConfigurationError when the endpoint rejects the key (401, 403), the address or model (404) or the
        request (400). Their ``details`` hold ``status`` and ``reason`` where there was a reply.
        """
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        begin = time.monotonic()
        end = begin + within
        tries = 0
        while True:
            tries += 1
            answer, wait = None, None
            seconds = min(timeout, max(0.001, end - time.monotonic()))
            try:
                answer = self._send(body, seconds)
            except httpx.RequestError as error:
                failure = _what_happened(error, f"{seconds:.3g} s ({self.section}.{limit})")
            else:
                if answer.status < 300:
                    return self._json(answer)
                if answer.status != 429 and (answer.status < 500 or answer.status == NOT_IMPLEMENTED):
                    raise rejection(self.section, self.noun, self.url, answer, self._hidden(payload))
                failure, wait = self._refusal(answer, payload), _retry_after(answer)
            backoff = min(FIRST_PAUSE, within / PAUSE_SHARE) * 2 ** (tries - 1) * random.uniform(0.5, 1.0)
            pause = backoff if wait is None else wait
            if tries >= self._tries or pause > LONGEST_PAUSE or time.monotonic() + pause >= end:
                break
            _log.info("%s: the %s at %s %s; trying again in %.1f s", self.section, self.noun, self.url, failure, pause)
            self._pause(pause)
        many = f" ({tries} tries in {time.monotonic() - begin:.1f} s)" if tries > 1 else ""
        told = {"status": answer.status, "reason": reason_of(answer, self._hidden(payload))} if answer else {}
        busy = answer is not None and answer.status == 429
        look = "wait, or raise its limit" if busy else f"check that it runs, and {self.section}.base_url"
        raise self._unavailable(f"{failure}{many}", look, told)

    def failed(
        self, what: str, body: object = None, sent: Mapping[str, object] | None = None, **details: object
    ) -> ExternalServiceUnavailable:
        """The error for a reply that makes no sense: the endpoint ``what``, as in ``answered without vectors``. An
        error told in the reply's ``body`` is quoted, without the key and what was ``sent``.
        """
        reason = reason_in(body, self._hidden(sent or {}))
        said = f"{what}: {reason}" if reason else what
        return self._unavailable(said, f"check {self.section}.base_url and {self.section}.model", details)

    def _unavailable(self, what: str, look: str, details: Mapping[str, object]) -> ExternalServiceUnavailable:
        return ExternalServiceUnavailable(
            f"the {self.noun} at {self.url} {what}: {look}", provider=self.section, **details
        )

    def close(self) -> None:
        with self._guard:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _send(self, body: bytes, seconds: float) -> Answer:
        """The reply of the first route that isn't 404; of the first route when all are."""
        first: Answer | None = None
        order = [self._route, *(place for place in range(len(self._routes)) if place != self._route)]
        for place in order:
            answer = self._ask(self._routes[place], body, seconds)
            if answer.status != 404:
                self._route = place
                return answer
            if first is None or (not reason_of(first) and reason_of(answer)):
                first = answer
        assert first is not None
        return first

    def _ask(self, url: httpx.URL, body: bytes, seconds: float) -> Answer:
        end = time.monotonic() + seconds
        limits = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        with self._opened().stream(
            "POST", url, content=body, headers=self._headers, auth=self._auth, timeout=limits
        ) as response:
            parts: list[bytes] = []
            size = 0
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > LARGEST_REPLY:
                    raise httpx.DecodingError(f"sent more than {LARGEST_REPLY >> 20} MiB", request=response.request)
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("", request=response.request)
            return Answer(response.status_code, b"".join(parts), dict(response.headers))

    def _opened(self) -> httpx.Client:
        with self._guard:
            if self._client is None:
                logging.getLogger("httpx").setLevel(logging.WARNING)
                try:
                    self._client = httpx.Client(
                        # Reading the machine's certificates takes 30 ms; plain http has no use for them.
                        verify=httpx.create_ssl_context() if self._routes[0].scheme == "https" else False,
                        trust_env=not self._local,
                        limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=60),
                    )
                except (ImportError, ValueError, OSError) as error:
                    raise ConfigurationError(
                        f"no connection to the {self.noun} at {self.url} can be made: see HTTP_PROXY, HTTPS_PROXY, "
                        f"ALL_PROXY and SSL_CERT_FILE in the environment ({type(error).__name__})"
                    ) from None
                weakref.finalize(self, self._client.close)
            return self._client

    def _json(self, answer: Answer) -> object:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            kind = answer.headers.get("content-type", "no content type")
            raise self.failed(
                f"answered with {len(answer.body):,} bytes that are not JSON ({kind})", status=answer.status
            ) from None

    def _refusal(self, answer: Answer, payload: Mapping[str, object]) -> str:
        reason = reason_of(answer, self._hidden(payload))
        what = "is asked too often (429)" if answer.status == 429 else f"failed ({answer.status})"
        wait = _retry_after(answer)
        asked = f", asks to wait {wait:g} s" if wait is not None and wait > 0 else ""
        return what + asked + (f": {reason}" if reason else "")

    def _hidden(self, payload: Mapping[str, object]) -> list[str]:
        """What may never be quoted: the key, and every longer text that was sent."""
        return [*([self._key] if len(self._key) >= SHORTEST_HIDDEN else []), *_texts(payload)]


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if len(value) >= SHORTEST_HIDDEN else []
    if isinstance(value, Mapping):
        return [text for key, item in value.items() if key != "model" for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list | tuple) else []


def _what_happened(error: httpx.RequestError, time_limit: str) -> str:
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return "could not be reached in time"
    if isinstance(error, httpx.TimeoutException):
        return f"gave no whole reply within {time_limit}"
    if isinstance(error, httpx.ConnectError):
        return f"could not be reached ({str(error) or type(error).__name__})"
    if isinstance(error, httpx.ProxyError):
        return "could not be reached through the proxy of the environment"
    if isinstance(error, httpx.DecodingError):
        return f"gave a reply that can't be read: {error}"
    return "broke off its reply"


def _retry_after(answer: Answer) -> float | None:
    """Seconds the endpoint asks to wait: a number or a date; None when it doesn't say."""
    given = answer.headers.get("retry-after", "").strip()
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
