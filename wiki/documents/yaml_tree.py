"""Front matter YAML read into values that remember how and where they were written.

Only structure is read: tags are ignored, so nothing can be executed or built. Plain scalars follow the
YAML 1.2 core schema: dates, ``yes`` and ``no`` stay text. Size, depth and aliases are bounded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from wiki.documents.model import Problem

MAX_CHARACTERS = 256 * 1024
MAX_DEPTH = 32
MAX_NODES = 20_000

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,300}")
_BASED = re.compile(r"0o[0-7]{1,100}|0x[0-9a-fA-F]{1,100}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Node:
    """One YAML value."""

    value: Any
    """As Python sees it: None, bool, int, float, str, list, dict."""
    line: int
    """1-based line of the file."""
    text: str | None = None
    """A scalar as it was written; None for lists and mappings."""
    items: tuple["Node", ...] = ()
    """Members of a list."""
    size: int = 1
    """Nodes at and below, aliases expanded."""


@dataclass(frozen=True)
class Tree:
    """The top-level mapping of a front matter, with what is wrong with it."""

    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    problems: tuple[Problem, ...] = ()
    readable: bool = True
    """False when the YAML cannot be read as a mapping at all."""

    @property
    def values(self) -> dict[str, Any]:
        return {key: node.value for key, node in self.nodes.items()}


class _Bad(Exception):
    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def read_tree(raw: str, first_line: int = 2) -> Tree:
    """Read the text between the ``---`` lines; ``first_line`` is the line of the file it starts on. Never raises."""
    if len(raw) > MAX_CHARACTERS:
        return _unreadable(f"the front matter is longer than {MAX_CHARACTERS // 1024} KiB", first_line)
    try:
        return _Reader(without_surrogates(raw), first_line).document()
    except _Bad as bad:
        return _unreadable(bad.reason, bad.line)
    except yaml.MarkedYAMLError as error:
        return _unreadable(error.problem or "not valid YAML", first_line + _line_of_error(error, raw))
    except yaml.reader.ReaderError as error:
        return _unreadable(f"a character YAML does not allow: {error.reason}", _line_of_bad_character(raw, first_line))
    except yaml.YAMLError as error:
        return _unreadable(str(error).splitlines()[0], first_line)


def without_surrogates(text: str) -> str:
    """``text`` with bytes that were not UTF-8 shown as U+FFFD; as long as before."""
    return _SURROGATES.sub("\ufffd", text)


def _unreadable(reason: str, line: int) -> Tree:
    remedy = "mend the YAML between the --- lines; the text below them is indexed all the same"
    return Tree({}, (Problem(f"the front matter cannot be read: {reason}", line, remedy),), readable=False)


def _line_of_error(error: yaml.MarkedYAMLError, raw: str) -> int:
    last = max(raw.count("\n") - 1, 0)
    marks = [mark for mark in (error.problem_mark, error.context_mark) if mark is not None]
    return next((mark.line for mark in marks if mark.line <= last), last)


_BAD_CHARACTER = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _line_of_bad_character(raw: str, first_line: int) -> int:
    match = _BAD_CHARACTER.search(raw)
    return first_line + (raw.count("\n", 0, match.start()) if match else 0)


class _Reader:
    def __init__(self, raw: str, first_line: int) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(raw, Loader=yaml.CSafeLoader))
        self._first_line = first_line
        self._anchors: dict[str, Node] = {}
        self._problems: list[Problem] = []
        self._made = 0

    def document(self) -> Tree:
        nodes: dict[str, Node] = {}
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Bad("it holds more than one YAML document", self._line(event))
            elif isinstance(event, yaml.MappingStartEvent):
                nodes = self._members(event, 1)
            elif isinstance(event, yaml.ScalarEvent) and event.value in _NULL and event.implicit[0]:
                continue
            elif isinstance(event, yaml.NodeEvent):
                raise _Bad("it is not a list of `key: value` lines", self._line(event))
        return Tree(nodes, tuple(self._problems))

    def _line(self, event: Any) -> int:
        return self._first_line + event.start_mark.line

    def _node(self, event: Any, depth: int) -> Node:
        self._made += 1
        if depth > MAX_DEPTH:
            raise _Bad(f"it is nested deeper than {MAX_DEPTH} levels", self._line(event))
        node = self._build(event, depth)
        if self._made > MAX_NODES or node.size > MAX_NODES:
            raise _Bad(f"it holds more than {MAX_NODES} values once its aliases are expanded", self._line(event))
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = node
        return node

    def _build(self, event: Any, depth: int) -> Node:
        line = self._line(event)
        if isinstance(event, yaml.AliasEvent):
            anchored = self._anchors.get(event.anchor)
            if anchored is None:
                raise _Bad(f"the alias *{event.anchor} stands for nothing above it", line)
            return anchored
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0]
            return Node(_typed(event.value) if plain else event.value, line, event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(member := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(member, depth + 1))
            return Node([item.value for item in items], line, None, tuple(items), 1 + sum(item.size for item in items))
        members = self._members(event, depth)
        size = 1 + sum(1 + member.size for member in members.values())
        return Node({key: member.value for key, member in members.items()}, line, None, (), size)

    def _members(self, start: Any, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if key.text is None:
                raise _Bad("a key must be plain text", self._line(event))
            value = self._node(next(self._events), depth + 1)
            if key.text in members:
                reason = f"the key {key.text!r} stands twice; the first one counts"
                self._problems.append(Problem(reason, self._line(event), "remove one of the two"))
            members.setdefault(key.text, value)
        if start.anchor is not None and depth == 1:
            self._anchors[start.anchor] = Node({}, self._line(start))
        return members


def _typed(text: str) -> Any:
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _SPECIAL.get(text.lower(), text)
