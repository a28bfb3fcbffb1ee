"""Word files, workbooks and web pages of about one megabyte each, and tables of 300,000 rows; the same ones for the
same seed."""

import csv
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.options import Options
from bench.synthetic import SUBJECTS, sentences
from wiki.extraction.outline import prepare, topics_of
from wiki.models.bundled import BundledEmbedder
from wiki.parsing.parser import parse_file
from wiki.settings import ExtractionSettings

_ROWS = 300_000


def word_file(path: Path, source: random.Random) -> None:
    """Headings, paragraphs and a table now and then."""
    import docx

    document = docx.Document()
    for part in range(375):
        document.add_heading(f"Part {part}", 1 + part % 3)
        for _ in range(12):
            # Numbers among the words, so that it packs as prose does: the made-up words alone pack five times better.
            numbers = " ".join(str(source.randrange(10**9)) for _ in range(24))
            document.add_paragraph(f"{_words(source, 60)} {numbers}")
        if part % 10 == 0:
            table = document.add_table(rows=5, cols=4)
            for row in table.rows:
                for cell in row.cells:
                    cell.text = str(source.randrange(100_000))
    document.save(str(path))


def workbook(path: Path, source: random.Random) -> None:
    """Three sheets of 6,600 rows: words, whole and broken numbers."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    for number in range(3):
        sheet = book.create_sheet(f"Year {2020 + number}")
        sheet.append(["code", "subject", "amount", "share", "place", "remark"])
        for row in range(6_600):
            words = _words(source, 8).split()
            sheet.append(
                [f"K-{row:05}", words[1], source.randrange(10**6), source.random(), words[4], " ".join(words[:4])]
            )
    book.save(path)


def web_page(path: Path, source: random.Random) -> None:
    """Headings, paragraphs with links, lists and tables."""
    parts: list[str] = []
    for part in range(430):
        parts.append(f"<h2>Part {part}</h2>")
        parts += [f"<p>{_words(source, 90)} <a href='https://example.org/{part}'>more</a></p>" for _ in range(3)]
        parts.append("<ul>" + "".join(f"<li>{_words(source, 8)}</li>" for _ in range(4)) + "</ul>")
        rows = "".join(f"<tr><td>{row}</td><td>{source.randrange(10**6)}</td></tr>" for row in range(4))
        parts.append(f"<table>{rows}</table>")
    path.write_text(f"<html><body><h1>Report</h1>{''.join(parts)}</body></html>", encoding="utf-8")


def dense_page(path: Path, source: random.Random) -> None:
    """Tables and lists in which almost every word has an element of its own."""
    names = _words(source, 200).split()

    def word(tag: str, about: str = "") -> str:
        return f"<{tag}{about}>{source.choice(names)}</{tag}>"

    parts: list[str] = []
    for part in range(230):
        link = f" href='https://example.org/{source.randrange(999)}'"
        row = f"<tr><td>{word('a', link)}</td><td>{word('span')}</td><td>{word('b')} {word('i')}</td></tr>"
        item = f"<li>{word('span')}, {word('a', link)}, {word('em')} {word('code')}</li>"
        parts.append(f"<div><h2>Part {part}</h2><table>{row * 20}</table><ul>{item * 20}</ul><p>{word('b')}</p></div>")
    path.write_text(f"<html><body><h1>Report</h1>{''.join(parts)}</body></html>", encoding="utf-8")


def nested_page(path: Path, source: random.Random) -> None:
    """Ten thousand lists in each other."""
    levels = "".join(f"<ul><li>{_words(source, 4)}" for _ in range(10_000))
    path.write_text(f"<html><body>{levels}</body></html>", encoding="utf-8")


def long_csv(path: Path, source: random.Random) -> None:
    """A header and 300,000 rows of five columns."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(_long_rows(source))


def long_workbook(path: Path, source: random.Random) -> None:
    """A sheet of the same rows, texts inside their cells. Written here: openpyxl takes most of a minute."""
    spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    links = (
        '<Relationships xmlns="{0}/relationships"><Relationship Id="r1" Type="{1}/{2}" Target="{3}"/></Relationships>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        archive.writestr("_rels/.rels", links.format(package, office, "officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", links.format(package, office, "worksheet", "sheet1.xml"))
        sheets = f'<sheets><sheet name="Long" sheetId="1" r:id="r1" xmlns:r="{office}"/></sheets>'
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{spreadsheet}">{sheets}</workbook>')
        with archive.open("xl/sheet1.xml", "w", force_zip64=True) as stream:
            stream.write(f'<worksheet xmlns="{spreadsheet}"><sheetData>'.encode())
            for number, row in enumerate(_long_rows(source), 1):
                cells = "".join(_cell(f"{'ABCDE'[column]}{number}", value) for column, value in enumerate(row))
                stream.write(f'<row r="{number}">{cells}</row>'.encode())
            stream.write(b"</sheetData></worksheet>")


MAKERS: dict[str, Callable[[Path, random.Random], None]] = {
    ".docx": word_file,
    ".xlsx": workbook,
    ".html": web_page,
    "-dense.html": dense_page,
    "-nested.html": nested_page,
}
"""How a name ends, and what makes such a file."""


def run(options: Options) -> dict[str, Any]:
    """Megabytes of tables of 300,000 rows, the seconds and the memory it takes to read each in a fresh process, and the
    seconds to part what was read into topics."""
    found: dict[str, Any] = {"rows": _ROWS, "cells": _ROWS * 5}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("long.csv", long_csv), ("long.xlsx", long_workbook)):
            path = Path(folder) / name
            make(path, random.Random(options.seed))
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                found[name] = process.submit(_read, path).result()
    return found


def _read(path: Path) -> dict[str, float]:
    began = time.perf_counter()
    parsed = parse_file(path, path.name)
    read = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = ExtractionSettings()
    prepared = prepare(parsed, settings)
    spans, _ = topics_of(prepared.blocks, title=path.name, embedder=BundledEmbedder(), settings=settings)
    return {
        "megabytes": round(path.stat().st_size / 1_000_000, 2),
        "seconds": round(read - began, 1),
        "peak_megabytes": round(peak / (1_000_000 if sys.platform == "darwin" else 1_000)),
        "topics": len(spans),
        "topic_seconds": round(time.perf_counter() - read, 1),
    }


def _long_rows(source: random.Random) -> Iterator[list[str | int | float]]:
    names = [f"{word}{number}" for number in range(40) for word in _words(source, 100).split()]
    yield ["code", "subject", "amount", "share", "remark"]
    for row in range(_ROWS):
        remark = " ".join(source.choices(names, k=3))
        yield [f"K-{row:06}", source.choice(names), source.randrange(10**6), source.random(), remark]


def _cell(place: str, value: str | int | float) -> str:
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def _words(source: random.Random, count: int) -> str:
    return sentences(source.choice(list(SUBJECTS)), source, count)
