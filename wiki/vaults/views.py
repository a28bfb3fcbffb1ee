"""What is answered about notes."""

from dataclasses import dataclass
from typing import Any

from wiki.vaults.model import Heading


@dataclass(frozen=True)
class NoteLink:
    """One reference as written, and the note at its other end; None where it leads nowhere that may be told."""

    kind: str
    target: str
    heading: str | None
    block: str | None
    shown: str | None
    line: int
    note_id: str | None
    vault: str | None
    path: str | None
    title: str | None
    found_by: str | None
    """How the target was found: ``path``, ``stem`` or ``alias``."""
    ambiguous: bool


@dataclass(frozen=True)
class NoteView:
    note_id: str
    vault: str
    path: str
    namespace: str
    title: str
    content: str
    """Everything behind the front matter."""
    body_line: int
    front_matter: dict[str, Any]
    properties: dict[str, Any]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    type: str | None
    status: str | None
    date: str | None
    headings: tuple[Heading, ...]
    blocks: tuple[str, ...]
    links: tuple[NoteLink, ...]
    backlinks: tuple[NoteLink, ...]
    created_at: str
    updated_at: str
    content_hash: str
    """SHA-256 of the file: what ``expected_hash`` means."""


@dataclass(frozen=True)
class RelatedNote:
    note_id: str
    vault: str
    path: str
    title: str
    score: float
    """Cosine of the nearest passage with the note's middle, 0 to 1."""


@dataclass(frozen=True)
class Neighbour:
    note_id: str
    vault: str
    path: str
    title: str
    depth: int
    """Links from the note that was asked for."""
    via: str
    """Id of the note one step nearer."""
