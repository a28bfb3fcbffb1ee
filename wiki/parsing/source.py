"""What a converter gets, and what it gives back before it is cut into blocks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiki.parsing.blocks import Block, Provenance


@dataclass(frozen=True)
class Source:
    """A file to be read: where its bytes lie, the name its owner gave it, what it was detected as."""

    path: Path
    name: str
    media_type: str

    def read(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True)
class Piece:
    """A stretch of Markdown from one place of the source. Ends with a line end."""

    text: str
    provenance: Provenance | None = None


@dataclass(frozen=True)
class Conversion:
    """A converter's result. Either Markdown pieces, or blocks when the text is no Markdown."""

    pieces: tuple[Piece, ...] = ()
    blocks: tuple[Block, ...] | None = None
    title: str | None = None
    language: str | None = None
    document_date: str | None = None
    front_matter: dict[str, Any] = field(default_factory=dict[str, Any])


Convert = Callable[[Source], Conversion]
