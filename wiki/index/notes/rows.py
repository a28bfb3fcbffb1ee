"""What the catalog holds of the notes of vaults. Of a hidden note it holds where it lies, and nothing it says."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from wiki.index.folders import FileStamp


def is_note_id(record_id: str) -> bool:
    """Whether a record of the stores is a note: the other kind is a topic."""
    return record_id.startswith("n_")


@dataclass(frozen=True, order=True)
class NoteRef:
    """Where a note lies: the vault's name and the NFC path in it. A folder's path stands for what is below it."""

    vault: str
    path: str


@dataclass(frozen=True)
class NoteRow:
    """One row of the catalog's ``notes``. Times are ISO strings in UTC."""

    note_id: str
    vault: str
    path: str
    """Relative to the vault, NFC."""
    file: str
    """The same as the file system spells it."""
    namespace: str
    title: str
    """Of a hidden note the stem of its file name."""
    type: str | None
    status: str | None
    date: str | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    front_matter: dict[str, Any]
    properties: dict[str, Any]
    """Inline ``key:: value`` ones, a list each."""
    headings: list[list[Any]]
    """``[level, text, line]`` each."""
    blocks: list[list[Any]]
    """``[id, line]`` each."""
    keys: tuple[str, ...]
    """What a link may call it: its stem and its aliases, folded."""
    hidden: str | None
    """Why it is not in retrieval."""
    size: int
    mtime_ns: int
    inode: int
    sha256: str
    """Empty when a hidden note was not even opened."""
    created_at: str
    updated_at: str
    row_hash: str
    """Of everything that reaches its passage rows; empty when it has none."""
    passages: int = 0
    foreign_passages: dict[str, int] | None = field(default_factory=dict[str, int])
    """How many of them are in each language that the embedding model does not know, by its tag of BCP 47; None in a
    catalog of an older version, until they are counted."""

    @property
    def ref(self) -> NoteRef:
        return NoteRef(self.vault, self.path)

    @property
    def stamp(self) -> FileStamp:
        return FileStamp(self.size, self.mtime_ns, self.inode)

    @property
    def called(self) -> "CalledNote":
        return CalledNote(self.note_id, self.vault, self.path, self.aliases)


class CalledNote(NamedTuple):
    """What links need to know of a note."""

    note_id: str
    vault: str
    path: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class LinkRow:
    """One reference in a note, as written, and the note it leads to."""

    from_id: str
    ordinal: int
    kind: Literal["wikilink", "embed", "markdown"]
    target: str
    heading: str | None
    block: str | None
    shown: str | None
    line: int
    keys: tuple[str, ...]
    """What its target may be called; empty for a link into the same note."""
    target_id: str | None
    """The likeliest note it may mean; null when there is none."""
    found_by: str | None
    """How: by ``path``, ``stem`` or ``alias``."""
    ambiguous: bool
    """Whether other notes fit equally well."""
