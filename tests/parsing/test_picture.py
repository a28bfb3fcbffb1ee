import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from wiki.errors import CapabilityUnavailable, ExtractionEmpty, UnsupportedFormat, WikiError
from wiki.parsing.blocks import ParsedDocument
from wiki.parsing.ocr import tesseract
from wiki.parsing.parser import parse_file
from wiki.parsing.picture import flat
from wiki.settings import ParsingSettings

pytestmark = [
    pytest.mark.skipif(not tesseract.installed(), reason="tesseract is not installed"),
    # docling reads its own deprecated options.
    pytest.mark.filterwarnings("ignore:This field is deprecated:DeprecationWarning"),
]
SETTINGS = ParsingSettings.model_validate({"ocr": {"provider": "tesseract"}})
Parse = Callable[[str, bytes], ParsedDocument]


def drawn(*lines: str, size: tuple[int, int] = (700, 260), ink: Any = "black", ground: Any = "white") -> Image.Image:
    picture = Image.new("RGBA" if ground == "clear" else "RGB", size, (0, 0, 0, 0) if ground == "clear" else ground)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((40, 40 + 60 * number), line, fill=ink, font=ImageFont.load_default(32))
    return picture


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    def read(name: str, data: bytes) -> ParsedDocument:
        path = tmp_path / name
        path.write_bytes(data)
        return parse_file(path, name, settings=SETTINGS)

    return read


@pytest.mark.parametrize(("kind", "name"), [("PNG", "a.png"), ("JPEG", "a.jpg"), ("BMP", "a.bmp"), ("GIF", "a.gif")])
def test_the_words_of_a_picture_become_text(kind: str, name: str, parse: Parse) -> None:
    document = parse(name, saved(drawn("Gate seven is closed", "Use the north door"), kind))
    assert "Gate seven is closed" in document.markdown
    assert "Use the north door" in document.markdown
    assert document.blocks[0].provenance is not None and document.blocks[0].provenance.page == 1


def test_light_letters_on_nothing_are_read(parse: Parse) -> None:
    assert (
        "Harbour lights" in parse("a.png", saved(drawn("Harbour lights", ink="white", ground="clear"), "PNG")).markdown
    )


def test_light_letters_on_a_dark_ground_are_read(parse: Parse) -> None:
    picture = drawn("Harbour lights", ink=(230, 230, 230), ground=(20, 30, 60))
    assert "Harbour lights" in parse("a.png", saved(picture, "PNG")).markdown


def test_a_picture_stored_sideways_is_turned_by_its_own_note(parse: Parse) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(drawn("Gate seven is closed").rotate(90, expand=True), "JPEG", exif=exif)
    assert "Gate seven is closed" in parse("a.jpg", data).markdown


def test_a_page_upside_down_is_turned(parse: Parse) -> None:
    lines = ("The keeper of the light", "writes down the weather", "every evening at nine", "before she goes to bed")
    markdown = parse("a.png", saved(drawn(*lines, size=(700, 320)).rotate(180), "PNG")).markdown
    assert "keeper of the light" in markdown


def test_each_page_of_a_tiff_keeps_its_number(parse: Parse) -> None:
    data = saved(
        drawn("This is the first sheet."), "TIFF", save_all=True, append_images=[drawn("This is the second sheet.")]
    )
    pages = {block.provenance.page: block.text for block in parse("a.tiff", data).blocks if block.provenance}
    assert "first sheet" in pages[1] and "second sheet" in pages[2]


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "I;16"])
def test_every_colour_mode_becomes_plain_colour(mode: str) -> None:
    picture = drawn("Words").convert("L" if mode == "I;16" else mode)
    assert flat(picture.convert("I") if mode == "I;16" else picture).mode == "RGB"


def test_a_picture_without_words_is_empty(parse: Parse) -> None:
    with pytest.raises(ExtractionEmpty):
        parse("a.png", saved(Image.new("RGB", (300, 200), "teal"), "PNG"))


@pytest.mark.parametrize(("kind", "name"), [("PNG", "a.png"), ("JPEG", "a.jpg"), ("GIF", "a.gif"), ("TIFF", "a.tif")])
def test_half_a_picture_is_damaged(kind: str, name: str, parse: Parse) -> None:
    data = saved(drawn("Gate seven"), kind)
    with pytest.raises(WikiError) as refused:
        parse(name, data[: len(data) // 2])
    assert refused.value.code in ("UNSUPPORTED_FORMAT", "EXTRACTION_EMPTY")


def test_a_picture_of_huge_size_is_refused_before_it_is_unpacked(parse: Parse) -> None:
    with pytest.raises(UnsupportedFormat, match="pixels"):
        parse("a.png", saved(Image.new("1", (20_000, 20_000)), "PNG"))


def test_a_language_that_is_not_installed_names_its_package(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(saved(drawn("Words"), "PNG"))
    settings = ParsingSettings.model_validate({"ocr": {"provider": "tesseract", "languages": ["ka"]}})
    with pytest.raises(CapabilityUnavailable, match="tesseract-ocr-kat"):
        parse_file(path, "a.png", settings=settings)
