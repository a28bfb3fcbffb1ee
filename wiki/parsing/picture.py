"""PNG, JPEG, WebP, GIF, TIFF and BMP pictures -> Markdown: each frame is a scanned page."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing import media_types as media
from wiki.parsing.source import Conversion, Source

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_PIXELS = 178_000_000
_LARGEST_SIDE = 6_000
_PAGE_WIDTH = 595.0
_MOST_GIF_FRAMES = 20
_CHANGED = 0.02
_TITLES = ("title", "Title", "XMP:Title")
_DESCRIPTION = 0x010E


def convert_picture(source: Source) -> Conversion:
    """The text a picture shows, in reading order; frames of a TIFF or an animation are its pages.

    Raises UnsupportedFormat when it is damaged or far too large, ExtractionEmpty when no text is in
    it, CapabilityUnavailable when its text cannot be read with the languages that are set.
    """
    from wiki.parsing.pdf.convert import docling_pieces, with_notes
    from wiki.parsing.pdf.scans import Scans

    frames, title = _read(source)
    scans = Scans({number: (lambda frame=frame: frame) for number, frame in enumerate(frames, 1)}, source.settings.ocr)
    try:
        pieces = docling_pieces(_blank_pages(frames), len(frames), scans, source, every_line=True)
    finally:
        scans.close()
    if not any(piece.text.strip() for piece in pieces):
        if scans.refused:
            raise next(iter(scans.refused.values()))
        raise ExtractionEmpty(f"{source.name} shows no text that can be read")
    notes = {number: error.message for number, error in scans.refused.items()}
    return Conversion(pieces=with_notes(pieces, notes), title=title)


def _read(source: Source) -> tuple[list[Image], str | None]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(source.path) as picture:
            width, height = picture.size
            if width * height > _MOST_PIXELS:
                raise UnsupportedFormat(
                    f"{source.name} is {width} by {height} pixels, more than the wiki unpacks; save it smaller"
                )
            title = _title(picture)
            return list(_frames(picture, source)), title
    except Image.DecompressionBombError as error:
        raise UnsupportedFormat(f"{source.name} has more pixels than the wiki unpacks; save it smaller") from error
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError, EOFError) as error:
        raise UnsupportedFormat(f"{source.name} is damaged: it cannot be read as a picture ({error})") from error


def _frames(picture: Image, source: Source) -> Iterator[Image]:
    count = int(getattr(picture, "n_frames", 1))
    if source.media_type == media.TIFF and count > source.settings.max_ocr_pages:
        raise UnsupportedFormat(
            f"{source.name} has {count} pages, more than the setting parsing.max_ocr_pages allows "
            f"({source.settings.max_ocr_pages})"
        )
    animated = source.media_type != media.TIFF
    last: Image | None = None
    given = 0
    for number in range(count):
        if animated and given >= _MOST_GIF_FRAMES:
            return
        picture.seek(number)
        if picture.width * picture.height > _MOST_PIXELS:
            raise UnsupportedFormat(f"{source.name} has more pixels than the wiki unpacks; save it smaller")
        frame = flat(picture)
        if animated and last is not None and not _differs(last, frame):
            continue
        last = frame
        given += 1
        yield frame


def flat(picture: Image) -> Image:
    """Upright, RGB, without transparency: on white, or on black when what shows is light."""
    from PIL import Image, ImageOps

    picture.load()
    upright = ImageOps.exif_transpose(picture)
    if max(upright.size) > _LARGEST_SIDE:
        upright = upright.copy()
        upright.thumbnail((_LARGEST_SIDE, _LARGEST_SIDE))
    if upright.mode.startswith("I") or upright.mode == "F":
        return _eight_bits(upright)
    if "A" in upright.getbands() or "transparency" in upright.info or upright.mode in ("PA", "La", "RGBa"):
        layered = upright.convert("RGBA")
        ground = "black" if _shows_light(layered) else "white"
        page = Image.new("RGBA", layered.size, ground)
        page.alpha_composite(layered)
        return page.convert("RGB")
    return upright.convert("RGB")


def _eight_bits(picture: Image) -> Image:
    """Sixteen bits or more a pixel, spread over eight."""
    import numpy as np
    from PIL import Image

    values: Any = np.asarray(picture, dtype="float64")
    low, high = float(values.min()), float(values.max())
    spread = (values - low) * (255.0 / (high - low)) if high > low else values * 0 + 255
    return Image.fromarray(spread.astype("uint8")).convert("RGB")


def _shows_light(picture: Image) -> bool:
    """Whether the pixels that are not transparent are light all over, as white text on nothing."""
    import numpy as np

    small = picture.copy()
    small.thumbnail((600, 600))
    pixels: Any = np.asarray(small, dtype="int32")
    shown = pixels[pixels[:, :, 3] > 128]
    clear = float((pixels[:, :, 3] < 32).mean())
    return clear > 0.3 and len(shown) > 0 and float((shown[:, :3].mean(axis=1) > 170).mean()) > 0.8


def _differs(one: Image, other: Image) -> bool:
    import numpy as np

    if one.size != other.size:
        return True
    a, b = (np.asarray(picture.convert("L").resize((96, 96)), dtype="int32") for picture in (one, other))
    return float((abs(a - b) > 40).mean()) > _CHANGED


def _blank_pages(frames: list[Image]) -> bytes:
    """A PDF of empty pages as wide as a sheet, in the frames' shape: places on them are in points."""
    import pypdfium2
    from docling.utils.locks import pypdfium2_lock

    stream = io.BytesIO()
    with pypdfium2_lock:
        document = pypdfium2.PdfDocument.new()
        try:
            for frame in frames:
                document.new_page(_PAGE_WIDTH, max(8.0, _PAGE_WIDTH * frame.height / frame.width)).close()
            document.save(stream)
        finally:
            document.close()
    return stream.getvalue()


def _title(picture: Image) -> str | None:
    """A title or description the picture's maker gave it."""
    said = [picture.info.get(key) for key in _TITLES]
    said.append(picture.getexif().get(_DESCRIPTION))
    for text in said:
        if isinstance(text, str) and 2 < len(text.strip()) <= 200:
            return " ".join(text.replace("\x00", " ").split()) or None
    return None
