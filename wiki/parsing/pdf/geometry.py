"""Words and lines of a page, in points from its top left corner."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_BOLD = re.compile(r"bold|black|heavy|semibold|demi|cmbx", re.IGNORECASE)


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    def shared(self, other: Box) -> float:
        """Area both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * high if wide > 0 and high > 0 else 0.0

    def overlap(self, other: Box) -> float:
        """Intersection over union, 0 to 1."""
        shared = self.shared(other)
        return shared / (self.area + other.area - shared) if shared else 0.0

    def holds(self, other: Box) -> bool:
        """Whether the middle of ``other`` lies inside."""
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(frozen=True)
class Line:
    """A stretch of text on one line, in one font."""

    box: Box
    text: str
    bold: bool

    @property
    def height(self) -> float:
        return self.box.bottom - self.box.top


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them; there must be one."""
    found = list(boxes)
    return Box(
        min(box.left for box in found),
        min(box.top for box in found),
        max(box.right for box in found),
        max(box.bottom for box in found),
    )


def page_lines(page: Any) -> list[Line]:
    """The lines docling's parser found on a page, empty ones left out."""
    from docling_core.types.doc.page import TextCellUnit

    return _cells(page, TextCellUnit.LINE)


def page_words(page: Any) -> list[Line]:
    """The words of a page."""
    from docling_core.types.doc.page import TextCellUnit

    return _cells(page, TextCellUnit.WORD)


def body_height(lines: list[Line]) -> float:
    """The line height most characters of the page have, in points rounded to one decimal; 0 without text."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.height, 1)] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def _cells(page: Any, unit: Any) -> list[Line]:
    if page.parsed_page is None:
        return []
    lines: list[Line] = []
    for cell in page.parsed_page.iterate_cells(unit):
        if not cell.text.strip():
            continue
        box = cell.rect.to_bounding_box().to_top_left_origin(page.size.height)
        bold = bool(_BOLD.search(getattr(cell, "font_name", "") or ""))
        lines.append(Line(Box(box.l, box.t, box.r, box.b), cell.text.strip(), bold))
    return lines
