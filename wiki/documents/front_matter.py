"""The YAML block at the top of a Markdown file: found, and changed without touching anything else."""

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError as RuamelError

from wiki.documents import yaml_text
from wiki.documents.model import Problem
from wiki.documents.yaml_tree import Tree, read_tree, without_surrogates
from wiki.errors import InvalidInput

BOM = "\ufeff"
_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_LOOKS_LIKE_YAML = re.compile(r"\s*[\w-]+:(?:\s|$)")


class _Removed:
    """Marks a key to be taken out by ``FrontMatter.changed``."""


REMOVED = _Removed()


def decode(data: bytes) -> tuple[str, Problem | None]:
    """Bytes as text that encodes back to the same bytes, and a problem when they are not UTF-8."""
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(f"byte {error.start} is not UTF-8", line, "save the file as UTF-8")
        return data.decode(errors="surrogateescape"), problem


def encode(text: str) -> bytes:
    """The reverse of ``decode``."""
    return text.encode(errors="surrogateescape")


@dataclass(frozen=True)
class FrontMatter:
    """A Markdown file in its parts; ``text`` joins them again, byte for byte."""

    bom: str
    opening: str
    """The first ``---`` line with its line end; empty when the file has no front matter."""
    raw: str
    """What stands between the two ``---`` lines."""
    closing: str
    body: str
    """Every character after the closing line."""
    body_line: int
    """1-based line of the file on which the body starts."""
    unclosed: bool = False
    """The file opens a front matter and never closes it: all of it counts as body."""

    @property
    def present(self) -> bool:
        return bool(self.opening)

    @property
    def text(self) -> str:
        return self.bom + self.opening + self.raw + self.closing + self.body

    def tree(self) -> Tree:
        """The values, read anew. Never raises."""
        if self.unclosed:
            problem = Problem("the front matter is never closed", 1, "add a line --- below its last key")
            return Tree({}, (problem,), readable=False)
        return read_tree(self.raw) if self.present else Tree()

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The same file with these keys set (or ``REMOVED``); other lines and the body keep every byte.

        Raises InvalidInput when the front matter cannot be read, as nothing can be changed safely then.
        """
        tree = self.tree()
        if not tree.readable:
            problem = tree.problems[0]
            raise InvalidInput(f"{problem.reason} (line {problem.line}): {problem.remedy}", line=problem.line)
        if not self.present:
            return self._with_block(changes)
        wanted = _wanted(tree, changes)
        for rewrite in (_by_lines, _by_round_trip):
            raw = rewrite(self._raw_lf(), changes)
            if raw is not None and _same(read_tree(raw).values, wanted):
                return replace(self, raw=self._line_ends(raw), closing=self._closed())._renumbered()
        raise InvalidInput("the front matter is too unusual to be changed safely: edit the file by hand")

    def with_body(self, body: str) -> Self:
        """The same front matter over another body."""
        if not self.present and (_OPENING.match(body) or body.startswith(BOM) or self.unclosed):
            return replace(self._with_block({}), body=body)
        return replace(self, closing=self._closed() if body else self.closing, body=body)

    def _with_block(self, changes: Mapping[str, Any]) -> Self:
        end = "\r\n" if "\r\n" in self.body and "\n" not in self.body.replace("\r\n", "") else "\n"
        raw = "".join(yaml_text.entry(key, value) for key, value in changes.items() if value is not REMOVED)
        block = replace(self, opening=f"---{end}", raw=raw.replace("\n", end), closing=f"---{end}", unclosed=False)
        return block._renumbered()

    def _renumbered(self) -> Self:
        return replace(self, body_line=1 + (self.opening + self.raw + self.closing).count("\n"))

    def _closed(self) -> str:
        if not self.present or self.closing.endswith("\n"):
            return self.closing
        return self.closing + ("\r\n" if self.opening.endswith("\r\n") else "\n")

    def _crlf(self) -> bool:
        return "\r\n" in self.opening + self.raw and "\n" not in (self.opening + self.raw).replace("\r\n", "")

    def _raw_lf(self) -> str:
        return self.raw.replace("\r\n", "\n") if self._crlf() else self.raw

    def _line_ends(self, raw: str) -> str:
        return raw.replace("\n", "\r\n") if self._crlf() else raw


def split(text: str) -> FrontMatter:
    """Find the front matter: a first line ``---`` up to the next line that is exactly ``---``."""
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    opening = _OPENING.match(rest)
    if opening is None:
        return FrontMatter(bom, "", "", "", rest, 1)
    closing = _CLOSING.search(rest, opening.end())
    if closing is None:
        return FrontMatter(bom, "", "", "", rest, 1, unclosed=bool(_LOOKS_LIKE_YAML.match(rest, opening.end())))
    line = 1 + rest.count("\n", 0, closing.end())
    parts = opening[0], rest[opening.end() : closing.start()], closing[0], rest[closing.end() :]
    return FrontMatter(bom, *parts, line)


def render_block(entries: Iterable[tuple[str, Any]]) -> str:
    """A new front matter with its ``---`` lines."""
    return "---\n" + "".join(yaml_text.entry(key, value) for key, value in entries) + "---\n"


def _wanted(tree: Tree, changes: Mapping[str, Any]) -> dict[str, Any]:
    wanted = dict(tree.values)
    for key, value in changes.items():
        if value is REMOVED:
            wanted.pop(key, None)
        else:
            wanted[key] = read_tree(yaml_text.entry(key, value)).values[key]
    return wanted


def _same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right) if isinstance(left, float) else _same_members(left, right)


def _same_members(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))
    return left == right


def _by_lines(raw: str, changes: Mapping[str, Any]) -> str | None:
    """Replace only the lines of the keys that change. None when the YAML is not laid out in such lines."""
    lines = raw.splitlines(keepends=True) if "\r" not in raw else None
    if lines is None or len(lines) != raw.count("\n"):
        return None
    blocks = _blocks(raw, lines)
    if blocks is None:
        return None
    added: list[str] = []
    edits: list[tuple[int, int, str]] = []
    for key, value in changes.items():
        block = next((block for block in blocks if block.key == key), None)
        text = "" if value is REMOVED else yaml_text.entry(key, value)
        if block is None:
            added.append(text)
        else:
            kept = f"{text[:-1]}  {block.comment}\n" if text.count("\n") == 1 and block.comment else text
            edits.append((block.start, block.end, kept))
    for start, end, text in sorted(edits, reverse=True):
        lines[start:end] = [text]
    return "".join(lines) + "".join(added)


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


def _by_round_trip(raw: str, changes: Mapping[str, Any]) -> str | None:
    """The same through ruamel.yaml, for flow mappings, anchors and other unusual layouts."""
    rounder = YAML()
    rounder.preserve_quotes = True
    rounder.width = 1_000_000
    out = io.StringIO()
    try:
        loaded = rounder.load(raw)
        mapping = CommentedMap() if loaded is None else loaded
        for key, value in changes.items():
            if value is REMOVED:
                mapping.pop(key, None)
            else:
                mapping[key] = rounder.load(yaml_text.entry(key, value))[key]
        rounder.dump(mapping, out)
    except (RuamelError, ValueError, TypeError, AttributeError, NotImplementedError):
        return None
    return out.getvalue()
