import pytest
from PIL import Image, ImageDraw, ImageFont

from wiki.errors import CapabilityUnavailable
from wiki.parsing.ocr import tesseract
from wiki.parsing.ocr.engine import read_picture, readers
from wiki.parsing.ocr.languages import covers, rapidocr_reads, script, tesseract_code
from wiki.parsing.ocr.prepare import prepare, slant
from wiki.settings import OcrSettings

needs_tesseract = pytest.mark.skipif(not tesseract.installed(), reason="tesseract is not installed")


def page(*lines: str) -> Image.Image:
    picture = Image.new("L", (900, 120 + 50 * len(lines)), 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 50 * number), line, fill=0, font=ImageFont.load_default(30))
    return picture


@pytest.mark.parametrize("provider", ["rapidocr", pytest.param("tesseract", marks=needs_tesseract)])
def test_both_engines_give_lines_with_places_in_pixels(provider: str) -> None:
    picture = page("The ferry leaves at noon", "Bring a warm coat")
    reading = read_picture(picture, OcrSettings.model_validate({"provider": provider}))
    assert [line.text for line in reading.lines] == ["The ferry leaves at noon", "Bring a warm coat"]
    first, second = (line.area for line in reading.lines)
    assert 40 < first.left < 80 and 50 < first.top < 80 < first.bottom < second.bottom < picture.height
    assert reading.confidence > 0.8
    assert reading.lines[0].words[1].text == "ferry"


@needs_tesseract
def test_a_slanted_page_is_read() -> None:
    lines = ("The ferry leaves at noon", "Bring a warm coat", "and something to eat")
    reading = read_picture(page(*lines).rotate(4, expand=True, fillcolor=255), OcrSettings(provider="tesseract"))
    assert "Bring a warm coat" in " ".join(line.text for line in reading.lines)


def test_the_slant_of_a_page_is_measured() -> None:
    lines = tuple("several words in every line" for _ in range(6))
    assert abs(slant(page(*lines).rotate(3, expand=True, fillcolor=255)) + 3) <= 1
    assert slant(page(*lines)) == 0


def test_one_colour_and_specks_are_not_worth_a_look() -> None:
    assert prepare(Image.new("RGB", (400, 300), "white")) is None
    assert prepare(Image.new("RGB", (6, 6), "white")) is None


def test_languages_are_known_by_their_iso_codes() -> None:
    assert [tesseract_code(code) for code in ("en", "de", "zh", "de-AT", "eng")] == [
        "eng",
        "deu",
        "chi_sim",
        "deu",
        "eng",
    ]
    assert script("uk") == "Cyrillic" and script("pl") == "Latin"
    assert rapidocr_reads("ja") and not rapidocr_reads("ru") and not rapidocr_reads("vi")
    assert covers(("en",), "Latin") and not covers(("en",), "Hebrew") and covers(("ja",), "Han")


def test_a_script_no_engine_reads_is_said_not_guessed() -> None:
    with pytest.raises(CapabilityUnavailable, match="am"):
        readers(OcrSettings(provider="rapidocr", languages=("am",)))
    with pytest.raises(CapabilityUnavailable, match="none"):
        readers(OcrSettings(provider="none"))
