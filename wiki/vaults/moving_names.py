"""The file name a note gets with a new title, and the title in its front matter. Pure."""

import re

from wiki.documents import slugs
from wiki.errors import InvalidInput
from wiki.vaults.notes.parser import is_canvas, parse_note
from wiki.vaults.notes.properties import change_properties
from wiki.vaults.write import checked_title

_LEAD = re.compile(r"^(?:\d{4}-\d{2}-\d{2}-|\d{4}-)")
_SLUG = re.compile(r"[^\sA-Z]+")
_NOT_IN_LINKS = re.compile(r"[\[\]#^|\\/:*?\"<>\x00-\x1f]")


def new_file_name(path: str, title: str | None) -> str:
    """The name of the note's file: its own without a title, else the title's in the shape the old name has.

    A name in small letters with hyphens stays such a one, with its date or number; another becomes the title itself.
    Raises InvalidInput for a title that can be no file name.
    """
    name = path.rpartition("/")[2]
    if title is None:
        return name
    title = checked_title(title)
    ending = name[name.rfind(".") :]
    stem = name[: -len(ending)]
    if _SLUG.fullmatch(stem):
        lead = found[0] if (found := _LEAD.match(stem)) else ""
        return f"{lead}{slugs.slug(title, 'note').lower().replace('_', '-')}{ending}"
    plain = " ".join(_NOT_IN_LINKS.sub(" ", title).split()).strip(". ")
    if not plain or slugs.is_reserved(plain) or len(f"{plain}{ending}".encode()) > slugs.MAX_NAME_BYTES:
        raise InvalidInput(f"title {title[:80]!r} can be no file name", field="title")
    return f"{plain}{ending}"


def titled(path: str, data: bytes, title: str | None) -> bytes:
    """The note called ``title``: its front matter says so where its name or first heading does not already."""
    if title is None or is_canvas(path) or parse_note(path, data).title == title.strip():
        return data
    return change_properties(data, {"title": title.strip()})
