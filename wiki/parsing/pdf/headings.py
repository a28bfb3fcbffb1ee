"""Heading levels and running heads of a converted PDF, judged over the whole document."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from wiki.parsing.pdf.rules import is_page_number

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


def _opens(document: DoclingDocument, heading: SectionHeaderItem) -> bool:
    if not heading.prov or heading.prov[0].page_no != 1 or _NUMBER.match(heading.text):
        return False
    before = next((item for item in document.texts if item.content_layer.value == "body" and item.text.strip()), None)
    return before is heading


def _pattern(item: TextItem) -> str:
    return re.sub(r"\d+", "#", " ".join(item.text.split())).casefold()
