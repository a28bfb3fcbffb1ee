"""Archives and OLE containers made for tests."""

import io
import struct
import zipfile

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def archive(**entries: str) -> bytes:
    """A zip archive; two underscores in a name stand for a slash."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, text in entries.items():
            made.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def ole_container(*streams: str) -> bytes:
    """An OLE container (compound file, version 3) with empty streams of these names, at most three."""
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        0x3E, 3, 0xFFFE, 9, 6,
        0, 1, 1, 0, 4096, _END, 0, _END, 0,
    ) + struct.pack("<I", 0) + struct.pack("<I", _FREE) * 108  # fmt: skip
    fat = struct.pack("<II", _FAT, _END) + struct.pack("<I", _FREE) * 126
    entries = [_entry("Root Entry", 5, child=1 if streams else _FREE)]
    entries += [
        _entry(name, 2, right=place + 1 if place < len(streams) else _FREE) for place, name in enumerate(streams, 1)
    ]
    entries += [bytes(64) + struct.pack("<BBIII", 0, 0, _FREE, _FREE, _FREE) + bytes(50)] * (4 - len(entries))
    return header + fat + b"".join(entries)


def _entry(name: str, kind: int, *, right: int = _FREE, child: int = _FREE) -> bytes:
    written = name.encode("utf-16-le") + b"\0\0"
    return written.ljust(64, b"\0") + struct.pack(
        "<HBBIII16xI8x8xIII", len(written), kind, 1, _FREE, right, child, 0, _END, 0, 0
    )
