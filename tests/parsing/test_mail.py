import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from wiki.errors import UnsupportedFormat
from wiki.parsing.mail_headers import header_words
from wiki.parsing.mail_text import unflowed
from wiki.parsing.parser import parse_file
from wiki.settings import OcrSettings, ParsingSettings

QUIET = ParsingSettings(ocr=OcrSettings(provider="none"))


def read(folder: Path, data: bytes | EmailMessage, name: str = "m.eml", settings: ParsingSettings = QUIET) -> str:
    path = folder / "upload"
    path.write_bytes(data if isinstance(data, bytes) else data.as_bytes())
    return parse_file(path, name, settings=settings).markdown


def letter(subject: str = "Report", body: str = "The text.\n") -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ada <ada@example.org>"
    message.set_content(body)
    return message


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?q?Caf=C3=A9_im?=\n =?utf-8?b?IEhhdXM=?=", "Café im Haus"),
        ("=?iso-2022-jp?B?GyRCMnE1RBsoQg==?= 3", "会議 3"),
        ("=?nonsense?q?a_b?= =?utf-8?b?!?=", "a b!"),
        ("folded\r\n\tline", "folded line"),
    ],
)
def test_headers_are_read_in_any_charset(raw: str, text: str) -> None:
    assert header_words(raw) == text


def test_a_character_cut_between_two_words_of_a_header_is_whole() -> None:
    assert header_words("=?utf-8?b?w4Q=?= =?utf-8?q?rger_=C3?= =?utf-8?q?=BC?=") == "Ärger ü"


def test_raw_bytes_in_headers_and_a_wrong_charset_are_detected(tmp_path: Path) -> None:
    data = "Subject: Отчёт о насосе\nFrom: x@example.org\nContent-Type: text/plain; charset=us-ascii\n\n"
    found = read(tmp_path, data.encode("cp1251") + "Насос снова работает, всё в порядке.\n".encode("cp1251"))
    assert "# Отчёт о насосе" in found and "Насос снова работает" in found
    utf8 = "Subject: a\nContent-Type: text/plain; charset=iso-8859-1\n\nKüche für alle\n".encode()
    assert "Küche für alle" in read(tmp_path, utf8)


@given(st.text())
def test_any_header_is_one_line(raw: str) -> None:
    assert "\n" not in header_words(raw)


def test_a_plain_stub_gives_way_to_the_page_and_files_beside_it_are_kept(tmp_path: Path) -> None:
    message = letter(body="Please use an HTML reader.\n")
    message.add_alternative("<p>" + "The long letter about the pump. " * 40 + "</p>", subtype="html")
    page = message.get_payload()[1]
    page.add_related(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="t.csv")
    assert "The long letter" in read(tmp_path, message)
    message = letter(body="All that is to be said is said here.\n" * 20)
    message.add_alternative("<p>All that is to be said</p>", subtype="html")
    message.get_payload()[1].add_related(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="t.csv")
    found = read(tmp_path, message)
    assert found.count("All that is to be said is said here.") == 20 and "| 1 | 2 |" in found


def test_archives_invitations_and_unreadable_files_are_sections(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/notes.md", "# Top\n\nWords inside.\n")
        archive.writestr("in/blob.bin", bytes(range(256)) * 8)
    message = letter()
    message.add_attachment(packed.getvalue(), maintype="application", subtype="zip", filename="all.zip")
    message.add_attachment(b"\x78\x9f\x3e\x22abc", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    invitation = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Pump\\, again\nDTSTART;TZID=Europe/Berlin:20260301T100000\n"
        "ORGANIZER;CN=Ada:mailto:ada@example.org\nDESCRIPTION:Bring\n  tools\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    message.add_attachment(invitation, subtype="calendar", filename="invite.ics")
    found = read(tmp_path, message)
    assert "## all.zip" in found and "### notes.md" in found and "Words inside." in found
    assert "### blob.bin\n\n*" in found and "TNEF" in found
    assert "- **What:** Pump, again\n- **From:** 2026-03-01 10:00 Europe/Berlin\n" in found
    assert "Ada (ada@example.org)" in found and "Bring tools" in found


def test_small_pictures_are_skipped_and_large_ones_named(tmp_path: Path) -> None:
    message = letter()
    for name, size in (("logo.png", (80, 30)), ("scan.png", (800, 600))):
        data = io.BytesIO()
        Image.new("RGB", size, "white").save(data, "PNG")
        message.add_attachment(data.getvalue(), maintype="image", subtype="png", filename=name)
    found = read(tmp_path, message)
    assert "logo.png" not in found and "## scan.png\n\n*" in found


def test_depth_number_and_unpacked_size_have_limits(tmp_path: Path) -> None:
    inner = letter("deepest")
    for number in range(6):
        outer = letter(f"level {number}")
        outer.add_attachment(inner)
        inner = outer
    found = read(tmp_path, inner)
    assert "level 2" in found and "parsing.attachment\\_depth" in found.replace(
        "attachment_depth", "attachment\\_depth"
    )
    many = letter()
    for number in range(5):
        many.add_attachment(b"x", maintype="text", subtype="plain", filename=f"{number}.txt")
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_attachments"):
        read(tmp_path, many, settings=ParsingSettings(max_attachments=3))


def test_encrypted_mail_is_refused_and_signed_mail_is_read(tmp_path: Path) -> None:
    head = b"Subject: s\nFrom: a@example.org\nMIME-Version: 1.0\n"
    for kind in (b"application/pkcs7-mime; smime-type=enveloped-data", b'multipart/encrypted; boundary="b"'):
        with pytest.raises(UnsupportedFormat, match="encrypted"):
            read(tmp_path, head + b"Content-Type: " + kind + b"\n\nAAAA\n")
    signed = (
        b'Content-Type: multipart/signed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nSigned words.\n'
        b"--b\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nAAAA\n--b--\n"
    )
    found = read(tmp_path, head + signed)
    assert "Signed words." in found and "smime" not in found


def test_broken_structure_still_gives_the_words(tmp_path: Path) -> None:
    head = b"Subject: s\nMIME-Version: 1.0\n"
    lost = b"Content-Type: multipart/mixed\n\n--xyz\nContent-Type: text/plain\n\nFirst words.\n--xyz--\n"
    assert "First words." in read(tmp_path, head + lost)
    broken = b"Content-Transfer-Encoding: quoted-printable\n\nHalf =E9= =ZZ and =\nwhole\n"
    assert "whole" in read(tmp_path, head + broken)


def test_flowed_text_is_joined_and_quotes_stay_apart() -> None:
    assert unflowed("one \ntwo\n> three \n> four\n-- \nAda") == "one two\n> three four\n-- \nAda"


def test_a_saved_web_page_is_its_page(tmp_path: Path) -> None:
    data = (
        b"From: <Saved by a browser>\nSnapshot-Content-Location: https://example.org/\nSubject: Pumps\n"
        b'MIME-Version: 1.0\nContent-Type: multipart/related; type="text/html"; boundary="b"\n\n--b\n'
        b"Content-Type: text/html\nContent-Location: https://example.org/\n\n<h1>Pumps</h1><p>How they run.</p>\n"
        b"--b\nContent-Type: text/css\n\np { color: red }\n--b--\n"
    )
    found = read(tmp_path, data, "page.mhtml")
    assert "# Pumps" in found and "How they run." in found and "color" not in found and "Saved by" not in found
