import zipfile
from pathlib import Path

import pytest

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing.parser import parse_file

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The lock keeper</dc:title>
<dc:language>en</dc:language><dc:date>2019-05-02T00:00:00Z</dc:date></metadata>
<manifest>
<item id="toc" href="toc.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="text/second%20part.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
<item id="picture" href="cover.png" media-type="image/png"/>
</manifest>
<spine><itemref idref="cover"/><itemref idref="toc"/><itemref idref="one"/><itemref idref="two"/></spine></package>"""
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{}</body></html>'


def book(folder: Path, **more: str) -> Path:
    path = folder / "book.epub"
    entries = {
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE,
        "OPS/toc.xhtml": PAGE.format("<nav><ol><li>Morning</li></ol></nav>"),
        "OPS/cover.xhtml": PAGE.format('<img src="cover.png"/>'),
        "OPS/text/one.xhtml": PAGE.format("<h1>Morning</h1><p>The lock keeper opened the lower gate at six.</p>"),
        "OPS/text/second part.xhtml": PAGE.format("<h1>Evening</h1><p>The last barge was late, as ever.</p>"),
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/epub+zip")
        for name, text in entries.items():
            made.writestr(name, text)
    return path


def test_chapters_are_read_in_the_order_of_the_spine(tmp_path: Path) -> None:
    path = book(tmp_path)
    document = parse_file(path, path.name)
    assert document.markdown == (
        "# Morning\n\nThe lock keeper opened the lower gate at six.\n\n# Evening\n\nThe last barge was late, as ever.\n\n"
    )
    assert (document.title, document.language, document.document_date) == ("The lock keeper", "en", "2019-05-02")


def test_scrambled_fonts_do_not_matter_and_protected_chapters_do(tmp_path: Path) -> None:
    scrambled = '<encryption><EncryptedData><EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>'
    fonts = scrambled.format("http://www.idpf.org/2008/embedding")
    path = book(tmp_path, **{"META-INF__encryption.xml": fonts})
    assert "lower gate" in parse_file(path, path.name).markdown
    chapters = scrambled.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    path = book(tmp_path, **{"META-INF__encryption.xml": chapters})
    with pytest.raises(UnsupportedFormat, match=r"book\.epub is copy-protected"):
        parse_file(path, path.name)


def test_a_book_of_pictures_is_empty_and_one_without_a_package_is_damaged(tmp_path: Path) -> None:
    blank = PAGE.format("<img src='x.png'/>")
    path = book(tmp_path, **{"OPS__text__one.xhtml": blank, "OPS__text__second part.xhtml": blank})
    with pytest.raises(ExtractionEmpty):
        parse_file(path, path.name)
    path = book(tmp_path, **{"META-INF__container.xml": CONTAINER.replace("OPS/book.opf", "lost.opf")})
    with pytest.raises(UnsupportedFormat, match="damaged"):
        parse_file(path, path.name)
