"""Word documents (DOCX, DOCM, DOTX), read from their own XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from wiki.parsing.drawing import chart_rows, chart_titles, described, diagram_lines
from wiki.parsing.escape import escape_text
from wiki.parsing.inline import Run, inline, one_line, text_of
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.ooxml import Package, alternative
from wiki.parsing.source import Conversion, Source
from wiki.parsing.word.lines import Line, LineReader, Reference, removed
from wiki.parsing.word.numbering import ListPlace, Numbering, indent_of
from wiki.parsing.word.styles import Styles
from wiki.parsing.word.tables import grid
from wiki.parsing.xml_tree import attribute, below, child, children, name, words

_NUMBERED = re.compile(r"\d{1,9}[.)]")
_THROUGH = frozenset({"w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:body", "w:txbxContent"})
_PAGE_WORDS = re.compile(r"\b(?:page|of|seite|von|página|pagina|de|sur)\b|[\W\d_]", re.IGNORECASE)
_NOTES = {
    "Footnote": ("footnotes", "w:footnote"),
    "Endnote": ("endnotes", "w:endnote"),
    "Comment": ("comments", "w:comment"),
}


def convert_word(source: Source) -> Conversion:
    """Headings, lists with their numbers, tables, text boxes, notes, comments, equations, charts.

    Inserted text of tracked changes is in, deleted text out. Page headers and footers that say something
    of their own stand at the end. Raises UnsupportedFormat when the file is damaged.
    """
    with Package(source.path, source.name) as package:
        title, day = package.properties()
        reader = _Reader(package, package.main())
        pieces = reader.document()
        return Conversion(pieces=pieces, title=None if reader.has_headings else title, document_date=day)


class _Reader:
    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._part = main
        self._styles = Styles(self._related("styles"))
        self._numbering = Numbering(self._related("numbering"), self._styles)
        self._lines = LineReader(package, main)
        self._writer = MarkdownWriter()
        self._levels: list[ListPlace] = []
        self._carried: list[Run] = []
        self._code: list[str] = []
        self._notes: dict[str, dict[str, Any]] = {}
        self._shift = 0
        self.has_headings = False

    def document(self) -> Any:
        body = child(self._package.tree(self._part), "w:body")
        if body is None:
            return ()
        titled = (p for p in below(body, "w:p") if self._styles.is_title(child(p, "w:pPr")) and words(p).strip())
        self._shift = 1 if next(titled, None) is not None else 0
        self._blocks(body)
        self._end_code()
        said = " ".join(" ".join(words(p).split()) for p in below(body, "w:p"))
        for kind, label in (("header", "Page header"), ("footer", "Page footer")):
            for text in self._margins(kind):
                if text not in said:
                    self._writer.paragraph(f"{label}: {escape_text(text)}")
        return self._writer.pieces()

    def _related(self, kind: str) -> Any:
        part = next(self._package.related(self._part, kind), None)
        return self._package.tree(part) if part is not None else None

    def _margins(self, kind: str) -> list[str]:
        """The different lines of page headers or footers that are more than a page number."""
        found: list[str] = []
        for part in self._package.related(self._part, kind):
            reader = LineReader(self._package, part)
            for paragraph in below(self._package.tree(part), "w:p"):
                line = reader.read(paragraph)
                text = text_of(line.runs)
                own = _PAGE_WORDS.sub("", text) if line.counts_pages else text
                if re.search(r"[^\W\d_]", own) and text not in found:
                    found.append(text)
        return found

    def _blocks(self, elements: Iterable[Any]) -> None:
        for element in elements:
            kind = name(element)
            if kind == "w:p":
                self._paragraph(element)
            elif kind == "w:tbl":
                self._end_code()
                self._table(element)
            elif kind == "w:sdt":
                self._blocks(children(element, "w:sdtContent"))
            elif kind in _THROUGH:
                self._blocks(element)
            elif kind == "mc:AlternateContent":
                self._blocks(alternative(element))
            elif kind in ("m:oMathPara", "m:oMath"):
                self._hang(self._lines.read([element]), 0)

    def _paragraph(self, element: Any) -> None:
        properties = child(element, "w:pPr")
        line = self._lines.read(element)
        line.runs[:0] = self._carried
        self._carried = []
        if removed(element):
            self._carried = line.runs
            self._hang(Line(drawn=line.drawn, references=line.references), 0)
            return
        if self._styles.is_code(properties) and (line.runs or self._code):
            self._code.append("".join(run.text for run in line.runs))
            self._hang(Line(drawn=line.drawn, references=line.references), 0)
            return
        self._end_code()
        self._hang(line, self._write(line, properties))

    def _write(self, line: Line, properties: Any) -> int:
        """Writes a paragraph's own text; at what depth lies what hangs on it."""
        said = [run for run in line.runs if run.text.strip()]
        level = self._styles.heading_level(properties)
        title = self._styles.is_title(properties)
        # An empty paragraph of a list shows its number all the same, so it counts.
        use = None if not said and not line.drawn else self._styles.numbering(properties)
        place = self._numbering.place(use, self._styles.identity(properties))
        if not said:
            return 0
        if title or level is not None:
            self._levels.clear()
            self.has_headings = True
            self._writer.heading(1 if title else (level or 1) + self._shift, one_line(line.runs))
        elif place is not None:
            own = indent_of(child(properties, "w:ind")) if properties is not None else None
            depth = self._depth(
                ListPlace(place.list_id, place.level, place.label, own if own is not None else place.indent)
            )
            marker = place.label if _NUMBERED.fullmatch(place.label) else "-"
            shown = f"{escape_text(place.label)} " if marker == "-" and re.search(r"\w", place.label) else ""
            self._writer.item(depth, marker, shown + inline(line.runs))
            return depth + 1
        else:
            self._levels.clear()
            if all(run.math for run in said):
                for run in said:
                    self._writer.formula(run.text)
            else:
                self._writer.paragraph(inline(line.runs))
        return 0

    def _depth(self, place: ListPlace) -> int:
        """How deep an item lies: by its level within a list, by its indent between lists."""
        while self._levels and not _within(place, self._levels[-1]):
            self._levels.pop()
        self._levels.append(place)
        return len(self._levels) - 1

    def _end_code(self) -> None:
        if self._code:
            self._writer.code("\n".join(self._code))
            self._code = []
            self._levels.clear()

    def _hang(self, line: Line, depth: int) -> None:
        """Text boxes, charts, diagrams and pictures of a paragraph, then its notes and comments."""
        for drawn in line.drawn:
            self._drawn(drawn, depth)
        for reference in line.references:
            for text in self._note(reference):
                self._writer.paragraph(text, depth)

    def _drawn(self, drawn: Any, depth: int) -> None:
        told = False
        for found in _shown(drawn):
            kind = name(found)
            if kind == "w:txbxContent":
                levels, self._levels = self._levels, []
                self._blocks(found)
                self._levels = levels if depth else []
                told = True
            elif kind == "v:textpath":
                self._writer.paragraph(escape_text(" ".join(attribute(found, "string").split())), depth)
                told = True
            elif kind == "c:chart":
                told = self._chart(attribute(found, "r:id"), depth) or told
            elif kind == "dgm:relIds":
                relation = self._package.relations(self._part).get(attribute(found, "r:dm"))
                if relation is not None and self._package.has(relation.target):
                    for inner, text in diagram_lines(self._package.tree(relation.target)):
                        self._writer.item(depth + inner, "-", text)
                        told = True
        if not told and described(drawn):
            self._writer.paragraph(f"Picture: {escape_text(described(drawn))}", depth)

    def _chart(self, identity: str, depth: int) -> bool:
        relation = self._package.relations(self._part).get(identity)
        if relation is None or not self._package.has(relation.target):
            return False
        root = self._package.tree(relation.target)
        for title in chart_titles(root):
            self._writer.paragraph(title, depth)
        self._writer.table(chart_rows(root), depth)
        return True

    def _note(self, reference: Reference) -> list[str]:
        part, tag = _NOTES[reference.kind]
        if reference.kind not in self._notes:
            root = self._related(part)
            found = children(root, tag) if root is not None else ()
            self._notes[reference.kind] = {attribute(note, "w:id"): note for note in found}
        note = self._notes[reference.kind].get(reference.identity)
        if note is None:
            return []
        owner = next(self._package.related(self._part, part), self._part)
        lines = list(self._flat(note, LineReader(self._package, owner), Line()))
        if not lines:
            return []
        by = escape_text(attribute(note, "w:author").strip())
        label = f" {reference.label}" if reference.label else f" ({by})" if by else ""
        return [f"{reference.kind}{label}: " + "\n".join(lines)]

    def _table(self, table: Any) -> None:
        rows = [list(row) for row in grid(table)]
        if rows and all(len(row) == 1 for row in rows) and _is_frame(rows):
            self._blocks(block for row in rows for cell in row if cell.element is not None for block in cell.element)
            return
        self._levels.clear()
        beside = Line()
        cells: list[list[str]] = []
        for row in rows:
            width = max((cell.column for cell in row), default=-1) + 1
            texts = [""] * width
            for cell in row:
                if cell.element is not None:
                    texts[cell.column] = "<br>".join(self._flat(cell.element, self._lines, beside))
            cells.append(texts)
        self._writer.table(cells)
        self._hang(Line(references=beside.references), 0)

    def _flat(self, element: Any, reader: LineReader, beside: Line) -> Iterator[str]:
        """Everything below an element as lines of inline Markdown, for cells and notes."""
        for inner in element:
            kind = name(inner)
            if kind == "w:p":
                line = reader.read(inner)
                beside.references += line.references
                properties = child(inner, "w:pPr")
                said = inline(line.runs).replace("\n", "<br>")
                if said:
                    place = self._numbering.place(self._styles.numbering(properties), self._styles.identity(properties))
                    label = (place.label or "-") if place is not None else ""
                    yield f"{label} {said}" if label else said
                for drawn in line.drawn:
                    boxes = [found for found in _shown(drawn) if name(found) == "w:txbxContent"]
                    for box in boxes:
                        yield from self._flat(box, reader, beside)
                    if not boxes and described(drawn):
                        yield f"Picture: {escape_text(described(drawn))}"
            elif kind == "w:tbl":
                for row in grid(inner):
                    texts = ["<br>".join(self._flat(c.element, reader, beside)) for c in row if c.element is not None]
                    if any(texts):
                        yield ", ".join(text for text in texts if text)
            elif kind in _THROUGH or kind in ("w:sdt", "w:tc"):
                yield from self._flat(inner, reader, beside)
            elif kind == "mc:AlternateContent":
                yield from self._flat(list(alternative(inner)), reader, beside)


def _shown(drawn: Any) -> Iterator[Any]:
    """What in a drawing holds words; of two forms of the same thing only one, and nothing within a text box."""
    for inner in drawn:
        kind = name(inner)
        if kind == "mc:AlternateContent":
            for one in alternative(inner):
                yield from _shown([one])
        elif kind in ("w:txbxContent", "v:textpath", "c:chart", "dgm:relIds"):
            yield inner
        else:
            yield from _shown(inner)


def _within(place: ListPlace, outer: ListPlace) -> bool:
    if place.list_id == outer.list_id:
        return place.level > outer.level
    if place.indent is not None and outer.indent is not None:
        return place.indent > outer.indent
    return place.level > outer.level


def _is_frame(rows: list[Any]) -> bool:
    """A table of one column whose cells hold more than a line each is a box around text, no table."""
    cells = [cell.element for row in rows for cell in row if cell.element is not None]
    return len(rows) == 1 or any(sum(1 for b in cell if name(b) in ("w:p", "w:tbl", "w:sdt")) > 1 for cell in cells)
