"""What only the whole document shows: heading levels, running heads, bullets, what stands on top of a page."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from wiki.parsing.pdf.rules import is_page_number, without_bullet

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument, SectionHeaderItem, TextItem

_NUMBER = re.compile(r"^\s*(?:\d+|[IVX]+|[A-Z])[.)]?\s|^\s*\d+\.\d")


def settle_levels(document: DoclingDocument) -> None:
    """Puts the title above its sections and leaves no level out.

    docling ranks headings by bookmarks, numbering and type; a title has no number and need not be
    large, so it can come out below its own sections. A first heading that opens the first page,
    without a number, is the title when it stands at another level than the headings after it.
    """
    from docling_core.types.doc.document import SectionHeaderItem

    headings = [item for item in document.texts if isinstance(item, SectionHeaderItem) and item.text.strip()]
    if len(headings) > 1 and _opens(document, headings[0]):
        first, rest = headings[0], headings[1:]
        if first.level > min(heading.level for heading in rest):
            first.level = 0
    ranks = {level: number for number, level in enumerate(sorted({heading.level for heading in headings}), start=1)}
    for heading in headings:
        heading.level = ranks[heading.level]


def keep_single_heads(document: DoclingDocument) -> None:
    """Gives back to the text what stands at the edge of one page only: a running head is one that
    comes again, or a page number."""
    from docling_core.types.doc.document import ContentLayer

    heads = [item for item in document.texts if item.content_layer is ContentLayer.FURNITURE]
    pages = Counter(_pattern(item) for item in heads)
    for item in heads:
        if pages[_pattern(item)] < 2 and not is_page_number(item.text):
            item.content_layer = ContentLayer.BODY


def keep_heads(document: DoclingDocument) -> None:
    """Gives back all running heads and page numbers to the text: a picture has none."""
    from docling_core.types.doc.document import ContentLayer

    for item in document.texts:
        if item.content_layer is ContentLayer.FURNITURE:
            item.content_layer = ContentLayer.BODY


def drop_bullets(document: DoclingDocument) -> None:
    """List items without the bullet glyph: Markdown writes its own."""
    from docling_core.types.doc.document import ListItem

    for item in document.texts:
        if isinstance(item, ListItem):
            item.text = without_bullet(item.text)


def put_tops_first(document: DoclingDocument) -> None:
    """Moves what stands wholly above everything else on its page to the page's beginning.

    docling follows columns, and a centred title over two columns touches neither.
    """
    by_page: dict[int, list[tuple[int, float, float]]] = {}
    children = list(document.body.children)
    for index, reference in enumerate(children):
        item = reference.resolve(document)
        for prov in getattr(item, "prov", [])[:1]:
            height = document.pages[prov.page_no].size.height
            box = prov.bbox.to_top_left_origin(height)
            by_page.setdefault(prov.page_no, []).append((index, box.t, box.b))
    for items in by_page.values():
        rest = sorted(items, key=lambda item: item[1])
        first: list[int] = []
        while len(rest) > 1 and rest[0][2] <= min(top for _, top, _ in rest[1:]) + 2:
            first.append(rest.pop(0)[0])
        places = [index for index, _, _ in items]
        order = [*first, *(index for index in places if index not in first)]
        for place, index in zip(places, order, strict=True):
            document.body.children[place] = children[index]


def _opens(document: DoclingDocument, heading: SectionHeaderItem) -> bool:
    if not heading.prov or heading.prov[0].page_no != 1 or _NUMBER.match(heading.text):
        return False
    for reference in document.body.children:
        item = reference.resolve(document)
        if item.content_layer.value == "body":
            return item is heading
    return False


def _pattern(item: TextItem) -> str:
    return re.sub(r"\d+", "#", " ".join(item.text.split())).casefold()
