from pathlib import Path

import pytest

from tests.parsing.containers import archive, ole_container
from wiki.errors import InvalidInput, UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.media import detect


def file(folder: Path, data: bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(data)
    return path


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
        ("a.doc", None, b"<html><body>saved by a mail program</body></html>", media.HTML),
        ("a.md", None, b"<html>\nraw\n</html>\n", media.MARKDOWN),
        ("a.vtt", None, b"1\n00:00:01,000 --> 00:00:02,000\nhi\n", media.VTT),
        ("a.eml", None, b"Subject: x\nFrom: a@b.c\n\nhi\n", media.EML),
        ("page.mht", None, b"MIME-Version: 1.0\nSubject: x\n\nhi\n", media.EML),
        ("a.txt", None, b"junk %PDF-1.7\n", media.PDF),
        ("a.doc", None, archive(**{"[Content_Types].xml": "", "word__document.xml": ""}), media.DOCX),
        ("a.zip", None, archive(**{"[Content_Types].xml": "", "xl__workbook.xml": ""}), media.XLSX),
        ("a.odt", None, archive(mimetype=media.ODT), media.ODT),
        ("a.bin", None, archive(mimetype=media.ODS), media.ODS),
        ("a.bin", None, archive(mimetype=f"{media.ODP}-template"), media.ODP),
        ("a.zip", None, archive(mimetype=f"{media.EPUB}\n"), media.EPUB),
        ("book", None, archive(**{"META-INF__container.xml": "<container/>"}), media.EPUB),
        ("a.docx", None, ole_container("WordDocument", "1Table"), media.DOC),
        ("a.bin", None, ole_container("Workbook"), media.XLS),
        ("a.bin", None, ole_container("Book"), media.XLS),
        ("a.bin", None, ole_container("PowerPoint Document"), media.PPT),
        ("a.bin", None, ole_container("__properties_version1.0"), media.MSG),
        ("a.txt", None, b"{\\rtf1 words}", media.RTF),
        ("a.doc", None, b"<?xml version='1.0'?><?mso-application progid=\"Word.Document\"?><w/>", media.DOC),
        ("a.xml", None, b"<?xml version='1.0'?><?mso-application progid='Excel.Sheet'?><w/>", media.XLS),
        ("a.xls", None, b"name\tage\nAda\t36\n", media.TSV),
        ("a.doc", None, b"just words\n", media.TEXT),
        ("a.jpg", None, b"\x89PNG\r\n\x1a\n....", media.PNG),
        ("a.png", None, b"\xff\xd8\xff\xe0....", media.JPEG),
        ("a.jpg", None, b"RIFF\x00\x00\x00\x00WEBPVP8 ", media.WEBP),
        ("a.tif", None, b"II*\x00....", media.TIFF),
        ("a.svg", None, b"<?xml version='1.0'?><!-- a --><svg xmlns='x'></svg>", media.SVG),
        ("a.xml", None, b"<!DOCTYPE svg PUBLIC 'a' 'b' [<!ENTITY c 'd'>]>\n<svg/>", media.SVG),
        ("a.svg", None, b"words only", media.TEXT),
        ("a.mp3", None, b"RIFF\x00\x00\x00\x00WAVEfmt ", media.WAV),
        ("a.wav", None, b"\xff\xfb\x90\x00", media.MP3),
        ("a.wav", None, b"ID3\x03....", media.MP3),
        ("a.m4a", None, b"\x00\x00\x00\x20ftypM4A ", media.M4A),
        ("a.mp3", None, b"fLaC....", media.FLAC),
        ("a.mp3", None, b"OggS....", media.OGG),
        ("a.mp3", None, bytes(range(1, 32)) * 40, media.MP3),
        ("a.py", None, b"print('x')\n", media.SOURCE),
        ("a.json", "text/plain", b'{"a": 1}', media.SOURCE),
        ("upload", "application/json", b'{"a": 1}', media.SOURCE),
        ("a.xml", None, b"<note>x</note>", media.XML),
        ("upload", "text/xml", b"<note>x</note>", media.XML),
        ("upload", None, b"<?xml version='1.0'?><note>x</note>", media.XML),
        ("upload", "image/png", b"words\n", media.TEXT),
    ],
)
def test_bytes_decide_then_name_then_declared_type(
    tmp_path: Path, name: str, declared: str | None, data: bytes, expected: str
) -> None:
    assert detect(file(tmp_path, data), name, declared) == expected


@pytest.mark.parametrize(
    "declared",
    ["audio/x-wav", "audio/wave", "audio/vnd.wave", "application/octet-stream", "audio/mpeg", "", "not a type"],
)
def test_every_name_a_sender_gives_a_recording_will_do(tmp_path: Path, declared: str) -> None:
    assert detect(file(tmp_path, b"RIFF\x00\x00\x00\x00WAVEfmt "), "speech.wav", declared) == media.WAV


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.docx", ole_container("EncryptedPackage", "EncryptionInfo"), "encrypted"),
        ("a.odt", archive(mimetype=media.ODT, **{"META-INF__manifest.xml": "<m:encryption-data/>"}), "encrypted"),
        ("a.doc", ole_container("WordDocument")[:300], "damaged"),
        ("a.doc", ole_container("Something"), "no known kind"),
        ("a.docx", archive(**{"[Content_Types].xml": "", "word__document.xml": "x"})[:60], "damaged"),
        ("a.pptx", archive(**{"readme.txt": "x"}), "no known document"),
        ("a.odt", archive(mimetype="application/vnd.oasis.opendocument.chart"), "opendocument.chart"),
        ("a.heic", b"\x00\x00\x00\x20ftypheic", "HEIF"),
        ("a.gz", b"\x1f\x8b\x08", "gzip"),
        ("a.pdf", b"just words", "no pdf file"),
        ("a.png", b"just words", "not the png file"),
        ("a.bin", bytes(range(1, 32)) * 40, "binary"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    with pytest.raises(UnsupportedFormat, match=says):
        detect(file(tmp_path, data), name)


def test_an_archive_that_unpacks_to_too_much_is_refused_at_once_and_names_the_setting(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", "")
        made.writestr("word/document.xml", b"0" * 3_000_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(UnsupportedFormat, match=r"unpacks to 3 MB; at most 2 MB .* parsing\.max_unpacked_mb"):
        detect(path, path.name, max_unpacked_mb=2)


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", "\ufeff \n".encode("utf-16-le")])
def test_empty_files_are_invalid_input(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        detect(file(tmp_path, data), "a.docx")
