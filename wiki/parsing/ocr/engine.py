"""Picture -> lines of text, by the engine the settings choose."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from wiki.errors import CapabilityUnavailable
from wiki.parsing.ocr import tesseract
from wiki.parsing.ocr.languages import covers, letters_of, rapidocr_reads
from wiki.parsing.ocr.prepare import prepare, straightened
from wiki.parsing.ocr.rapid import RapidReader
from wiki.parsing.ocr.reading import WEAK, Reader, Reading

if TYPE_CHECKING:
    from PIL.Image import Image

    from wiki.settings import OcrSettings

_SURE = 0.82
_TURNS = (180, 90, 270)
_LEAST_LETTERS = 2
_LEAST_LINE = 0.3
_WEAK_LINE = 0.75
_MOST_WEAK = 0.12
_SMALL_TYPE = 22
_MOST_ENLARGED = 2_000_000


def read_picture(picture: Image, settings: OcrSettings) -> Reading:
    """The lines of a picture of any size, colour and orientation, placed in the picture as it is returned.

    ``width`` and ``height`` are those of the upright picture. No lines when nothing could be read.
    Raises CapabilityUnavailable when the text is in a script that no installed engine reads with these
    languages: wrong letters would be worse than none.
    """
    ready = prepare(picture)
    if ready is None:
        return Reading((), picture.width, picture.height)
    upright = straightened(ready.picture)
    first, second = readers(settings)
    best = first.read(upright)
    turned = upright
    if _doubtful(best) and (larger := _enlarged(upright, best)) is not None:
        found = first.read(larger)
        if found.score > best.score:
            best = found.scaled(0.5, upright.width, upright.height)
    if _doubtful(best):
        if best.confidence < _SURE:
            best, turned = _turned(first, upright, best)
        if best.confidence < _SURE:
            _refuse_unknown_script(turned, settings.languages)
        if second is not None:
            other = second.read(turned)
            best = other if other.confidence >= WEAK and other.score > 0.9 * best.score else best
    if best.confidence < WEAK or _is_noise(best):
        best = Reading((), best.width, best.height)
    kept = tuple(line for line in best.lines if line.confidence >= _LEAST_LINE)
    best = Reading(kept, best.width, best.height, turned is not upright)
    width, height = round(best.width / ready.factor), round(best.height / ready.factor)
    return best.scaled(1 / ready.factor, width, height)


def _doubtful(reading: Reading) -> bool:
    weak = sum(len(line.text) for line in reading.lines if line.confidence < _WEAK_LINE)
    return reading.confidence < _SURE or weak > _MOST_WEAK * reading.characters


def _enlarged(picture: Image, reading: Reading) -> Image | None:
    """Twice the picture, when its type is small."""
    from PIL import Image

    heights = sorted(line.area.height for line in reading.lines)
    if (heights and heights[len(heights) // 2] >= _SMALL_TYPE) or picture.width * picture.height > _MOST_ENLARGED:
        return None
    return picture.resize((2 * picture.width, 2 * picture.height), Image.Resampling.LANCZOS)


def _is_noise(reading: Reading) -> bool:
    """Specks taken for letters: hardly any, or mostly single ones."""
    texts = [line.text for line in reading.lines]
    return letters_of("".join(texts)) < _LEAST_LETTERS or sum(len(text) > 1 for text in texts) < 0.4 * len(texts)


def readers(settings: OcrSettings) -> tuple[Reader, Reader | None]:
    """The engine that reads, and one that reads again what the first is not sure of.

    Tesseract reads a page four to eight times as fast as rapidocr and nearly as well; rapidocr
    reads photographs, tables on coloured ground and odd type better.
    Raises CapabilityUnavailable when no installed engine reads the languages.
    """
    return _readers(str(settings.provider), tuple(settings.languages))


@lru_cache(maxsize=8)
def _readers(provider: str, languages: tuple[str, ...]) -> tuple[Reader, Reader | None]:
    if provider == "none":
        raise CapabilityUnavailable("scans and pictures are not read: the setting parsing.ocr.provider is none")
    rapid = find_spec("rapidocr") is not None and all(rapidocr_reads(language) for language in languages)
    if provider == "tesseract":
        return tesseract.TesseractReader(languages), None
    if provider == "rapidocr":
        # What its model cannot read, Tesseract may.
        return (RapidReader(languages) if rapid else _any(languages)), None
    if tesseract.installed():
        try:
            return tesseract.TesseractReader(languages), RapidReader(languages) if rapid else None
        except CapabilityUnavailable:
            if not rapid:
                raise
    return RapidReader(languages), None


def _any(languages: tuple[str, ...]) -> Reader:
    return tesseract.TesseractReader(languages) if tesseract.installed() else RapidReader(languages)


def _turned(reader: Reader, picture: Image, reading: Reading) -> tuple[Reading, Image]:
    """The best reading of the picture as it is and turned by quarters, and the picture so turned."""
    turns = _TURNS
    if tesseract.installed():
        lies = tesseract.pose(picture)
        if lies is not None and lies.turn_confidence > 3:
            turns = ((360 - lies.turn) % 360,)
    best, upright = reading, picture
    for turn in turns:
        if turn == 0:
            continue
        turned = picture.rotate(turn, expand=True)
        found = reader.read(turned)
        if found.confidence > best.confidence + 0.05 and found.score > 1.1 * best.score:
            best, upright = found, turned
        if best.confidence >= _SURE:
            break
    return best, upright


def _refuse_unknown_script(picture: Image, languages: tuple[str, ...]) -> None:
    if not tesseract.installed():
        return
    lies = tesseract.pose(picture)
    if lies is None or lies.script_confidence < 1 or covers(languages, lies.script):
        return
    raise CapabilityUnavailable(
        f"the text seems to be in {lies.script} script, which the setting parsing.ocr.languages "
        f"({', '.join(languages)}) does not name; add its language, and install it for Tesseract",
        script=lies.script,
    )
