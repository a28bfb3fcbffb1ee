"""Messages are made here as compound files (MS-CFB): a header, one allocation table, a directory and 512-byte sectors."""

import struct
from itertools import pairwise
from pathlib import Path

import pytest

from wiki.errors import ExtractionEmpty
from wiki.parsing.outlook import unpack_rtf
from wiki.parsing.parser import parse_file

Storage = dict[str, "bytes | Storage"]
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR = 512
LEAST = 4096
"""A shorter stream would lie in the mini stream, so each is filled up with zeros, as far as its reader allows."""


def properties(header: int, **values: object) -> Storage:
    """The streams of texts (``t0037``), bytes (``b3701``) and numbers (``n0C15``) and the table that lists them."""
    made: Storage = {}
    table = bytes(header)
    for key, value in values.items():
        number = int(key[1:], 16)
        if isinstance(value, str):
            data, kind = value.encode("utf-16-le"), 0x1F
        elif isinstance(value, bytes):
            data, kind = value, 0x102
        else:
            table += struct.pack("<HHIII", 3, number, 6, value, 0)
            continue
        made[f"__substg1.0_{number:04X}{kind:04X}"] = data
        table += struct.pack("<HHIII", kind, number, 6, len(data), 0)
    return {"__properties_version1.0": table, **made}


def compound(root: Storage) -> bytes:
    entries: list[list[object]] = []
    sectors: list[bytes] = []
    table: list[int] = []
    small = bytearray()
    small_table: list[int] = []

    def chain(data: bytes) -> int:
        first = len(sectors)
        pieces = [data[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(data), SECTOR)]
        sectors.extend(pieces)
        table.extend([*range(first + 1, first + len(pieces)), END] if pieces else [])
        return first if pieces else END

    def small_chain(data: bytes) -> int:
        first, count = len(small_table), -(-len(data) // 64)
        small.extend(data.ljust(count * 64, b"\0"))
        small_table.extend([*range(first + 1, first + count), END] if count else [])
        return first if count else END

    def add(name: str, content: "bytes | Storage", kind: int) -> int:
        at = len(entries)
        entries.append([name, kind, FREE, FREE, END, 0])
        if isinstance(content, bytes):
            entries[at][4:] = [chain(content) if len(content) >= LEAST else small_chain(content), len(content)]
            return at
        inside = [add(child, held, 2 if isinstance(held, bytes) else 1) for child, held in content.items()]
        for before, after in pairwise(inside):
            entries[before][2] = after
        entries[at][3] = inside[0] if inside else FREE
        return at

    add("Root Entry", root, 5)
    entries[0][4:] = [chain(bytes(small)), len(small)]
    small_fat = b"".join(struct.pack("<I", value) for value in small_table)
    small_fat += struct.pack("<I", FREE) * (-len(small_table) % 128)
    small_start, small_count = chain(small_fat), len(small_fat) // SECTOR
    listing = b""
    for name, kind, right, child, start, size in entries:
        written = f"{name}\0".encode("utf-16-le")
        listing += written.ljust(64, b"\0") + struct.pack(
            "<HBBIII16xI8x8xIII", len(written), kind, 1, FREE, right, child, 0, start, size, 0
        )
    listing += (bytes(68) + struct.pack("<III", FREE, FREE, FREE) + bytes(48)) * (-len(entries) % 4)
    directory = chain(listing)
    count = -(-(len(sectors) + 1) // 127)
    places = list(range(len(sectors), len(sectors) + count))
    full = [*table, *[FAT] * count]
    full += [FREE] * (count * 128 - len(full))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
        0, count, directory, 0, LEAST, small_start, small_count, END, 0,
    )  # fmt: skip
    header += b"".join(struct.pack("<I", place) for place in places) + struct.pack("<I", FREE) * (109 - count)
    return header + b"".join(sectors) + b"".join(struct.pack("<I", value) for value in full)


def read(folder: Path, root: Storage) -> str:
    path = folder / "a.msg"
    path.write_bytes(compound(root))
    return parse_file(path, "a.msg").markdown


def test_a_message_is_read_with_people_text_files_and_messages_within(tmp_path: Path) -> None:
    inner = properties(24, t0037="Inner note", t1000="The inner words.\r\n")
    message: Storage = {
        **properties(
            32, t0037="Pump *report*", t1000="First line\r\n# no heading\r\n", t0C1A="Ada", t5D01="ada@example.org"
        ),
        "__recip_version1.0_#00000000": properties(8, t3001="Ben", t39FE="ben@example.org", n0C15=1),
        "__recip_version1.0_#00000001": properties(8, t3001="Cleo", t39FE="cleo@example.org", n0C15=2),
        "__attach_version1.0_#00000000": properties(8, t3707="table.csv", b3701=b"a,b\n1,2\n", n3705=1),
        "__attach_version1.0_#00000001": properties(8, t3707="blob.bin", b3701=bytes(range(256)) * 20, n3705=1),
        "__attach_version1.0_#00000002": {**properties(8, t3001="Inner note", n3705=5), "__substg1.0_3701000D": inner},
    }
    found = read(tmp_path, message)
    assert found.startswith(
        "# Pump \\*report\\*\n\n- **From:** Ada \\<ada@example.org>\n- **To:** Ben \\<ben@example.org>\n"
        "- **Cc:** Cleo \\<cleo@example.org>\n\nFirst line\n\\# no heading\n\n"
    )
    assert "## table.csv\n\n| a | b |" in found and "## blob.bin\n\n*" in found
    assert "### Inner note\n\nThe inner words." in found


@pytest.mark.parametrize("body", [b"<p>Only <b>HTML</b> words, caf\xc3\xa9.</p>", b"<p>Only HTML words, caf\xe9.</p>"])
def test_html_is_read_when_there_is_no_plain_text(tmp_path: Path, body: bytes) -> None:
    found = read(tmp_path, properties(32, t0037="Page", b1013=body))
    assert "words, café." in found and "<p>" not in found


def test_an_empty_message_holds_no_text(tmp_path: Path) -> None:
    with pytest.raises(ExtractionEmpty):
        read(tmp_path, properties(32, t001A="IPM.Note"))


def test_a_packed_rtf_body_is_unpacked() -> None:
    # The first run points back into the dictionary ("{\\rtf1\\ans"), then plain signs, then the end mark at 207 + 15.
    body = bytes([0b00000001, 0x00, 0x08]) + b"hello" + b"!}" + bytes([0b00000001]) + bytes([0x0D, 0x90])
    packed = struct.pack("<I", len(body) + 12) + struct.pack("<I4sI", 17, b"LZFu", 0) + body
    assert unpack_rtf(packed).startswith(b"{\\rtf1\\anshello!}")
    plain = struct.pack("<II4sI", 20, 5, b"MELA", 0) + b"{abc}"
    assert unpack_rtf(plain) == b"{abc}"
    with pytest.raises(ValueError, match="unknown way"):
        unpack_rtf(struct.pack("<II4sI", 20, 5, b"NOPE", 0))
