"""Tesseract as an OCR engine: its library in this process, about a page a second and core."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from wiki.errors import CapabilityUnavailable, UnsupportedFormat
from wiki.parsing.ocr.languages import tesseract_code, tesseract_package
from wiki.parsing.ocr.reading import Area, Reading, ReadLine, ReadWord

if TYPE_CHECKING:
    from PIL.Image import Image

_SECONDS = 120
_RESOLUTION = 200
_LINES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
_GAP = 1.6
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


_waiting: dict[tuple[str, str], queue.SimpleQueue[Any]] = {}
"""Engines that nobody uses at the moment, by languages and mode."""


@dataclass(frozen=True)
class Pose:
    """How a page lies: degrees to turn it clockwise to stand upright, and the script it is written in."""

    turn: int
    turn_confidence: float
    script: str
    script_confidence: float


class TesseractReader:
    """Raises CapabilityUnavailable when a language is not installed, with the package that holds it."""

    name = "tesseract"

    def __init__(self, languages: tuple[str, ...]) -> None:
        codes = list(dict.fromkeys(tesseract_code(language) for language in languages))
        missing = [code for code in codes if code not in installed_languages()]
        if missing:
            packages = " ".join(tesseract_package(code) for code in missing)
            raise CapabilityUnavailable(
                f"Tesseract cannot read {', '.join(missing)} here (apt-get install {packages}); "
                "the setting parsing.ocr.languages names the languages of scans and pictures"
            )
        self._codes = "+".join(codes)

    def read(self, picture: Image) -> Reading:
        with _engine(self._codes, "AUTO") as engine:
            _show(engine, picture)
            if not engine.Recognize(_SECONDS * 1000):
                raise UnsupportedFormat(f"a page with so much on it that reading it took longer than {_SECONDS} s")
            said = engine.GetHOCRText(0)
        return Reading(tuple(_lines(said)), picture.width, picture.height)


def installed() -> bool:
    """Whether the library is there, and the program, with which its language models come."""
    return find_spec("tesserocr") is not None and shutil.which("tesseract") is not None


def installed_languages() -> frozenset[str]:
    return _models()[1]


def pose(picture: Image) -> Pose | None:
    """How the page lies; None when there is too little text to tell."""
    if "osd" not in installed_languages():
        return None
    with _engine("osd", "OSD_ONLY") as engine:
        _show(engine, picture)
        said = engine.DetectOrientationScript()
    if not said:
        return None
    return Pose(-int(said["orient_deg"]) % 360, said["orient_conf"], said["script_name"], said["script_conf"])


def _show(engine: Any, picture: Image) -> None:
    grey = picture.convert("L")
    engine.SetImageBytes(grey.tobytes(), grey.width, grey.height, 1, grey.width)
    engine.SetSourceResolution(_RESOLUTION)


@contextlib.contextmanager
def _engine(codes: str, mode: str) -> Generator[Any]:
    """An engine nobody else uses meanwhile; it keeps its model for the next page."""
    waiting = _waiting.setdefault((codes, mode), queue.SimpleQueue())
    try:
        engine = waiting.get_nowait()
    except queue.Empty:
        library = _library()
        engine = library.PyTessBaseAPI(path=_models()[0], lang=codes, psm=getattr(library.PSM, mode))
    try:
        yield engine
    finally:
        engine.Clear()
        waiting.put(engine)


@cache
def _library() -> Any:
    # Its threads wait for each other; pages side by side use the cores better. It looks at this when it is loaded.
    before = os.environ.get("OMP_THREAD_LIMIT")
    os.environ["OMP_THREAD_LIMIT"] = "1"
    try:
        return import_module("tesserocr")
    finally:
        if before is None:
            del os.environ["OMP_THREAD_LIMIT"]
        else:
            os.environ["OMP_THREAD_LIMIT"] = before


@cache
def _models() -> tuple[str, frozenset[str]]:
    """The folder of the language models, and the languages in it."""
    said = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False, timeout=_SECONDS)
    first, *names = (said.stdout or said.stderr).splitlines() or [""]
    folder = re.search(r'"(.+)"', first)
    if folder is None:
        raise CapabilityUnavailable(f"Tesseract does not tell where its language models are ({first[:200]})")
    return folder.group(1), frozenset(name.strip() for name in names)


def _lines(hocr: str) -> list[ReadLine]:
    lines: list[ReadLine] = []
    for element in ElementTree.fromstring(_CONTROLS.sub("", hocr)).iter("span"):
        if element.get("class") in _LINES:
            lines += _parts(element)
    return lines


def _parts(element: ElementTree.Element) -> list[ReadLine]:
    """The line, cut where a gap is far wider than a word space, as between the cells of a table."""
    title = element.get("title", "")
    size, below = _number(title, "x_size"), _number(title, "x_descenders")
    words: list[tuple[ReadWord, float]] = []
    for word in element.iter("span"):
        text = "".join(word.itertext()).strip()
        said = word.get("title", "")
        sure = _number(said, "x_wconf") / 100
        if word.get("class") == "ocrx_word" and text:
            words.append((ReadWord(text, _box(said)), sure))
    if not words:
        return []
    parts: list[list[tuple[ReadWord, float]]] = [[words[0]]]
    for word in words[1:]:
        gap = word[0].area.left - parts[-1][-1][0].area.right
        if gap > _GAP * max(size, 1):
            parts.append([])
        parts[-1].append(word)
    slope = _slope(title)
    whole = _box(title)
    return [_line(part, whole, slope, size, below) for part in parts]


def _line(
    words: list[tuple[ReadWord, float]], whole: Area, slope: tuple[float, float], size: float, below: float
) -> ReadLine:
    left, right = words[0][0].area.left, max(word.area.right for word, _ in words)
    base = whole.bottom + slope[1] + slope[0] * ((left + right) / 2 - whole.left)
    characters = sum(len(word.text) for word, _ in words)
    confidence = sum(sure * len(word.text) for word, sure in words) / characters
    area = Area(left, base + below - size, right, base + below)
    return ReadLine(tuple(word for word, _ in words), area, confidence)


def _box(title: str) -> Area:
    found = re.search(r"bbox (\d+) (\d+) (\d+) (\d+)", title)
    return Area(*(float(edge) for edge in found.groups())) if found else Area(0, 0, 0, 0)


def _number(title: str, name: str) -> float:
    found = re.search(rf"{name} (-?[\d.]+)", title)
    return float(found.group(1)) if found else 0.0


def _slope(title: str) -> tuple[float, float]:
    found = re.search(r"baseline (-?[\d.]+) (-?[\d.]+)", title)
    return (float(found.group(1)), float(found.group(2))) if found else (0.0, 0.0)
