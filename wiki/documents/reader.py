"""``index.md`` and topic files read from their bytes. What is wrong becomes a problem, never an exception."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiki.documents import front_matter, ids, timestamps
from wiki.documents.model import IndexFile, Problem, TopicFile
from wiki.documents.yaml_tree import Node, Tree, without_surrogates

DOCUMENT_KIND = "knowledge_document"
TOPIC_KIND = "knowledge_topic"

_POSITION = re.compile(r"[0-9]+(\.[0-9]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NUMBER_PREFIX = re.compile(r"^[0-9]+_(?=.)")


def body_sha256(body: str | bytes) -> str:
    """The hash ``summary_of`` holds: SHA-256 of the body's bytes."""
    return hashlib.sha256(body if isinstance(body, bytes) else front_matter.encode(body)).hexdigest()


def name_from_file(file_name: str) -> str:
    """``2_Infrastructure_Costs.md`` as ``Infrastructure Costs``."""
    stem = file_name[: -len(".md")] if file_name.lower().endswith(".md") else file_name
    return _NUMBER_PREFIX.sub("", stem).replace("_", " ").strip() or stem


def read_index(path: Path, data: bytes) -> IndexFile:
    """``index.md`` from its bytes; ``path`` is only carried along."""
    parts, keys = _open(data)
    keys.kind(DOCUMENT_KIND)
    return IndexFile(
        path=path,
        claim=keys.checked("doc_id", ids.is_doc_id, "d_ and 12 to 32 of 0-9 a-f"),
        title=keys.text("title"),
        category_id=keys.text("category_id"),
        source_name=keys.text("source_name"),
        source_type=keys.text("source_type"),
        source_sha256=keys.checked("source_sha256", _is_sha256, "64 of 0-9 a-f"),
        created_at=keys.time("created_at"),
        updated_at=keys.time("updated_at"),
        document_date=keys.date("document_date"),
        language=keys.text("language"),
        labels=keys.texts("labels"),
        fields=keys.fields("fields"),
        extraction=keys.mapping("extraction"),
        summary=without_surrogates(parts.body).strip(),
        problems=tuple(keys.problems),
    )


def read_topic(path: Path, data: bytes) -> TopicFile:
    """A topic file from its bytes; ``path`` gives the name where the front matter has none."""
    parts, keys = _open(data)
    keys.kind(TOPIC_KIND)
    summary = keys.text("summary") or ""
    summary_of = keys.checked("summary_of", _is_sha256, "64 of 0-9 a-f")
    return TopicFile(
        path=path,
        claim=keys.checked("topic_id", ids.is_topic_id, "<doc_id>_<number>"),
        name=keys.text("topic_name") or name_from_file(path.name),
        position=keys.checked("position", _is_position, 'numbers with dots between, e.g. "1.2"'),
        depth=keys.depth(),
        parent_id=keys.checked("parent_id", ids.is_topic_id, "<doc_id>_<number>"),
        labels=keys.texts("labels"),
        summary=summary,
        summary_of=summary_of,
        source=keys.mapping("source"),
        generated=keys.mapping("generated"),
        body=without_surrogates(parts.body),
        body_line=parts.body_line,
        problems=tuple(keys.problems),
        summary_stale=bool(summary and summary_of and summary_of != body_sha256(parts.body)),
    )


def _is_sha256(text: str) -> bool:
    return _SHA256.fullmatch(text) is not None


def _is_position(text: str) -> bool:
    return _POSITION.fullmatch(text) is not None


def _open(data: bytes) -> tuple[front_matter.FrontMatter, "_Keys"]:
    text, problem = front_matter.decode(data)
    parts = front_matter.split(text)
    tree = parts.tree()
    return parts, _Keys(tree, [*([problem] if problem else []), *tree.problems])


@dataclass
class _Keys:
    """Typed access to a front matter; every wrong value adds one problem and reads as absent."""

    tree: Tree
    problems: list[Problem] = field(default_factory=list[Problem])

    def _node(self, key: str) -> Node | None:
        node = self.tree.nodes.get(key)
        return None if node is None or node.value is None else node

    def _wrong(self, key: str, node: Node, wanted: str) -> None:
        written = repr(node.text if node.text is not None else node.value)[:60]
        self.problems.append(Problem(f"{key} is {written}", node.line, f"{key} must be {wanted}"))

    def kind(self, wanted: str) -> None:
        node = self._node("kind")
        if node is not None and node.text != wanted:
            self._wrong("kind", node, wanted)

    def text(self, key: str) -> str | None:
        node = self._node(key)
        if node is None:
            return None
        if node.text is None:
            self._wrong(key, node, "one line of text; put it in quotes if it holds : [ ] { } or #")
            return None
        return node.text.strip() or None

    def checked(self, key: str, check: Callable[[str], bool], wanted: str) -> str | None:
        node = self._node(key)
        if node is None:
            return None
        if node.text is None or not check(node.text.strip()):
            self._wrong(key, node, wanted)
            return None
        return node.text.strip()

    def time(self, key: str) -> str | None:
        node = self._node(key)
        if node is None:
            return None
        moment = timestamps.read_time(node.text) if node.text is not None else None
        if moment is None:
            self._wrong(key, node, "a time such as 2026-11-30T19:40:52Z")
            return None
        return timestamps.write_time(moment)

    def date(self, key: str) -> str | None:
        node = self._node(key)
        if node is None:
            return None
        day = timestamps.read_date(node.text) if node.text is not None else None
        if day is None:
            self._wrong(key, node, "a date such as 2026-11-30")
        return day

    def depth(self) -> int | None:
        node = self._node("depth")
        if node is None:
            return None
        if isinstance(node.value, bool) or not isinstance(node.value, int) or not 1 <= node.value <= 100:
            self._wrong("depth", node, "a whole number from 1")
            return None
        return node.value

    def texts(self, key: str) -> tuple[str, ...]:
        node = self._node(key)
        if node is None:
            return ()
        if not isinstance(node.value, list):
            self._wrong(key, node, "a list, e.g. [cost, cloud]")
            return ()
        found: list[str] = []
        for item in node.items:
            if item.text is None:
                self._wrong(f"an item of {key}", item, "plain text")
            elif item.value is not None and item.text.strip():
                found.append(item.text.strip())
        return tuple(dict.fromkeys(found))

    def mapping(self, key: str) -> dict[str, Any]:
        node = self._node(key)
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self._wrong(key, node, "a mapping, e.g. {name: value}")
            return {}
        return dict(node.value)

    def fields(self, key: str) -> dict[str, Any]:
        values = self.mapping(key)
        node = self._node(key)
        for name, value in list(values.items()):
            members = value if isinstance(value, list) else [value]
            if node is not None and any(isinstance(member, dict | list) for member in members):
                self._wrong(f"{key}.{name}", Node(value, node.line), "a single value or a list of them")
                del values[name]
        return values
