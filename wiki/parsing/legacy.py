"""Old Office files (DOC, XLS, PPT, RTF) -> the new form of their kind, read like any other."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import olefile

from wiki.errors import UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.containers import ENCRYPTED, OLE
from wiki.parsing.libreoffice import convert_file
from wiki.parsing.source import Conversion, Source

_TARGETS = {media.DOC: "docx", media.RTF: "docx", media.XLS: "xlsx", media.PPT: "pptx"}
_NEW = {"docx": media.DOCX, "xlsx": media.XLSX, "pptx": media.PPTX}
_SPREADSHEET_XML = re.compile(rb"""urn:schemas-microsoft-com:office:spreadsheet""")
_FIB_ENCRYPTED = 0x0100
_FILEPASS = 0x002F


@dataclass(frozen=True)
class _Form:
    """What LibreOffice is given: the suffix and the filter its own detection may miss."""

    suffix: str
    filter_name: str | None = None


def convert_legacy(source: Source) -> Conversion:
    """The file through LibreOffice into DOCX, XLSX or PPTX, and from there as ``convert_source`` does.

    A wrong file extension does not matter. Raises UnsupportedFormat when the file is encrypted or
    LibreOffice cannot read it in ``office_seconds``.
    """
    from wiki.parsing.parser import convert_source

    data = source.read()
    if source.media_type != media.XLS and is_encrypted(data):
        raise UnsupportedFormat(f"{source.name} {ENCRYPTED}")
    target = _TARGETS[source.media_type]
    form = _form(source.media_type, data)
    with tempfile.TemporaryDirectory(prefix="wiki-office-") as folder:
        given = Path(folder) / f"document{form.suffix}"
        given.write_bytes(data.lstrip() if source.media_type == media.RTF else data)
        try:
            made = convert_file(source, given, target, Path(folder), filter_name=form.filter_name)
        except UnsupportedFormat:
            # Workbooks that are locked with Excel's own fixed password can be read, the others cannot.
            if is_encrypted(data):
                raise UnsupportedFormat(f"{source.name} {ENCRYPTED}") from None
            raise
        return convert_source(replace(source, path=made, media_type=_NEW[target], depth=source.depth + 1))


def _form(media_type: str, data: bytes) -> _Form:
    if media_type == media.RTF:
        return _Form(".rtf", "Rich Text Format")
    if media_type == media.PPT:
        return _Form(".ppt", "MS PowerPoint 97")
    if media_type == media.XLS:
        if _SPREADSHEET_XML.search(data[:65_536]):
            return _Form(".xml")
        return _Form(".xls")
    if data.startswith(OLE):
        return _Form(".doc")
    if data.lstrip().startswith(b"<") or data.startswith((b"\xff\xfe<", b"\xfe\xff", b"\xef\xbb\xbf<")):
        return _Form(".xml", "MS Word 2003 XML")
    return _Form(".doc", "MS WinWord 5")


def is_encrypted(data: bytes) -> bool:
    """Whether an old Office file says of itself that a password locks it."""
    if not data.startswith(OLE):
        return data.startswith((b"\xdb\xa5", b"\x9b\xa5")) and _flagged(data)
    container: Any = olefile.OleFileIO(data)
    with container:
        streams = {"/".join(entry).casefold(): entry for entry in container.listdir()}
        if "encryptedsummary" in streams or "encryptedpackage" in streams:
            return True
        if "worddocument" in streams:
            return _flagged(container.openstream(streams["worddocument"]).read(64))
        if "current user" in streams:
            # The token of the last save: 0xF3D1C4DF is an encrypted presentation.
            return container.openstream(streams["current user"]).read(16)[12:16] == b"\xdf\xc4\xd1\xf3"
        book = streams.get("workbook") or streams.get("book")
        return book is not None and _locked_workbook(container.openstream(book).read(4096))


def _flagged(fib: bytes) -> bool:
    return len(fib) >= 12 and bool(int.from_bytes(fib[10:12], "little") & _FIB_ENCRYPTED)


def _locked_workbook(records: bytes) -> bool:
    position = 0
    while position + 4 <= len(records):
        kind = int.from_bytes(records[position : position + 2], "little")
        if kind == _FILEPASS:
            return True
        if kind == 0x000A:
            return False
        position += 4 + int.from_bytes(records[position + 2 : position + 4], "little")
    return False
