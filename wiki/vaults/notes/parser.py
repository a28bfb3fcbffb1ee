"""A note from its bytes."""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from wiki.documents import front_matter
from wiki.documents.yaml_tree import Tree
from wiki.vaults.model import Heading, Link, Note, NoteProblem
from wiki.vaults.notes import columns
from wiki.vaults.notes.body import read_body
from wiki.vaults.notes.encoding import decode_note
from wiki.vaults.notes.inline import blanked
from wiki.vaults.notes.yaml_links import yaml_links


def parse_note(path: str, data: bytes) -> Note:
    """The note of these bytes, which lie at ``path`` of their vault; a ``.canvas`` file is a note as well.

    Never raises: what is wrong becomes a problem. Front matter that cannot be read is part of the body then, and
    nothing in it counts as heading, tag or link. Takes time linear in the length of ``data``.
    """
    if is_canvas(path):
        from wiki.vaults.notes.canvas import parse_canvas

        return parse_canvas(path, data)
    decoded = decode_note(data)
    parts = front_matter.split(decoded.readable)
    tree = parts.tree()
    block = parts.opening + parts.raw + parts.closing
    problems = [decoded.problem] if decoded.problem else []
    problems += [NoteProblem(odd.reason, odd.remedy, odd.line) for odd in tree.problems]
    note = plain_note(path, data, "", problems)
    if tree.readable:
        note = with_body(note, parts.body, parts.body_line)
    else:
        note = with_body(note, block + parts.body, 1, first=len(block))
        raw = parts.raw or parts.body[:4096]
        staged = columns.unreadable_is_staged(raw)
        note = replace(note, status=columns.status_of_unreadable(raw), staged=staged)
    return _with_columns(note, tree, [written.link for written, _ in yaml_links(parts)]) if tree.nodes else note


def is_canvas(path: str) -> bool:
    return path.lower().endswith(".canvas")


def read_text(note: Note) -> str:
    """The body with spaces where it is not read, as long as the body: what is embedded and searched."""
    return blanked(note.body, note.unread) if note.unread else note.body


def plain_note(path: str, data: bytes, body: str, problems: Sequence[NoteProblem]) -> Note:
    """A note whose text is not read as Markdown, called like its file."""
    name = unicodedata.normalize("NFC", path)
    title = PurePosixPath(name).name
    for ending in (".md", ".canvas"):
        if title.lower().endswith(ending) and len(title) > len(ending):
            title = title[: -len(ending)]
            break
    digest = hashlib.sha256(data).hexdigest()
    return Note(name, title, {}, body, 1, digest, problems=tuple(problems))


def with_body(note: Note, text: str, body_line: int, *, first: int = 0) -> Note:
    """The note with ``text`` read as Markdown from the line that begins at ``first``."""
    body = read_body(text, first)
    heading = body.sections[0] if body.opens_with_title and body.sections else None
    properties: dict[str, tuple[str, ...]] = {}
    for key, value in body.fields:
        properties[key] = (*properties.get(key, ()), value)
    return replace(
        note,
        title=(heading.text if heading and heading.level == 1 else "") or note.title,
        body=text,
        body_line=body_line,
        headings=tuple(Heading(s.level, s.text, s.path, s.line + body_line) for s in body.sections),
        links=tuple(replace(found.link, line=found.link.line + body_line) for found in body.links),
        blocks=tuple((name, line + body_line) for name, line in body.blocks),
        tags=body.tags,
        properties=properties,
        unread=body.unread,
    )


def _with_columns(note: Note, tree: Tree, links: Sequence[Link]) -> Note:
    date = columns.date_of(tree)
    written = columns.text_of(tree, "date")
    problems = note.problems
    if written and date is None:
        remedy = "write date as 2026-11-30, 2026-11 or 2026"
        problems = (*problems, NoteProblem(f"date is {written[:60]!r}", remedy, columns.line_of(tree, "date")))
    return replace(
        note,
        title=columns.text_of(tree, "title") or note.title,
        front_matter=columns.front_matter_values(tree),
        links=(*links, *note.links),
        tags=tuple(dict.fromkeys((*columns.tags_of(tree), *note.tags))),
        aliases=columns.aliases_of(tree),
        type=columns.text_of(tree, "type"),
        status=columns.text_of(tree, "status"),
        date=date,
        problems=problems,
        staged=note.staged or columns.is_marked_staged(tree),
    )
