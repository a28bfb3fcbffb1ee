"""Tesseract, the program, as an OCR engine: about one page a second and core."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from wiki.errors import CapabilityUnavailable, InternalError
from wiki.parsing.ocr.languages import tesseract_code, tesseract_package
from wiki.parsing.ocr.reading import Area, Reading, ReadLine, ReadWord

if TYPE_CHECKING:
    from PIL.Image import Image

_SECONDS = 120
_XHTML = "{http://www.w3.org/1999/xhtml}"
_LINES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
_GAP = 1.6
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


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
        said = _run(picture, "-l", self._codes, "--psm", "3", "-c", "hocr_font_info=0", "hocr")
        return Reading(tuple(_lines(said)), picture.width, picture.height)


def installed() -> bool:
    return shutil.which("tesseract") is not None


@cache
def installed_languages() -> frozenset[str]:
    said = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False, timeout=_SECONDS)
    return frozenset(line.strip() for line in said.stdout.splitlines()[1:])


def pose(picture: Image) -> Pose | None:
    """How the page lies; None when there is too little text to tell."""
    if "osd" not in installed_languages():
        return None
    said = dict(re.findall(r"^([A-Z][a-z ]+): *(\S+)", _run(picture, "-l", "osd", "--psm", "0", strict=False), re.M))
    if "Rotate" not in said:
        return None
    return Pose(
        int(said["Rotate"]),
        float(said.get("Orientation confidence", 0)),
        said.get("Script", ""),
        float(said.get("Script confidence", 0)),
    )


def _run(picture: Image, *arguments: str, strict: bool = True) -> str:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1, dpi=(200, 200))
    try:
        done = subprocess.run(
            ["tesseract", "stdin", "stdout", "--dpi", "200", *arguments],
            input=stream.getvalue(),
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            # Its threads wait for each other; pages side by side use the cores better.
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise InternalError(f"Tesseract took longer than {_SECONDS} s for one page and was given up") from error
    if done.returncode and strict:
        raise InternalError(f"Tesseract failed: {done.stderr.decode('utf-8', 'replace').strip()[-200:]}")
    return done.stdout.decode("utf-8", "replace")


def _lines(hocr: str) -> list[ReadLine]:
    lines: list[ReadLine] = []
    for element in ElementTree.fromstring(_CONTROLS.sub("", hocr)).iter(f"{_XHTML}span"):
        if element.get("class") in _LINES:
            lines += _parts(element)
    return lines


def _parts(element: ElementTree.Element) -> list[ReadLine]:
    """The line, cut where a gap is far wider than a word space, as between the cells of a table."""
    title = element.get("title", "")
    size, below = _number(title, "x_size"), _number(title, "x_descenders")
    words: list[tuple[ReadWord, float]] = []
    for word in element.iter(f"{_XHTML}span"):
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
