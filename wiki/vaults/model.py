"""What a vault and its notes are. Pure values: nothing here reads or writes a disk."""

import unicodedata
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

LinkKind = Literal["wikilink", "embed", "markdown"]
MARK, STAGED = "inbox", "staged"
"""What staging writes into a note's front matter and promotion takes out: a staged note stays out of retrieval though
its file, or the inbox itself, is moved or renamed by hand."""


@dataclass(frozen=True)
class Vault:
    """A folder of notes. The first folder level of a note's path is its namespace."""

    name: str
    root: Path
    """Where it lies; never part of an answer."""
    exclude: tuple[str, ...] = ()
    """Patterns, as in a .gitignore, of what is not indexed."""
    hide_underscored: bool = False
    """Whether every folder whose name begins with ``_`` stays out of retrieval (``ai`` and ``user``)."""
    inside_inbox: bool = False
    """Whether the vault's own folder is, or lies in, an inbox: nothing of it is found."""


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    """As a person reads it, without marks."""
    path: tuple[str, ...]
    """Texts of the headings above it by level, outermost first, itself last."""
    line: int
    """1-based, of the file."""


@dataclass(frozen=True)
class Link:
    """One reference to another note or file, as written."""

    kind: LinkKind
    target: str
    """Path, stem or alias; empty for a link into the same note."""
    heading: str | None
    """``A#B`` for nested headings, as written."""
    block: str | None
    """Block id without ``^``."""
    shown: str | None
    """The text after ``|``."""
    line: int


@dataclass(frozen=True)
class NoteProblem:
    reason: str
    remedy: str
    line: int | None = None


@dataclass(frozen=True)
class Note:
    """One parsed note. Offsets are characters of ``body``."""

    path: str
    """Relative to its vault, POSIX, NFC."""
    title: str
    front_matter: dict[str, Any]
    """Plain JSON values; empty when there is none or it cannot be read."""
    body: str
    """Everything after the front matter; the whole text when that cannot be read."""
    body_line: int
    """1-based line of the file where ``body`` starts."""
    sha256: str
    """Of the file's bytes."""
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    blocks: tuple[tuple[str, int], ...] = ()
    """Block ids without ``^``, with their lines."""
    tags: tuple[str, ...] = ()
    """From front matter and text, without ``#``, lower case, nested ones as ``a/b``."""
    aliases: tuple[str, ...] = ()
    type: str | None = None
    status: str | None = None
    date: str | None = None
    """ISO, as far as written: year, month or day."""
    properties: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Inline ``key:: value`` of Dataview."""
    unread: tuple[tuple[int, int], ...] = ()
    """``[start, end)`` spans that are shown but neither embedded nor searched: comments and queries."""
    problems: tuple[NoteProblem, ...] = ()
    staged: bool = False
    """Whether its front matter says ``inbox: staged``: it was staged and nobody promoted it, wherever it lies."""

    @property
    def namespace(self) -> str:
        """The first folder, empty for a note at the top of its vault."""
        return namespace_of(self.path)

    @property
    def kept_out(self) -> str | None:
        """Why its own front matter keeps it out of retrieval; folders have a say too (``wiki.vaults.visibility``)."""
        if self.staged:
            return f"it is staged: {MARK}: {STAGED}"
        return f"its status is {self.status}" if (self.status or "").lower() in ("template", "example") else None

    @property
    def in_retrieval(self) -> bool:
        """Whether its own front matter lets it be found."""
        return self.kept_out is None


def namespace_of(path: str) -> str:
    """The first folder of a path in a vault, empty at the top."""
    first, slash, _ = path.partition("/")
    return first if slash else ""


def note_id(vault: str, path: str) -> str:
    """``n_`` + 12 hex of the vault's name and the NFC path in it: a rename changes it."""
    return "n_" + sha256(f"{vault}\n{unicodedata.normalize('NFC', path)}".encode()).hexdigest()[:12]
