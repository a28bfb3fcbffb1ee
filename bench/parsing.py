"""How fast files are read: PDF pages a second with and without a text layer, a megabyte of Word, sheets and HTML."""

import io
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.large_files import MAKERS
from bench.options import Options
from wiki.parsing.ocr.engine import readers
from wiki.parsing.parser import parse_file
from wiki.settings import ParsingSettings

_TEXT_PAGES = 60
_SCANNED_PAGES = 8
_WORDS_A_PART = {270: 45, 420: 70}
"""Words a page -> words in each of its six paragraphs. The first is what reports and letters hold, the second is dense."""
_DENSE = 420
_WORDS = (
    "pump valve station report filter pressure water supply operator morning shift record level tank outlet".split()
)


def run(options: Options) -> dict[str, Any]:
    """Pages a second over pages made here (prose with headings and some tables, text pages of 420 words; the same as A4
    scans at 150 dots an inch, by words a page), and seconds for a file of the size given, all with warm models."""
    settings = ParsingSettings()
    with tempfile.TemporaryDirectory() as folder:
        text, warm = (Path(folder) / f"{name}.pdf" for name in ("text", "warm"))
        _text_pdf(text, _TEXT_PAGES, _DENSE)
        _text_pdf(warm, 2, _DENSE)
        scans = {words: _scan_pdf(Path(folder), words) for words in _WORDS_A_PART}
        parse_file(warm, warm.name, settings=settings)
        parse_file(scans[_DENSE], "warm.pdf", settings=settings)
        return {
            "text_pages_per_second": _rate(text, _TEXT_PAGES, settings),
            "ocr_pages_per_second": {words: _rate(scan, _SCANNED_PAGES, settings) for words, scan in scans.items()},
            "ocr_engine": readers(settings.ocr)[0].name,
            "whole_files": {suffix: _whole_file(Path(folder), suffix, options.seed) for suffix in MAKERS},
        }


def _whole_file(folder: Path, suffix: str, seed: int) -> dict[str, float]:
    """Megabytes of a file, and the seconds its second reading takes."""
    path = folder / f"large{suffix}"
    MAKERS[suffix](path, random.Random(seed))
    parse_file(path, path.name)
    began = time.perf_counter()
    parse_file(path, path.name)
    return {
        "megabytes": round(path.stat().st_size / 1_000_000, 2),
        "seconds": round(time.perf_counter() - began, 2),
    }


def _rate(path: Path, pages: int, settings: ParsingSettings) -> float:
    began = time.perf_counter()
    parse_file(path, path.name, settings=settings)
    return round(pages / (time.perf_counter() - began), 2)


def _text_pdf(path: Path, pages: int, words_a_page: int) -> None:
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    styles = getSampleStyleSheet()
    story: list[Any] = []
    for number in range(pages):
        story.append(Paragraph(f"{number + 1}. Station {number + 1}", styles["Heading1"]))
        for part in range(6):
            words = [
                _WORDS[(number * 7 + part * 5 + at * at) % len(_WORDS)] for at in range(_WORDS_A_PART[words_a_page])
            ]
            story.append(Paragraph(" ".join(words).capitalize() + ".", styles["BodyText"]))
        if number % 4 == 0:
            rows = [["Code", "Place", "Count"], *([f"K-{row}", "Yard", str(row * 7)] for row in range(4))]
            story.append(Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
        story.append(PageBreak())
    SimpleDocTemplate(str(path)).build(story)


def _scan_pdf(folder: Path, words_a_page: int) -> Path:
    import pypdfium2

    text, path = folder / f"text-{words_a_page}.pdf", folder / f"scan-{words_a_page}.pdf"
    _text_pdf(text, _SCANNED_PAGES, words_a_page)
    document = pypdfium2.PdfDocument(text.read_bytes())
    try:
        scale: Any = 150 / 72
        pictures = [document[number].render(scale=scale).to_pil().convert("L") for number in range(_SCANNED_PAGES)]
    finally:
        document.close()
    stream = io.BytesIO()
    pictures[0].save(stream, "PDF", save_all=True, append_images=pictures[1:], resolution=150)
    path.write_bytes(stream.getvalue())
    return path
