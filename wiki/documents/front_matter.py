"""The YAML block at the top of a Markdown file: found, and changed without touching anything else."""

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError as RuamelError

from wiki.documents import yaml_text
from wiki.documents.model import Problem
from wiki.documents.yaml_lines import REMOVED, changed_lines
from wiki.documents.yaml_tree import Tree, read_tree
from wiki.errors import InvalidInput

BOM = "\ufeff"
_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_LOOKS_LIKE_YAML = re.compile(r"\s*[\w-]+:(?:\s|$)")


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

    def changed(self, changes: Mapping[str, Any], *, by_line: bool = False) -> Self:
        """The same file with these keys set (or ``REMOVED``); other lines and the body keep every byte.

        YAML that is not laid out in lines of keys is written anew as far as it must be, or refused with ``by_line``.
        Raises InvalidInput when the front matter cannot be read, as nothing can be changed safely then.
        """
        tree = self.tree()
        if not tree.readable:
            problem = tree.problems[0]
            raise InvalidInput(f"{problem.reason} (line {problem.line}): {problem.remedy}", line=problem.line)
        if not self.present:
            return self._with_block(changes)
        wanted = _wanted(tree, changes)
        raw = changed_lines(self.raw, changes)
        if raw is not None and same_value(read_tree(raw).values, wanted):
            return replace(self, raw=raw)._renumbered()
        raw = None if by_line else _by_round_trip(self._raw_lf(), changes)
        if raw is not None and same_value(read_tree(raw).values, wanted):
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
            wanted[key] = as_read(key, value)
    return wanted


def as_read(key: str, value: Any) -> Any:
    """``value`` as a reader of the file finds it."""
    return read_tree(yaml_text.entry(key, value)).values[key]


def same_value(left: Any, right: Any) -> bool:
    """Equal in value and type, all the way down."""
    return repr(left) == repr(right) if isinstance(left, float) else _same_members(left, right)


def _same_members(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same_value(a, b) for a, b in zip(left, right, strict=True))
    return left == right


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
