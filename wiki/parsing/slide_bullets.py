"""Which paragraphs of a slide are list items: a shape inherits that from its layout and its master."""

from __future__ import annotations

from typing import Any

from wiki.parsing.ooxml import Package
from wiki.parsing.word.numbering import formatted
from wiki.parsing.xml_tree import attribute, below, child, name

_MARKS = ("a:buChar", "a:buAutoNum", "a:buNone", "a:buBlip")
_FORMS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
          "romanUc": "upperRoman"}  # fmt: skip
_TITLES = ("title", "ctrTitle")
_BODIES = ("body", "obj", "subTitle", "tbl", "chart", "dgm", "media", "clipArt", "pic")


class Bullets:
    """The bullets of one slide."""

    def __init__(self, package: Package, part: str) -> None:
        layout = next(package.related(part, "slideLayout"), None)
        master = next(package.related(layout, "slideMaster"), None) if layout else None
        self._layout = package.tree(layout) if layout else None
        self._master = package.tree(master) if master else None

    def counting(self, shape: Any, body: Any) -> Counting:
        """A count over the paragraphs of one shape."""
        place = next(below(shape, "p:ph"), None)
        styles = [child(body, "a:lstStyle")]
        if place is not None:
            kind, index = attribute(place, "type", "obj"), attribute(place, "idx")
            for root in (self._layout, self._master):
                styles.append(_list_style(root, kind, index))
            family = "p:titleStyle" if kind in _TITLES else "p:bodyStyle" if kind in _BODIES else "p:otherStyle"
            styles.append(child(self._master, "p:txStyles", family) if self._master is not None else None)
        return Counting([style for style in styles if style is not None])


class Counting:
    """Goes through the paragraphs of a shape in order."""

    def __init__(self, styles: list[Any]) -> None:
        self._styles = styles
        self._counts: dict[int, tuple[str, int]] = {}
        self._levels: list[int] = []

    def next(self, paragraph: Any) -> tuple[int, str | None]:
        """Depth and label of a paragraph with words; the label is empty for a bullet, None for plain text."""
        about = child(paragraph, "a:pPr")
        stated = attribute(about, "lvl", "0") if about is not None else "0"
        level = int(stated) if stated.isdigit() else 0
        mark = self._mark(about, level)
        if mark is None or name(mark) == "a:buNone":
            self._counts.clear()
            self._levels.clear()
            return 0, None
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        for deeper in [found for found in self._counts if found > level]:
            del self._counts[deeper]
        return len(self._levels) - 1, self._label(mark, level)

    def _mark(self, about: Any, level: int) -> Any:
        own = _bullet(about)
        if own is not None:
            return own
        for style in self._styles:
            found = _bullet(child(style, f"a:lvl{level + 1}pPr"))
            if found is not None:
                return found
        return None

    def _label(self, mark: Any, level: int) -> str:
        if name(mark) != "a:buAutoNum":
            self._counts.pop(level, None)
            return ""
        kind, start = attribute(mark, "type", "arabicPeriod"), attribute(mark, "startAt", "1")
        before = self._counts.get(level)
        number = before[1] + 1 if before and before[0] == kind else int(start) if start.isdigit() else 1
        self._counts[level] = (kind, number)
        form = next((found for start, found in _FORMS.items() if kind.startswith(start)), "decimal")
        shown = formatted(number, form)
        if kind.endswith("ParenBoth"):
            return f"({shown})"
        return f"{shown})" if kind.endswith("ParenR") else f"{shown}."


def _bullet(about: Any) -> Any:
    return next((found for found in about if name(found) in _MARKS), None) if about is not None else None


def _list_style(root: Any, kind: str, index: str) -> Any:
    """The list style of the placeholder a shape is filled into: that of its index, else of its kind."""
    if root is None:
        return None
    same: Any = None
    for shape in below(root, "p:sp"):
        place = next(below(shape, "p:ph"), None)
        style = child(shape, "p:txBody", "a:lstStyle")
        if place is None or style is None:
            continue
        if index and attribute(place, "idx") == index:
            return style
        if attribute(place, "type", "obj") == kind and same is None:
            same = style
    return same
