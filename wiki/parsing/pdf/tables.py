"""The rows and cells of table regions: ruled ones by their lines, the others by their white space."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from docling.datamodel.base_models import Cluster, Page, Table, TableStructurePrediction
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseTableStructureOptions
from docling.models.base_table_model import BaseTableStructureModel
from docling_core.types.doc import DocItemLabel, TableCell

from wiki.parsing.pdf.geometry import Box, Line, page_words
from wiki.parsing.pdf.ruled import RuledTable, ruled_tables
from wiki.parsing.pdf.unruled import baseline_rows, grid

_LEAST_OVERLAP = 0.3


class TableOptions(BaseTableStructureOptions):
    kind: ClassVar[str] = "wiki_tables"


class TableModel(BaseTableStructureModel):
    """docling's table stage."""

    def __init__(self, *, options: BaseTableStructureOptions, enabled: bool = True, **_: Any) -> None:
        self.options = options
        self.enabled = enabled

    @classmethod
    def get_options_type(cls) -> type[BaseTableStructureOptions]:
        return TableOptions

    def predict_tables(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[TableStructurePrediction]:
        return [self._predict(conv_res, page) for page in pages]

    def _predict(self, conv_res: ConversionResult, page: Page) -> TableStructurePrediction:
        prediction = TableStructurePrediction()
        page.predictions.tablestructure = prediction
        clusters = page.predictions.layout.clusters if page.predictions.layout else []
        regions = [cluster for cluster in clusters if cluster.label is DocItemLabel.TABLE]
        if not regions:
            return prediction
        ruled = ruled_tables(conv_res, page)
        words = page_words(page)
        for region in regions:
            box = Box(region.bbox.l, region.bbox.t, region.bbox.r, region.bbox.b)
            best = max(ruled, key=lambda table: table.box.overlap(box), default=None)
            if best is not None and best.box.overlap(box) >= _LEAST_OVERLAP:
                cells = ruled_cells(best, words)
            else:
                cells = unruled_cells([word for word in words if box.holds(word.box)])
            prediction.table_map[region.id] = _table(cells, region, page.page_no)
        return prediction


def ruled_cells(table: RuledTable, words: Sequence[Line]) -> list[TableCell]:
    """Cells of a ruled table; one that covers several columns spans them.

    A ruled row whose cells each hold the same number of short figures is several rows without
    rules between them, and is parted.
    """
    cells: list[TableCell] = []
    offset = 0
    for row, boxes in enumerate(table.rows):
        lines: dict[int, list[list[Line]]] = {
            column: baseline_rows([word for word in words if box.holds(word.box)])
            for column, box in enumerate(boxes)
            if box is not None
        }
        parts = _parts(list(lines.values()))
        for column, found in lines.items():
            box = boxes[column]
            assert box is not None
            right = column + 1
            while right < len(boxes) and boxes[right] is None and _reaches(table, box, right, row):
                right += 1
            texts = [""] * len(parts)
            for line in found:
                at = min(range(len(parts)), key=lambda part: abs(parts[part] - _middle(line)))
                texts[at] = " ".join(filter(None, (texts[at], *(word.text for word in line))))
            cells += [_cell(text, offset + part, column, right - column) for part, text in enumerate(texts)]
        offset += len(parts)
    return cells


def _parts(cells: list[list[list[Line]]]) -> list[float]:
    """Heights at which one ruled row holds separate rows; one height when it is a single row."""
    filled = [lines for lines in cells if lines]
    counts = [len(lines) for lines in filled if len(lines) > 1]
    single = [0.0]
    if len(counts) < 3 or len(set(counts)) > 1:
        return single
    several = [lines for lines in filled if len(lines) > 1]
    figures = sum(any(c.isdigit() for c in line[0].text) and len(line) == 1 for lines in several for line in lines)
    if figures < 0.6 * sum(len(lines) for lines in several):
        return single
    heights = [[_middle(line) for line in lines] for lines in several]
    spread = max(max(column) - min(column) for column in zip(*heights, strict=True))
    return heights[0] if spread < 3 else single


def _middle(line: list[Line]) -> float:
    return (line[0].box.top + line[0].box.bottom) / 2


def unruled_cells(words: Sequence[Line]) -> list[TableCell]:
    return [_cell(text, row, column, 1) for row, texts in enumerate(grid(words)) for column, text in enumerate(texts)]


def _reaches(table: RuledTable, box: Box, column: int, row: int) -> bool:
    """Whether the cell's box extends over a column, judged by that column's cell in any other row."""
    for number, boxes in enumerate(table.rows):
        other = boxes[column] if column < len(boxes) else None
        if number != row and other is not None:
            return box.left <= (other.left + other.right) / 2 <= box.right
    return True


def _cell(text: str, row: int, column: int, span: int) -> TableCell:
    return TableCell(
        text=text,
        start_row_offset_idx=row,
        end_row_offset_idx=row + 1,
        start_col_offset_idx=column,
        end_col_offset_idx=column + span,
        row_span=1,
        col_span=span,
        column_header=row == 0,
    )


def _table(cells: list[TableCell], region: Cluster, page_number: int) -> Table:
    return Table(
        otsl_seq=[],
        table_cells=cells,
        num_rows=max((cell.end_row_offset_idx for cell in cells), default=0),
        num_cols=max((cell.end_col_offset_idx for cell in cells), default=0),
        id=region.id,
        page_no=page_number,
        cluster=region,
        label=region.label,
    )
