"""Heading levels of a converted PDF: the title above its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


def settle_levels(document: DoclingDocument) -> None:
    """Makes the levels a tree: the title is the only heading of level 1 when there is one, and no step
    down skips a level.

    docling ranks headings by numbering and type size, where a title, having no number, can come out
    below the numbered sections. The title is the first heading of the first page when nothing but
    short lines stands before it and no other heading is set in larger type.
    """
    from docling_core.types.doc.document import SectionHeaderItem

    headings = [item for item in document.texts if isinstance(item, SectionHeaderItem) and item.text.strip()]
    if not headings:
        return
    first = headings[0]
    if len(headings) > 1 and _is_title(headings):
        first.level = 1
        for heading in headings[1:]:
            heading.level += 1
        headings_below = headings[1:]
        _close_gaps(headings_below, top=2)
    else:
        _close_gaps(headings, top=1)


def _is_title(headings: list[SectionHeaderItem]) -> bool:  # type: ignore[name-defined]  # noqa: F821
    first = headings[0]
    if not first.prov or first.prov[0].page_no > 1:
        return False
    height = _height(first)
    return all(_height(other) <= height * 1.02 for other in headings[1:]) and any(
        _height(other) < height * 0.93 for other in headings[1:]
    )


def _height(heading: SectionHeaderItem) -> float:  # type: ignore[name-defined]  # noqa: F821
    """Height of one line of the heading in points: its box by its number of lines is not known, so the
    box height of headings set on one line; longer ones count as their share of the width."""
    if not heading.prov:
        return 0.0
    box = heading.prov[0].bbox
    return abs(box.t - box.b)


def _close_gaps(headings: list[SectionHeaderItem], *, top: int) -> None:  # type: ignore[name-defined]  # noqa: F821
    levels = sorted({heading.level for heading in headings})
    ranks = {level: top + number for number, level in enumerate(levels)}
    for heading in headings:
        heading.level = ranks[heading.level]
