"""Front matter as columns: tags, aliases, type, status and date in every form Obsidian accepts."""

import math
import re
from collections.abc import Iterator
from typing import Any, cast

from wiki.documents.timestamps import read_date
from wiki.documents.yaml_tree import Node, Tree
from wiki.vaults.model import MARK, STAGED
from wiki.vaults.notes.inline import clean_tag

_WIKILINK = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")
_STAGED = re.compile(rf"^{MARK}:[ \t]*[\"']?{STAGED}\b", re.MULTILINE | re.IGNORECASE)
_STATUS = re.compile(r"^status:[ \t]*[\"']?(template|example)\b", re.MULTILINE | re.IGNORECASE)


def front_matter_values(tree: Tree) -> dict[str, Any]:
    """The values as JSON can hold them: what JSON has no number for stays text."""
    return {key: _plain(value) for key, value in tree.values.items()}


def tags_of(tree: Tree) -> tuple[str, ...]:
    """``tags`` and ``tag``: a list, or words with commas or spaces between; ``#`` may stand before each."""
    written = [
        word
        for text, listed in _texts(tree, "tags", "tag")
        for word in ([text] if listed else re.split(r"[,\s]+", text))
    ]
    return tuple(dict.fromkeys(tag for tag in map(clean_tag, written) if tag))


def aliases_of(tree: Tree) -> tuple[str, ...]:
    """``aliases`` and ``alias``: a list, or names with commas between."""
    written = [
        name for text, listed in _texts(tree, "aliases", "alias") for name in ([text] if listed else text.split(","))
    ]
    return tuple(dict.fromkeys(name.strip() for name in written if name.strip()))


def text_of(tree: Tree, key: str) -> str | None:
    """One line of text; of a list the first."""
    return next((" ".join(text.split()) for text, _ in _texts(tree, key) if text.strip()), None)


def date_of(tree: Tree) -> str | None:
    """``date`` as far as written, a link to a daily note too; None when it is no date."""
    written = text_of(tree, "date")
    if written is None:
        return None
    linked = _WIKILINK.fullmatch(written)
    return read_date((linked[1] if linked else written).rpartition("/")[2])


def status_of_unreadable(raw: str) -> str | None:
    """``template`` or ``example`` from front matter that is no YAML, e.g. for its ``{{placeholders}}``."""
    found = _STATUS.search(raw)
    return found[1].lower() if found else None


def is_marked_staged(tree: Tree) -> bool:
    """Whether the front matter says ``inbox: staged``."""
    return any(text.strip().casefold() == STAGED for text, _ in _texts(tree, MARK))


def unreadable_is_staged(raw: str) -> bool:
    """The same of front matter that is no YAML."""
    return _STAGED.search(raw) is not None


def _texts(tree: Tree, *keys: str) -> Iterator[tuple[str, bool]]:
    """What is written at these keys, in any case of letters, and whether as a member of a list."""
    for key, node in tree.nodes.items():
        if key.lower() in keys:
            yield from _scalars(node, listed=False)


def _scalars(node: Node, *, listed: bool) -> Iterator[tuple[str, bool]]:
    if node.text is not None and node.value is not None:
        yield node.text, listed
    for item in node.items:
        yield from _scalars(item, listed=True)


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _plain(member) for key, member in cast(dict[Any, Any], value).items()}
        case list():
            return [_plain(member) for member in cast(list[Any], value)]
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value


def line_of(tree: Tree, key: str) -> int | None:
    """The line of the file a key's value stands on."""
    return next((node.line for name, node in tree.nodes.items() if name.lower() == key), None)
