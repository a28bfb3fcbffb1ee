"""What lies on a sheet beside its cells: comments, text boxes and the titles of charts."""

from __future__ import annotations

import re
from typing import Any

from wiki.parsing.ooxml import Package
from wiki.parsing.xml_tree import below, children, words

_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")


def cell_comments(package: Package, part: str) -> dict[tuple[int, int], str]:
    """Comments by (row, column), with their authors; a thread is one text."""
    found: dict[tuple[int, int], list[str]] = {}
    threads = list(package.related(part, "threadedComment"))
    for thread in threads:
        for comment in package.tree(thread):
            said = " ".join(words(text) for text in comment if str(text.tag).endswith("}text"))
            _keep(found, str(comment.get("ref") or ""), said)
    for notes in package.related(part, "comments"):
        root = package.tree(notes)
        authors = [words(author).strip() for author in root.iter() if str(author.tag).endswith("}author")]
        for comment in (entry for entry in root.iter() if str(entry.tag).endswith("}comment")):
            said = " ".join(words(text) for text in _texts(comment)).strip()
            by = str(comment.get("authorId") or "")
            author = authors[int(by)] if by.isdigit() and int(by) < len(authors) else ""
            named = author and not author.startswith("tc=") and author.casefold() not in said.casefold()
            place = _place(str(comment.get("ref") or ""))
            if not (threads and place in found):
                _keep(found, str(comment.get("ref") or ""), f"{said} ({author})" if named else said)
    return {place: " / ".join(texts) for place, texts in found.items()}


def drawn_texts(package: Package, part: str) -> list[str]:
    """Text boxes and chart titles on a sheet, one text each."""
    found: list[str] = []
    for drawing in package.related(part, "drawing"):
        for body in (entry for entry in package.tree(drawing).iter() if str(entry.tag).endswith("}txBody")):
            lines = ["".join(words(t) for t in below(line, "a:t")).strip() for line in children(body, "a:p")]
            found.append("\n".join(line for line in lines if line))
        for chart in package.related(drawing, "chart"):
            for title in below(package.tree(chart), "c:title"):
                texts = [words(text) for text in below(title, "a:t")] or [words(text) for text in below(title, "c:v")]
                found.append(" ".join("".join(texts).split()))
    return [text for text in found if text]


def _texts(comment: Any) -> list[Any]:
    return [text for text in comment.iter() if str(text.tag).endswith("}t")]


def _keep(found: dict[tuple[int, int], list[str]], reference: str, said: str) -> None:
    place = _place(reference)
    if place and said.strip():
        found.setdefault(place, []).append(" ".join(said.split()))


def _place(reference: str) -> tuple[int, int] | None:
    match = _PLACE.fullmatch(reference.replace("$", "").upper())
    if match is None:
        return None
    column = 0
    for letter in match.group(1):
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)), column
