"""What kind of document a zip archive or an OLE container is."""

import io
import zipfile
from pathlib import Path

import olefile

from wiki.errors import UnsupportedFormat
from wiki.parsing.media_types import DOC, DOCX, EPUB, MSG, ODP, ODS, ODT, PPT, PPTX, XLS, XLSX

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_OLE_STREAMS = (
    ("__properties_version1.0", MSG),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("PP97_DUALSTORAGE", PPT),
    ("Workbook", XLS),
    ("Book", XLS),
)
ENCRYPTED = "is encrypted; save it without a password and try again"
ZIP_FAULTS = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError, KeyError)


def zip_type(path: Path, name: str, max_unpacked_mb: int) -> str:
    """The media type of an office document or a book in a zip container.

    Raises UnsupportedFormat for a damaged, encrypted or over-large archive and for one that is no document.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            unpacked = sum(entry.file_size for entry in archive.infolist()) / 1_000_000
            if unpacked > max_unpacked_mb:
                raise UnsupportedFormat(
                    f"{name} unpacks to {unpacked:,.0f} MB; at most {max_unpacked_mb:,} MB are read "
                    "(the setting parsing.max_unpacked_mb)"
                )
            if "mimetype" in names:
                return _declared_inside(archive, names, name)
            if "META-INF/container.xml" in names:
                return EPUB
            for prefix, media_type in _OFFICE_PARTS:
                if "[Content_Types].xml" in names and any(entry.startswith(prefix) for entry in names):
                    return media_type
    except ZIP_FAULTS as error:
        raise UnsupportedFormat(f"{name} is damaged: its zip container cannot be read ({error})") from error
    raise UnsupportedFormat(f"{name} is a zip archive that holds no known document; unpack it and add what is inside")


def _declared_inside(archive: zipfile.ZipFile, names: set[str], name: str) -> str:
    kind = archive.read("mimetype")[:200].decode("ascii", "replace").strip()
    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml")[:1_000_000]:
        raise UnsupportedFormat(f"{name} {ENCRYPTED}")
    for media_type in (ODT, ODS, ODP, EPUB):
        if kind in (media_type, f"{media_type}-template", f"{media_type}-master"):
            return media_type
    raise UnsupportedFormat(f"{name} is of the type {kind!r}, which the wiki does not read")


def ole_type(path: Path, name: str) -> str:
    """The media type of an old Office document or an Outlook message, by the streams at the container's root.

    Raises UnsupportedFormat for a damaged or encrypted container and for one of another kind.
    """
    data = path.read_bytes()
    try:
        container = olefile.OleFileIO(io.BytesIO(data))
    except (OSError, ValueError, IndexError, TypeError, OverflowError) as error:
        raise UnsupportedFormat(f"{name} is damaged: its OLE container cannot be read ({error})") from error
    with container:
        streams = {entry[0] for entry in container.listdir(streams=True, storages=True)}
    if "EncryptedPackage" in streams:
        raise UnsupportedFormat(f"{name} {ENCRYPTED}")
    for stream, media_type in _OLE_STREAMS:
        if any(found.casefold() == stream.casefold() for found in streams):
            return media_type
    raise UnsupportedFormat(f"{name} is an OLE container of no known kind")
