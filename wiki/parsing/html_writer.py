"""The content of a web page -> Markdown, element by element."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from wiki.parsing.html_inline import STYLED, Styled, content_of, element_of, preformatted, runs_of, spaced, style_in
from wiki.parsing.html_table import cell_grid, take_apart
from wiki.parsing.html_tree import BLOCKS, HEADINGS, LISTS, Node
from wiki.parsing.inline import Run, inline, one_line
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.source import Piece

_PRE = frozenset({"pre", "listing", "xmp", "plaintext"})
_NUMBER = re.compile(r"\d{1,9}")


class HtmlWriter:
    """Writes a page's elements in reading order."""

    def __init__(self) -> None:
        self._writer = MarkdownWriter()
        self._style = Run("")
        """What a link or an emphasis around blocks gives the words in them."""

    def pieces(self, root: Node) -> tuple[Piece, ...]:
        self._inner(root, 0)
        return self._writer.pieces()

    def _inner(self, node: Node, depth: int) -> None:
        self._flow(node.children, depth, node.text)

    def _flow(self, nodes: Iterable[Node], depth: int, lead: str = "") -> None:
        """Blocks and the loose words between them."""
        parts: list[Styled] = [(self._style, spaced(lead))]
        for node in nodes:
            if node.tag in BLOCKS or node.holds_block:
                self._paragraph(parts, depth)
                parts = []
                self._block(node, depth)
            else:
                parts += element_of(node, self._style)
            if node.tail:
                parts.append((self._style, spaced(node.tail)))
        self._paragraph(parts, depth)

    @property
    def _bold(self) -> Run:
        return replace(self._style, bold=True)

    def _paragraph(self, parts: list[Styled], depth: int) -> None:
        self._writer.paragraph(inline(runs_of(parts)), depth)

    def _block(self, node: Node, depth: int) -> None:
        tag = node.tag
        if tag in HEADINGS:
            self._heading(node, depth)
        elif tag in LISTS:
            self._list(node, depth)
        elif tag == "table":
            self._table(node, depth)
        elif tag in _PRE:
            self._writer.code(preformatted(node), depth)
        elif tag == "blockquote":
            text = "".join(piece.text for piece in HtmlWriter().pieces(node)).strip("\n")
            self._writer.quote(text, depth)
        elif tag == "dl":
            self._definitions(node, depth)
        elif tag == "li":
            self._item(node, "-", depth)
        elif tag == "summary":
            self._paragraph(content_of(node, self._bold), depth)
        elif tag in STYLED:
            around, self._style = self._style, style_in(node, self._style)
            self._inner(node, depth)
            self._style = around
        elif tag != "hr":
            self._inner(node, depth)

    def _heading(self, node: Node, depth: int) -> None:
        blocks = {inner.tag for inner in node.walk() if inner is not node} if node.holds_block else set[str]()
        if depth or not blocks.isdisjoint({"table", "ul", "ol", *HEADINGS}):
            self._inner(node, depth)
        else:
            self._writer.heading(int(node.tag[1]), one_line(runs_of(content_of(node, self._style))))

    def _list(self, node: Node, depth: int) -> None:
        ordered = node.tag == "ol"
        number = _number(node.get("start"), 1)
        self._flow((), depth, node.text)
        for child in node.children:
            if child.tag == "li":
                number = _number(child.get("value"), number)
                self._item(child, f"{number}." if ordered else "-", depth)
                number += 1
            elif child.tag in LISTS:
                # Nested the wrong way, beside the item it belongs to.
                self._list(child, depth + 1)
            else:
                self._flow([child], depth + 1)
                continue
            self._flow((), depth + 1, child.tail)

    def _item(self, node: Node, marker: str, depth: int) -> None:
        parts: list[Styled] = [(self._style, spaced(node.text))]
        rest: list[Node] = []
        blank = not node.text.strip()
        for child in node.children:
            if not rest and blank and child.tag in ("p", "div", "span") and not child.holds_block:
                parts = [*content_of(child, self._style), (self._style, spaced(child.tail))]
                blank = not any(words.strip() for _, words in parts)
            elif rest or child.tag in BLOCKS or child.holds_block:
                rest.append(child)
            else:
                parts += [*element_of(child, self._style), (self._style, spaced(child.tail))]
                blank = blank and not any(words.strip() for _, words in parts)
        said = inline(runs_of(parts))
        if not said and not any(child.has_words() or child.tail.strip() for child in rest):
            return
        if said or rest[0].tag not in LISTS:
            self._writer.item(depth, marker, said)
        self._flow(rest, depth + 1)

    def _definitions(self, node: Node, depth: int) -> None:
        self._flow((), depth, node.text)
        for child in node.children:
            if child.tag == "dt" and not child.holds_block:
                self._paragraph(content_of(child, self._bold), depth)
            elif child.tag == "div":
                self._definitions(child, depth)
            else:
                self._flow([child], depth)
                continue
            self._flow((), depth, child.tail)

    def _table(self, node: Node, depth: int) -> None:
        loose, rows = take_apart(node)
        self._flow(loose, depth)
        if all(len(row) <= 1 for row in rows) and any(cell.holds_block for row in rows for cell in row):
            for cell in (cell for row in rows for cell in row):
                self._inner(cell, depth)
            return
        self._writer.table(cell_grid(rows), depth)


def _number(stated: str, default: int) -> int:
    return int(stated) if _NUMBER.fullmatch(stated) else default
