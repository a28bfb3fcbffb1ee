"""Targets of links replaced in a note's bytes, when the notes they lead to were moved or renamed."""

from collections.abc import Callable

from wiki.documents import front_matter
from wiki.errors import InvalidInput
from wiki.vaults.model import Link
from wiki.vaults.notes.body import read_body
from wiki.vaults.notes.encoding import decode_note
from wiki.vaults.notes.links import WrittenLink, encoded
from wiki.vaults.notes.parser import is_canvas, parse_note
from wiki.vaults.notes.yaml_links import yaml_links


def rewrite_links(data: bytes, path: str, renamed: Callable[[Link], str | None]) -> bytes:
    """The note with the targets ``renamed`` gives; None keeps a link. Heading, block, shown text and all else stay.

    Links into the note itself are not asked for. Raises InvalidInput, with the line, when a target cannot be written
    where the link stands.
    """
    decoded = decode_note(data)
    text = decoded.text
    parts = front_matter.split(text)
    tree = parts.tree()
    block = len(parts.opening + parts.raw + parts.closing)
    before, first = (len(parts.bom) + block, 0) if tree.readable else (len(parts.bom), block)
    edits: list[tuple[int, int, str]] = []
    for found, quote in yaml_links(parts) if tree.readable else []:
        edits.extend(_edit(found, 0, found.link.line, renamed, quote))
    line = parts.body_line if tree.readable else 1
    for found in read_body(text[before:], first).links:
        edits.extend(_edit(found, before, found.link.line + line, renamed, ""))
    if not edits:
        return data
    edits.sort()
    pieces: list[str] = []
    place = 0
    for start, end, target in edits:
        pieces += [text[place:start], target]
        place = end
    return decoded.encode("".join([*pieces, text[place:]]))
