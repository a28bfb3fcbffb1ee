"""docling's PDF pipeline with our layout and table stages in place of the ones that need downloads."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.pipeline_options import ThreadedPdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.models.stages.page_assemble.page_assemble_model import PageAssembleOptions
from docling.pipeline import standard_pdf_pipeline
from docling_core.types.doc import DocItemLabel

from wiki.parsing.pdf.joining import Assembly
from wiki.parsing.pdf.layout import LayoutModel, LayoutOptions
from wiki.parsing.pdf.scans import job_of
from wiki.parsing.pdf.tables import TableModel, TableOptions

_WAITING = 4
_lock = threading.Lock()


class TextPdfPipeline(standard_pdf_pipeline.StandardPdfPipeline):
    """Reads the text layer. Needs no model download and no torchvision."""

    def _init_models(self) -> None:
        with _own_stages():
            super()._init_models()
        self.assemble_model = Assembly(options=PageAssembleOptions())

    def _release_page_resources(self, item: standard_pdf_pipeline.ThreadedItem) -> None:
        """A finished page keeps only its headings' cells: the ranking of headings looks at their type."""
        super()._release_page_resources(item)
        page = item.payload
        if page is None:
            return
        if page.parsed_page is not None and page.predictions.layout is not None:
            heads = [
                cluster.bbox
                for cluster in page.predictions.layout.clusters
                if cluster.label is DocItemLabel.SECTION_HEADER
            ]
            parsed = page.parsed_page
            parsed.textline_cells = [
                cell
                for cell in parsed.textline_cells
                if any(head.overlaps(cell.rect.to_bounding_box()) for head in heads)
            ]
            parsed.word_cells, parsed.char_cells, parsed.bitmap_resources = [], [], []
        job = job_of(item.conv_res)
        if job is not None:
            job.step()


class _Only:
    """A factory that knows one class."""

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind

    def create_instance(self, options: Any, **settings: Any) -> Any:
        return self._kind(options=options, **settings)


@contextmanager
def _own_stages() -> Generator[None]:
    """While the pipeline is set up, docling's factories give our stages. Its own table factory imports
    torchvision before it looks at any option, so registering a plugin would not do."""
    with _lock:
        layout, table = standard_pdf_pipeline.get_layout_factory, standard_pdf_pipeline.get_table_structure_factory
        standard_pdf_pipeline.get_layout_factory = lambda **_: _Only(LayoutModel)  # pyright: ignore
        standard_pdf_pipeline.get_table_structure_factory = lambda **_: _Only(TableModel)  # pyright: ignore
        try:
            yield
        finally:
            standard_pdf_pipeline.get_layout_factory = layout
            standard_pdf_pipeline.get_table_structure_factory = table


@cache
def pdf_converter() -> DocumentConverter:
    """A converter for PDF only; it keeps its models."""
    options = ThreadedPdfPipelineOptions(do_ocr=False, do_table_structure=True)
    options.layout_options = LayoutOptions()
    options.table_structure_options = TableOptions()
    options.generate_parsed_pages = True
    options.heading_hierarchy_options.enabled = True
    # Pages wait with their pictures; these two bound the memory of a long document.
    options.queue_max_size = _WAITING
    backend = ThreadedDoclingParseBackendOptions.model_validate({"max_concurrent_results": _WAITING})
    return DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={
            InputFormat.PDF: PdfFormatOption(
                pipeline_options=options, pipeline_cls=TextPdfPipeline, backend_options=backend
            )
        },
    )
