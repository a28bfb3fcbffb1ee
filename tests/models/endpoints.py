"""A stand-in for a model's HTTP endpoint on loopback: scripted replies, and a record of what was asked."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self


@dataclass(frozen=True)
class Call:
    """One request as it came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    connection: int
    """The client's port: calls over one kept connection have the same."""


@dataclass(frozen=True)
class Script:
    """One reply. ``body`` is sent as JSON unless it is text or bytes."""

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    fault: Literal["none", "slow", "dripping", "reset", "short"] = "none"
    """``slow``: says nothing until the server stops. ``dripping``: sends a blank at a time. ``reset``: cuts the
    connection before the reply. ``short``: cuts it in the middle of the body."""


Reply = Script | Callable[[Call], Script]


def failure(status: int, message: str = "", **headers: str) -> Script:
    """An error in the shape most endpoints use; ``retry_after="2"`` becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Script({"error": {"message": message}} if message else None, status, named)


def completion(
    text: object, *, finish: str = "stop", usage: tuple[int, int] | None = None, **message: object
) -> Script:
    """A chat completion whose content is ``text``."""
    body: dict[str, object] = {
        "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Script(body)


class EndpointServer:
    """Answers each POST with the next of ``replies``; the last one is repeated. A reply may be a function of the call.

    ``with EndpointServer([...]) as server:`` then ``server.base_url`` and ``server.calls``. Calls to other paths than
    ``only``, when given, are answered 404 and not counted.
    """

    def __init__(self, replies: Sequence[Reply], *, only: Sequence[str] = ()) -> None:
        self.calls: list[Call] = []
        self.replies = list(replies)
        self._only = tuple(only)
        self._guard = threading.Lock()
        self.stopped = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def take(self, call: Call) -> Script:
        """The reply to a call, which is written down."""
        if self._only and call.path not in self._only:
            return Script("<h1>Not Found</h1>", 404, {"content-type": "text/html"})
        with self._guard:
            self.calls.append(call)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply if isinstance(reply, Script) else reply(call)


class ChatServer(EndpointServer):
    """An ``EndpointServer`` whose replies may be plain text: the content of a completion."""

    def __init__(self, replies: Sequence[Reply | str], *, only: Sequence[str] = ()) -> None:
        super().__init__([completion(reply) if isinstance(reply, str) else reply for reply in replies], only=only)


def refused_url() -> str:
    """An address on loopback where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: EndpointServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        script = self.server.owner.take(Call(self.path, headers, json.loads(raw), self.client_address[1]))
        if script.fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        if script.fault == "slow":
            self.server.owner.stopped.wait(30)
            self.close_connection = True
            return
        self._write(script)

    def _write(self, script: Script) -> None:
        body = script.body if isinstance(script.body, bytes | str) else json.dumps(script.body)
        data = body.encode() if isinstance(body, str) else body
        self.send_response(script.status)
        for name, value in {"content-type": "application/json", **script.headers}.items():
            self.send_header(name, value)
        dripping = script.fault == "dripping"
        self.send_header("content-length", str(1_000_000 if dripping else len(data) + 100 * (script.fault == "short")))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        while dripping and not self.server.owner.stopped.wait(0.01):
            self.wfile.write(b" ")
            self.wfile.flush()
        self.close_connection = script.fault != "none"

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
