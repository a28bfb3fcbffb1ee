"""What is attached to a mail -> sections under the file's name."""

import io
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from wiki.errors import ExtractionEmpty, InvalidInput, UnsupportedFormat, WikiError
from wiki.parsing import media_types as media
from wiki.parsing.blocks import Block
from wiki.parsing.containers import ZIP_FAULTS
from wiki.parsing.escape import escape_text
from wiki.parsing.mail_text import calendar_lines, plain_markdown
from wiki.parsing.parser import convert_source, document
from wiki.parsing.source import Conversion, Piece, Source, Step

LEAST_SIDE = 100
"""Pixels; a picture that is narrower or lower, or smaller than ``LEAST_AREA``, is a logo, a button or a counter."""
LEAST_AREA = 40_000
_TNEF = b"\x78\x9f\x3e\x22"
_DOCUMENT_ZIP = ("mimetype", "META-INF/container.xml", "[Content_Types].xml")
_SIGNATURES = (".p7s", ".asc", ".sig")


@dataclass(frozen=True)
class Attachment:
    name: str
    data: bytes
    declared: str | None = None
    inline: bool = False
    """Shown within the text, as pictures of a web page are."""


class Attachments:
    """Reads what lies in one mail, with the limits of its settings: depth, number and unpacked size."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._count = 0
        self._unpacked = 0

    def count(self) -> None:
        """One more part. Raises UnsupportedFormat when there are too many."""
        self._count += 1
        most = self._source.settings.max_attachments
        if self._count > most + 1:
            raise UnsupportedFormat(
                f"{self._source.name} has more than {most} parts; the setting parsing.max_attachments allows more"
            )
        self._source.progress(Step("part", self._count))

    def too_deep(self, depth: int) -> bool:
        """Whether what lies ``depth`` deep in this mail is below the depth that is read."""
        return self._source.depth + depth >= self._source.settings.attachment_depth

    def pieces(self, attachment: Attachment, level: int, depth: int = 0) -> list[Piece]:
        """A heading with the file's name and what is in it; the reason in italics when it cannot be read.

        Small pictures and signatures give nothing. ``level`` of the heading; ``depth``: how deep in this mail.
        """
        name = attachment.name
        if name.lower().endswith(_SIGNATURES) or is_small_picture(attachment.data):
            return []
        heading = Piece(f"{'#' * min(6, level)} {escape_text(name)}\n\n")
        try:
            return [heading, *self._inside(attachment, level, depth)]
        except (ExtractionEmpty, InvalidInput) as error:
            return [] if attachment.inline else [heading, note(error.message)]
        except WikiError as error:
            return [heading, note(error.message)]

    def html(self, data: bytes) -> tuple[Conversion, list[Piece]]:
        """An HTML body as pieces, its headings as they are."""
        found, blocks = self._converted(Attachment("body.html", data, media.HTML), 0)
        return found, [Piece(block.text, block.provenance) for block in blocks]

    def converted(self, attachment: Attachment, level: int, depth: int) -> list[Piece]:
        conversion, blocks = self._converted(attachment, depth + 1)
        if conversion.blocks is not None and not any(block.kind == "table" for block in blocks):
            return [Piece(plain_markdown("".join(block.text for block in blocks)) + "\n\n")]
        pieces = [Piece(_deeper(block, level), block.provenance) for block in blocks]
        return [*pieces, Piece("" if pieces and pieces[-1].text.endswith("\n\n") else "\n\n")]

    def _inside(self, attachment: Attachment, level: int, depth: int) -> list[Piece]:
        if self.too_deep(depth):
            raise UnsupportedFormat(
                f"{attachment.name} lies more than {self._source.settings.attachment_depth} mails or archives deep; "
                "the setting parsing.attachment_depth allows more"
            )
        if attachment.data.startswith(_TNEF):
            raise UnsupportedFormat(
                f"{attachment.name} is a package in Outlook's own form (TNEF), which the wiki does not read"
            )
        if attachment.data.lstrip()[:15].upper() == b"BEGIN:VCALENDAR":
            return [Piece(calendar_lines(attachment.data, attachment.name))]
        if attachment.data.startswith(b"PK\x03\x04") and (members := self._members(attachment)) is not None:
            found: list[Piece] = []
            for member in members:
                self.count()
                found += self.pieces(member, level + 1, depth + 1)
            return found
        return self.converted(attachment, level, depth)

    def _members(self, attachment: Attachment) -> list[Attachment] | None:
        """The files of a zip archive; None when it is a document in the form of one."""
        try:
            with zipfile.ZipFile(io.BytesIO(attachment.data)) as archive:
                entries = [entry for entry in archive.infolist() if not entry.is_dir()]
                if {entry.filename for entry in entries}.intersection(_DOCUMENT_ZIP):
                    return None
                return list(self._unzipped(archive, entries, attachment.name))
        except ZIP_FAULTS as error:
            raise UnsupportedFormat(f"{attachment.name} is damaged: the archive cannot be read ({error})") from error

    def _unzipped(self, archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], name: str) -> Iterator[Attachment]:
        most = self._source.settings.max_unpacked_mb
        self._unpacked += sum(entry.file_size for entry in entries)
        if self._unpacked > most * 1_000_000:
            raise UnsupportedFormat(
                f"{name} unpacks to more than {most:,} MB; the setting parsing.max_unpacked_mb allows more"
            )
        if any(entry.flag_bits & 1 for entry in entries):
            raise UnsupportedFormat(f"{name} is encrypted; its files cannot be read without the password")
        for entry in entries:
            if "__MACOSX/" not in entry.filename:
                yield Attachment(PurePosixPath(entry.filename.replace("\\", "/")).name, archive.read(entry))

    def _converted(self, attachment: Attachment, depth: int) -> tuple[Conversion, tuple[Block, ...]]:
        from wiki.parsing.media import detect

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "part"
            path.write_bytes(attachment.data)
            unpacked = self._source.settings.max_unpacked_mb
            kind = detect(path, attachment.name, attachment.declared, max_unpacked_mb=unpacked)
            inner = replace(
                self._source, path=path, name=attachment.name, media_type=kind, depth=self._source.depth + depth
            )
            conversion = convert_source(inner)
            return conversion, document(conversion, kind, attachment.name).blocks


def is_small_picture(data: bytes) -> bool:
    """Whether the bytes are a picture too small to hold text worth reading."""
    if not data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF")):
        return False
    try:
        from PIL import Image

        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except Exception:
        # No picture, or a damaged one: the converter says so.
        return False
    return min(width, height) < LEAST_SIDE or width * height < LEAST_AREA


def note(message: str) -> Piece:
    """Why something is not there, in italics in its place."""
    return Piece(f"*{escape_text(message)}*\n\n")


def _deeper(block: Block, levels: int) -> str:
    if block.kind == "heading" and block.level and block.heading:
        return f"{'#' * min(6, block.level + levels)} {escape_text(block.heading)}\n\n"
    return block.text
