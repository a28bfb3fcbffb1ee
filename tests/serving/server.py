"""A real server on a free loopback port, and raw sockets to misbehave with."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

from serving.run import listen

BOUNDARY = "limit-of-the-part"


@contextmanager
def running(app: FastAPI) -> Iterator[int]:
    """Serve ``app`` in a thread; gives the port."""
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.005)


def upload_head(port: int, content_length: int | None, path: str = "/api/v1/knowledge/documents") -> bytes:
    """Request line, headers and the start of the file part; chunked when no length is given."""
    size = "Transfer-Encoding: chunked" if content_length is None else f"Content-Length: {content_length}"
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{size}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    ).encode()


PART = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="big.md"\r\n'
    "Content-Type: text/markdown\r\n\r\n"
).encode()


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def read_reply(connection: socket.socket) -> tuple[int, dict[str, str], Any]:
    """Status, headers and JSON body of the reply on a raw connection."""
    with connection.makefile("rb") as stream:
        status = int(stream.readline().split()[1])
        headers: dict[str, str] = {}
        while line := stream.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, json.loads(stream.read(int(headers["content-length"])))
