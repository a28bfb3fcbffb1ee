"""SVG pictures -> the words in their source, lines and paragraphs put together by where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5
from xml.etree import ElementTree

from wiki.errors import UnsupportedFormat
from wiki.parsing.encoding import decode
from wiki.parsing.escape import escape_text
from wiki.parsing.source import Conversion, Piece, Source

Matrix = tuple[float, float, float, float, float, float]

_UPRIGHT: Matrix = (1, 0, 0, 1, 0, 0)
_NEVER_SHOWN = frozenset({"script", "style", "metadata", "clipPath", "mask"})
_HTML_BLOCKS = frozenset({"p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "section"})
_KEPT_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TRANSFORM = re.compile(r"(matrix|translate|scale)\s*\(([^)]*)\)")
_DECLARED_ENCODING = re.compile(r"(<\?xml[^>]*?)\s+encoding\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_GLYPHS = 2
_FONT_SIZE = 12.0
_LINE_FEED = 2.2


@dataclass(frozen=True)
class _Line:
    """Words on one baseline. ``x`` and ``y`` in the picture's units, y downwards."""

    text: str
    x: float
    y: float
    size: float


def convert_svg(source: Source) -> Conversion:
    """Title, description and every text that is shown, one paragraph for lines that stand below each other.

    Raises UnsupportedFormat when the XML is broken.
    """
    text = _DECLARED_ENCODING.sub(r"\1", decode(source.read(), source.name))
    if "<!ENTITY" not in text:
        text = re.sub(r"&([A-Za-z]\w*);", _spelled_out, text)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UnsupportedFormat(f"{source.name} is damaged: its XML cannot be read ({error})") from error
    title = next((_words(child) for child in root if _name(child) == "title"), "")
    paragraphs = [f"# {escape_text(title)}"] if title else []
    paragraphs += [escape_text(words) for child in root if _name(child) == "desc" and (words := _words(child))]
    drawn = list(_paragraphs(list(_lines(root))))
    shown = " ".join([title, *drawn])
    paragraphs += [escape_text(paragraph) for paragraph in drawn]
    paragraphs += [escape_text(words) for words in _tooltips(root) if words not in shown]
    return Conversion(pieces=tuple(Piece(f"{words}\n\n") for words in paragraphs), title=title or None)


def _spelled_out(entity: re.Match[str]) -> str:
    """HTML's named characters; XML knows five of them only."""
    return entity.group() if entity.group(1) in _KEPT_ENTITIES else html5.get(f"{entity.group(1)};", entity.group())


def _lines(root: ElementTree.Element) -> Iterator[_Line]:
    """Every line of text in the picture, in the order of the source."""
    pending = [(root, _UPRIGHT, _FONT_SIZE)]
    while pending:
        node, matrix, size = pending.pop()
        name = _name(node)
        if name in _NEVER_SHOWN or _is_hidden(node):
            continue
        matrix = _combined(matrix, node.get("transform", ""))
        size = _font_size(node, size)
        if name == "text":
            yield from _text_lines(node, matrix, size)
        elif name == "foreignObject":
            for words in _html_paragraphs(node):
                yield _Line(words, *_placed(matrix, _first(node, "x", 0), _first(node, "y", 0)), size)
        else:
            pending += [(child, matrix, size) for child in reversed(node)]


def _text_lines(text: ElementTree.Element, matrix: Matrix, size: float) -> Iterator[_Line]:
    """The lines of one text element: a tspan on another baseline, or back at the left, begins a new one."""
    x, y = _first(text, "x", 0), _first(text, "y", 0)
    start, words = (x, y), ""
    for piece, own_x, own_y, step in _runs(text):
        lower = (own_y is not None and abs(own_y - y) > 1) or (step and abs(step) > 0.3 * size)
        back = own_x is not None and own_x < x
        if words.strip() and (lower or back):
            yield _Line(" ".join(words.split()), *_placed(matrix, *start), size)
            words = ""
        elif own_x is not None and len(piece.strip()) > _GLYPHS and not words.endswith(" "):
            words += " "
        x = own_x if own_x is not None else x
        y = (own_y if own_y is not None else y) + step
        if not words.strip():
            start = (x, y)
        words += piece
    if words.strip():
        yield _Line(" ".join(words.split()), *_placed(matrix, *start), size)


def _runs(text: ElementTree.Element) -> Iterator[tuple[str, float | None, float | None, float]]:
    """Stretches of characters with the x and y their tspan sets, and its dy in the picture's units."""
    yield text.text or "", None, None, 0
    for child in text:
        if _name(child) not in _NEVER_SHOWN | {"title", "desc"} and not _is_hidden(child):
            for number, (words, x, y, step) in enumerate(_runs(child)):
                if number == 0:
                    x, y, step = _given(child, "x"), _given(child, "y"), _step(child)
                yield words, x, y, step
        yield child.tail or "", None, None, 0


def _paragraphs(lines: list[_Line]) -> Iterator[str]:
    """Lines of one baseline joined, and lines close below each other with the same left edge."""
    words = ""
    before: _Line | None = None
    for line in lines:
        if before is not None and _goes_on(before, line):
            words += ("" if len(line.text) <= 1 and len(before.text) <= 1 else " ") + line.text
        else:
            if words:
                yield words
            words = line.text
        before = line
    if words:
        yield words


def _goes_on(before: _Line, line: _Line) -> bool:
    if abs(line.y - before.y) <= 0.5 * line.size:
        return line.x >= before.x
    same_edge = abs(line.x - before.x) <= line.size
    return same_edge and 0 < line.y - before.y <= _LINE_FEED * line.size and abs(line.size - before.size) < 1


def _html_paragraphs(node: ElementTree.Element) -> list[str]:
    parts: list[str] = []

    def walk(element: ElementTree.Element) -> None:
        if _name(element) in _NEVER_SHOWN:
            return
        block = _name(element) in _HTML_BLOCKS
        parts.append(("\n" if block else "") + (element.text or ""))
        for child in element:
            walk(child)
            parts.append(child.tail or "")
        if block:
            parts.append("\n")

    walk(node)
    return [words for line in "".join(parts).split("\n") if (words := " ".join(line.split()))]


def _tooltips(root: ElementTree.Element) -> list[str]:
    """Titles and descriptions of parts of the picture, each once."""
    found = [
        _words(child)
        for parent in root.iter()
        if parent is not root
        for child in parent
        if _name(child) in ("title", "desc")
    ]
    return list(dict.fromkeys(words for words in found if words))


def _combined(above: Matrix, transform: str) -> Matrix:
    """``above`` times an element's own transform, https://www.w3.org/TR/SVG11/coords.html#TransformAttribute.
    Rotations are left out: they do not move a text off its place."""
    for kind, written in _TRANSFORM.findall(transform):
        numbers = [float(number) for number in _NUMBER.findall(written)]
        own = _UPRIGHT
        if kind == "matrix" and len(numbers) == 6:
            own = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        elif kind == "translate" and numbers:
            own = (1, 0, 0, 1, numbers[0], numbers[1] if len(numbers) > 1 else 0)
        elif kind == "scale" and numbers:
            own = (numbers[0], 0, 0, numbers[-1], 0, 0)
        a, b, c, d, e, f = above
        above = (
            a * own[0] + c * own[1],
            b * own[0] + d * own[1],
            a * own[2] + c * own[3],
            b * own[2] + d * own[3],
            a * own[4] + c * own[5] + e,
            b * own[4] + d * own[5] + f,
        )
    return above


def _placed(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _font_size(node: ElementTree.Element, inherited: float) -> float:
    styled = re.search(r"font-size\s*:\s*([\d.]+)", node.get("style", ""))
    written = styled.group(1) if styled else node.get("font-size", "")
    number = _NUMBER.match(written)
    return max(1.0, float(number.group())) if number and "%" not in written and "em" not in written else inherited


def _step(node: ElementTree.Element) -> float:
    written = node.get("dy", "")
    number = _NUMBER.match(written.strip())
    if not number:
        return 0
    return float(number.group()) * (_FONT_SIZE if "em" in written else 1)


def _given(node: ElementTree.Element, name: str) -> float | None:
    number = _NUMBER.match(node.get(name, "").strip())
    return float(number.group()) if number else None


def _first(node: ElementTree.Element, name: str, otherwise: float) -> float:
    found = _given(node, name)
    return otherwise if found is None else found


def _is_hidden(node: ElementTree.Element) -> bool:
    style = node.get("style", "").replace(" ", "")
    return (
        node.get("display") == "none"
        or node.get("visibility") in ("hidden", "collapse")
        or "display:none" in style
        or "visibility:hidden" in style
    )


def _words(node: ElementTree.Element) -> str:
    return " ".join("".join(node.itertext()).split())


def _name(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]
