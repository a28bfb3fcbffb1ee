"""What an OCR engine makes of a picture: lines of words with their places, in pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

WEAK = 0.6
"""Below this mean confidence a reading is more likely noise than text."""


@dataclass(frozen=True)
class Area:
    """A rectangle in pixels from the top left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True)
class ReadWord:
    text: str
    area: Area


@dataclass(frozen=True)
class ReadLine:
    """One line of one column. ``area`` is as high as the type, whatever letters the line holds."""

    words: tuple[ReadWord, ...]
    area: Area
    confidence: float
    """0 to 1."""

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True)
class Reading:
    """The lines of a picture, and the size of the picture their places are in."""

    lines: tuple[ReadLine, ...]
    width: int
    height: int
    turned: bool = False
    """Whether the picture had to be turned upright, so that places fit only the turned one."""

    @property
    def characters(self) -> int:
        return sum(len(word.text) for line in self.lines for word in line.words)

    @property
    def confidence(self) -> float:
        """Mean over the characters; 0 without text."""
        found = self.characters
        return sum(line.confidence * len(w.text) for line in self.lines for w in line.words) / found if found else 0.0

    @property
    def score(self) -> float:
        """How much was read how surely, to compare readings of one picture."""
        return sum(max(0.0, line.confidence - 0.4) * len(word.text) for line in self.lines for word in line.words)

    def scaled(self, factor: float, width: int, height: int) -> Reading:
        """The same lines in a picture ``factor`` times as large."""
        return Reading(tuple(_scaled(line, factor) for line in self.lines), width, height, self.turned)


class Reader(Protocol):
    """An OCR engine. Safe to call from several threads."""

    name: str

    def read(self, picture: Image) -> Reading:
        """The lines of an upright grey or RGB picture, dark on light, in the engine's reading order."""
        ...


def _scaled(line: ReadLine, factor: float) -> ReadLine:
    words = tuple(replace(word, area=_area(word.area, factor)) for word in line.words)
    return ReadLine(words, _area(line.area, factor), line.confidence)


def _area(area: Area, factor: float) -> Area:
    return Area(area.left * factor, area.top * factor, area.right * factor, area.bottom * factor)
