"""OpenDocument text, spreadsheets and presentations, read from their own XML."""

from __future__ import annotations

from typing import Any

from wiki.parsing import media_types as media
from wiki.parsing.blocks import Block, Provenance
from wiki.parsing.escape import escape_text
from wiki.parsing.inline import text_of
from wiki.parsing.markdown_writer import MarkdownWriter
from wiki.parsing.open_document.package import OpenPackage
from wiki.parsing.open_document.sheets import read_sheets, reader
from wiki.parsing.open_document.styles import OpenStyles
from wiki.parsing.open_document.texts import OpenTextWriter
from wiki.parsing.sheet import sheet_blocks
from wiki.parsing.source import Conversion, Piece, Source, Step
from wiki.parsing.xml_tree import attribute, below, child, children, name, words


def convert_open_document(source: Source) -> Conversion:
    """Headings, lists with their numbers, tables, notes, comments, formulas, charts; a sheet or a slide is
    provenance. Raises UnsupportedFormat when the file is damaged or too large."""
    package = OpenPackage(source.path, source.name)
    title, day = package.properties()
    if source.media_type == media.ODS:
        blocks: list[Block] = []
        for named, hidden, sheet in read_sheets(source, reader(package)):
            blocks += sheet_blocks(named, hidden, sheet.texts())
        return Conversion(blocks=tuple(blocks), title=title, document_date=day)
    pieces = _presentation(source, package) if source.media_type == media.ODP else _text(package)
    return Conversion(pieces=pieces, title=title, document_date=day)


def _text(package: OpenPackage) -> tuple[Piece, ...]:
    root = package.content()
    styles = OpenStyles(package.tree("styles.xml"), root)
    body = child(root, "office:body", "office:text")
    if body is None:
        return ()
    titled = any(
        styles.is_title(attribute(found, "text:style-name")) and words(found).strip() for found in below(body, "text:p")
    )
    writer = MarkdownWriter()
    first = OpenTextWriter(package, styles, writer)
    headings = frozenset(text_of(first.line(found).runs) for found in below(body, "text:h"))
    OpenTextWriter(package, styles, writer, shift=1 if titled else 0, headings=headings).blocks(body)
    return writer.pieces()


def _presentation(source: Source, package: OpenPackage) -> tuple[Piece, ...]:
    root = package.content()
    styles = OpenStyles(package.tree("styles.xml"), root)
    show = child(root, "office:body", "office:presentation")
    pages = list(children(show, "draw:page")) if show is not None else []
    writer = MarkdownWriter()
    texts = OpenTextWriter(package, styles, writer)
    for number, page in enumerate(pages, 1):
        writer.place = Provenance(slide=number)
        _slide(page, number, texts, writer, styles)
        source.progress(Step("slide", number, len(pages)))
    return writer.pieces()


def _slide(page: Any, number: int, texts: OpenTextWriter, writer: MarkdownWriter, styles: OpenStyles) -> None:
    shapes = [shape for shape in children(page) if name(shape) != "presentation:notes"]
    titles = [shape for shape in shapes if attribute(shape, "presentation:class") == "title" and words(shape).strip()]
    notes = child(page, "presentation:notes")
    said = list(below(notes, "text:p")) if notes is not None else []
    if not any(words(shape).strip() or list(below(shape, "draw:object", "svg:desc")) for shape in shapes + said):
        return
    title = " ".join(text_of(texts.line(found).runs) for shape in titles for found in below(shape, "text:p"))
    writer.heading(2, escape_text(" ".join(title.split())) or f"Slide {number}")
    if attribute(page, "draw:style-name") in styles.hidden:
        writer.paragraph("(hidden slide)")
    for shape in shapes:
        kind = attribute(shape, "presentation:class")
        if shape not in titles and kind not in ("date-time", "page-number", "header"):
            texts.blocks([shape])
    for found in said:
        line = text_of(texts.line(found).runs)
        if line and attribute(found.getparent().getparent(), "presentation:class") != "page-number":
            writer.paragraph(f"Note: {escape_text(line)}")
