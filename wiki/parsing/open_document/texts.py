"""OpenDocument paragraphs, lists, tables and frames -> Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from wiki.parsing.escape import escape_text
from wiki.parsing.inline import Run, inline, one_line, text_of
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.open_document.package import OpenPackage
from wiki.parsing.open_document.styles import OpenStyles
from wiki.parsing.xml_tree import attribute, below, child, children, name, words

_GROUPS = frozenset({"text:section", "text:index-body", "office:text", "text:index-title", "draw:g", "draw:a"})
_INDEXES = frozenset({"text:table-of-content", "text:illustration-index", "text:table-index", "text:alphabetical-index",
                      "text:object-index", "text:user-index", "text:bibliography"})  # fmt: skip
_UNSEEN = frozenset(
    {"text:tracked-changes", "text:hidden-text", "text:note-citation", "office:forms", "text:ruby-text"}
)
_FRAMES = frozenset({"draw:frame", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:line", "draw:polygon",
                     "draw:path", "draw:connector", "draw:caption", "draw:g", "draw:circle", "draw:polyline"})  # fmt: skip
_DIGITS = re.compile(r"^\d{1,9}[.)]$")


@dataclass
class Line:
    """A paragraph's runs, and what hangs on it."""

    runs: list[Run] = field(default_factory=list[Run])
    frames: list[Any] = field(default_factory=list[Any])
    remarks: list[str] = field(default_factory=list[str])


class OpenTextWriter:
    """Writes elements in reading order. ``shift`` lowers headings, when a title stands above them;
    ``headings`` are the document's, which an index need not say again."""

    def __init__(
        self,
        package: OpenPackage,
        styles: OpenStyles,
        writer: MarkdownWriter,
        *,
        shift: int = 0,
        headings: frozenset[str] = frozenset(),
    ) -> None:
        self._package = package
        self._styles = styles
        self._writer = writer
        self._shift = shift
        self._notes = 0
        self._counts: dict[str, list[int]] = {}
        self._headings = headings

    def blocks(self, elements: Iterable[Any], depth: int = 0) -> None:
        for element in elements:
            self._block(element, depth)

    def _block(self, element: Any, depth: int) -> None:
        kind = name(element)
        if kind in ("text:p", "text:h"):
            self._paragraph(element, depth)
        elif kind == "text:list":
            self._list(element, depth, "", [])
        elif kind == "table:table":
            self._table(element, depth)
        elif kind in _INDEXES:
            self._index(element, depth)
        elif kind in _FRAMES and kind != "draw:g":
            self.frame(element, depth)
        elif kind in _GROUPS:
            self.blocks(element, depth)
        elif kind == "office:annotation":
            self._writer.paragraph(_remark(element), depth)

    def _paragraph(self, element: Any, depth: int) -> None:
        line = self.line(element)
        style = attribute(element, "text:style-name")
        if name(element) == "text:h" and not depth:
            level = attribute(element, "text:outline-level", "1")
            self._writer.heading((int(level) if level.isdigit() else 1) + self._shift, one_line(line.runs))
        elif self._styles.is_title(style) and not depth:
            self._writer.heading(1, one_line(line.runs))
        elif self._styles.is_code(style):
            self._writer.code("".join(run.text for run in line.runs), depth)
        else:
            self._writer.paragraph(inline(line.runs), depth)
        self._hanging(line, depth)

    def _hanging(self, line: Line, depth: int) -> None:
        for frame in line.frames:
            self._block(frame, depth) if name(frame) != "draw:g" else self.blocks(frame, depth)
        for remark in line.remarks:
            self._writer.paragraph(remark, depth)

    def _index(self, element: Any, depth: int) -> None:
        """An index says again what the document says; only lines that are nowhere else are kept."""
        for entry in below(element, "text:p", "text:h"):
            said = re.sub(r"[\s.\d]+$", "", text_of(self.line(entry).runs))
            bare = re.sub(r"^[\d.]+\s*", "", said)
            if not {said, bare} & self._headings and name(entry.getparent()) != "text:index-title":
                self._paragraph(entry, depth)

    def _list(self, element: Any, depth: int, style: str, counts: list[int]) -> None:
        style = attribute(element, "text:style-name") or style
        level = self._styles.lists.get(style, {}).get(len(counts) + 1)
        start = level.start if level else 1
        count = start - 1
        known = self._counts.get(f"{style} {len(counts)}")
        if known and attribute(element, "text:continue-numbering") == "true":
            count = known[-1]
        for item in children(element, "text:list-item", "text:list-header"):
            header = name(item) == "text:list-header"
            given = attribute(item, "text:start-value")
            count = int(given) if given.isdigit() else count + (0 if header else 1)
            label = level.label([*counts, count]) if level and not header else ""
            self._item(item, depth, label, style, [*counts, count])
        self._counts[f"{style} {len(counts)}"] = [*counts, count]

    def _item(self, item: Any, depth: int, label: str, style: str, counts: list[int]) -> None:
        first = True
        for element in children(item):
            kind = name(element)
            if kind == "text:list":
                self._list(element, depth + 1, style, counts)
            elif first and kind == "text:h" and not depth:
                self._paragraph(element, 0)
                first = False
            elif first and kind in ("text:p", "text:h"):
                line = self.line(element)
                said = inline(line.runs)
                if said:
                    marker = label if _DIGITS.match(label) else "-"
                    shown = f"{escape_text(label)} " if label and marker == "-" else ""
                    self._writer.item(depth, marker, shown + said)
                    first = False
                self._hanging(line, depth + (not first))
            else:
                self._block(element, depth + 1)

    def frame(self, element: Any, depth: int = 0) -> None:
        """A text box, a shape, a table, a chart or a formula in a frame."""
        told = False
        for inner in children(element):
            kind = name(inner)
            if kind == "draw:text-box":
                self.blocks(inner, depth)
                told = True
            elif kind == "draw:object":
                told = self._object(inner, depth) or told
            elif kind in ("text:p", "text:list", "table:table"):
                self._block(inner, depth)
                told = True
        described = next((words(found) for found in children(element, "svg:desc")), "")
        if described.strip() and not told:
            self._writer.paragraph(f"Picture: {escape_text(' '.join(described.split()))}", depth)

    def _object(self, element: Any, depth: int) -> bool:
        inner = list(children(element))
        root = inner[0] if inner else self._package.embedded(attribute(element, "xlink:href"))
        if root is None:
            return False
        if name(root) == "math:math":
            self._writer.formula(formula(root), depth)
            return True
        chart = next(below(root, "chart:chart"), None)
        if chart is not None:
            for title in children(chart, "chart:title", "chart:subtitle"):
                self._writer.paragraph(escape_text(" ".join(words(title).split())), depth)
            for table in children(chart, "table:table"):
                self._table(table, depth)
            return True
        return False

    def _table(self, element: Any, depth: int) -> None:
        line = Line()
        rows = [self._row(row, line) for row in rows_of(element)]
        if len(rows) == 1 and len(rows[0]) == 1:
            cell = next(below(element, "table:table-cell"))
            self.blocks(cell, depth)
            return
        self._writer.table(rows, depth)
        line.frames.clear()
        self._hanging(line, depth)

    def _row(self, row: Any, line: Line) -> list[str]:
        cells: list[str] = []
        for cell in children(row, "table:table-cell", "table:covered-table-cell"):
            covered = name(cell) == "table:covered-table-cell"
            text = "" if covered else "<br>".join(self.flat(cell, line))
            repeated = attribute(cell, "table:number-columns-repeated", "1")
            cells += [text] * min(int(repeated) if repeated.isdigit() else 1, 1 if not text else 256)
        return cells

    def flat(self, element: Any, line: Line) -> Iterator[str]:
        """Everything below an element as lines of inline Markdown, for a table cell."""
        for inner in children(element):
            kind = name(inner)
            if kind in ("text:p", "text:h"):
                own = self.line(inner)
                line.remarks += own.remarks
                said = inline(own.runs).replace("\n", "<br>")
                if said:
                    yield said
                for frame in own.frames:
                    yield from self.flat(frame, line)
            elif kind == "table:table":
                for row in rows_of(inner):
                    cells = [cell for cell in self._row(row, line) if cell]
                    if cells:
                        yield ", ".join(cells)
            elif kind == "office:annotation":
                line.remarks.append(_remark(inner))
            elif kind == "draw:object":
                root = self._package.embedded(attribute(inner, "xlink:href"))
                if root is not None and name(root) == "math:math":
                    yield f"${formula(root)}$"
            elif kind not in _UNSEEN:
                yield from self.flat(inner, line)

    def line(self, element: Any) -> Line:
        line = Line()
        self._inline(element, Run(""), line)
        return line

    def _inline(self, element: Any, style: Run, line: Line) -> None:
        if element.text:
            line.runs.append(replace(style, text=_blank(element.text)))
        for inner in children(element):
            self._inner(inner, style, line)
            if inner.tail:
                line.runs.append(replace(style, text=_blank(inner.tail)))

    def _inner(self, inner: Any, style: Run, line: Line) -> None:
        kind = name(inner)
        if kind in ("text:s", "text:tab"):
            line.runs.append(replace(style, text=" " * _count(inner)))
        elif kind == "text:line-break":
            line.runs.append(replace(style, text="\n"))
        elif kind == "text:span":
            own = self._styles.text(attribute(inner, "text:style-name"))
            bold, italic, strike = style.bold or own.bold, style.italic or own.italic, style.strike or own.strike
            self._inline(inner, replace(style, bold=bold, italic=italic, strike=strike), line)
        elif kind == "text:a":
            self._inline(inner, replace(style, link=attribute(inner, "xlink:href") or None), line)
        elif kind == "text:note":
            self._notes += 1
            label = " ".join("".join(words(found) for found in children(inner, "text:note-citation")).split())
            label = label or str(self._notes)
            body = child(inner, "text:note-body")
            said = "\n".join(self.flat(body, line)) if body is not None else ""
            place = "Endnote" if attribute(inner, "text:note-class") == "endnote" else "Footnote"
            line.remarks.append(f"{place} {escape_text(label)}: {said}")
        elif kind == "office:annotation":
            line.remarks.append(_remark(inner))
        elif kind in _FRAMES:
            root = _math(inner, self._package)
            if root is not None:
                line.runs.append(Run(formula(root), math=True))
            else:
                line.frames.append(inner)
        elif kind not in _UNSEEN:
            self._inline(inner, style, line)


def formula(root: Any) -> str:
    """A formula as its author typed it where that is kept, else the characters of the MathML."""
    typed = next((words(found) for found in below(root, "math:annotation")), "")
    return " ".join((typed or words(root)).split())


def rows_of(table: Any) -> Iterator[Any]:
    """The rows of a table, in groups or not; an inner table's rows are not among them."""
    for inner in children(table):
        if name(inner) == "table:table-row":
            yield inner
        elif name(inner) in ("table:table-rows", "table:table-row-group", "table:table-header-rows"):
            yield from rows_of(inner)


def _math(frame: Any, package: OpenPackage) -> Any:
    found = child(frame, "draw:object")
    if found is None:
        return None
    inner = list(children(found))
    root = inner[0] if inner else package.embedded(attribute(found, "xlink:href"))
    return root if root is not None and name(root) == "math:math" else None


def _remark(annotation: Any) -> str:
    by = " ".join(words(found) for found in children(annotation, "dc:creator"))
    said = " ".join(words(found) for found in below(annotation, "text:p"))
    return f"Comment{f' ({escape_text(by.strip())})' if by.strip() else ''}: {escape_text(' '.join(said.split()))}"


def _count(space: Any) -> int:
    stated = attribute(space, "text:c", "1")
    return min(int(stated), 100) if stated.isdigit() else 1


def _blank(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ")
