"""The picture of a scanned page, no larger than its type needs: OCR costs by the pixel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

_COARSE = 150
_FINE = 200
_TALL_TYPE = 16
"""Pixels from the top of a tall letter to the bottom of a hanging one, at the coarse resolution: about 8.5 points.
Larger type is read as well there as at the fine one; smaller type is not."""
_LEAST_LINES = 5
_MOST_PIXELS = 12_000_000


def page_picture(data: bytes, number: int) -> Callable[[], Image]:
    """Makes the grey picture of a page: at 150 dots an inch when it shows large type, else at 200, fewer when it is huge."""

    def render() -> Image:
        import pypdfium2
        from docling.utils.locks import pypdfium2_lock

        with pypdfium2_lock:
            document = pypdfium2.PdfDocument(data)
            try:
                page = document[number - 1]
                picture = _rendered(page, _COARSE)
                tall = type_height(picture)
                return picture if tall is not None and tall >= _TALL_TYPE else _rendered(page, _FINE)
            finally:
                document.close()

    return render


def type_height(picture: Image) -> float | None:
    """Pixels that the middle one of the page's lines is high; None when its lines cannot be told apart.

    Lines are rows of pixels with ink between rows without: side by side in columns that do not
    match, or on a slanted page, they run together.
    """
    import numpy as np

    pixels: Any = np.asarray(picture)
    ground = int(np.median(pixels[::4, ::4]))
    ink = (pixels < ground - 60).sum(axis=1) > max(3, picture.width // 400)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.astype("int8"), [0]))))
    heights = edges[1::2] - edges[::2]
    heights = heights[heights > 4]
    return float(np.median(heights)) if len(heights) >= _LEAST_LINES and heights.max() < picture.height / 8 else None


def _rendered(page: Any, resolution: int) -> Image:
    width, height = page.get_size()
    scale = min(resolution / 72, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    return page.render(scale=scale, grayscale=True).to_pil().convert("L")
