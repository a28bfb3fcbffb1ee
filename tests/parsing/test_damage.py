"""Torn, overwritten and misnamed files of every format: read or refused in words, never an unhandled error."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.mixed_files import WRITERS
from tests.parsing.containers import ole_container
from wiki.errors import WikiError
from wiki.parsing.worker import ParserPool
from wiki.settings import ParsingSettings

SECTIONS = [("Pumps", "The pump of hall two runs again. Its seal was worn."), ("Motors", "The motor hums on Mondays.")]
ALLOWED = {"UNSUPPORTED_FORMAT", "INVALID_INPUT", "EXTRACTION_EMPTY"}


def _picture(path: Path, suffix: str) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(image).text((20, 40), "The pump of hall two runs again", fill="black", font_size=32)
    image.save(path.with_suffix(suffix))


def _slides(path: Path) -> None:
    import pptx

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Pumps"
    slide.placeholders[1].text = "The pump of hall two runs again."
    made.save(str(path))


def _sound(path: Path) -> None:
    import wave

    with wave.open(str(path), "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(16_000)
        made.writeframes(random.Random(1).randbytes(32_000))


MAKERS: dict[str, Callable[[Path], None]] = {
    **{
        suffix: lambda path, write=write: write(path, "Report", SECTIONS)
        for suffix, write in WRITERS.items()
        if suffix != ".rtf"
    },
    ".pptx": _slides,
    ".png": lambda path: _picture(path, ".png"),
    ".jpg": lambda path: _picture(path, ".jpg"),
    ".webp": lambda path: _picture(path, ".webp"),
    ".wav": _sound,
    ".msg": lambda path: path.write_bytes(ole_container("__properties_version1.0")) and None,
    ".svg": lambda path: path.write_text("<svg xmlns='x'><text>The pump runs again</text></svg>") and None,
    ".vtt": lambda path: path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nThe pump runs\n") and None,
}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    pool = ParserPool(ParsingSettings(timeout_seconds=60, workers=1))
    yield pool
    pool.close()


def damaged(data: bytes, suffix: str) -> Iterator[bytes]:
    """Cut at several places, with bytes overwritten, with a strange beginning and a strange end."""
    source = random.Random(suffix)
    for share in (0.02, 0.3, 0.9):
        yield data[: max(1, int(len(data) * share))]
    for _ in range(3):
        changed = bytearray(data)
        for _ in range(max(1, len(data) // 200)):
            changed[source.randrange(len(data))] = source.randrange(256)
        yield bytes(changed)
    yield b"\x00\x01" + data
    yield data + source.randbytes(300)


@pytest.mark.parametrize("suffix", MAKERS)
def test_a_damaged_file_is_read_or_refused_in_words(pool: ParserPool, tmp_path: Path, suffix: str) -> None:
    good = tmp_path / f"good{suffix}"
    MAKERS[suffix](good)
    for number, data in enumerate(damaged(good.read_bytes(), suffix)):
        path = tmp_path / f"damaged {number}{suffix}"
        path.write_bytes(data)
        try:
            document = pool.parse(path, path.name)
        except WikiError as error:
            assert error.code in ALLOWED, (number, error.message)
            assert error.message.startswith(path.name), error.message
            assert "the parser died" not in error.message, error.message
            assert str(tmp_path) not in error.message, "where an upload lies is nobody's business"
        else:
            assert "".join(block.text for block in document.blocks).strip()


@pytest.mark.parametrize("suffix", [".docx", ".pdf", ".png", ".xlsx", ".eml", ".html"])
@pytest.mark.parametrize("name", ["upload", "upload.bin", "upload.txt", "upload.doc", "upload.pdf", "upload.mp3"])
def test_a_wrong_name_does_not_matter(pool: ParserPool, tmp_path: Path, suffix: str, name: str) -> None:
    good = tmp_path / f"good{suffix}"
    MAKERS[suffix](good)
    if suffix == ".eml" and name != "upload.doc":
        # Mail is text: its name decides.
        return
    assert "hall two" in pool.parse(good, name).markdown.replace("\n", " ")
