"""A Word file, a workbook and a web page of about one megabyte each, the same ones for the same seed."""

import random
from collections.abc import Callable
from pathlib import Path

from bench.synthetic import SUBJECTS, sentences


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


MAKERS: dict[str, Callable[[Path, random.Random], None]] = {
    ".docx": word_file,
    ".xlsx": workbook,
    ".html": web_page,
}


def _words(source: random.Random, count: int) -> str:
    return sentences(source.choice(list(SUBJECTS)), source, count)
