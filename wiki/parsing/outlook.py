"""Outlook messages (.msg) -> Markdown, in the same form as any mail."""

import io
import struct
from typing import Any

from wiki.errors import ExtractionEmpty, WikiError
from wiki.parsing.attachments import Attachment, Attachments, note
from wiki.parsing.mail import opening
from wiki.parsing.mail_headers import charset_text
from wiki.parsing.mail_text import plain_markdown
from wiki.parsing.source import Conversion, Piece, Source

_SUBJECT, _BODY, _HTML, _RTF = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER, _SENDER_MAIL, _SENDER_SMTP, _TO, _CC = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03
_SENT, _DELIVERED, _CREATED = 0x0039, 0x0E06, 0x3007
_LONG_NAME, _SHORT_NAME, _DISPLAY_NAME = 0x3707, 0x3704, 0x3001
_DATA, _MIME, _CONTENT_ID = 0x3701, 0x370E, 0x3712
_RECIPIENT_KIND, _ADDRESS, _SMTP = 0x0C15, 0x3003, 0x39FE
_EMBEDDED = "__substg1.0_3701000D"
_RTF_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans "
    b"SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u"
    b"\\tab\\tx"
)
"""What every compressed RTF body refers back to, MS-OXRTFCP 2.1.3.1.4."""


def convert_outlook(source: Source) -> Conversion:
    """Subject as the title, sender, recipients and date, the text (plain, else HTML, else RTF), then each attachment
    under its own heading, messages within messages included. Errors as ``mail.convert_mail``."""
    from oxmsg import Message

    message = Message.load(source.read())
    reader = _Reader(source)
    pieces = reader.message(message._storage, 0, top=True)  # pyright: ignore[reportPrivateUsage]
    root = _Properties(message._storage, 32)  # pyright: ignore[reportPrivateUsage]
    if not any(piece.text.strip() for piece in pieces):
        raise ExtractionEmpty(f"{source.name} can be read but holds no text")
    return Conversion(
        pieces=tuple(pieces),
        title=" ".join(root.text(_SUBJECT).split()) or None,
        document_date=root.date()[:10] or None,
    )


class _Properties:
    """The properties of a message, a recipient or an attachment; one that cannot be read counts as absent."""

    def __init__(self, storage: Any, header: int) -> None:
        from oxmsg.properties import Properties

        self._properties = Properties(storage, properties_header_offset=header)
        self._streams: dict[str, bytes] = {stream.name.lower(): stream.bytes_ for stream in storage.streams}

    def data(self, number: int) -> bytes:
        return self._streams.get(f"__substg1.0_{number:04x}0102", b"")

    def text(self, number: int) -> str:
        wide = self._streams.get(f"__substg1.0_{number:04x}001f")
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\x00")
        narrow = self._streams.get(f"__substg1.0_{number:04x}001e", b"").rstrip(b"\x00")
        if not narrow:
            return ""
        return charset_text(narrow, self.charset, "message")

    @property
    def charset(self) -> str | None:
        """Of 8-bit texts; None when the message names none that is known."""
        try:
            return self._properties.body_encoding
        except (KeyError, ValueError, LookupError, struct.error):
            return None

    def number(self, number: int) -> int | None:
        value = self._properties.int_prop_value(number)
        return value if isinstance(value, int) else None

    def date(self) -> str:
        """When it was sent, as ``2026-03-01 10:00 UTC``; empty when nothing says so."""
        for number in (_SENT, _DELIVERED, _CREATED):
            when = self._properties.date_prop_value(number)
            if when is not None:
                return when.strftime("%Y-%m-%d %H:%M UTC")
        return ""


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._attached = Attachments(source)

    def message(self, storage: Any, depth: int, *, top: bool = False) -> list[Piece]:
        self._attached.count()
        properties = _Properties(storage, 32 if top else 24)
        to, cc = self._recipients(storage, properties)
        headers = [("From", _sender(properties)), ("To", to), ("Cc", cc), ("Date", properties.date())]
        pieces = opening(" ".join(properties.text(_SUBJECT).split()), headers, depth)
        pieces += self._body(properties)
        for attached in storage.iter_attachment_storages():
            self._attached.count()
            pieces += self._attachment(attached, depth)
        return pieces

    def _recipients(self, storage: Any, message: _Properties) -> tuple[str, str]:
        found: dict[int, list[str]] = {1: [], 2: []}
        for recipient in storage.iter_recipient_storages():
            properties = _Properties(recipient, 8)
            address = properties.text(_SMTP) or properties.text(_ADDRESS)
            found.setdefault(properties.number(_RECIPIENT_KIND) or 1, []).append(
                _person(properties.text(_DISPLAY_NAME), address)
            )
        return ", ".join(found[1]) or message.text(_TO), ", ".join(found[2]) or message.text(_CC)

    def _body(self, properties: _Properties) -> list[Piece]:
        plain = properties.text(_BODY)
        if plain.strip():
            return [Piece(plain_markdown(plain.replace("\r\n", "\n").replace("\r", "\n")) + "\n\n")]
        html = properties.data(_HTML) or properties.text(_HTML).encode("utf-8")
        try:
            if html.strip():
                return self._attached.html(html)[1]
            if rtf := properties.data(_RTF):
                return self._attached.converted(Attachment("body.rtf", unpack_rtf(rtf)), 1, 0)
        except ExtractionEmpty:
            return []
        except (WikiError, ValueError) as error:
            return [note(f"The text of the message cannot be read: {error}")]
        return []

    def _attachment(self, storage: Any, depth: int) -> list[Piece]:
        properties = _Properties(storage, 8)
        name = properties.text(_LONG_NAME) or properties.text(_SHORT_NAME) or properties.text(_DISPLAY_NAME)
        name = " ".join(name.split()) or "attachment"
        inner = next((inside for inside in storage.storages if inside.name.lower() == _EMBEDDED.lower()), None)
        if inner is None:
            inline = bool(properties.text(_CONTENT_ID))
            attachment = Attachment(name, properties.data(_DATA), properties.text(_MIME) or None, inline)
            return self._attached.pieces(attachment, 2 + 2 * depth, depth)
        if self._attached.too_deep(depth):
            return [note(f"{name} lies too deep; the setting parsing.attachment_depth allows more.")]
        if not any(stream.name.lower().startswith("__properties") for stream in inner.streams):
            return [note(f"{name} is an object of another program, which cannot be read.")]
        return self.message(inner, depth + 1)


def unpack_rtf(data: bytes) -> bytes:
    """The RTF of a compressed body (MS-OXRTFCP). Raises ValueError when it is damaged."""
    if len(data) < 16:
        raise ValueError("the RTF body is cut off")
    size, kind = struct.unpack_from("<I4s", data, 4)
    if kind == b"MELA":
        return data[16 : 16 + size]
    if kind != b"LZFu":
        raise ValueError("the RTF body is packed in an unknown way")
    window = bytearray(4096)
    window[: len(_RTF_START)] = _RTF_START
    place = len(_RTF_START)
    stream = io.BytesIO(data[16:])
    written = bytearray()
    while control := stream.read(1):
        for bit in range(8):
            if control[0] >> bit & 1:
                pair = stream.read(2)
                if len(pair) < 2:
                    return bytes(written)
                offset, length = (pair[0] << 4) | (pair[1] >> 4), (pair[1] & 15) + 2
                if offset == place:
                    return bytes(written)
                run = length
            else:
                one = stream.read(1)
                if not one:
                    return bytes(written)
                offset, run = -1, 1
                window[place] = one[0]
            for step in range(run):
                if offset >= 0:
                    window[place] = window[(offset + step) % 4096]
                written.append(window[place])
                place = (place + 1) % 4096
    return bytes(written)


def _sender(properties: _Properties) -> str:
    return _person(properties.text(_SENDER), properties.text(_SENDER_SMTP) or properties.text(_SENDER_MAIL))


def _person(name: str, address: str) -> str:
    name, address = " ".join(name.split()), address if "@" in address else ""
    return f"{name} <{address}>" if name and address and name != address else name or address
