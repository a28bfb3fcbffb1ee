import time
import zipfile
from pathlib import Path

import pytest

from wiki.errors import UnsupportedFormat
from wiki.parsing.parser import parse_file
from wiki.settings import ParsingSettings

NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
    for prefix in ("office", "text", "table", "style", "presentation")
) + (
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def document(folder: Path, kind: str, body: str, styles: str = "") -> Path:
    suffix = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}[kind]
    path = folder / f"a.{suffix}"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        made.writestr(
            "content.xml",
            f"<office:document-content {NAMESPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        )
    return path


def read(path: Path, settings: ParsingSettings | None = None) -> str:
    return parse_file(path, path.name, settings=settings).markdown


def test_text_keeps_lists_notes_comments_and_merged_cells(tmp_path: Path) -> None:
    styles = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>'
    )
    body = (
        '<text:h text:outline-level="1">Head</text:h>'
        '<text:list text:style-name="N"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>in</text:p>'
        "</text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
        '<text:p>A<text:s text:c="2"/>claim<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>source</text:p></text:note-body></text:note> here<office:annotation><dc:creator>Ada"
        "</dc:creator><text:p>why?</text:p></office:annotation>.</text:p>"
        '<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p>'
        "</table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell><text:p>a</text:p>"
        "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
    )
    assert read(document(tmp_path, "text", body, styles)) == (
        "# Head\n\n1. one\n   - in\n2. two\n\nA claim here.\n\nFootnote 1: source\n\nComment (Ada): why?\n\n"
        "| wide |  |\n| --- | --- |\n| a | b |\n\n"
    )


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def test_a_sheet_costs_what_is_filled_not_what_it_repeats(tmp_path: Path) -> None:
    empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    body = (
        '<table:table table:name="Stock"><table:table-row>' + cell("Code") + cell("When") + "</table:table-row>"
        '<table:table-row table:number-rows-repeated="2">' + cell("007") + cell("1 May 2026") + "</table:table-row>"
        f"{empty}<table:table-row>{cell('far')}</table:table-row>{empty}</table:table>"
    )
    began = time.monotonic()
    found = read(document(tmp_path, "spreadsheet", body))
    assert found == (
        "## Stock\n\n| Code | When |\n| --- | --- |\n| 007 | 1 May 2026 |\n| 007 | 1 May 2026 |\n\nfar\n\n"
    )
    assert time.monotonic() - began < 5


def test_repeated_filled_cells_above_the_limit_are_refused(tmp_path: Path) -> None:
    row = cell("x", 'table:number-columns-repeated="16384"')
    body = (
        f'<table:table table:name="T"><table:table-row table:number-rows-repeated="1048576">{row}</table:table-row>'
        "</table:table>"
    )
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_cells"):
        read(document(tmp_path, "spreadsheet", body), ParsingSettings(max_cells=1_000_000))


def test_slides_have_titles_notes_and_hidden_marks(tmp_path: Path) -> None:
    styles = (
        '<style:style style:name="h"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    body = (
        '<draw:page draw:style-name="h"><draw:frame presentation:class="title"><draw:text-box><text:p>Plan</text:p>'
        "</draw:text-box></draw:frame><draw:g><draw:g><draw:custom-shape><text:p>deep</text:p></draw:custom-shape></draw:g>"
        "</draw:g><presentation:notes><draw:frame><draw:text-box><text:p>say it</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page>"
    )
    assert read(document(tmp_path, "presentation", body, styles)) == (
        "## Plan\n\n(hidden slide)\n\ndeep\n\nNote: say it\n\n"
    )


def test_damaged_content_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        made.writestr("content.xml", "<broken")
    with pytest.raises(UnsupportedFormat, match="damaged"):
        read(path)
