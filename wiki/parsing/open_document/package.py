"""The parts of an OpenDocument file."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from typing import Any

from wiki.errors import UnsupportedFormat
from wiki.parsing.xml_tree import below, parse_xml, words


class OpenPackage:
    """Reads parts by name. Raises UnsupportedFormat where one is damaged."""

    def __init__(self, path: Path, title: str) -> None:
        self.path = path
        self.title = title

    def tree(self, part: str) -> Any:
        """A part's root element, None when the file has no such part."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                if part not in archive.namelist():
                    return None
                return parse_xml(archive.read(part))
        except SyntaxError as error:
            raise UnsupportedFormat(f"{self.title} is damaged: its part {part} is no XML ({error})") from error
        except Exception as error:
            raise UnsupportedFormat(f"{self.title} is damaged: its part {part} cannot be read ({error})") from error

    def content(self) -> Any:
        root = self.tree("content.xml")
        if root is None:
            raise UnsupportedFormat(f"{self.title} is damaged: it has no content.xml")
        return root

    def embedded(self, reference: str) -> Any:
        """The root of an object in the document, such as ``./Object 1``."""
        return self.tree(posixpath.normpath(posixpath.join(reference, "content.xml")).lstrip("/"))

    def properties(self) -> tuple[str | None, str | None]:
        """The title and the ISO day of creation that the file states of itself."""
        root = self.tree("meta.xml")
        if root is None:
            return None, None
        title = next((" ".join(words(found).split()) for found in below(root, "dc:title")), "")
        made = next((words(found).strip()[:10] for found in below(root, "meta:creation-date")), "")
        return title or None, made if len(made) == 10 else None
