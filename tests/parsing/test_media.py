import io
import zipfile
from pathlib import Path

import pytest

from wiki.errors import InvalidInput, UnsupportedFormat
from wiki.parsing import media
from wiki.parsing.media import detect


def file(folder: Path, data: bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(data)
    return path


def archive(**entries: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, text in entries.items():
            made.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "declared", "data", "expected"),
    [
        ("a.md", None, b"# x", media.MARKDOWN),
        ("a.MD", "application/octet-stream", b"# x", media.MARKDOWN),
        ("upload", "text/markdown; charset=utf-8", b"# x", media.MARKDOWN),
        ("a.csv", None, b"a,b", media.CSV),
        ("a.tsv", None, b"a\tb", media.TSV),
        ("a.txt", None, b'"a quoted start', media.TEXT),
        ("notes", None, "[café".encode("cp1252"), media.TEXT),
        ("a.txt", None, b"<!DOCTYPE html><html><body>x", media.HTML),
        ("a.pdf", None, b"\n<html><body>404</body></html>", media.HTML),
        ("a.md", None, b"<html>\nraw\n</html>\n", media.MARKDOWN),
        ("a.vtt", None, b"1\n00:00:01,000 --> 00:00:02,000\nhi\n", media.VTT),
        ("a.eml", None, b"Subject: x\nFrom: a@b.c\n\nhi\n", media.EML),
        ("a.txt", None, b"junk %PDF-1.7\n", media.PDF),
        ("a.doc", None, archive(**{"[Content_Types].xml": "", "word__document.xml": ""}), media.DOCX),
        ("a.zip", None, archive(**{"[Content_Types].xml": "", "xl__workbook.xml": ""}), media.XLSX),
        ("a.odt", None, archive(mimetype=media.ODT), media.ODT),
    ],
)
def test_bytes_decide_then_name_then_declared_type(
    tmp_path: Path, name: str, declared: str | None, data: bytes, expected: str
) -> None:
    assert detect(file(tmp_path, data), name, declared) == expected


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"\x89PNG\r\n\x1a\n....", "PNG picture"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "Word 97"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("a.odt", archive(mimetype=media.ODT, **{"META-INF__manifest.xml": "<m:encryption-data/>"}), "encrypted"),
        ("a.docx", archive(**{"[Content_Types].xml": "", "word__document.xml": "x"})[:60], "damaged"),
        ("a.pptx", archive(**{"readme.txt": "x"}), "no known document"),
        ("a.rtf", b"{\\rtf1 words}", "RTF"),
        ("a.wav", b"RIFF\x00\x00\x00\x00WAVEfmt ", "WAV recording"),
        ("a.m4a", b"\x00\x00\x00\x20ftypM4A ", "MP4"),
        ("a.mp3", b"\xff\xfb\x90\x00", "MP3"),
        ("a.svg", b"<?xml version='1.0'?><svg xmlns='x'></svg>", "SVG"),
        ("a.pdf", b"just words", "not a pdf file"),
        ("a.bin", bytes(range(1, 32)) * 40, "binary"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    with pytest.raises(UnsupportedFormat, match=says):
        detect(file(tmp_path, data), name)


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", "\ufeff \n".encode("utf-16-le")])
def test_empty_files_are_invalid_input(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        detect(file(tmp_path, data), "a.docx")
