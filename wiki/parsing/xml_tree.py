"""XML as a tree, without entities, network, comments or processing instructions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_ENDS = {
    "wordprocessingml/main": "w",
    "drawingml/main": "a",
    "presentationml/main": "p",
    "drawingml/chart": "c",
    "drawingml/diagram": "dgm",
    "drawing/2008/diagram": "dsp",
    "drawingml/wordprocessingDrawing": "wp",
    "drawingml/picture": "pic",
    "officeDocument/math": "m",
    "officeDocument/relationships": "r",
    "markup-compatibility/2006": "mc",
    "word/2010/wordprocessingShape": "wps",
    "word/2010/wordprocessingGroup": "wpg",
    "word/2010/wordprocessingCanvas": "wpc",
    "office/word/2010/wordml": "w14",
    "office/drawing/2010/main": "a14",
    "drawing/2014/chartex": "cx",
    "schemas-microsoft-com:vml": "v",
    "schemas-microsoft-com:office:office": "o",
    "oasis:names:tc:opendocument:xmlns:text:1.0": "text",
    "oasis:names:tc:opendocument:xmlns:table:1.0": "table",
    "oasis:names:tc:opendocument:xmlns:office:1.0": "office",
    "oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
    "oasis:names:tc:opendocument:xmlns:presentation:1.0": "presentation",
    "oasis:names:tc:opendocument:xmlns:style:1.0": "style",
    "oasis:names:tc:opendocument:xmlns:chart:1.0": "chart",
    "oasis:names:tc:opendocument:xmlns:meta:1.0": "meta",
    "oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0": "fo",
    "oasis:names:tc:opendocument:xmlns:svg-compatible:1.0": "svg",
    "documentfoundation:names:experimental:calc:xmlns:calcext:1.0": "calcext",
    "documentfoundation:names:experimental:office:xmlns:loext:1.0": "loext",
    "purl.org/dc/elements/1.1/": "dc",
    "purl.org/dc/terms/": "dcterms",
    "www.w3.org/1999/xlink": "xlink",
    "www.w3.org/1998/Math/MathML": "math",
    "www.idpf.org/2007/opf": "opf",
    "metadata/core-properties": "cp",
    "www.w3.org/XML/1998/namespace": "xml",
}
"""Ends of namespace names, alike in the transitional and the strict form of Office files."""


def parse_xml(data: bytes) -> Any:
    """The root element. Raises lxml's XMLSyntaxError when the data is not well formed."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)


@lru_cache(maxsize=4096)
def short(tag: Any) -> str:
    """``{http://.../wordprocessingml/2006/main}p`` as ``w:p``; an unknown namespace gives ``?:p``, no tag ``""``."""
    if not isinstance(tag, str):
        return ""
    namespace, _, local = tag.rpartition("}")
    namespace = namespace.lstrip("{").removesuffix("/")
    if not namespace:
        return local
    plain = namespace.replace("/2006/", "/").replace("/2006", "").replace("/1999/", "/1999/")
    for end, prefix in _ENDS.items():
        if namespace.endswith(end.removesuffix("/")) or plain.endswith(end):
            return f"{prefix}:{local}"
    return f"?:{local}"


def name(element: Any) -> str:
    """The element's tag with the usual prefix, as ``w:p``."""
    return short(element.tag)


def local_name(element: Any) -> str:
    """The element's tag without its namespace, for elements that many namespaces have."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Any, wanted: str, default: str = "") -> str:
    """An attribute by its usual name (``w:val``, or without prefix as written)."""
    value = element.get(wanted) if ":" not in wanted else None
    if value is not None:
        return str(value)
    return next((str(value) for key, value in element.attrib.items() if short(key) == wanted), default)


def children(element: Any, *wanted: str) -> Iterator[Any]:
    """Child elements, those of the wanted names when any are named."""
    for child in element:
        if not wanted or name(child) in wanted:
            yield child


def child(element: Any, *path: str) -> Any:
    """The first element down a path of names, None where there is none."""
    found = element
    for step in path:
        found = next(children(found, step), None) if found is not None else None
    return found


def below(element: Any, *wanted: str) -> Iterator[Any]:
    """All elements of the wanted names at any depth, in order."""
    for found in element.iter():
        if name(found) in wanted:
            yield found


def words(element: Any) -> str:
    """All text below an element."""
    return "".join(element.itertext())
