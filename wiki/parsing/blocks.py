"""What a parser hands on: blocks that partition the converted Markdown exactly."""

from dataclasses import dataclass, field
from typing import Any, Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote", "html", "rule", "blank"]


@dataclass(frozen=True)
class Provenance:
    """Where a block came from in the source file. Unset parts are unknown."""

    page: int | None = None
    sheet: str | None = None
    slide: int | None = None
    seconds: tuple[float, float] | None = None


@dataclass(frozen=True)
class Block:
    """One block of Markdown. ``text`` is exact, with its line ends and the blank lines that follow it."""

    text: str
    kind: BlockKind
    level: int | None = None
    """Heading level 1 to 6, for headings only."""
    heading: str | None = None
    """The plain text of a heading."""
    provenance: Provenance | None = None


@dataclass(frozen=True)
class ParsedDocument:
    """A whole file as Markdown. ``"".join(block.text for block in blocks)`` is the converted text."""

    blocks: tuple[Block, ...]
    media_type: str
    """What the bytes were read as, e.g. ``application/pdf``."""
    parser: str
    """Name and version of the parser, part of the asset's code version."""
    title: str | None = None
    """From the file's own metadata or its first heading."""
    language: str | None = None
    document_date: str | None = None
    """ISO date from the file's metadata."""
    front_matter: dict[str, Any] = field(default_factory=dict[str, Any])
    """The YAML front matter of an uploaded Markdown file; not part of the blocks."""

    @property
    def markdown(self) -> str:
        return "".join(block.text for block in self.blocks)
