"""Links as they are written: a reference taken apart, and where in the text its target stands."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from wiki.vaults.model import Link, LinkKind

Form = Literal["wiki", "bare", "angle"]
"""How the target is written: in ``[[ ]]``, as a Markdown destination, or as one in ``< >``."""

_BLOCK_ID = re.compile(r"[A-Za-z0-9-]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SEPARATOR = re.compile(r"\\?\|")


@dataclass(frozen=True)
class WrittenLink:
    """A link with the span ``[start, end)`` of its target in the text; an empty one for a link into the same note."""

    link: Link
    start: int
    end: int
    form: Form


def wikilink(inner: str, start: int, line: int, *, embed: bool) -> WrittenLink | None:
    """What stands between ``[[`` and ``]]``, which begins at ``start`` of the text. None when it names nothing."""
    bar = _SEPARATOR.search(inner)
    reference = inner[: bar.start()] if bar else inner
    shown = inner[bar.end() :].strip() if bar else None
    cut = min((place for place in (reference.find("#"), reference.find("^")) if place >= 0), default=len(reference))
    written = reference[:cut]
    target = written.strip()
    heading, block = _anchor(reference[cut:])
    if not target and heading is None and block is None:
        return None
    begin = start + len(written) - len(written.lstrip()) if target else start
    link = Link("embed" if embed else "wikilink", target, heading, block, shown, line)
    return WrittenLink(link, begin, begin + len(target), "wiki")


def markdown_link(
    destination: str, start: int, line: int, *, form: Form, shown: str | None, embed: bool
) -> WrittenLink | None:
    """A Markdown destination that begins at ``start`` of the text. None when it leads out of the vaults or nowhere."""
    if not destination or _SCHEME.match(destination):
        return None
    cut = destination.find("#")
    written = destination if cut < 0 else destination[:cut]
    heading, block = _anchor(_decoded(destination[cut:])) if cut >= 0 else (None, None)
    target = _decoded(written).strip()
    if not target and heading is None and block is None:
        return None
    kind: LinkKind = "embed" if embed else "markdown"
    return WrittenLink(Link(kind, target, heading, block, shown, line), start, start + len(written), form)


def encoded(target: str, form: Form) -> str | None:
    """``target`` as it is written in this form. None when it cannot be."""
    if form == "wiki":
        return None if re.search("[\\[\\]#^|\r\n\ud800-\udfff]", target) or target != target.strip() else target
    if re.search("[\r\n\ud800-\udfff]", target) or target != target.strip() or target.startswith("//"):
        return None
    reserved = r"[%#<>\\&:]" if form == "angle" else r"[%#<>\\&:()\x00-\x1f\x7f\s]"
    return re.sub(reserved, lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), target)


def _decoded(written: str) -> str:
    plain = _ESCAPE.sub(r"\1", written)
    try:
        return unquote(plain, errors="strict")
    except UnicodeDecodeError:
        return plain


def _anchor(written: str) -> tuple[str | None, str | None]:
    """Heading and block of ``#A#B``, ``#^id``, ``#A#^id`` or ``^id``."""
    before, mark, last = written.rpartition("^")
    block = last.strip()
    if mark and _BLOCK_ID.fullmatch(block):
        return before.strip("# \t") or None, block
    return written.strip("# \t") or None, None
