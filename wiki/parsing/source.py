"""What a converter gets, and what it gives back before it is cut into blocks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiki.parsing.blocks import Block, Provenance
from wiki.settings import ParsingSettings


@dataclass(frozen=True)
class Step:
    """A part of a long file is done: ``page 12 of 300``. ``total`` is None while it is not known."""

    unit: str
    """What is counted, in the singular: page, sheet, slide, minute, part."""
    done: int
    total: int | None = None

    def __str__(self) -> str:
        return f"{self.unit} {self.done}" + (f" of {self.total}" if self.total is not None else "")


Progress = Callable[[Step], None]


def no_progress(step: Step) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class Source:
    """A file to be read: where its bytes lie, the name its owner gave it, what it was detected as."""

    path: Path
    name: str
    media_type: str
    settings: ParsingSettings = field(default_factory=ParsingSettings)
    progress: Progress = no_progress
    """Called after each page, sheet or minute of a long file; a parser that calls it is not taken for hung."""
    depth: int = 0
    """How many mails or archives this file lies in."""

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
