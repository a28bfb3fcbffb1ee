"""rapidocr as an OCR engine: PP-OCRv6, whose weights lie in its wheel."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from wiki.errors import CapabilityUnavailable
from wiki.parsing.ocr.languages import rapidocr_reads
from wiki.parsing.ocr.reading import Area, Reading, ReadLine, ReadWord

if TYPE_CHECKING:
    from PIL.Image import Image

# Detection needs no more than letters of ten pixels; its cost grows with the area.
_LONGEST_SIDE = 1600
_LEAST_CONFIDENCE = 0.5
_PADDING = 1.35
"""Detected boxes are about this much higher than the type in them."""


class RapidReader:
    """Raises CapabilityUnavailable for a language whose letters the model does not know."""

    name = "rapidocr"

    def __init__(self, languages: tuple[str, ...]) -> None:
        unread = [language for language in languages if not rapidocr_reads(language)]
        if unread:
            raise CapabilityUnavailable(
                f"the OCR model of rapidocr does not know the letters of {', '.join(unread)}; Tesseract may: "
                "install it with that language and set parsing.ocr.provider to tesseract"
            )

    def read(self, picture: Image) -> Reading:
        import numpy as np

        engine, lock = _engine()
        pixels = np.asarray(picture.convert("RGB"))[:, :, ::-1].copy()
        with lock:
            found = engine(pixels)
        if getattr(found, "boxes", None) is None or not found.txts:
            return Reading((), picture.width, picture.height)
        lines = [
            _line(box, text, float(score))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]
        return Reading(tuple(line for line in lines if line.words), picture.width, picture.height)


@cache
def _engine() -> tuple[Any, threading.Lock]:
    """One engine a process. Its model classes keep state between calls, so calls wait for each other."""
    from rapidocr import RapidOCR

    engine = RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": _LONGEST_SIDE,
            "Global.text_score": _LEAST_CONFIDENCE,
            # Turned lines are not wanted: a page upside down must read badly, so that it gets turned.
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": os.cpu_count() or 1,
            # Lines in a batch are padded to the longest.
            "Rec.rec_batch_num": 1,
        }
    )
    return engine, threading.Lock()


def _line(box: Any, text: str, confidence: float) -> ReadLine:
    xs, ys = [float(point[0]) for point in box], [float(point[1]) for point in box]
    left, right = min(xs), max(xs)
    # A slanted box: its own height, not that of the rectangle around it.
    middle = sum(ys) / 4
    height = abs((ys[3] + ys[2]) - (ys[0] + ys[1])) / 2 / _PADDING
    area = Area(left, middle - height / 2, right, middle + height / 2)
    step = (right - left) / max(len(text), 1)
    words: list[ReadWord] = []
    at = 0
    for part in text.split():
        at = text.index(part, at)
        place = Area(left + at * step, area.top, left + (at + len(part)) * step, area.bottom)
        words.append(ReadWord(part, place))
        at += len(part)
    return ReadLine(tuple(words), area, confidence)
