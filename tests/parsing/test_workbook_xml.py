"""Workbooks written here part by part, as programs other than Excel and openpyxl write them."""

import zipfile
from pathlib import Path

import pytest

from wiki.errors import UnsupportedFormat
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.parser import parse_file
from wiki.parsing.source import Step
from wiki.settings import ParsingSettings

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="#,##0.00\\ [$EUR]"/>'
    '<numFmt numFmtId="171" formatCode="00000"/></numFmts><cellXfs>'
    + "".join(f'<xf numFmtId="{number}"/>' for number in (0, 10, 14, 170, 171, 46, 22, 31, 20))
    + "</cellXfs></styleSheet>"
)
SHARE, DAY, MONEY, CODE, HOURS, MOMENT, ASIAN_DAY, CLOCK = range(1, 9)


def book(
    path: Path,
    sheet: str,
    *,
    strings: str = "<sst/>",
    about: str = "",
    main: str = MAIN,
    links: str = LINKS,
    kind: str = "worksheet",
) -> Path:
    """A workbook with one sheet; the parts are given without the namespace of spreadsheets."""

    def part(xml: str) -> str:
        root = xml.split(">")[0].split("/")[0]
        return xml.replace(root, f'{root} xmlns="{main}"', 1)

    def relations(*entries: tuple[str, str]) -> str:
        listed = "".join(
            f'<Relationship Id="r{number}" Type="{links}/{kind}" Target="{target}"/>'
            for number, (kind, target) in enumerate(entries)
        )
        return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{listed}</Relationships>'

    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": part(
            f'<workbook>{about}<sheets><sheet name="S" r:id="r0" xmlns:r="{links}"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": relations((kind, "s.xml"), ("sharedStrings", "t.xml"), ("styles", "f.xml")),
        "xl/s.xml": sheet if "xmlns" in sheet else part(sheet),
        "xl/t.xml": part(strings),
        "xl/f.xml": part(STYLES),
    }
    with zipfile.ZipFile(path / "b.xlsx", "w") as archive:
        for name, xml in parts.items():
            archive.writestr(name, xml)
    return path / "b.xlsx"


def read(path: Path, rows: str, **how: str) -> ParsedDocument:
    return parse_file(book(path, f"<worksheet><sheetData>{rows}</sheetData></worksheet>", **how), "b.xlsx")


def cells(path: Path, row: str, **how: str) -> list[str]:
    """The cells of one row, as shown below a header of as many letters."""
    found = read(path, f"<row>{_header(row.count('<c'))}</row><row>{row}</row>", **how)
    line = found.markdown.rstrip("\n").split("\n")[-1]
    return [cell.strip() for cell in line.strip("|").split("|")]


def _header(count: int) -> str:
    return "".join(f'<c t="str"><v>h{number}</v></c>' for number in range(count))


def test_values_are_shown_as_their_styles_say(tmp_path: Path) -> None:
    row = "".join(
        f'<c s="{style}"><v>{value}</v></c>'
        for style, value in (
            *((0, "12"), (0, "12.0"), (0, "0.30000000000000004"), (0, "1E3"), (0, "-7"), (0, "123456789012345678")),
            *((SHARE, "0.125"), (MONEY, "1234.5"), (CODE, "42"), (0, "007"), (99, "5")),
        )
    )
    shown = ["12", "12", "0.3", "1000", "-7", "1.23456789012346e+17", "12.50%", "1,234.50", "00042", "7", "5"]
    assert cells(tmp_path, row) == shown


def test_days_times_and_durations(tmp_path: Path) -> None:
    row = "".join(
        f'<c s="{style}"><v>{value}</v></c>'
        for style, value in ((DAY, "45351"), (MOMENT, "45351.5"), (HOURS, "1.5"), (ASIAN_DAY, "45351"), (CLOCK, "0.25"))
    )
    row += '<c t="d"><v>2024-02-29</v></c><c t="d"><v>no day</v></c>' + f'<c s="{DAY}"><v>99999999</v></c>'
    assert cells(tmp_path, row) == [
        *("2024-02-29", "2024-02-29 12:00:00", "36:00:00", "2024-02-29", "06:00:00", "2024-02-29", "no day"),
        "99999999",
    ]
    (tmp_path / "old").mkdir()
    old = cells(
        tmp_path / "old",
        f'<c s="{DAY}"><v>0.5</v></c><c s="{DAY}"><v>43889</v></c>',
        about='<workbookPr date1904="1"/>',
    )
    assert old == ["12:00:00", "2024-02-29"]


def test_truth_errors_and_what_is_no_number(tmp_path: Path) -> None:
    row = '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c><c><v>1,5</v></c><c><v>NaN</v></c>'
    assert cells(tmp_path, row) == ["TRUE", "FALSE", "#DIV/0!", "1,5", "NaN"]


def test_strings_rich_phonetic_and_escaped(tmp_path: Path) -> None:
    strings = (
        "<sst><si><t>plain</t></si><si><r><rPr><b/></rPr><t>two </t></r><r><t>parts &amp; more</t></r></si>"
        "<si><t>東京</t><rPh sb='0' eb='2'><t>とうきょう</t></rPh></si><si><t>a_x000D_\nb _x005F_x0041_ _x0007_</t></si>"
        "<si><t>_xD83D__xDE00_</t></si><si/></sst>"
    )
    row = "".join(f'<c t="s"><v>{number}</v></c>' for number in range(5))
    row += '<c t="inlineStr"><is><r><t>in</t></r><r><t>side</t></r><rPh><t>no</t></rPh></is></c>'
    row += '<c t="str"><f>A1</f><v>_x0041_</v></c>'
    shown = ["plain", "two parts & more", "東京", "a<br>b \\_x0041\\_", "😀", "inside", "A"]
    assert cells(tmp_path, row, strings=strings) == shown


def test_formulas_without_a_stored_value_are_shown_and_shared_ones_follow_their_cell(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1" t="str"><v>n</v></c><c r="B1" t="str"><v>twice</v></c><c r="C1" t="str"><v>x</v></c></row>'
        '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f t="shared" ref="B2:B4" si="0">A2*2</f><v>2</v></c>'
        '<c r="C2"><f>NOW()</f><v/></c></row>'
        '<row r="3"><c r="A3"><v>2</v></c><c r="B3"><f t="shared" si="0"/></c><c r="C3" t="str"><f>""</f><v></v></c></row>'
        '<row r="4"><c r="A4"><v>3</v></c><c r="B4"><f t="shared" si="0"/><v>6</v></c></row>'
    )
    assert "| 1 | 2 | =NOW() |\n| 2 | =A3*2 |  |\n| 3 | 6 |  |\n" in read(tmp_path, rows).markdown


def test_cells_without_places_follow_each_other_and_places_leave_gaps(tmp_path: Path) -> None:
    rows = (
        "<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row><row/>"
        '<row r="3"><c r="B3"><v>4</v></c><c><v>5</v></c></row><row r="4.0"><c r="b4"><v>6</v></c></row>'
    )
    assert read(tmp_path, rows).markdown == (
        "## S\n\n| 1 | 2 | 3 |\n| --- | --- | --- |\n\n| 4 | 5 |\n| --- | --- |\n| 6 |  |\n\n"
    )


def test_prefixes_strict_files_and_other_encodings_are_read_alike(tmp_path: Path) -> None:
    strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    sheet = (
        f'<?xml version="1.0" encoding="ISO-8859-1"?><x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row><x:c t="inlineStr">'
        "<x:is><x:t>caf\u00e9</x:t></x:is></x:c><x:c t='s'><x:v>0</x:v></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c>"
        "<x:c><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    )
    path = book(tmp_path, sheet, strings="<sst><si><t>shared</t></si></sst>")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "c.xlsx", "w") as new:
        for name in old.namelist():
            new.writestr(name, sheet.encode("latin-1") if name == "xl/s.xml" else old.read(name))
    assert "| café | shared |\n" in parse_file(tmp_path / "c.xlsx", "c.xlsx").markdown
    row = f"<row>{_header(2)}</row><row><c t='s'><v>0</v></c><c s='{SHARE}'><v>0.5</v></c></row>"
    links = "http://purl.oclc.org/ooxml/officeDocument/relationships"
    found = read(tmp_path, row, main=strict, links=links, strings="<sst><si><t>shared</t></si></sst>")
    assert "| shared | 50.00% |\n" in found.markdown


def test_what_stands_beside_the_cells_is_not_taken_for_rows(tmp_path: Path) -> None:
    sheet = (
        "<worksheet><sheetFormatPr/><sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>"
        "<mergeCells><mergeCell ref='A1:B1'/><mergeCell ref='$A$3'/><mergeCell ref='A:B'/><mergeCell/></mergeCells>"
        "<controls><control><from><col>3</col><row>7</row></from></control></controls>"
        "<dataValidations><dataValidation><f>9</f><c><v>8</v></c></dataValidation></dataValidations></worksheet>"
    )
    assert parse_file(book(tmp_path, sheet), "b.xlsx").markdown == "## S\n\n| 1 | 2 |\n| --- | --- |\n\n"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("<row><c><v>1</v></c>", "mismatched tag"),
        ('<row><c t="s"><v>7</v></c></row>', "list index"),
        ('<row><c r="?1"><v>7</v></c></row>', "no place in a sheet"),
    ],
)
def test_a_sheet_that_cannot_be_read_is_refused_with_its_name(tmp_path: Path, rows: str, reason: str) -> None:
    with pytest.raises(UnsupportedFormat, match=rf"b\.xlsx is damaged: its sheet 'S' cannot be read.*{reason}"):
        read(tmp_path, rows)


def test_a_damaged_table_of_strings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormat, match="table of strings"):
        read(tmp_path, "<row/>", strings="<sst><si>")


def test_many_rows_are_told_as_they_are_read_and_the_limit_stops_the_reading(tmp_path: Path) -> None:
    row = "<row><c><v>1</v></c><c><v>2</v></c></row>"
    path = book(tmp_path, f"<worksheet><sheetData>{row * 12_000}</sheetData></worksheet>")
    steps: list[Step] = []
    parse_file(path, path.name, progress=steps.append)
    assert steps == [Step("row", 10_000), Step("sheet", 1, 1)]
    steps.clear()
    with pytest.raises(UnsupportedFormat, match=r"more than 21,000 filled cells.*parsing\.max_cells"):
        parse_file(path, path.name, settings=ParsingSettings(max_cells=21_000), progress=steps.append)
    assert steps == [Step("row", 10_000)]
