"""PowerPoint presentations (PPTX, PPTM, PPSX), read from their own XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wiki.parsing.blocks import Provenance
from wiki.parsing.drawing import chart_rows, chart_titles, described, diagram_lines
from wiki.parsing.equations import latex
from wiki.parsing.escape import escape_text
from wiki.parsing.inline import Run, inline, one_line
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.ooxml import Package, alternative
from wiki.parsing.slide_bullets import Bullets
from wiki.parsing.source import Conversion, Source, Step
from wiki.parsing.xml_tree import attribute, below, child, children, local_name, name, words

_TITLES = ("title", "ctrTitle")
_MARGINS = ("sldNum", "dt", "hdr")
_DIGITS = re.compile(r"\d{1,9}[.)]")


def convert_slides(source: Source) -> Conversion:
    """Slides in the order of the show, each under its title: texts with bullets and numbers, groups, tables,
    charts, diagrams, speaker notes, comments. Hidden slides are marked. Raises UnsupportedFormat when damaged."""
    with Package(source.path, source.name) as package:
        title, day = package.properties()
        main = package.main()
        relations = package.relations(main)
        listed = child(package.tree(main), "p:sldIdLst")
        entries = list(children(listed, "p:sldId")) if listed is not None else []
        writer = MarkdownWriter()
        reader = _Reader(package, writer)
        for number, entry in enumerate(entries, 1):
            relation = relations.get(attribute(entry, "r:id"))
            if relation is not None:
                writer.place = Provenance(slide=number)
                reader.slide(relation.target, number)
            source.progress(Step("slide", number, len(entries)))
        return Conversion(pieces=writer.pieces(), title=reader.first_title or title, document_date=day)


class _Reader:
    def __init__(self, package: Package, writer: MarkdownWriter) -> None:
        self._package = package
        self._writer = writer
        self._footers: set[str] = set()
        self._authors: dict[str, str] | None = None
        self._part = ""
        self.first_title: str | None = None

    def slide(self, part: str, number: int) -> None:
        self._part = part
        root = self._package.tree(part)
        tree = child(root, "p:cSld", "p:spTree")
        shapes = list(_shapes(tree)) if tree is not None else []
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES and words(shape).strip()]
        notes = list(self._notes(part))
        comments = list(self._comments(part))
        inner = MarkdownWriter(self._writer.place)
        outer, self._writer = self._writer, inner
        bullets = Bullets(self._package, part)
        for shape in shapes:
            if shape not in titles[:1]:
                self._shape(shape, bullets)
        self._writer = outer
        if inner.empty and not titles and not notes and not comments:
            return
        title = (
            one_line(run for line in below(titles[0], "a:p") for run in [*self._runs(line), Run("\n")])
            if titles
            else ""
        )
        if title and self.first_title is None:
            self.first_title = " ".join(" ".join(words(line) for line in below(titles[0], "a:p")).split())
        outer.heading(2, title or f"Slide {number}")
        if attribute(root, "show") in ("0", "false"):
            outer.paragraph("(hidden slide)")
        outer.include(inner.pieces())
        for text in notes:
            outer.paragraph(f"Note: {text}")
        for text in comments:
            outer.paragraph(text)

    def _shape(self, shape: Any, bullets: Bullets) -> None:
        kind = name(shape)
        if kind == "p:sp":
            role = _placeholder(shape)
            body = child(shape, "p:txBody")
            if body is None or role in _MARGINS:
                return
            if role == "ftr":
                if words(body) in self._footers:
                    return
                self._footers.add(words(body))
            self._text(body, shape, bullets)
        elif kind == "p:graphicFrame":
            self._frame(shape)
        elif kind == "p:pic" and described(shape):
            self._writer.paragraph(f"Picture: {escape_text(described(shape))}")

    def _text(self, body: Any, shape: Any, bullets: Bullets) -> None:
        counts = bullets.counting(shape, body)
        for line in children(body, "a:p"):
            runs = list(self._runs(line))
            said = [run for run in runs if run.text.strip()]
            if not said:
                continue
            depth, label = counts.next(line)
            if label is None:
                if all(run.math for run in said):
                    for run in said:
                        self._writer.formula(run.text)
                else:
                    self._writer.paragraph(inline(runs))
                continue
            marker = label if _DIGITS.fullmatch(label) else "-"
            shown = f"{escape_text(label)} " if label and marker == "-" else ""
            self._writer.item(depth, marker, shown + inline(runs))
        self._writer.close_list()

    def _runs(self, line: Any) -> Iterator[Run]:
        for part in children(line):
            kind = name(part)
            if kind == "a:r" or (kind == "a:fld" and attribute(part, "type") != "slidenum"):
                yield self._run(part)
            elif kind == "a:br":
                yield Run("\n")
            elif kind in ("m:oMath", "m:oMathPara"):
                yield Run(latex(part), math=True)
            elif kind == "a14:m":
                yield from self._runs(part)
            elif kind == "mc:AlternateContent":
                yield from self._runs(list(alternative(part)))

    def _run(self, part: Any) -> Run:
        text = "".join(words(found) for found in children(part, "a:t")).replace("\v", "\n")
        about = child(part, "a:rPr")
        if about is None:
            return Run(text)
        click = child(about, "a:hlinkClick")
        relation = self._package.relations(self._part).get(attribute(click, "r:id")) if click is not None else None
        return Run(
            text,
            bold=attribute(about, "b") in ("1", "true"),
            italic=attribute(about, "i") in ("1", "true"),
            strike=attribute(about, "strike", "noStrike") != "noStrike",
            link=relation.target if relation is not None and relation.external else None,
        )

    def _frame(self, frame: Any) -> None:
        table = next(below(frame, "a:tbl"), None)
        if table is not None:
            self._writer.table([self._row(row) for row in children(table, "a:tr")])
            return
        relations = self._package.relations(self._part)
        for found in below(frame, "c:chart", "dgm:relIds"):
            identity = attribute(found, "r:id" if name(found) == "c:chart" else "r:dm")
            relation = relations.get(identity)
            if relation is None or not self._package.has(relation.target):
                continue
            root = self._package.tree(relation.target)
            if name(found) == "c:chart":
                for title in chart_titles(root):
                    self._writer.paragraph(title)
                self._writer.table(chart_rows(root))
            else:
                for depth, text in diagram_lines(root):
                    self._writer.item(depth, "-", text)
                self._writer.close_list()
            return
        if described(frame):
            self._writer.paragraph(f"Picture: {escape_text(described(frame))}")

    def _row(self, row: Any) -> list[str]:
        cells: list[str] = []
        for cell in children(row, "a:tc"):
            covered = attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true")
            lines = (inline(self._runs(line)).replace("\n", "<br>") for line in below(cell, "a:p"))
            cells.append("" if covered else "<br>".join(line for line in lines if line))
        return cells

    def _notes(self, part: str) -> Iterator[str]:
        for notes in self._package.related(part, "notesSlide"):
            for shape in below(self._package.tree(notes), "p:sp"):
                if _placeholder(shape) in ("sldNum", "dt", "hdr", "ftr", "sldImg"):
                    continue
                for line in below(shape, "a:p"):
                    said = inline(self._runs(line), emphasis=False)
                    if said:
                        yield said

    def _comments(self, part: str) -> Iterator[str]:
        for relation in self._package.relations(part).values():
            if relation.kind not in ("comments", "comment") or not self._package.has(relation.target):
                continue
            for comment in self._package.tree(relation.target).iter():
                tag = local_name(comment)
                if tag in ("cm", "reply"):
                    said = " ".join(words(text) for text in _own_texts(comment))
                    by = self._author(str(comment.get("authorId") or ""))
                    if said.strip():
                        yield f"Comment{f' ({by})' if by else ''}: {escape_text(' '.join(said.split()))}"

    def _author(self, identity: str) -> str:
        if self._authors is None:
            self._authors = {}
            for kind in ("commentAuthors", "authors"):
                for part in self._package.related(self._package.main(), kind):
                    for author in self._package.tree(part):
                        self._authors[str(author.get("id"))] = escape_text(str(author.get("name") or ""))
        return self._authors.get(identity, "")


def _own_texts(comment: Any) -> Iterator[Any]:
    for found in comment:
        tag = local_name(found)
        if tag == "text":
            yield found
        elif tag == "txBody":
            yield from below(found, "a:t")


def _shapes(tree: Any) -> Iterator[Any]:
    """Shapes in their order, those in groups too; of two forms of the same shape only one."""
    for shape in tree:
        if name(shape) == "p:grpSp":
            yield from _shapes(shape)
        elif name(shape) == "mc:AlternateContent":
            yield from _shapes(list(alternative(shape)))
        elif name(shape).startswith("p:"):
            yield shape


def _placeholder(shape: Any) -> str:
    """The role of a shape: title, body, ftr and so on; empty for a shape of its own."""
    found = next(below(shape, "p:ph"), None)
    return attribute(found, "type", "obj") if found is not None else ""
