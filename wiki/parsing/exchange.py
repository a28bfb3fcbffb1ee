"""What the pool and its child processes say to each other: length-prefixed pickles."""

import struct
from dataclasses import dataclass, field
from typing import IO

from wiki.errors import WikiError
from wiki.parsing.blocks import ParsedDocument
from wiki.settings import ParsingSettings

_LENGTH = struct.Struct(">I")


@dataclass(frozen=True)
class Request:
    path: str
    name: str
    declared_type: str | None
    settings: ParsingSettings = field(default_factory=ParsingSettings)


@dataclass(frozen=True)
class Reply:
    """The end of a request. Before it any number of ``Step`` may come."""

    document: ParsedDocument | None = None
    error: WikiError | None = None


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame, None at the end of the stream."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(header)
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: IO[bytes], body: bytes) -> None:
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()
