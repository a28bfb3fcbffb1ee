"""An uploaded file as it is sent back: a download, by ranges if asked, never shown as a page of ours."""

import os
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.types import Message, Receive, Scope, Send

from wiki.errors import NotFound


class _MalformedRange(Exception):
    pass


class OriginalFile(FileResponse):
    """The bytes of one file. A range outside of it is 416 in an envelope, one that makes no sense is ignored."""

    def __init__(self, path: Path, name: str, media_type: str) -> None:
        try:
            stat = os.stat(path)
        except FileNotFoundError:
            raise NotFound(f"the uploaded file {name!r} is not there any more") from None
        headers = {
            "Content-Type": media_type,
            "Content-Disposition": _disposition(name),
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        super().__init__(path, headers=headers, media_type=media_type, stat_result=stat)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 416:
                size = MutableHeaders(scope=message)["content-range"]
                raise HTTPException(416, "the range lies outside of the file", {"Content-Range": size})
            if message["type"] == "http.response.start" and message["status"] == 400:
                raise _MalformedRange
            await send(message)

        try:
            await super().__call__(scope, receive, sender)
        except _MalformedRange:
            headers = [header for header in scope["headers"] if header[0] != b"range"]
            await super().__call__({**scope, "headers": headers}, receive, send)


def _disposition(name: str) -> str:
    """RFC 6266: a plain name for old clients, the real one by RFC 5987."""
    fallback = "".join(sign if 32 <= ord(sign) < 127 and sign not in '"\\%' else "_" for sign in name)
    return f"attachment; filename=\"{fallback}\"; filename*=UTF-8''{quote(name, safe='')}"
