import zipfile
from pathlib import Path

import pytest

from wiki.errors import UnsupportedFormat
from wiki.parsing.parser import parse_file

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>The Pump</dc:title><dc:language>de</dc:language><dc:date>2026-03-04</dc:date></metadata>
<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/></spine></package>"""


def page(body: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{body}</body></html>'


def book(folder: Path, **more: str) -> Path:
    with zipfile.ZipFile(folder / "a.epub", "w") as made:
        made.writestr("mimetype", "application/epub+zip")
        made.writestr("META-INF/container.xml", CONTAINER)
        made.writestr("OPS/book.opf", PACKAGE)
        made.writestr("OPS/a.xhtml", page("<h1>Last</h1><p>The end.</p>"))
        made.writestr("OPS/b b.xhtml", page("<h1>First</h1><p>Es beginnt.</p>"))
        made.writestr("OPS/nav.xhtml", page("<nav><ol><li>First</li><li>Last</li></ol></nav>"))
        for name, text in more.items():
            made.writestr(name.replace("__", "/"), text)
    return folder / "a.epub"


def test_chapters_come_in_the_order_of_the_spine_without_the_contents(tmp_path: Path) -> None:
    found = parse_file(book(tmp_path), "a.epub")
    assert found.markdown == "# First\n\nEs beginnt.\n\n# Last\n\nThe end.\n\n"
    assert (found.title, found.language, found.document_date) == ("The Pump", "de", "2026-03-04")


@pytest.mark.parametrize(
    ("algorithm", "locked"),
    [("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True), ("http://www.idpf.org/2008/embedding", False)],
)
def test_copy_protection_is_refused_and_scrambled_fonts_are_not(tmp_path: Path, algorithm: str, locked: bool) -> None:
    told = f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/></EncryptedData></encryption>'
    path = book(tmp_path, **{"META-INF__encryption.xml": told})
    if not locked:
        assert "The end." in parse_file(path, "a.epub").markdown
        return
    with pytest.raises(UnsupportedFormat, match="encrypted"):
        parse_file(path, "a.epub")
