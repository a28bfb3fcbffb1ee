"""Folders of made-up files of many formats, the same ones for the same seed."""

import json
import random
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from bench.synthetic import PLACES, SUBJECTS, sentences

Write = Callable[[Path, str, list[tuple[str, str]]], None]
"""Writes a title and its sections, each a heading and a text."""


def write_mixed_files(folder: Path, count: int, seed: int) -> list[Path]:
    """``count`` files, the formats in turn; all differ."""
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(seed)
    written: list[Path] = []
    for number in range(count):
        suffix, write = list(WRITERS.items())[number % len(WRITERS)]
        subject = source.choice(list(SUBJECTS))
        title = f"{source.choice(PLACES)} report {number}"
        sections = [(f"Part {part}", sentences(subject, source, 120)) for part in range(1, 4)]
        written.append(folder / f"{number:04}{suffix}")
        write(written[-1], title, sections)
    return written


def markdown(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    path.write_text(f"# {title}\n\n" + "".join(f"## {name}\n\n{text}\n\n" for name, text in sections), encoding="utf-8")


def plain_text(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    path.write_text(f"{title}\n\n" + "\n\n".join(text for _, text in sections), encoding="utf-8")


def table(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    rows = [f"{number};{name};{text[:80]}" for number, (name, text) in enumerate(sections)]
    path.write_text(f"no;part;{title}\n" + "\n".join(rows) + "\n", encoding="utf-8")


def json_text(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    path.write_text(json.dumps({"title": title, "parts": dict(sections)}, indent=1), encoding="utf-8")


def web_page(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    body = "".join(f"<h2>{name}</h2><p>{text}</p>" for name, text in sections)
    path.write_text(f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>", "utf-8")


def mail(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = title, "ada@example.org", "all@example.org"
    message.set_content("\n\n".join(text for _, text in sections))
    path.write_bytes(message.as_bytes())


def rich_text(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    body = "".join(rf"{{\b {name}}}\par {text}\par " for name, text in sections)
    path.write_text(rf"{{\rtf1\ansi {title}\par {body}}}", encoding="ascii")


def word(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    import docx

    document = docx.Document()
    document.add_heading(title, 0)
    for name, text in sections:
        document.add_heading(name, 1)
        document.add_paragraph(text)
    document.save(str(path))


def workbook(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Parts"
    sheet.append(["no", "part", title])
    for number, (name, text) in enumerate(sections):
        sheet.append([number, name, text[:80]])
    book.save(path)


def pdf(path: Path, title: str, sections: list[tuple[str, str]]) -> None:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    styles = getSampleStyleSheet()
    story = [Paragraph(title, styles["Title"])]
    for name, text in sections:
        story += [Paragraph(name, styles["Heading2"]), Paragraph(text, styles["BodyText"])]
    SimpleDocTemplate(str(path), title=title).build(story)


WRITERS: dict[str, Write] = {
    ".md": markdown,
    ".txt": plain_text,
    ".csv": table,
    ".json": json_text,
    ".html": web_page,
    ".eml": mail,
    ".rtf": rich_text,
    ".docx": word,
    ".xlsx": workbook,
    ".pdf": pdf,
}
