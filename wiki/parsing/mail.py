"""Mail -> Markdown: headers, the body once, attachments and forwarded messages as sections."""

import re
import tempfile
from collections.abc import Iterator
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from pathlib import Path

from wiki.errors import UnsupportedFormat, WikiError
from wiki.parsing import media_types as media
from wiki.parsing.encoding import decode, normalise
from wiki.parsing.escape import escape_text
from wiki.parsing.markdown import split_blocks
from wiki.parsing.source import Conversion, Piece, Source

_HEADERS = ("From", "To", "Cc", "Date")
_DEEPEST = 4
_MOST_PARTS = 200


def convert_mail(source: Source) -> Conversion:
    """Subject as the title, the chief headers, the text, then each attachment under its own heading.

    Of alternatives the plain text is taken, the HTML one only when there is no plain text. Each part
    is read in its own charset. An attachment that cannot be read is named with the reason.
    """
    message = BytesParser(policy=policy.default).parsebytes(source.read())
    reader = _Reader(source.name)
    pieces = reader.message(message, depth=0)
    return Conversion(
        pieces=tuple(Piece(text) for text in pieces),
        title=_header(message, "Subject") or None,
        document_date=_date(message),
    )


class _Reader:
    def __init__(self, name: str) -> None:
        self._name = name
        self._parts = 0

    def message(self, message: EmailMessage, *, depth: int) -> list[str]:
        subject = _header(message, "Subject")
        pieces = [f"{'#' * min(6, 1 + 2 * depth)} {escape_text(subject)}\n\n"] if subject else []
        lines = [f"- **{name}:** {escape_text(value)}\n" for name in _HEADERS if (value := _header(message, name))]
        if lines:
            pieces.append("".join(lines) + "\n")
        pieces += self._part(message, depth)
        return pieces

    def _part(self, part: EmailMessage, depth: int) -> list[str]:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise UnsupportedFormat(f"{self._name} has more than {_MOST_PARTS} parts")
        kind = part.get_content_type()
        if kind == "message/rfc822":
            return self._forwarded(part, depth)
        if kind == "multipart/alternative":
            return self._alternative(list(_children(part)), depth)
        if part.is_multipart():
            return [piece for child in _children(part) for piece in self._part(child, depth)]
        if _is_attachment(part):
            return self._attachment(part, depth)
        return self._body(part)

    def _alternative(self, parts: list[EmailMessage], depth: int) -> list[str]:
        order = {"text/plain": 0, "text/html": 2}
        for part in sorted(parts, key=lambda part: order.get(part.get_content_type(), 1)):
            pieces = self._part(part, depth)
            if any(piece.strip() for piece in pieces):
                return pieces
        return []

    def _forwarded(self, part: EmailMessage, depth: int) -> list[str]:
        inner = next(_children(part), None)
        if inner is None:
            return []
        if depth >= _DEEPEST:
            raise UnsupportedFormat(f"{self._name} has messages nested more than {_DEEPEST} deep")
        return self.message(inner, depth=depth + 1)

    def _body(self, part: EmailMessage) -> list[str]:
        data = _payload(part)
        if not data.strip():
            return []
        if part.get_content_type() == "text/html":
            return self._converted(data, "body.html", media.HTML, depth=0)
        return [_plain(_text(part, data, self._name)) + "\n\n"]

    def _attachment(self, part: EmailMessage, depth: int) -> list[str]:
        name = " ".join((part.get_filename() or "attachment").split())
        level = min(6, 2 + 2 * depth)
        heading = f"{'#' * level} {escape_text(name)}\n\n"
        try:
            return [heading, *self._converted(_payload(part), name, part.get_content_type(), depth=level)]
        except WikiError as error:
            return [heading, f"*{escape_text(error.message)}*\n\n"]

    def _converted(self, data: bytes, name: str, declared: str, *, depth: int) -> list[str]:
        from wiki.parsing.parser import parse_file

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "part"
            path.write_bytes(data)
            markdown = parse_file(path, name, declared).markdown
        return [_deeper(markdown, depth).rstrip("\n") + "\n\n"]


def _deeper(markdown: str, levels: int) -> str:
    """The same Markdown with its headings ``levels`` deeper."""
    if not levels:
        return markdown
    return "".join(
        f"{'#' * min(6, block.level + levels)} {escape_text(block.heading)}\n\n"
        if block.kind == "heading" and block.level and block.heading
        else block.text
        for block in split_blocks(markdown)
    )


def _plain(text: str) -> str:
    """Mail text as Markdown: quoted lines stay quotes, everything else is escaped."""
    lines = (line if line.startswith(">") else escape_text(line) for line in text.strip("\n").split("\n"))
    # Four spaces would be code.
    return "\n".join(re.sub(r"^\s{4,}(?=\S)", "   ", line.rstrip()) for line in lines)


def _text(part: EmailMessage, data: bytes, name: str) -> str:
    charset = part.get_content_charset()
    if charset:
        try:
            return normalise(data.decode({"shift_jis": "cp932", "iso-8859-1": "cp1252"}.get(charset, charset)))
        except (UnicodeDecodeError, LookupError):
            pass
    return decode(data, name)


def _payload(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _is_attachment(part: EmailMessage) -> bool:
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return True
    return part.get_content_maintype() != "text"


def _children(part: EmailMessage) -> Iterator[EmailMessage]:
    for child in part.iter_parts():
        if isinstance(child, EmailMessage):
            yield child


def _header(message: EmailMessage, name: str) -> str:
    try:
        value = message.get(name)
    except (ValueError, IndexError, AttributeError):
        # The standard library's header parser fails on some malformed headers.
        value = next((raw for key, raw in message.raw_items() if key.lower() == name.lower()), None)
    return " ".join(str(value).split()) if value is not None else ""


def _date(message: EmailMessage) -> str | None:
    try:
        when = parsedate_to_datetime(_header(message, "Date"))
    except (ValueError, TypeError):
        return None
    return (when if when.tzinfo is None else when.astimezone(UTC)).date().isoformat()
