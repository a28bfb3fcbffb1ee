import datetime
from email.message import EmailMessage
from pathlib import Path

import openpyxl
import pytest

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.parser import parse_file


def parse(path: Path, data: bytes, name: str) -> ParsedDocument:
    path.write_bytes(data)
    return parse_file(path, name)


def mail(subject: str) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ada <ada@example.org>"
    message["Date"] = "Tue, 03 Mar 2026 10:00:00 +0100"
    return message


def test_mail_gives_headers_body_once_and_attachments_as_sections(tmp_path: Path) -> None:
    inner = mail("Inner note")
    inner.set_content("The inner words.\n")
    message = mail("Pump report")
    message.set_content("Plain *words*.\n> quoted\n")
    message.add_alternative("<p>HTML words.</p>", subtype="html")
    message.add_attachment(b"a,b\n1,2\n", maintype="application", subtype="octet-stream", filename="table.csv")
    message.add_attachment("# Top\n\nText.\n", subtype="markdown", filename="notes.md")
    message.add_attachment(b"\x89PNG\r\n\x1a\n", maintype="image", subtype="png", filename="dot.png")
    message.add_attachment(inner)
    found = parse(tmp_path / "m", message.as_bytes(), "m.eml")
    headings = [(block.level, block.heading) for block in found.blocks if block.kind == "heading"]
    assert headings == [
        (1, "Pump report"),
        (2, "table.csv"),
        (2, "notes.md"),
        (3, "Top"),
        (2, "dot.png"),
        (3, "Inner note"),
    ]
    assert found.markdown.count("words") == 2
    assert "Plain \\*words\\*.\n> quoted" in found.markdown and "HTML words" not in found.markdown
    assert "| 1 | 2 |" in found.markdown and "\n*dot.png " in found.markdown
    assert (found.title, found.document_date) == ("Pump report", "2026-03-03")


@pytest.mark.parametrize(("charset", "body"), [("cp1251", "Насос остановлен ночью"), ("shift_jis", "会議は月曜日です")])
def test_each_part_is_read_in_its_own_charset(tmp_path: Path, charset: str, body: str) -> None:
    raw = f"Subject: x\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    assert body in parse(tmp_path / "m", raw.encode() + body.encode(charset), "m.eml").markdown


def test_workbook_cells_are_what_a_person_sees(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Stock"
    sheet.append(["Code", "Share", "When", "Count", "Note"])
    sheet.append(["007", 0.125, datetime.date(2026, 2, 3), 12.0, "NA"])
    sheet.append(["008", None, datetime.datetime(2026, 2, 4, 13, 5), 0.1 + 0.2, "a|b\nc"])
    sheet["B2"].number_format = "0.0%"
    sheet["G9"] = "far away"
    sheet["XFD1048576"] = "corner"
    hidden = book.create_sheet("Secret")
    hidden.append(["x"])
    hidden.sheet_state = "hidden"
    book.create_sheet("Blank")
    book.save(tmp_path / "b.xlsx")
    found = parse_file(tmp_path / "b.xlsx", "b.xlsx")
    assert found.markdown == (
        "## Stock\n\n"
        "| Code | Share | When | Count | Note |\n| --- | --- | --- | --- | --- |\n"
        "| 007 | 12.5% | 2026-02-03 | 12 | NA |\n| 008 |  | 2026-02-04 13:05:00 | 0.3 | a\\|b<br>c |\n\n"
        "far away\n\ncorner\n\n## Secret (hidden)\n\nx\n\n"
    )
    assert {block.provenance.sheet for block in found.blocks if block.provenance} == {"Stock", "Secret"}


def test_a_merged_range_over_a_whole_sheet_costs_nothing(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["only"])
    book.save(tmp_path / "b.xlsx")
    import zipfile

    with zipfile.ZipFile(tmp_path / "b.xlsx") as old, zipfile.ZipFile(tmp_path / "c.xlsx", "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            if entry == "xl/worksheets/sheet1.xml":
                merged = b'</sheetData><mergeCells count="1"><mergeCell ref="A2:XFD1048576"/></mergeCells>'
                data = data.replace(b"</sheetData>", merged)
            new.writestr(entry, data)
    assert "only" in parse_file(tmp_path / "c.xlsx", "c.xlsx").markdown


def test_a_damaged_workbook_is_refused(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.save(tmp_path / "b.xlsx")
    import zipfile

    with zipfile.ZipFile(tmp_path / "b.xlsx") as old, zipfile.ZipFile(tmp_path / "c.xlsx", "w") as new:
        for entry in old.namelist():
            new.writestr(entry, b"<broken" if entry == "xl/workbook.xml" else old.read(entry))
    with pytest.raises(UnsupportedFormat, match="damaged"):
        parse_file(tmp_path / "c.xlsx", "c.xlsx")
