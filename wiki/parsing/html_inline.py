"""What stands within a line of a web page -> styled runs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from wiki.parsing.html_tree import BLOCKS, Node
from wiki.parsing.inline import Run

_CODE = frozenset({"code", "kbd", "samp", "tt"})
_BOLD, _ITALIC, _STRIKE = frozenset({"b", "strong"}), frozenset({"i", "em"}), frozenset({"s", "strike", "del"})
STYLED = _CODE | _BOLD | _ITALIC | _STRIKE | {"a"}
_SPACE = re.compile(r"[ \t\r\n\f]+")
_PLAIN = Run("")

Styled = tuple[Run, str]
"""A style, which is a run without words, and words in it."""


def runs_of(parts: list[Styled]) -> list[Run]:
    """Neighbouring parts of one style as one run."""
    runs: list[Run] = []
    words: list[str] = []
    last = _PLAIN
    for style, text in parts:
        if style is not last:
            if words:
                runs.append(_run("".join(words), last))
                words.clear()
            last = style
        words.append(text)
    if words:
        runs.append(_run("".join(words), last))
    return runs


def spaced(words: str) -> str:
    """White space as a browser shows it."""
    return words if words.isalnum() else _SPACE.sub(" ", words)


def content_of(node: Node, style: Run = _PLAIN) -> list[Styled]:
    """What an element holds, in order; blocks in it stand on lines of their own."""
    parts: list[Styled] = [(style, spaced(node.text))] if node.text else []
    for child in node.children:
        if child.tag in BLOCKS:
            parts += [(style, "\n"), *element_of(child, style), (style, "\n")]
        else:
            parts += element_of(child, style)
        if child.tail:
            parts.append((style, spaced(child.tail)))
    return parts


def element_of(node: Node, style: Run = _PLAIN) -> list[Styled]:
    """An element within a line, with the style it brings; what follows it is not part of it."""
    tag = node.tag
    if tag in STYLED:
        return content_of(node, style_in(node, style))
    if tag == "br":
        return [(style, "\n")]
    if tag == "img":
        return [(style, spaced(node.get("alt")))]
    if tag == "input":
        ticked = node.get("type").lower() == "checkbox"
        return [(style, "☒ " if "checked" in node.attributes else "☐ ")] if ticked else []
    if tag in ("rp", "wbr"):
        return []
    if tag == "math":
        return _formula(node, style)
    if tag == "svg":
        return [(style, " ".join(_drawn(node)))]
    if tag == "q":
        return [(style, "“"), *content_of(node, style), (style, "”")]
    if tag == "rt":
        return [(style, "("), *content_of(node, style), (style, ")")]
    return content_of(node, style)


def preformatted(node: Node) -> str:
    """The words of an element with their white space."""
    parts = [node.text]
    for child in node.children:
        parts += ["\n" if child.tag == "br" else preformatted(child), child.tail]
    return "".join(parts)


def _run(words: str, style: Run) -> Run:
    return Run(words, style.bold, style.italic, style.strike, style.code, style.math, style.link)


def style_in(node: Node, style: Run) -> Run:
    """The style of the words in one of the ``STYLED`` elements that stands in ``style``."""
    if node.tag == "a":
        link = node.get("href").strip()
        return replace(style, link=link) if link else style
    return _styled(node.tag, style)


@lru_cache(maxsize=1024)
def _styled(tag: str, style: Run) -> Run:
    return replace(
        style,
        bold=style.bold or tag in _BOLD,
        italic=style.italic or tag in _ITALIC,
        strike=style.strike or tag in _STRIKE,
        code=style.code or tag in _CODE,
    )


def _formula(node: Node, style: Run) -> list[Styled]:
    """As it was typed where the page says so, else its signs one after another."""
    typed = next(("".join(found.words()) for found in node.walk() if found.tag == "annotation"), "")
    if typed.strip():
        return [(Run("", math=True), typed)]
    return [(style, " ".join("".join(node.words()).split()))]


def _drawn(node: Node) -> list[str]:
    """The name of a drawing, unless it is mere decoration, and the words in it."""
    named = {"text"} if node.get("aria-hidden") == "true" else {"title", "text"}
    texts = (" ".join("".join(found.words()).split()) for found in node.walk() if found.tag in named)
    return [text for text in texts if text]
