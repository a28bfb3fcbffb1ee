"""A streaming reader of ``multipart/form-data`` with one file part named ``file``."""

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from serving.body import too_large
from wiki.errors import InvalidInput

FILE_FIELD = "file"
MAX_FIELD_BYTES = 64 * 1024
MAX_PARTS = 200


class FormReader:
    """Fed with the body as it comes; hands on the file's bytes and keeps the small fields.

    Raises ``InvalidInput`` for a form that is not one, ``TooLarge`` when the file passes ``max_file_bytes``.
    """

    def __init__(self, content_type: str, max_file_bytes: int) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise InvalidInput("send multipart/form-data with a part named file", where="body")
        self.fields: dict[str, list[str]] = {}
        self.file_name: str | None = None
        self.file_bytes = 0
        self._max_file_bytes = max_file_bytes
        self._pending = bytearray()
        self._value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._header_name = b""
        self._header_value = b""
        self._field = ""
        self._in_file = False
        self._parts = 0
        self._ended = False
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._part_begin,
                "on_header_field": self._header_field_data,
                "on_header_value": self._header_value_data,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._part_data,
                "on_part_end": self._part_end,
                "on_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        if not chunk:
            return
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise InvalidInput(f"the multipart form is broken: {error}", where="body") from error

    def finish(self) -> None:
        """Tell that the body is over; a form without its closing boundary is refused."""
        if not self._ended:
            raise InvalidInput("the multipart form ends before its closing boundary", where="body")

    def take(self, at_least: int) -> bytes:
        """The file's bytes not handed on yet, once there are so many; else none."""
        if len(self._pending) < at_least:
            return b""
        data = bytes(self._pending)
        self._pending.clear()
        return data

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise InvalidInput(f"the form has more than {MAX_PARTS} parts", where="body")
        self._headers = {}
        self._value = bytearray()

    def _header_field_data(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _header_value_data(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header_name.lower()] = self._header_value
        self._header_name = self._header_value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        if b"name" not in options:
            raise InvalidInput("a part of the form has no name", where="body")
        self._field = _text(options[b"name"])
        self._in_file = b"filename" in options
        if not self._in_file:
            return
        if self._field != FILE_FIELD:
            raise InvalidInput(f"body.{self._field[:80]}: is a file; only the part named file may be one", where="body")
        if self.file_name is not None:
            raise InvalidInput("body.file: given more than once", where="body.file")
        self.file_name = _text(options[b"filename"])

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self.file_bytes += end - start
            if self.file_bytes > self._max_file_bytes:
                raise too_large(self._max_file_bytes)
            self._pending += data[start:end]
            return
        self._value += data[start:end]
        if len(self._value) > MAX_FIELD_BYTES:
            raise InvalidInput(f"body.{self._field[:80]}: holds more than {MAX_FIELD_BYTES:,} bytes", where="body")

    def _part_end(self) -> None:
        if not self._in_file:
            self.fields.setdefault(self._field, []).append(_text(bytes(self._value)))

    def _end(self) -> None:
        self._ended = True


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
