"""The content of a web page -> Markdown, element by element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from wiki.parsing.inline import Run, inline, one_line
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.source import Piece
from wiki.parsing.xml_tree import words

_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu dir nav ol p pre search section summary table ul "
    "caption listing xmp plaintext tr td th thead tbody tfoot".split()
)
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_BOLD, _ITALIC, _STRIKE = frozenset({"b", "strong"}), frozenset({"i", "em"}), frozenset({"s", "strike", "del"})
_PRE = frozenset({"pre", "listing", "xmp", "plaintext"})
_SPACE = re.compile(r"[ \t\r\n\f]+")
_WIDEST = 1_000


class HtmlWriter:
    """Writes a page's elements in reading order."""

    def __init__(self) -> None:
        self._writer = MarkdownWriter()

    def pieces(self, root: Any) -> tuple[Piece, ...]:
        self._flow([root], 0)
        return self._writer.pieces()

    def _flow(self, nodes: Iterable[Any], depth: int, lead: str | None = None) -> None:
        """Blocks and the loose words between them."""
        runs: list[Run] = [Run(lead)] if lead else []
        for node in nodes:
            runs = self._node(node, runs, depth)
        self._paragraph(runs, depth)

    def _node(self, node: Any, runs: list[Run], depth: int) -> list[Run]:
        tag = _tag(node)
        if tag in _BLOCKS or (tag and _holds_block(node)):
            self._paragraph(runs, depth)
            self._block(node, tag, depth)
            runs = []
        else:
            runs += _runs(node, Run(""))
        if node.tail and node.getparent() is not None:
            runs.append(Run(_SPACE.sub(" ", node.tail)))
        return runs

    def _paragraph(self, runs: list[Run], depth: int) -> None:
        self._writer.paragraph(inline(runs), depth)

    def _block(self, node: Any, tag: str, depth: int) -> None:
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            if depth or any(_tag(inner) in ("table", "ul", "ol") for inner in node.iter()):
                self._inner(node, depth)
            else:
                self._writer.heading(int(tag[1]), one_line(_children_runs(node, Run(""))))
        elif tag in _LISTS:
            self._list(node, tag, depth)
        elif tag == "table":
            self._table(node, depth)
        elif tag in _PRE:
            self._writer.code(_preformatted(node), depth)
        elif tag == "blockquote":
            inner = HtmlWriter()
            inner._inner(node, 0)
            text = "".join(piece.text for piece in inner._writer.pieces()).strip("\n")
            self._writer.quote(text, depth)
        elif tag == "dl":
            self._definitions(node, depth)
        elif tag == "li":
            self._item(node, "-", depth)
        elif tag == "summary":
            self._writer.paragraph(inline(replace(run, bold=True) for run in _children_runs(node, Run(""))), depth)
        elif tag != "hr":
            self._inner(node, depth)

    def _inner(self, node: Any, depth: int) -> None:
        self._flow(node, depth, _SPACE.sub(" ", node.text) if node.text else None)

    def _list(self, node: Any, tag: str, depth: int) -> None:
        stated = str(node.get("start") or "1")
        number = int(stated) if re.fullmatch(r"\d{1,9}", stated) else 1
        for child in node:
            inner = _tag(child)
            if inner == "li":
                given = str(child.get("value") or "")
                number = int(given) if tag == "ol" and re.fullmatch(r"\d{1,9}", given) else number
                self._item(child, f"{number}." if tag == "ol" else "-", depth)
                number += 1
            elif inner in _LISTS:
                # Nested the wrong way, beside the item it belongs to.
                self._list(child, inner, depth + 1)
            elif inner:
                self._flow([child], depth + 1)

    def _item(self, node: Any, marker: str, depth: int) -> None:
        runs = [Run(_SPACE.sub(" ", node.text))] if node.text else []
        rest: list[Any] = []
        for child in node:
            tag = _tag(child)
            if not rest and tag in ("p", "div", "span") and not _holds_block(child) and not inline(runs):
                runs = [*_children_runs(child, Run("")), Run(_SPACE.sub(" ", child.tail or ""))]
            elif rest or tag in _BLOCKS or (tag and _holds_block(child)):
                rest.append(child)
            else:
                runs += [*_runs(child, Run("")), Run(_SPACE.sub(" ", child.tail or ""))]
        said = inline(runs)
        if not said and not any(words(child).strip() for child in rest):
            return
        if said or _tag(rest[0]) not in _LISTS:
            self._writer.item(depth, marker, said)
        self._flow(rest, depth + 1)

    def _definitions(self, node: Any, depth: int) -> None:
        for child in node:
            tag = _tag(child)
            if tag == "dt" and not _holds_block(child):
                runs = (replace(run, bold=True) for run in _children_runs(child, Run("")))
                self._writer.paragraph(inline(runs), depth)
            elif tag == "div":
                self._definitions(child, depth)
            elif tag:
                self._inner(child, depth)

    def _table(self, node: Any, depth: int) -> None:
        for caption in (child for child in node if _tag(child) == "caption"):
            self._writer.paragraph(inline(_children_runs(caption, Run(""))), depth)
        rows = list(_rows(node))
        if all(len(row) <= 1 for row in rows) and any(_holds_block(cell) for row in rows for cell in row):
            for cell in (cell for row in rows for cell in row):
                self._inner(cell, depth)
            return
        self._writer.table(_grid(rows), depth)


def _grid(rows: list[list[Any]]) -> list[list[str]]:
    """Each cell's words once, where the cell begins; the places it spans are empty."""
    grid: list[list[str]] = []
    open_until: dict[int, int] = {}
    for number, row in enumerate(rows):
        texts: list[str] = []
        for cell in row:
            while open_until.get(len(texts), 0) > number:
                texts.append("")
            wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
            for column in range(len(texts), len(texts) + wide):
                open_until[column] = number + high
            texts += ["<br>".join(_cell(cell)), *[""] * (wide - 1)]
        grid.append(texts)
    return grid


def _span(cell: Any, key: str) -> int:
    stated = str(cell.get(key) or "1").strip()
    return min(max(int(stated), 1), _WIDEST) if re.fullmatch(r"\d{1,9}", stated) else 1


def _rows(table: Any) -> Iterator[list[Any]]:
    for child in table:
        tag = _tag(child)
        if tag == "tr":
            yield [cell for cell in child if _tag(cell) in ("td", "th")]
        elif tag in ("thead", "tbody", "tfoot"):
            yield from _rows(child)


def _cell(node: Any) -> Iterator[str]:
    """What a cell holds, as lines of inline Markdown."""
    runs = [Run(_SPACE.sub(" ", node.text))] if node.text else []
    for child in node:
        tag = _tag(child)
        if tag in _BLOCKS or (tag and _holds_block(child)):
            yield from _lines(runs)
            runs = []
            if tag == "table":
                for row in _grid(list(_rows(child))):
                    if any(row):
                        yield ", ".join(cell for cell in row if cell)
            else:
                mark = "- " if tag == "li" else ""
                for at, line in enumerate(_cell(child)):
                    yield (mark if not at else "") + line
        else:
            runs += _runs(child, Run(""))
        if child.tail:
            runs.append(Run(_SPACE.sub(" ", child.tail)))
    yield from _lines(runs)


def _lines(runs: list[Run]) -> Iterator[str]:
    said = inline(runs)
    if said:
        yield said.replace("\n", "<br>")


def _runs(node: Any, style: Run) -> list[Run]:
    tag = _tag(node)
    if tag == "br":
        return [replace(style, text="\n")]
    if tag == "img":
        return [replace(style, text=_SPACE.sub(" ", str(node.get("alt") or "")))]
    if tag == "input" and str(node.get("type") or "").lower() == "checkbox":
        return [replace(style, text="☒ " if node.get("checked") is not None else "☐ ")]
    if tag in ("rp", "wbr", "input", ""):
        return []
    if tag == "math":
        typed = next((words(found) for found in node.iter() if _tag(found) == "annotation"), "")
        return [Run(typed, math=True)] if typed.strip() else [replace(style, text=" ".join(words(node).split()))]
    if tag == "q":
        return [replace(style, text="“"), *_children_runs(node, style), replace(style, text="”")]
    if tag == "rt":
        return [replace(style, text="("), *_children_runs(node, style), replace(style, text=")")]
    if tag == "a":
        style = replace(style, link=str(node.get("href") or "") or style.link)
    bold, italic, strike = style.bold or tag in _BOLD, style.italic or tag in _ITALIC, style.strike or tag in _STRIKE
    return _children_runs(
        node, replace(style, bold=bold, italic=italic, strike=strike, code=style.code or tag in _CODE)
    )


def _children_runs(node: Any, style: Run) -> list[Run]:
    found = [replace(style, text=_SPACE.sub(" ", node.text))] if node.text else []
    for child in node:
        if _tag(child) in _BLOCKS:
            found.append(replace(style, text="\n"))
        found += _runs(child, style)
        if _tag(child) in _BLOCKS:
            found.append(replace(style, text="\n"))
        if child.tail:
            found.append(replace(style, text=_SPACE.sub(" ", child.tail)))
    return found


def _preformatted(node: Any) -> str:
    parts: list[str] = [node.text or ""]
    for child in node:
        parts += ["\n" if _tag(child) == "br" else _preformatted(child), child.tail or ""]
    return "".join(parts)


def _holds_block(node: Any) -> bool:
    return any(_tag(inner) in _BLOCKS for inner in node.iterdescendants())


def _tag(node: Any) -> str:
    return node.tag.rpartition(":")[2].lower() if isinstance(node.tag, str) else ""
