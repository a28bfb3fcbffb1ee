"""Links in front matter: ``[[note]]`` in a text value, as Obsidian reads them, with their place in the file."""

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from wiki.documents.front_matter import FrontMatter
from wiki.documents.yaml_tree import without_surrogates
from wiki.vaults.model import Link
from wiki.vaults.notes.links import WrittenLink, wikilink

_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")


def yaml_links(parts: FrontMatter) -> list[tuple[WrittenLink, str]]:
    """The links with the sign that quotes their text (``"``, ``'`` or none). Offsets are characters of the file."""
    if not parts.present or "[[" not in parts.raw:
        return []
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\r\n|[\r\n\x85\u2028\u2029]", parts.raw))
    starts.append(len(parts.raw))
    before = len(parts.bom) + len(parts.opening)
    found: list[tuple[WrittenLink, str]] = []
    for start, end, quote in _scalars(parts.raw, starts):
        for match in _WIKILINK.finditer(parts.raw, start, end):
            line = 2 + parts.raw.count("\n", 0, match.start())
            place = before + match.start(2)
            written = wikilink(match[2], place, line, embed=bool(match[1]))
            if written is not None:
                found.append((replace(written, link=_unquoted(written.link, quote)), quote))
    return found


def quoted(target: str, quote: str) -> str:
    """``target`` as it stands inside a text with this quote."""
    if quote == '"':
        return target.replace("\\", "\\\\").replace('"', '\\"')
    return target.replace("'", "''") if quote == "'" else target


def _unquoted(link: Link, quote: str) -> Link:
    def read(written: str | None) -> str | None:
        if written is None or (quote == '"' and "\\" not in written) or not quote:
            return written
        try:
            return str(yaml.load(quote + written + quote, Loader=yaml.CSafeLoader))
        except yaml.YAMLError:
            return written

    return replace(link, target=read(link.target) or "", heading=read(link.heading), shown=read(link.shown))


def _scalars(raw: str, starts: list[int]) -> Iterator[tuple[int, int, str]]:
    """Where the text values stand; keys are none."""
    depth: list[bool] = []
    is_key = False
    for event in yaml.parse(without_surrogates(raw), Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.ScalarEvent) and not (depth and depth[-1] and is_key):
            start = starts[event.start_mark.line] + event.start_mark.column
            end = starts[event.end_mark.line] + event.end_mark.column
            yield start, end, event.style if event.style in ("'", '"') else ""
        if isinstance(event, yaml.CollectionStartEvent):
            depth.append(isinstance(event, yaml.MappingStartEvent))
            is_key = True
        elif isinstance(event, yaml.CollectionEndEvent):
            depth.pop()
            is_key = True
        elif isinstance(event, yaml.NodeEvent):
            is_key = not is_key
