import datetime as dt
import zipfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from wiki.errors import UnsupportedFormat
from wiki.parsing.parser import parse_file
from wiki.parsing.source import Step
from wiki.settings import ParsingSettings


def sheet_of(book: openpyxl.Workbook) -> Worksheet:
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "S"
    return sheet


def test_a_formula_shows_its_value_and_itself_where_none_is_stored(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = sheet_of(book)
    sheet.append(["a", "b"])
    sheet.append([1, "=A2*2"])
    sheet.append([2, "=A3*2"])
    book.save(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as old, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            if entry.endswith("sheet1.xml"):
                data = data.replace(b"<f>A2*2</f><v></v>", b"<f>A2*2</f><v>2</v>").replace(
                    b"<f>A2*2</f><v />", b"<f>A2*2</f><v>2</v>"
                )
                data = data.replace(b"<f>A3*2</f><v></v>", b"<f>A3*2</f>").replace(b"<f>A3*2</f><v />", b"<f>A3*2</f>")
            new.writestr(entry, data)
    found = parse_file(tmp_path / "b.xlsx", "b.xlsx").markdown
    assert "| 1 | 2 |\n| 2 | =A3*2 |" in found


def test_comments_stand_below_the_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = sheet_of(book)
    sheet.append(["a", "b"])
    sheet["B1"].comment = Comment("count again", "Ada")
    book.save(tmp_path / "a.xlsx")
    assert "Comment on B1: count again (Ada)" in parse_file(tmp_path / "a.xlsx", "a.xlsx").markdown


def test_the_limit_on_cells_is_a_setting_and_each_sheet_a_step(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = sheet_of(book)
    for number in range(60):
        sheet.append([number, "x"])
    book.create_sheet("T").append(["y"])
    book.save(tmp_path / "a.xlsx")
    steps: list[Step] = []
    parse_file(tmp_path / "a.xlsx", "a.xlsx", progress=steps.append)
    assert steps == [Step("sheet", 1, 2), Step("sheet", 2, 2)]
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_cells"):
        parse_file(tmp_path / "a.xlsx", "a.xlsx", settings=ParsingSettings(max_cells=100))


def test_texts_inside_cells_and_in_the_table_of_strings_are_read_alike(tmp_path: Path) -> None:
    rows = [
        ["code", "remark", "day", "share"],
        ["007", " two\nlines & more", dt.date(2024, 2, 29), 0.125],
        ["NA", "", None, 1],
    ]
    made = openpyxl.Workbook()
    inline = openpyxl.Workbook(write_only=True)
    sheets = [made.worksheets[0], inline.create_sheet("Sheet")]
    for sheet in sheets:
        for row in rows:
            sheet.append(row)
    made.save(tmp_path / "shared.xlsx")
    inline.save(tmp_path / "inline.xlsx")
    shared = parse_file(tmp_path / "shared.xlsx", "a.xlsx").markdown
    assert parse_file(tmp_path / "inline.xlsx", "a.xlsx").markdown == shared
    assert "| 007 | two<br>lines & more | 2024-02-29 | 0.125 |" in shared
    assert "| NA |  |  | 1 |" in shared


def test_a_sheet_whose_xml_multiplies_entities_is_refused(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.worksheets[0].append(["words"])
    made.save(tmp_path / "good.xlsx")
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(tmp_path / "good.xlsx") as good, zipfile.ZipFile(path, "w") as bomb:
        for entry in good.namelist():
            data = good.read(entry).decode()
            if entry == "xl/worksheets/sheet1.xml":
                data = f'<!DOCTYPE worksheet [<!ENTITY e0 "ha">{levels}]>' + data.replace(">words<", ">&e11;<")
                assert "&e11;" in data
            bomb.writestr(entry, data)
    with pytest.raises(UnsupportedFormat, match="bomb"):
        parse_file(path, path.name)
