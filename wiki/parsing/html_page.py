"""What of a web page is content: the page without its machinery and navigation, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wiki.parsing.html_tree import HEADINGS, LISTS, Node, parse_page
from wiki.parsing.html_writer import HtmlWriter
from wiki.parsing.source import Piece

_NEVER_SHOWN = frozenset(
    "script style template noscript link meta iframe object embed datalist defs symbol metadata".split()
)
_NAVIGATION = frozenset({"nav", "button", "select", "dialog"})
_ROLES = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "dialog"})
_OUT_OF_PRINT = frozenset({"noprint", "no-print", "mw-editsection", "navbox", "skip-link"})
_OPENERS = HEADINGS | {"summary", "dt"}
_LEAST_LANGUAGES = 3
_LEAST_SHARE = 0.4


def page_pieces(html: str) -> tuple[tuple[Piece, ...], str | None]:
    """The page's content as Markdown, and its title."""
    root, title = page_content(html)
    return HtmlWriter().pieces(root), title


def page_content(html: str) -> tuple[Node, str | None]:
    """The page's content, and its title.

    Scripts, styles, comments, hidden elements and navigation are out. When one main element holds most of the
    words, only it is kept.
    """
    root, title = parse_page(html, _Content())
    return _main(root) or root, title


class _Content:
    """Tells machinery and navigation by their markup."""

    def __init__(self) -> None:
        self._switches: set[str] = set()

    def drops(self, tag: str, attributes: Mapping[str, str], above: Sequence[Node]) -> bool:
        if tag in _NEVER_SHOWN:
            return True
        if tag in _NAVIGATION:
            # The words of a heading that opens and closes what stands below it are a button.
            return tag != "button" or not any(node.tag in _OPENERS for node in above)
        return (
            bool(attributes)
            and tag not in ("body", "html")
            and (_is_hidden(attributes) or self._opens(tag, attributes))
        )

    def empties(self, node: Node) -> bool:
        """Lists of the same page in other languages."""
        if node.tag not in LISTS or len(node.children) < _LEAST_LANGUAGES:
            return False
        languages = [_language(item) for item in node.children]
        return all(languages) and len(set(languages)) >= _LEAST_LANGUAGES

    def _opens(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Whether it is a switch that opens a menu, or the words on it."""
        if tag == "input" and attributes.get("role") == "button":
            self._switches.add(attributes.get("id", ""))
            return True
        return tag == "label" and attributes.get("for", "") in self._switches


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if "hidden" in attributes or attributes.get("role", "").strip().lower() in _ROLES:
        return True
    style = attributes.get("style", "").replace(" ", "").lower()
    if "display:none" in style or "visibility:hidden" in style:
        return True
    classes = attributes.get("class")
    return bool(classes) and not _OUT_OF_PRINT.isdisjoint(classes.split())


def _language(item: Node) -> str:
    """The language that the only link of a list's item leads to, if that is all there is in the item."""
    if item.text.strip() or item.tail.strip() or len(item.children) != 1:
        return ""
    link = item.children[0]
    return link.get("hreflang") if link.tag == "a" and not link.tail.strip() else ""


def _main(root: Node) -> Node | None:
    """The one main element, when it holds a fair share of the words and the page's first-level heading."""
    nodes = list(root.walk())
    found = (
        [node for node in nodes if node.tag == "main"]
        or [node for node in nodes if node.get("role") == "main"]
        or [node for node in nodes if node.tag == "article"]
    )
    if len(found) != 1:
        return None
    main = found[0]
    heading = next((node for node in nodes if node.tag == "h1"), None)
    has_heading = heading is None or any(node is heading for node in main.walk())
    return main if has_heading and _length(main) >= _LEAST_SHARE * _length(root) else None


def _length(node: Node) -> int:
    return sum(len(words) for words in node.words())
