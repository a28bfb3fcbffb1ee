"""Scanned pages: read by OCR, a few ahead of the page that is asked for, and given to docling as its own cells."""

# docling re-exports its types without saying so.
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wiki.errors import CapabilityUnavailable
from wiki.parsing.ocr.engine import read_picture
from wiki.parsing.ocr.reading import Area, Reading
from wiki.parsing.source import Progress, Step, no_progress

if TYPE_CHECKING:
    from PIL.Image import Image

    from wiki.settings import OcrSettings

_AHEAD = 4
_LAYOUT_SIDE = 1_200
_SAME_TYPE = 0.2
_AROUND = 0.4
_INK = 60
_SPECKS = 0.0005


@dataclass(frozen=True)
class Scan:
    """A page as read, and a small picture of it for the layout model."""

    reading: Reading
    picture: Image
    bare: bool
    """Whether there is nothing but text: no picture, no lines of a table."""


class Scans:
    """The scanned pages of one document. ``pictures`` makes the picture of a page, by its number.

    Thread safe. ``close`` it: it has threads.
    """

    def __init__(self, pictures: Mapping[int, Callable[[], Image]], settings: OcrSettings) -> None:
        self._pictures = pictures
        self._settings = settings
        self._order = sorted(pictures)
        self._threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="ocr")
        self._lock = threading.Lock()
        self._asked: dict[int, Future[Scan]] = {}
        self.refused: dict[int, CapabilityUnavailable] = {}
        """Pages in a script that cannot be read here."""

    def __contains__(self, page: int) -> bool:
        return page in self._pictures

    def read(self, page: int) -> Scan | None:
        """The page, waiting for it; None when it was refused."""
        with self._lock:
            at = self._order.index(page)
            for number in self._order[at : at + _AHEAD]:
                if number not in self._asked:
                    self._asked[number] = self._threads.submit(self._read, number)
            wanted = self._asked[page]
        try:
            return wanted.result()
        except CapabilityUnavailable as error:
            self.refused[page] = error
            return None
        finally:
            # What was handed out is kept no longer than needed; nobody asks twice.
            self._asked[page] = Future()

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _read(self, number: int) -> Scan:
        picture = self._pictures[number]()
        reading = read_picture(picture, self._settings)
        bare = is_bare(picture, reading)
        picture.thumbnail((_LAYOUT_SIDE, _LAYOUT_SIDE), reducing_gap=2)
        return Scan(reading, picture, bare)


def is_bare(picture: Image, reading: Reading) -> bool:
    """Whether hardly any ink of a page lies outside the lines read on it.

    A turned page is not: its lines' places fit another picture.
    """
    import numpy as np
    from PIL import ImageDraw

    if reading.turned or not reading.lines:
        return False
    rest = picture.reduce(2)
    ground = int(np.median(np.asarray(rest)))
    scale = rest.width / reading.width
    draw = ImageDraw.Draw(rest)
    for line in reading.lines:
        area, around = line.area, _AROUND * line.area.height
        edges = (area.left - around, area.top - around, area.right + around, area.bottom + around)
        draw.rectangle([edge * scale for edge in edges], fill=ground)
    return float((np.asarray(rest) < ground - _INK).mean()) < _SPECKS


@dataclass
class Job:
    """What our stages must know about the document docling is reading."""

    pages: int
    data: bytes
    scans: Scans | None = None
    drawn: frozenset[int] | None = None
    """Pages where ruled tables may be; None when all may have some."""
    progress: Progress = no_progress
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def step(self) -> None:
        with self.lock:
            self.done += 1
            self.progress(Step("page", self.done, self.pages))


jobs: dict[str, Job] = {}
"""By the name docling was given for the document."""


def job_of(conv_res: Any) -> Job | None:
    return jobs.get(conv_res.input.file.name)


def put_cells(page: Any, reading: Reading) -> None:
    """Makes the lines and words of a reading the cells of docling's page, in points."""
    from docling_core.types.doc.page import TextCell

    scale = min(page.size.width / reading.width, page.size.height / reading.height)
    body = _body(reading)

    def cell(index: int, text: str, area: Area, confidence: float) -> Any:
        return TextCell(
            index=index,
            text=text,
            orig=text,
            confidence=confidence,
            from_ocr=True,
            rect=_rectangle(area, scale),
        )

    lines = [
        cell(number, line.text, _level(line.area, body), line.confidence) for number, line in enumerate(reading.lines)
    ]
    words = [
        cell(number, word.text, Area(word.area.left, place.top, word.area.right, place.bottom), confidence)
        for number, (word, place, confidence) in enumerate(
            (word, _level(line.area, body), line.confidence) for line in reading.lines for word in line.words
        )
    ]
    parsed = page.parsed_page
    parsed.char_cells = []
    parsed.textline_cells, parsed.has_lines = lines, True
    parsed.word_cells, parsed.has_words = words, True


def _body(reading: Reading) -> float:
    heights = sorted(height for line in reading.lines for height in [line.area.height] * len(line.text))
    return heights[len(heights) // 2] if heights else 0.0


def _level(area: Area, body: float) -> Area:
    """Type of about the body's height is body type; what OCR measures trembles."""
    if body and abs(area.height / body - 1) <= _SAME_TYPE:
        middle = (area.top + area.bottom) / 2
        return Area(area.left, middle - body / 2, area.right, middle + body / 2)
    return area


def _rectangle(area: Area, scale: float) -> Any:
    from docling_core.types.doc import BoundingBox, CoordOrigin
    from docling_core.types.doc.page import BoundingRectangle

    return BoundingRectangle.from_bounding_box(
        BoundingBox(
            l=area.left * scale,
            t=area.top * scale,
            r=area.right * scale,
            b=area.bottom * scale,
            coord_origin=CoordOrigin.TOPLEFT,
        )
    )
