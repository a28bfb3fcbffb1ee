"""What an agent should know when it starts: identity, standing rules, curated facts, recent decisions, each line cited."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wiki.models.token_estimate import count_pieces
from wiki.vaults.model import Note, namespace_of
from wiki.vaults.notes.parser import read_text

Part = Literal["identity", "rules", "facts", "decisions"]
PARTS: tuple[tuple[Part, str, float], ...] = (
    ("identity", "Who I am", 0.2),
    ("rules", "Standing rules", 0.35),
    ("facts", "About the user", 0.3),
    ("decisions", "Recent decisions", 0.15),
)
"""In the order they are told, with the share of the budget each is sure of; what one leaves, the next ones may use."""
LONGEST_LINE = 300
MOST_OF_A_NOTE = 12
_ENDED = frozenset({"superseded", "deprecated", "rejected", "expired", "archived", "retired", "staged", "draft"})
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_RULE = re.compile(r"^\s*(?:#{1,6}\s|\||```|~~~|(?:[-*_]\s*){3,}$|>\s*\[!)")
_LINK = re.compile(r"!?\[\[([^\]|]*)(?:\|([^\]]*))?\]\]|!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|\s\^[\w-]+$")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s")


@dataclass(frozen=True)
class Cited:
    """One line of the brief and where it stands."""

    part: Part
    text: str
    note_id: str
    vault: str
    path: str
    line: int


@dataclass(frozen=True)
class Brief:
    lines: tuple[Cited, ...]
    left_out: int
    """Lines that did not fit the budget."""
    tokens: int
    """Of ``text``, estimated."""
    text: str
    """Markdown, ready for a prompt."""


@dataclass(frozen=True)
class Source:
    """A note that may be told. The caller leaves out what is hidden or not in retrieval."""

    note_id: str
    vault: str
    note: Note


def make_brief(sources: Iterable[Source], tokens: int) -> Brief:
    """The brief of these notes within about ``tokens`` tokens.

    A part takes its lines note by note, the newest first; no line is cut to fit, it is left out whole.
    """
    kept = [source for source in sources if _counts(source.note)]
    by_part = {part: _lines(part, kept) for part, _, _ in PARTS}
    chosen: dict[Part, list[Cited]] = {}
    room = float(tokens)
    for part, title, share in PARTS:
        chosen[part] = list(_fitting(by_part[part], min(room, tokens * share), title))
        room -= _cost(chosen[part], title)
    for part, title, _ in PARTS:
        room += _cost(chosen[part], title)
        chosen[part] = list(_fitting(by_part[part], room, title))
        room -= _cost(chosen[part], title)
    lines = tuple(line for part, _, _ in PARTS for line in chosen[part])
    text = _text(chosen)
    found = sum(len(points) for notes in by_part.values() for points in notes)
    return Brief(lines, found - len(lines), count_pieces(text), text)


def part_of(vault: str, path: str, note_type: str | None) -> Part | None:
    """The part of the brief a note belongs to; None for one that is never told."""
    if path.rpartition("/")[2].casefold() in ("readme.md", "index.md"):
        return None
    if vault == "ai":
        return {"identity": "identity", "interaction-rules": "rules"}.get(namespace_of(path).casefold())  # type: ignore[return-value]
    if vault == "user":
        return "facts"
    decided = (note_type or "").casefold() in ("adr", "decision") or "/decisions/" in f"/{path.casefold()}"
    return "decisions" if decided else None


def _counts(note: Note) -> bool:
    gone = (note.status or "").casefold() in _ENDED or any(
        note.front_matter.get(key) for key in ("superseded_by", "superseded-by", "superseded by")
    )
    return note.in_retrieval and not gone


def _lines(part: Part, sources: Sequence[Source]) -> list[list[Cited]]:
    """The lines of each note of a part, the newest note first."""
    own = [s for s in sources if part_of(s.vault, s.note.path, s.note.type) == part]
    own.sort(key=lambda source: (source.vault, source.note.path))
    own.sort(key=lambda source: source.note.date or "", reverse=True)
    return [[_cited(part, source, text, line) for text, line in _points(part, source.note)] for source in own]


def _cited(part: Part, source: Source, text: str, line: int) -> Cited:
    return Cited(part, text, source.note_id, source.vault, source.note.path, line)


def _points(part: Part, note: Note) -> Iterator[tuple[str, int]]:
    """What a note says, a line a point: its list items, or the first sentence of each paragraph."""
    if part == "decisions":
        first = next(iter(_paragraphs(note)), ("", note.body_line))
        yield _short(f"{note.title}: {_first_sentence(first[0])}" if first[0] else note.title), first[1]
        return
    found = list(_paragraphs(note))[:MOST_OF_A_NOTE]
    if not found:
        yield _short(note.title), note.body_line
    for text, line in found:
        yield _short(text if len(text) <= LONGEST_LINE else _first_sentence(text)), line


def _paragraphs(note: Note) -> Iterator[tuple[str, int]]:
    """Paragraphs and list items as plain text, with the line each begins on; headings, tables and code are not told."""
    text: list[str] = []
    start, fenced = 0, False
    for number, line in enumerate(read_text(note).splitlines(), start=note.body_line):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        stands_alone = fence or fenced or bool(_RULE.match(line))
        if text and (stands_alone or not line.strip() or _ITEM.match(line)):
            yield " ".join(text), start
            text = []
        if stands_alone or not line.strip():
            continue
        if not text:
            start = number
        plain = _plain(_ITEM.sub("", line, count=1))
        text += [plain] if plain else []
    if text:
        yield " ".join(text), start


def _plain(line: str) -> str:
    line = _LINK.sub(lambda found: found[2] or found[1] or found[3] or "", line.lstrip("> \t"))
    return " ".join(_MARKS.sub("", line).split())


def _first_sentence(text: str) -> str:
    return _SENTENCE.split(text, maxsplit=1)[0]


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1].rsplit(' ', 1)[0]}…"


def _fitting(notes: Sequence[Sequence[Cited]], room: float, title: str) -> Iterator[Cited]:
    """The lines that fit: of each note in turn, in order, while there is room."""
    room -= count_pieces(f"## {title}\n\n")
    for lines in notes:
        for line in lines:
            cost = count_pieces(_shown(line))
            if cost <= room:
                room -= cost
                yield line


def _cost(lines: Sequence[Cited], title: str) -> int:
    return sum(count_pieces(_shown(line)) for line in lines) + count_pieces(f"## {title}\n\n") if lines else 0


def _shown(line: Cited) -> str:
    return f"- {line.text} [{line.vault}/{line.path}:{line.line}]\n"


def _text(chosen: dict[Part, list[Cited]]) -> str:
    parts = [(title, "".join(map(_shown, chosen[part]))) for part, title, _ in PARTS if chosen[part]]
    return "\n".join(f"## {title}\n\n{lines}" for title, lines in parts)
