"""Tables whose cells are drawn with lines, found by pdfplumber."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wiki.parsing.pdf.geometry import Box
from wiki.parsing.pdf.scans import job_of

if TYPE_CHECKING:
    from docling.datamodel.base_models import Page
    from docling.datamodel.document import ConversionResult

_LEAST_COLUMN = 12.0
_lock = threading.Lock()


@dataclass(frozen=True)
class RuledTable:
    """A grid of cell boxes; a place covered by a cell that begins elsewhere is None."""

    box: Box
    rows: tuple[tuple[Box | None, ...], ...]


def ruled_tables(conv_res: ConversionResult, page: Page) -> list[RuledTable]:
    """The ruled tables of a page with at least two rows, two columns and three filled cells.

    docling's stages run in threads and pdfplumber is not thread safe: one page at a time.
    """
    job = job_of(conv_res)
    if job is not None and job.drawn is not None and page.page_no not in job.drawn:
        return []
    with _lock:
        return _opened(conv_res).tables(page.page_no)


class _Document:
    def __init__(self, data: bytes) -> None:
        import pdfplumber

        self._file = pdfplumber.open(io.BytesIO(data))
        self._tables: dict[int, list[RuledTable]] = {}

    def tables(self, page_number: int) -> list[RuledTable]:
        if page_number not in self._tables:
            page = self._file.pages[page_number - 1]
            found = page.find_tables() if len(page.rects) + len(page.lines) + len(page.curves) < 5_000 else []
            rules = [Box(edge["x0"], edge["top"], edge["x1"], edge["bottom"]) for edge in page.horizontal_edges]
            tables = [_table(table, rules) for table in found]
            self._tables[page_number] = [table for table in tables if table is not None]
            page.close()
        return self._tables[page_number]


def _table(found: Any, rules: list[Box]) -> RuledTable | None:
    rows = tuple(tuple(Box(*cell) if cell else None for cell in row.cells) for row in found.rows)
    if len(rows) < 2 or max(len(row) for row in rows) < 2:
        return None
    filled = sum(bool((text or "").strip()) for row in found.extract() for text in row)
    return _with_outer_columns(RuledTable(Box(*found.bbox), rows), rules) if filled >= 3 else None


def _with_outer_columns(table: RuledTable, rules: list[Box]) -> RuledTable:
    """Columns at the sides that have horizontal rules but no vertical one to close them."""
    box = table.box
    crossing = [
        rule
        for rule in rules
        if box.top - 2 <= rule.top <= box.bottom + 2 and rule.left < box.right and rule.right > box.left
    ]
    left = min((rule.left for rule in crossing), default=box.left)
    right = max((rule.right for rule in crossing), default=box.right)
    rows = table.rows
    if box.left - left > _LEAST_COLUMN:
        rows = tuple((_side(row, left, box.left), *row) for row in rows)
    if right - box.right > _LEAST_COLUMN:
        rows = tuple((*row, _side(row, box.right, right)) for row in rows)
    return RuledTable(Box(min(left, box.left), box.top, max(right, box.right), box.bottom), rows)


def _side(row: tuple[Box | None, ...], left: float, right: float) -> Box | None:
    cells = [cell for cell in row if cell is not None]
    return Box(left, min(cell.top for cell in cells), right, min(cell.bottom for cell in cells)) if cells else None


def _opened(conv_res: ConversionResult) -> _Document:
    stream = conv_res.input._backend.path_or_stream  # pyright: ignore[reportPrivateUsage]
    return _open(conv_res.input.document_hash, stream)


@lru_cache(maxsize=1)
def _open(_document_hash: str, stream: io.BytesIO) -> _Document:
    return _Document(stream.getvalue())
