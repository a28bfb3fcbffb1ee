"""EPUB books: the chapters in reading order, each read like a web page."""

from __future__ import annotations

import posixpath
import re
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from wiki.errors import ExtractionEmpty, InvalidInput, UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.source import Conversion, Piece, Source, Step
from wiki.parsing.xml_tree import below, local_name, parse_xml, words

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml")
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_NAVIGATION = re.compile(rb"""<nav\b[^>]*epub:type\s*=\s*["'][^"']*\btoc\b""", re.IGNORECASE)


@dataclass(frozen=True)
class _Outline:
    """What the package document says: chapters in order, by their names in the archive."""

    chapters: tuple[str, ...]
    title: str | None
    language: str | None
    day: str | None


def convert_book(source: Source) -> Conversion:
    """Every chapter of the spine; title, language and date from the package document. The page that only
    lists the contents is left out. Raises UnsupportedFormat when the book is damaged or encrypted."""
    from wiki.parsing.web_page import convert_html

    try:
        with zipfile.ZipFile(source.path) as archive:
            outline = _outline(archive, source.name)
            pieces: list[Piece] = []
            for number, chapter in enumerate(outline.chapters, 1):
                page = archive.read(chapter)
                pieces += _chapter(page, source, convert_html)
                source.progress(Step("chapter", number, len(outline.chapters)))
    except (zipfile.BadZipFile, KeyError, SyntaxError, RuntimeError, EOFError, OSError) as error:
        raise UnsupportedFormat(f"{source.name} is damaged: {error}") from error
    return Conversion(pieces=tuple(pieces), title=outline.title, language=outline.language, document_date=outline.day)


def _chapter(page: bytes, source: Source, convert_html: Any) -> tuple[Piece, ...]:
    if not page.strip():
        return ()
    with tempfile.TemporaryDirectory(prefix="wiki-book-") as folder:
        path = Path(folder) / "chapter.html"
        path.write_bytes(page)
        try:
            return convert_html(replace(source, path=path, media_type=media.HTML, depth=source.depth + 1)).pieces
        except (ExtractionEmpty, InvalidInput):
            return ()


def _outline(archive: zipfile.ZipFile, name: str) -> _Outline:
    names = set(archive.namelist())
    _refuse_locked(archive, names, name)
    package = _package_name(archive, names, name)
    root = parse_xml(archive.read(package))
    folder = posixpath.dirname(package)
    manifest = {str(item.get("id")): item for item in _local(root, "item")}
    order = [str(entry.get("idref")) for entry in _local(root, "itemref")]
    chapters: list[str] = []
    for identity in order:
        item = manifest.get(identity)
        if item is None or str(item.get("media-type") or "").lower() not in _PAGES:
            continue
        target = posixpath.normpath(posixpath.join(folder, unquote(str(item.get("href") or ""))))
        if target not in names:
            raise UnsupportedFormat(f"{name} is damaged: its chapter {target} is missing")
        listing = "nav" in str(item.get("properties") or "").split() or _only_contents(archive.read(target))
        if not listing and target not in chapters:
            chapters.append(target)
    title, language, day = (_stated(root, wanted) for wanted in ("dc:title", "dc:language", "dc:date"))
    return _Outline(tuple(chapters), title, language, day[:10] if day and re.match(r"\d{4}-\d\d-\d\d", day) else None)


def _package_name(archive: zipfile.ZipFile, names: set[str], name: str) -> str:
    if _CONTAINER in names:
        for entry in _local(parse_xml(archive.read(_CONTAINER)), "rootfile"):
            path = str(entry.get("full-path") or "")
            if path in names:
                return path
    found = next((entry for entry in sorted(names) if entry.lower().endswith(".opf")), None)
    if found is None:
        raise UnsupportedFormat(f"{name} is damaged: it has no package document")
    return found


def _refuse_locked(archive: zipfile.ZipFile, names: set[str], name: str) -> None:
    """Fonts may be scrambled in any book; a chapter that is encrypted means a copy protection."""
    locked = any(part in names for part in _RIGHTS)
    if _ENCRYPTION in names:
        for entry in _local(parse_xml(archive.read(_ENCRYPTION)), "EncryptedData"):
            method = next((str(found.get("Algorithm") or "") for found in _local(entry, "EncryptionMethod")), "")
            locked = locked or not method.startswith(_FONT_OBFUSCATION)
        if locked:
            raise UnsupportedFormat(f"{name} is encrypted (copy protected); add a copy without protection")


def _only_contents(page: bytes) -> bool:
    return bool(_NAVIGATION.search(page[: 64 * 1024])) and page.count(b"<p") < 3


def _stated(root: Any, wanted: str) -> str | None:
    return next((said for found in below(root, wanted) if (said := " ".join(words(found).split()))), None)


def _local(root: Any, wanted: str) -> list[Any]:
    return [found for found in root.iter() if local_name(found) == wanted]
