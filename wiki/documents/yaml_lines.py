"""Keys of a YAML mapping changed line by line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from wiki.documents import yaml_text
from wiki.documents.yaml_tree import without_surrogates


class _Removed:
    """Marks a key to be taken out."""


REMOVED = _Removed()
_OTHER_LINE_END = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


def changed_lines(raw: str, changes: Mapping[str, Any]) -> str | None:
    """``raw`` with these keys set (or ``REMOVED``): their lines are replaced, line ends kept, new keys come last.

    None when the YAML is not laid out in such lines.
    """
    lines = raw.split("\n")
    if lines.pop() or _OTHER_LINE_END.search(raw):
        return None
    lines = [f"{line}\n" for line in lines]
    blocks = _blocks(raw, lines)
    if blocks is None:
        return None
    added: list[str] = []
    edits: list[tuple[int, int, str]] = []
    for key, value in changes.items():
        block = next((block for block in blocks if block.key == key), None)
        text = "" if value is REMOVED else yaml_text.entry(key, value)
        if block is None:
            added.append(_with_line_ends(text, lines[-1:]))
        else:
            kept = f"{text[:-1]}  {block.comment}\n" if text.count("\n") == 1 and block.comment else text
            edits.append((block.start, block.end, _with_line_ends(kept, lines[block.start :])))
    for start, end, text in sorted(edits, reverse=True):
        lines[start:end] = [text]
    return "".join(lines) + "".join(added)


def _with_line_ends(text: str, like: list[str]) -> str:
    return text.replace("\n", "\r\n") if like and like[0].endswith("\r\n") else text


@dataclass(frozen=True)
class _Block:
    key: str
    start: int
    end: int
    comment: str


def _blocks(raw: str, lines: list[str]) -> list[_Block] | None:
    starts: list[tuple[str, int]] = []
    ends: list[tuple[int, int]] = []
    depth = 0
    is_key = True
    for event in yaml.parse(without_surrogates(raw), Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth == 1 and event.flow_style:
                return None
        if depth != 1 or not isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
            continue
        if isinstance(event, yaml.MappingStartEvent) and not starts and is_key:
            continue
        if is_key:
            if not isinstance(event, yaml.ScalarEvent) or event.start_mark.column != 0:
                return None
            starts.append((event.value, event.start_mark.line))
        else:
            ends.append((event.end_mark.line, event.end_mark.column))
        is_key = not is_key
    if len(starts) != len(ends):
        return None
    blocks: list[_Block] = []
    for i, (key, start) in enumerate(starts):
        end = starts[i + 1][1] if i + 1 < len(starts) else len(lines)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        rest = lines[start][ends[i][1] :].strip() if ends[i][0] == start else ""
        blocks.append(_Block(key, start, end, rest if rest.startswith("#") else ""))
    return blocks
