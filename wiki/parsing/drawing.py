"""Charts and diagrams (SmartArt) of Office files, as rows and as nested words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wiki.parsing.escape import escape_text
from wiki.parsing.xml_tree import attribute, below, child, children, name, words


def chart_titles(root: Any) -> list[str]:
    """The title of a chart and those of its axes, as escaped words."""
    found: list[str] = []
    for title in below(root, "c:title"):
        lines = ["".join(words(text) for text in below(line, "a:t")) for line in below(title, "a:p")]
        lines = lines or [words(value) for value in below(title, "c:v")]
        said = " ".join(" ".join(lines).split())
        if said and said not in found:
            found.append(said)
    return [escape_text(said) for said in found]


def chart_rows(root: Any) -> list[list[str]]:
    """A chart's numbers as a table: a column for each series, a row for each category."""
    series = list(below(root, "c:ser"))
    columns: list[dict[int, str]] = []
    heads: list[str] = []
    categories: dict[int, str] = {}
    for number, one in enumerate(series, 1):
        named = child(one, "c:tx")
        heads.append(" ".join(words(v) for v in below(named, "c:v")) if named is not None else f"Series {number}")
        labels = child(one, "c:cat") if child(one, "c:cat") is not None else child(one, "c:xVal")
        if labels is not None and not categories:
            categories = _points(labels)
        values = child(one, "c:val") if child(one, "c:val") is not None else child(one, "c:yVal")
        columns.append(_points(values) if values is not None else {})
    places = sorted({place for column in (categories, *columns) for place in column})
    if not places:
        return []
    rows = [["", *heads]]
    rows += [[categories.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    return [[escape_text(cell) for cell in row] for row in rows]


def _points(labels: Any) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in below(labels, "c:pt"):
        place = attribute(point, "idx")
        if place.isdigit():
            said = " ".join(words(value) for value in children(point, "c:v"))
            # Labels of several levels: the inner level comes first.
            points[int(place)] = f"{said} {points[int(place)]}" if int(place) in points else said
    return points


def diagram_lines(root: Any) -> Iterator[tuple[int, str]]:
    """Depth and escaped words of a diagram's points, in the diagram's own order."""
    points = {attribute(point, "modelId"): point for point in below(root, "dgm:pt")}
    inner: dict[str, list[tuple[int, str]]] = {}
    for link in below(root, "dgm:cxn"):
        if attribute(link, "type", "parOf") == "parOf":
            order = attribute(link, "srcOrd", "0")
            place = int(order) if order.isdigit() else 0
            inner.setdefault(attribute(link, "srcId"), []).append((place, attribute(link, "destId")))
    roots = [key for key, point in points.items() if attribute(point, "type") == "doc"]
    told: set[str] = set()
    stack = [(key, -1) for key in reversed(roots)]
    while stack:
        key, depth = stack.pop()
        if key in told or key not in points:
            continue
        told.add(key)
        said = _said(points[key])
        if said and depth >= 0:
            yield depth, said
        stack += [(to, depth + 1) for _, to in sorted(inner.get(key, ()), reverse=True)]
    for key, point in points.items():
        if key not in told and attribute(point, "type", "node") in ("node", "asst") and _said(point):
            yield 0, _said(point)


def _said(point: Any) -> str:
    lines = ["".join(words(text) for text in below(line, "a:t")) for line in below(point, "a:p")]
    return escape_text(" ".join(" ".join(lines).split()))


def described(element: Any) -> str:
    """The words an author gave a picture for those who do not see it; file names do not count."""
    for found in element.iter():
        if name(found) in ("wp:docPr", "p:cNvPr", "pic:cNvPr") or name(found).endswith(":cNvPr"):
            said = " ".join(attribute(found, "descr").split())
            last = said.rpartition(".")[2].lower()
            if said and last not in ("png", "jpg", "jpeg", "gif", "emf", "wmf", "bmp", "tif", "tiff", "svg"):
                return said
    return ""
