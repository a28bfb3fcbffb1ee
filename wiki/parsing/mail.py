"""Mail -> Markdown: headers, the body once, attachments and forwarded messages as sections."""

import re
from collections.abc import Sequence
from datetime import UTC
from email import message_from_bytes, policy
from email.message import Message
from email.utils import parsedate_to_datetime

from wiki.errors import ExtractionEmpty, UnsupportedFormat, WikiError
from wiki.parsing.attachments import Attachment, Attachments, note
from wiki.parsing.escape import escape_text
from wiki.parsing.mail_headers import charset_text, header, header_words
from wiki.parsing.mail_text import calendar_lines, plain_markdown, unflowed
from wiki.parsing.source import Conversion, Piece, Source

HEADERS = ("From", "To", "Cc", "Date")
_ENCRYPTED = "is encrypted; save it decrypted and try again"
_SIGNATURES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
_BOUNDARY = re.compile(rb"^--(\S{2,70})[ \t]*\r?$", re.MULTILINE)
_TAGS = re.compile(r"<(style|script|head)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_STUB = 4
_STUB_CHARACTERS = 300


def convert_mail(source: Source) -> Conversion:
    """Subject as the title, the chief headers, the text, then each attachment under its own heading.

    Of alternatives the plain text is taken, the HTML one when there is no plain text or it is a mere stub. Each part
    is read in its own charset. An attachment that cannot be read is named with the reason. A saved web page (MHTML) is
    its page. Raises UnsupportedFormat for encrypted mail and for more parts than ``max_attachments``.
    """
    message = message_from_bytes(source.read(), policy=policy.compat32)
    _refuse_encrypted(message, source.name)
    reader = _Reader(source)
    page = reader.page(message) if _is_web_page(message, source.name) else None
    if page is not None:
        return page
    pieces = reader.message(message, depth=0)
    if not reader.said_anything:
        raise ExtractionEmpty(f"{source.name} can be read but holds no text")
    return Conversion(
        pieces=tuple(pieces), title=header(message, "Subject") or None, document_date=mail_date(header(message, "Date"))
    )


def opening(subject: str, headers: Sequence[tuple[str, str]], depth: int = 0) -> list[Piece]:
    """The subject as a heading and the chief headers as a list."""
    pieces = [Piece(f"{'#' * min(6, 1 + 2 * depth)} {escape_text(subject)}\n\n")] if subject else []
    lines = [f"- **{name}:** {escape_text(value)}\n" for name, value in headers if value]
    return [*pieces, Piece("".join(lines) + "\n")] if lines else pieces


def mail_date(written: str) -> str | None:
    """ISO date (UTC) of a Date header."""
    try:
        when = parsedate_to_datetime(written)
        return (when if when.tzinfo is None else when.astimezone(UTC)).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._attached = Attachments(source)
        self.said_anything = False

    def message(self, message: Message, *, depth: int) -> list[Piece]:
        headers = [(name, header(message, name)) for name in HEADERS]
        subject = header(message, "Subject")
        pieces = [*opening(subject, headers, depth), *self._part(message, depth)]
        self.said_anything = self.said_anything or bool(subject) or any(piece.text.strip() for piece in pieces)
        return pieces

    def page(self, message: Message) -> Conversion | None:
        """The page of a web archive: its first HTML part."""
        html = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
        if html is None:
            return None
        found, pieces = self._attached.html(_utf8(html, self._source.name))
        return Conversion(
            pieces=tuple(pieces),
            title=found.title or header(message, "Subject") or None,
            language=found.language,
            document_date=mail_date(header(message, "Date")),
        )

    def _part(self, part: Message, depth: int) -> list[Piece]:
        self._attached.count()
        kind = part.get_content_type()
        if kind in _SIGNATURES:
            return []
        if part.get_content_maintype() == "multipart" and not part.is_multipart():
            part = _parted(part)
        if kind == "message/rfc822" and part.is_multipart():
            return self._forwarded(part, depth)
        if kind == "multipart/encrypted":
            return [note(f"A part of this mail {_ENCRYPTED}.")]
        if kind == "multipart/alternative" and part.is_multipart():
            return self._alternative(_children(part), depth)
        if part.is_multipart():
            return [piece for child in _children(part) for piece in self._part(child, depth)]
        if kind == "text/calendar":
            return [Piece(calendar_lines(_payload(part), self._source.name))]
        if _is_attachment(part):
            return self._attachment(part, depth)
        return self._body(part, kind)

    def _alternative(self, parts: list[Message], depth: int) -> list[Piece]:
        order = {"text/plain": 0, "text/calendar": 3}
        ranked = sorted(parts, key=lambda part: order.get(part.get_content_type(), 1))
        if len(ranked) > 1 and self._is_stub(ranked[0], ranked[1:]):
            ranked = [*ranked[1:], ranked[0]]
        for at, part in enumerate(ranked):
            pieces = self._part(part, depth)
            if any(piece.text.strip() for piece in pieces):
                rest = ranked[at + 1 :]
                return [*pieces, *(piece for other in rest for piece in self._attached_in(other, depth))]
        return []

    def _attached_in(self, part: Message, depth: int) -> list[Piece]:
        """What lies beside the text of an alternative that was not taken: files, and an invitation."""
        if part.get_content_type() == "text/calendar":
            return self._part(part, depth)
        return [
            piece
            for inner in part.walk()
            if not inner.is_multipart() and inner is not part and _is_attachment(inner)
            for piece in self._part(inner, depth)
        ]

    def _is_stub(self, plain: Message, others: list[Message]) -> bool:
        """Whether plain text only says that there is an HTML one."""
        html = next((part for other in others for part in other.walk() if part.get_content_type() == "text/html"), None)
        if plain.get_content_type() != "text/plain" or html is None:
            return False
        words = " ".join(_TAGS.sub(" ", _utf8(html, "body").decode("utf-8", "replace")).split())
        short = len(b" ".join(_payload(plain).split()))
        return short < _STUB_CHARACTERS and len(words) > _STUB * max(short, 20)

    def _forwarded(self, part: Message, depth: int) -> list[Piece]:
        inner = next(iter(_children(part)), None)
        if inner is None:
            return []
        if self._attached.too_deep(depth):
            subject = header(inner, "Subject") or "A message"
            return [note(f"{subject} lies too deep; the setting parsing.attachment_depth allows more.")]
        return self.message(inner, depth=depth + 1)

    def _body(self, part: Message, kind: str) -> list[Piece]:
        data = _payload(part)
        if not data.strip():
            return []
        try:
            if kind == "text/html":
                return self._attached.html(_utf8(part, self._source.name))[1]
            text = charset_text(data, part.get_content_charset(), self._source.name)
        except ExtractionEmpty:
            return []
        except UnsupportedFormat as error:
            return [note(error.message)]
        if str(part.get_param("format", "")).lower() == "flowed":
            text = unflowed(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
        return [Piece(plain_markdown(text) + "\n\n")]

    def _attachment(self, part: Message, depth: int) -> list[Piece]:
        inline = part.get_content_disposition() != "attachment" and part.get_content_maintype() == "image"
        attachment = Attachment(_file_name(part), _payload(part), part.get_content_type(), inline)
        if part.get_content_type() in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
            return [note(f"{attachment.name} is signed or encrypted content that cannot be read.")]
        return self._attached.pieces(attachment, 2 + 2 * depth, depth)


def _refuse_encrypted(message: Message, name: str) -> None:
    kind = message.get_content_type()
    sealed = kind in ("application/pkcs7-mime", "application/x-pkcs7-mime")
    if kind == "multipart/encrypted" or (sealed and message.get_param("smime-type") != "signed-data"):
        raise UnsupportedFormat(f"{name} {_ENCRYPTED}")


def _is_web_page(message: Message, name: str) -> bool:
    if message.get_content_type() not in ("multipart/related", "text/html", "multipart/mixed"):
        return False
    return name.lower().endswith((".mht", ".mhtml")) or "Snapshot-Content-Location" in message


def _parted(part: Message) -> Message:
    """A multipart whose boundary is not told, taken apart at the first line that looks like one."""
    data = _payload(part)
    boundary = _BOUNDARY.search(data)
    if boundary is None:
        return part
    head = b'Content-Type: multipart/mixed; boundary="' + boundary.group(1) + b'"\r\n\r\n'
    found = message_from_bytes(head + data, policy=policy.compat32)
    return found if found.is_multipart() else part


def _utf8(part: Message, name: str) -> bytes:
    """An HTML part in UTF-8, by the charset the mail declares; without one, its own declaration decides."""
    data, charset = _payload(part), part.get_content_charset()
    if charset is None:
        return data
    try:
        return charset_text(data, charset, name).encode("utf-8")
    except WikiError:
        return data


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError, AttributeError):
        name = None
    if name and "\ufffd" in name:
        raw = header(part, "Content-Disposition") + " " + header(part, "Content-Type")
        match = re.search(r"(?:file)?name\s*=\s*\"?([^\";]+)", raw)
        name = match.group(1) if match else name
    return header_words(name or "") or "attachment"


def _is_attachment(part: Message) -> bool:
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return True
    return part.get_content_maintype() not in ("text", "multipart")


def _children(part: Message) -> list[Message]:
    inside = part.get_payload()
    return [child for child in inside if isinstance(child, Message)] if isinstance(inside, list) else []
