"""A picture made ready for an OCR engine: grey, dark on light, of a size its letters need, upright."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_PIXELS = 12_000_000
_SMALL_SIDE = 300
_LEAST_SIDE = 16
_STEP = 0.5
_SLANT_SIDE = 500
_STEEPEST = 8.0
_LEAST_ANGLE = 0.8
_LEVEL = 1.5


@dataclass(frozen=True)
class Prepared:
    picture: Image
    factor: float
    """How much larger it is than the one given."""


def prepare(picture: Image) -> Prepared | None:
    """Grey, inverted when most of it is dark, enlarged when it is small, reduced when it is huge.

    None for a picture of one colour or of a few pixels: nothing can be read there.
    """
    from PIL import Image, ImageOps

    grey = picture.convert("L")
    darkest, lightest = _extent(grey)
    if lightest - darkest < 12 or max(grey.size) < _LEAST_SIDE:
        return None
    if lightest - darkest < 128:
        grey = ImageOps.autocontrast(grey)
    if _is_dark(grey):
        grey = ImageOps.invert(grey)
    factor = 1.0
    if max(grey.size) < _SMALL_SIDE:
        factor = 3.0
    elif grey.width * grey.height > _MOST_PIXELS:
        factor = (_MOST_PIXELS / (grey.width * grey.height)) ** 0.5
    if factor != 1.0:
        size = (max(1, round(grey.width * factor)), max(1, round(grey.height * factor)))
        grey = grey.resize(size, Image.Resampling.LANCZOS)
    return Prepared(grey, factor)


def straightened(grey: Image) -> Image:
    """The page turned so that its lines lie level, when they slant by one to eight degrees."""
    from PIL import Image

    angle = slant(grey)
    if abs(angle) < _LEAST_ANGLE:
        return grey
    return grey.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)


def slant(grey: Image) -> float:
    """Degrees, counter-clockwise, that bring the lines of a page level: where its rows differ most.

    Looked for by whole degrees first, then by halves around the best. A page whose rows differ far
    more as it lies than turned by one degree is level.
    """
    import numpy as np
    from PIL import Image

    small = grey.copy()
    small.thumbnail((_SLANT_SIDE, _SLANT_SIDE))
    ink = Image.fromarray((255 - np.asarray(small)).astype("uint8"))

    def sharpness(angle: float) -> float:
        rows: Any = np.asarray(ink.rotate(angle, Image.Resampling.BILINEAR), dtype="float32").sum(axis=1)
        return float(((rows[1:] - rows[:-1]) ** 2).sum())

    level = sharpness(0.0)
    if level > _LEVEL * max(sharpness(1.0), sharpness(-1.0)):
        return 0.0
    steps = int(_STEEPEST)
    coarse = max((float(angle) for angle in range(-steps, steps + 1)), key=sharpness)
    best = max((coarse - _STEP, coarse, coarse + _STEP), key=sharpness)
    return best if sharpness(best) > 1.15 * level else 0.0


def _extent(grey: Image) -> tuple[int, int]:
    darkest, lightest = grey.getextrema()
    return int(darkest), int(lightest)  # type: ignore[arg-type]


def _is_dark(grey: Image) -> bool:
    """Whether the ground is dark: most pixels, and most of the edge."""
    import numpy as np

    small = grey.copy()
    small.thumbnail((400, 400))
    pixels: Any = np.asarray(small)
    return float((pixels < 110).mean()) > 0.6
