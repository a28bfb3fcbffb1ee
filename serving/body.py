"""Request bodies: none is read past its limit, and a refusal reaches a client that is still sending."""

import time

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wiki.errors import TooLarge

MULTIPART_OVERHEAD = 1024 * 1024
"""Bytes an upload's form may hold beside the file itself."""
JSON_LIMIT = 8 * 1024 * 1024
LINGER_SECONDS = 2.0
LINGER_BYTES = 64 * 1024 * 1024


class RequestBody:
    """Counts what is received, raises ``TooLarge`` at the limit, and lingers after an early answer.

    A client that is still sending would lose the answer if the connection were closed under it, so what it
    sends is thrown away for a moment after the answer went out.
    """

    def __init__(self, app: ASGIApp, max_upload_bytes: int) -> None:
        self.app = app
        self.max_upload_bytes = max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        complete = "content-length" not in headers and "transfer-encoding" not in headers
        length = headers.get("content-length", "")
        multipart = headers.get("content-type", "").lower().startswith("multipart/")
        limit = self.max_upload_bytes + MULTIPART_OVERHEAD if multipart else JSON_LIMIT
        error = too_large(self.max_upload_bytes) if multipart else too_large(JSON_LIMIT, "a request body")
        received = 0

        async def limited() -> Message:
            nonlocal received, complete
            if length.isdecimal() and (len(length) > 18 or int(length) > limit):
                raise error
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                complete = not message.get("more_body", False)
                if received > limit:
                    raise error
            else:
                complete = True
            return message

        async def sender(message: Message) -> None:
            nonlocal complete
            if message["type"] == "http.response.start" and not complete:
                MutableHeaders(scope=message)["Connection"] = "close"
            if message["type"] == "http.response.body" and not message.get("more_body", False) and not complete:
                complete = True
                await send({**message, "more_body": True})
                await _linger(receive)
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        await self.app(scope, limited, sender)


def too_large(limit: int, what: str = "an upload") -> TooLarge:
    return TooLarge(
        f"{what} may hold at most {limit:,} bytes"
        + (" (setting knowledge.max_upload_bytes)" if what == "an upload" else ""),
        limit_bytes=limit,
    )


async def _linger(receive: Receive) -> None:
    dropped = 0
    deadline = time.monotonic() + LINGER_SECONDS
    with anyio.move_on_after(LINGER_SECONDS):
        while dropped < LINGER_BYTES and time.monotonic() < deadline:
            message = await receive()
            dropped += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                return
