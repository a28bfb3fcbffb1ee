import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from wiki.errors import CapabilityUnavailable, ExtractionEmpty, UnsupportedFormat
from wiki.parsing.blocks import ParsedDocument, Provenance
from wiki.parsing.ocr import tesseract
from wiki.parsing.ocr.reading import Area, Reading, ReadLine, ReadWord
from wiki.parsing.parser import parse_file
from wiki.parsing.pdf.convert import with_notes
from wiki.parsing.pdf.look import is_garbage, look
from wiki.parsing.pdf.page_picture import page_picture, type_height
from wiki.parsing.pdf.scans import is_bare
from wiki.parsing.source import Piece, Step
from wiki.settings import ParsingSettings

pytestmark = [
    pytest.mark.skipif(not tesseract.installed(), reason="tesseract is not installed"),
    # docling reads its own deprecated options.
    pytest.mark.filterwarnings("ignore:This field is deprecated:DeprecationWarning"),
]
Page = str | Image.Image | None


def scan(*lines: str) -> Image.Image:
    picture = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((150, 200 + 60 * number), line, fill=0, font=ImageFont.load_default(34))
    return picture


def pdf(*pages: Page, hidden: str = "", **options: Any) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(595, 842), **options)
    for page in pages:
        if isinstance(page, str):
            canvas.setFont("Helvetica", 11)
            for number, line in enumerate(page.splitlines()):
                canvas.drawString(72, 760 - 15 * number, line)
        elif page is not None:
            canvas.drawImage(ImageReader(page), 0, 0, 595, 842)
            if hidden:
                layer = canvas.beginText(72, 700)
                layer.setTextRenderMode(3)
                layer.textLine(hidden)
                canvas.drawText(layer)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def settings(**changes: Any) -> ParsingSettings:
    return ParsingSettings.model_validate({"ocr": {"provider": "tesseract"}, **changes})


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., ParsedDocument]:
    def read(data: bytes, given: ParsingSettings | None = None, **more: Any) -> ParsedDocument:
        path = tmp_path / "report.pdf"
        path.write_bytes(data)
        return parse_file(path, "report.pdf", settings=given or settings(), **more)

    return read


Parse = Callable[..., ParsedDocument]
TYPED = "The tide tables for the spring.\nThey are printed every year."


def test_a_scanned_page_between_typed_ones_is_read_in_its_place(parse: Parse) -> None:
    steps: list[Step] = []
    data = pdf(TYPED, scan("The old lighthouse was painted", "white again in the spring."), "Last page is typed.")
    document = parse(data, progress=steps.append)
    pages = {block.provenance.page: block.text for block in document.blocks if block.provenance}
    assert "tide tables" in pages[1] and "lighthouse was painted white again" in pages[2] and "typed" in pages[3]
    assert steps[-1] == Step("page", 3, 3) and len(steps) == 3


def test_an_invisible_layer_of_nonsense_is_not_believed(parse: Parse) -> None:
    data = pdf(scan("The old lighthouse was painted", "white again in the spring."), hidden="#~|%" * 9)
    assert is_garbage("\ufffd\ue001\ue002 \ufffd") and is_garbage("(cid:12)(cid:40)") and not is_garbage("Two words")
    assert "old lighthouse" in parse(data).markdown


def test_a_stamp_on_a_scan_does_not_hide_the_scan() -> None:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(595, 842))
    canvas.drawImage(ImageReader(scan("Old")), 0, 0, 595, 842)
    canvas.drawString(400, 20, "Received 3 May")
    canvas.save()
    found = look(stream.getvalue(), "a.pdf")
    assert found.scanned == {1} and not found.text


def test_a_readable_layer_under_a_scan_is_kept() -> None:
    found = look(pdf(scan("Old"), hidden="The old lighthouse"), "a.pdf")
    assert found.text == {1}


def test_empty_pages_are_neither_text_nor_scan() -> None:
    found = look(pdf(TYPED, None), "a.pdf")
    assert (found.pages, found.text, found.scanned) == (2, {1}, frozenset())


def test_without_ocr_a_note_stands_for_the_scanned_page(parse: Parse) -> None:
    document = parse(pdf(TYPED, scan("Old"), "Last page."), settings(ocr={"provider": "none"}))
    assert "*Page 2 is a scan and was not read: OCR is turned off" in document.markdown
    assert document.markdown.index("tide tables") < document.markdown.index("*Page 2") < document.markdown.index("Last")


def test_notes_stand_in_page_order() -> None:
    pieces = tuple(Piece(f"p{page}\n\n", Provenance(page=page)) for page in (2, 4))
    found = with_notes(pieces, {1: "a", 3: "b", 5: "c"})
    assert [piece.provenance.page for piece in found if piece.provenance] == [1, 2, 3, 4, 5]


def test_a_pure_scan_without_ocr_is_empty_or_a_missing_capability(parse: Parse) -> None:
    data = pdf(scan("Old"))
    with pytest.raises(ExtractionEmpty, match="turned off"):
        parse(data, settings(ocr={"provider": "none"}))
    with pytest.raises(CapabilityUnavailable, match="tesseract-ocr-kat"):
        parse(data, settings(ocr={"provider": "tesseract", "languages": ["ka"]}))


def test_too_many_pages_name_the_setting(parse: Parse) -> None:
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_pages"):
        parse(pdf(TYPED, TYPED), settings(max_pages=1))
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_ocr_pages"):
        parse(pdf(scan("a"), scan("b")), settings(max_ocr_pages=1))


def test_only_a_needed_password_locks_a_document(parse: Parse) -> None:
    assert "tide tables" in parse(pdf(TYPED, encrypt=StandardEncryption("", "owner", canCopy=0))).markdown
    with pytest.raises(UnsupportedFormat, match="password"):
        parse(pdf(TYPED, encrypt=StandardEncryption("secret", "owner")))


def test_dashes_and_quotes_stay_as_they_are(parse: Parse) -> None:
    assert (
        "spring \u2014 or 3\u20134 \u201cdays\u201d"
        in parse(pdf("It rained in spring \u2014 or 3\u20134 \u201cdays\u201d long.")).markdown
    )


def typed(points: float, *, columns: int = 1) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(595, 842))
    canvas.setFont("Times-Roman", points)
    for column in range(columns):
        for line in range(20):
            canvas.drawString(
                60 + 250 * column, 780 - 7 * column - 1.3 * points * line, "Valves of pump house five hold"
            )
    canvas.save()
    return stream.getvalue()


def test_pages_of_small_type_are_rendered_finer_than_those_of_large_type() -> None:
    coarse, fine = (page_picture(typed(points), 1)() for points in (11, 6.5))
    assert (round(coarse.width / 595 * 72), round(fine.width / 595 * 72)) == (150, 200)


def test_a_page_whose_lines_cannot_be_told_apart_is_rendered_finely() -> None:
    assert type_height(Image.new("L", (1240, 1754), 255)) is None
    assert type_height(scan("one", "two")) is None
    assert page_picture(typed(11, columns=2), 1)().width > 1_600


def test_ink_beside_the_lines_tells_a_picture_or_a_ruled_table() -> None:
    page = scan("Pump five was serviced", "and started again")
    word = ReadWord("Pump", Area(140, 195, 700, 320))
    read = Reading((ReadLine((word,), Area(140, 195, 700, 320), 0.9),), page.width, page.height)
    assert is_bare(page, read)
    assert not is_bare(page, Reading((), page.width, page.height))
    drawn = page.copy()
    ImageDraw.Draw(drawn).rectangle((200, 700, 1000, 1200), outline=0, width=4)
    assert not is_bare(drawn, read)
