"""HTML -> a tree of what a page shows, bounded in depth, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu dir nav ol p pre search section summary table ul "
    "caption listing xmp plaintext tr td th thead tbody tfoot".split()
)
LISTS = frozenset({"ul", "ol", "menu", "dir"})
_LEVELS = LISTS | {"dl", "table", "blockquote"}
_STRUCTURE = _LEVELS | {"li", "dt", "dd", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"}
_PREFIXES = frozenset({"", "html", "xhtml", "h", "svg", "math", "mml", "m"})
"""Under these names elements are HTML's own; Word's ``o:p`` is no paragraph."""
_DRAWN = frozenset({"title", "text", "svg", "foreignobject", "p", "div"})
"""What of a drawing is kept as elements; the words of others belong to what they lie in."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NEVER_NESTED = (HEADINGS, frozenset({"dt", "dd"}))
_MOST_LEVELS = 40
_MOST_WRAPPERS = 40
_MOST_NODES = 100
"""How deep elements are kept; each costs a reader of the tree up to four of Python's 1,000 frames."""


@dataclass(slots=True, eq=False)
class Node:
    """An element. ``text`` stands before its first child, ``tail`` after its end; ``holds_block`` says whether any
    element below it is a block."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""
    tail: str = ""
    children: list[Node] = field(default_factory=list["Node"])
    holds_block: bool = False

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")

    def walk(self) -> Iterator[Node]:
        """This element and all below it, in reading order."""
        ahead: list[Node] = [self]
        while ahead:
            node = ahead.pop()
            yield node
            ahead.extend(reversed(node.children))

    def words(self) -> Iterator[str]:
        """The texts in and below the element, as written."""
        ahead: list[Node | str] = [self]
        while ahead:
            node = ahead.pop()
            if isinstance(node, str):
                yield node
                continue
            yield node.text
            for child in reversed(node.children):
                ahead += (child.tail, child)

    def has_words(self) -> bool:
        return any(not words.isspace() for words in self.words() if words)


class Filter(Protocol):
    """What of a page is left out, asked once for each element."""

    def drops(self, tag: str, attributes: Mapping[str, str], above: Sequence[Node]) -> bool:
        """Whether an element is left out with all that lies in it, before any of that is seen."""
        ...

    def empties(self, node: Node) -> bool:
        """Whether what lies in an element is left out, once it is complete."""
        ...


def parse_page(html: str, content: Filter) -> tuple[Node, str | None]:
    """The root of the page and the words of its ``<title>``.

    Lists, tables and quotes deeper than 40 levels lose their form, not their words: each part becomes a line of
    what it lies in. So do wrappers without meaning, which pages nest by the thousand.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    builder = _Builder(content)
    parser: Any = etree.HTMLParser(target=builder, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode())
    parser.close()
    title = " ".join("".join(builder.title.words()).split()) if builder.title else ""
    return builder.root, title or None


_FLAT = Node("")
"""Stands for a list, table or quote that lost its form; its items, rows and cells lose theirs."""


class _Builder:
    """Takes the parser's events, in which every start has its end."""

    def __init__(self, content: Filter) -> None:
        self.root = Node("html")
        self.title: Node | None = None
        self._content = content
        self._open = [self.root]
        self._kept: list[Node | None] = []
        self._dropped = 0
        self._levels = 0
        self._wrappers = 0
        self._drawings = 0
        self._flat = 0
        self._words: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._dropped:
            self._dropped += 1
            return
        prefix, _, local = tag.lower().rpartition(":")
        tag = local if prefix in _PREFIXES else f"{prefix}:{local}"
        if self._content.drops(tag, attributes, self._open):
            self._dropped = 1
            return
        self._flush()
        if tag in ("html", "head"):
            self._kept.append(None)
        elif self._drawings and tag not in _DRAWN:
            self._kept.append(None)
        elif tag == "title" and not self._drawings:
            self._push(Node(tag))
            self.title = self.title or self._open[-1]
        elif self._too_deep(tag):
            self._kept.append(_FLAT if tag in _LEVELS else None)
            self._flat += tag in _LEVELS
            if tag in BLOCKS:
                self._break()
        else:
            self._close_before(tag)
            node = Node(tag, attributes)
            self._open[-1].children.append(node)
            if tag in BLOCKS:
                self._mark()
            self._push(node)

    def end(self, _: str) -> None:
        if self._dropped:
            self._dropped -= 1
            return
        self._flush()
        node = self._kept.pop()
        if node is None or node is _FLAT:
            self._flat -= node is _FLAT
            return
        if self._open[-1] is node:
            self._pop()
        else:
            self._break()
        if self._content.empties(node):
            node.text = ""
            node.children.clear()

    def data(self, words: str) -> None:
        if not self._dropped:
            self._words.append(words)

    def close(self) -> None:
        self._flush()

    def _push(self, node: Node) -> None:
        self._kept.append(node)
        self._open.append(node)
        self._count(node.tag, 1)

    def _pop(self) -> None:
        self._count(self._open.pop().tag, -1)

    def _close_before(self, tag: str) -> None:
        """Ends that a page may leave out and libxml2 does not add."""
        if any(tag in kinds and self._open[-1].tag in kinds for kinds in _NEVER_NESTED):
            self._pop()

    def _count(self, tag: str, change: int) -> None:
        if tag in _LEVELS:
            self._levels += change
        elif tag in BLOCKS and tag not in _STRUCTURE:
            self._wrappers += change
        elif tag == "svg":
            self._drawings += change

    def _too_deep(self, tag: str) -> bool:
        if len(self._open) >= _MOST_NODES:
            return tag not in ("br", "img")
        if tag in _STRUCTURE:
            return self._flat > 0 or (tag in _LEVELS and self._levels >= _MOST_LEVELS)
        return tag in BLOCKS and self._wrappers >= _MOST_WRAPPERS

    def _mark(self) -> None:
        for node in reversed(self._open):
            if node.holds_block:
                return
            node.holds_block = True

    def _break(self) -> None:
        """Words of two elements that are no longer apart get a line each."""
        inside = self._open[-1].children
        if not inside or inside[-1].tag != "br" or inside[-1].tail.strip():
            inside.append(Node("br"))

    def _flush(self) -> None:
        if self._words:
            words = "".join(self._words)
            self._words.clear()
            inside = self._open[-1]
            if inside.children:
                inside.children[-1].tail += words
            else:
                inside.text += words
