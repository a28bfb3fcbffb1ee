"""EPUB books: their chapters in reading order, each read as the web page it is."""

import posixpath
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.front_matter import iso_date
from wiki.parsing.source import Conversion, Piece, Source, Step

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbncx+xml"})
_FONTS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_DC = "{http://purl.org/dc/elements/1.1/}"


@dataclass(frozen=True)
class _Package:
    """What the package document says: the chapters' places in the archive in reading order, and the metadata."""

    chapters: tuple[str, ...]
    title: str | None
    language: str | None
    date: str | None


def convert_book(source: Source) -> Conversion:
    """The book's title, then every chapter of its spine; its table of contents is left out.

    Raises UnsupportedFormat for a damaged or copy-protected book, ExtractionEmpty for one of pictures only.
    """
    try:
        with zipfile.ZipFile(source.path) as archive:
            _check_open(archive, source.name)
            package = _package(archive, source.name)
            texts = list(_chapters(archive, package, source))
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, KeyError, EOFError, NotImplementedError) as error:
        raise UnsupportedFormat(f"{source.name} is damaged: the book in it cannot be read ({error})") from error
    if not texts:
        raise ExtractionEmpty(f"{source.name} can be read, but no chapter of it holds text")
    return Conversion(
        pieces=tuple(Piece(text) for text in texts),
        title=package.title,
        language=package.language,
        document_date=iso_date((package.date or "")[:10]),
    )


def _check_open(archive: zipfile.ZipFile, name: str) -> None:
    """Fonts may be scrambled; a chapter that is encrypted needs the shop's own program."""
    if "META-INF/rights.xml" in archive.namelist() or "META-INF/sinf.xml" in archive.namelist():
        raise UnsupportedFormat(f"{name} is copy-protected; only the shop's own programs can read it")
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    for element in ElementTree.fromstring(archive.read("META-INF/encryption.xml")).iter():
        if _name(element) == "EncryptionMethod" and element.get("Algorithm") not in _FONTS:
            raise UnsupportedFormat(f"{name} is copy-protected; only the shop's own programs can read it")


def _package(archive: zipfile.ZipFile, name: str) -> _Package:
    place = _package_place(archive, name)
    root = ElementTree.fromstring(archive.read(place))
    base = posixpath.dirname(place)
    items = {item.get("id", ""): item for item in root.iter() if _name(item) == "item"}
    spine = [ref.get("idref", "") for ref in root.iter() if _name(ref) == "itemref"]
    names = set(archive.namelist())
    chapters: list[str] = []
    for item in (items[ref] for ref in spine if ref in items):
        path = posixpath.normpath(posixpath.join(base, unquote(item.get("href", ""))))
        is_contents = "nav" in item.get("properties", "").split()
        if item.get("media-type", "") in _PAGES and path in names and not is_contents:
            chapters.append(path)
    return _Package(tuple(chapters), _said(root, "title"), _said(root, "language"), _said(root, "date"))


def _package_place(archive: zipfile.ZipFile, name: str) -> str:
    if "META-INF/container.xml" in archive.namelist():
        for element in ElementTree.fromstring(archive.read("META-INF/container.xml")).iter():
            if _name(element) == "rootfile" and element.get("full-path"):
                return element.get("full-path", "")
    found = next((entry for entry in archive.namelist() if entry.endswith(".opf")), None)
    if found is None:
        raise UnsupportedFormat(f"{name} is damaged: the book in it has no package document")
    return found


def _chapters(archive: zipfile.ZipFile, package: _Package, source: Source) -> Iterator[str]:
    from wiki.parsing.parser import convert_source, document

    for number, chapter in enumerate(package.chapters, start=1):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "chapter.html"
            path.write_bytes(archive.read(chapter))
            inner = replace(source, path=path, media_type=media.HTML, depth=source.depth + 1)
            try:
                markdown = document(convert_source(inner), media.HTML, source.name).markdown
            except ExtractionEmpty:
                # A cover, or a page that is one picture.
                markdown = ""
        source.progress(Step("chapter", number, len(package.chapters)))
        if markdown.strip():
            yield markdown.rstrip("\n") + "\n\n"


def _said(root: ElementTree.Element, what: str) -> str | None:
    words = next((" ".join("".join(element.itertext()).split()) for element in root.iter(f"{_DC}{what}")), "")
    return words or None


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
