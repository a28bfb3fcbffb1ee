"""What of a web page is content: the page as HTML without its machinery and navigation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wiki.parsing.html_writer import HtmlWriter
from wiki.parsing.source import Piece

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

_NEVER_SHOWN = ("script", "style", "template", "noscript", "head", "link", "meta", "iframe", "object", "embed", "svg")
_NAVIGATION = ("nav", "button", "select", "dialog")
_ROLES = ("navigation", "search", "menu", "menubar", "toolbar", "dialog")
_OUT_OF_PRINT = frozenset({"noprint", "no-print", "mw-editsection", "navbox", "skip-link"})
_WRAPPER_TAG = re.compile(
    r"<(/?)(div|span|section|article|center|font|main|form|b|i|u|em|strong)(?=[\s>/])[^<>]*>", re.IGNORECASE
)
_BLOCK_WRAPPERS = frozenset({"div", "section", "article", "main", "form", "center"})
_DEEPEST = 60
_LEAST_SHARE = 0.4


def page_title(soup: BeautifulSoup) -> str | None:
    """The words of the ``<title>``, None when there are none."""
    words = " ".join(soup.title.get_text(" ").split()) if soup.title else ""
    return words or None


def clean_page(html: str) -> tuple[str, str | None]:
    """The page's content as HTML, and its title.

    Scripts, styles, comments, hidden elements and navigation are out. When one main element holds
    most of the words, only it is kept. Wrappers nested beyond any meaning are dissolved, so that no
    reader runs out of stack.
    """
    from bs4 import BeautifulSoup
    from bs4.element import PreformattedString

    soup = BeautifulSoup(_flattened(html), "html.parser")
    title = page_title(soup)
    for text in soup.find_all(string=lambda string: isinstance(string, PreformattedString)):
        text.extract()
    for tag in soup.find_all(_NEVER_SHOWN + _NAVIGATION):
        tag.decompose()
    for tag in soup.find_all(_is_hidden):
        if not tag.decomposed:
            tag.decompose()
    return str(_main(soup) or soup), title


def page_pieces(html: str) -> tuple[tuple[Piece, ...], str | None]:
    """The page's content as Markdown, and its title."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    page, title = clean_page(html)
    parser: Any = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    root: Any = etree.fromstring(f"<html><body>{page}</body></html>".encode(), parser) if page.strip() else None
    return (HtmlWriter().pieces(root) if root is not None else ()), title


def _is_hidden(tag: Tag) -> bool:
    if tag.name in ("body", "html"):
        return False
    style = str(tag.get("style") or "").replace(" ", "").lower()
    classes = tag.get("class")
    return (
        tag.has_attr("hidden")
        or "display:none" in style
        or "visibility:hidden" in style
        or str(tag.get("role") or "").lower() in _ROLES
        or not _OUT_OF_PRINT.isdisjoint(classes if isinstance(classes, list) else ())
    )


def _main(soup: BeautifulSoup) -> Tag | None:
    """The one main element, when it holds a fair share of the words and the page's first-level heading."""
    found = soup.find_all("main") or soup.find_all(role="main") or soup.find_all("article")
    if len(found) != 1:
        return None
    everything = len(soup.get_text())
    heading = soup.find("h1")
    has_heading = heading is None or any(parent is found[0] for parent in heading.parents)
    return found[0] if has_heading and len(found[0].get_text()) >= _LEAST_SHARE * everything else None


def _flattened(html: str) -> str:
    """The page without the wrapper tags more than ``_DEEPEST`` levels down; words in them get a line break between.

    Done on the text, in one pass: in a tree each dissolved level costs a walk.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _WRAPPER_TAG.finditer(html):
        words = html[position : tag.start()]
        kept.append(words)
        position = tag.end()
        closing = bool(tag.group(1))
        depth = max(0, depth - 1) if closing else depth + 1
        if depth + closing <= _DEEPEST:
            kept.append(tag.group())
        elif words.strip() and tag.group(2).lower() in _BLOCK_WRAPPERS:
            kept.append("<br>")
    kept.append(html[position:])
    return "".join(kept)
