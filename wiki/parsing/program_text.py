"""Program text, JSON, YAML, XML and notebooks -> fenced blocks, cut where a definition ends."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from wiki.parsing.encoding import decode
from wiki.parsing.markdown_writer import fenced
from wiki.parsing.source import Conversion, Piece, Source

_LANGUAGES = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".jsx": "jsx", ".ts": "typescript", ".tsx": "tsx",
    ".rb": "ruby", ".rs": "rust", ".cs": "csharp", ".kt": "kotlin", ".yml": "yaml", ".sh": "bash", ".zsh": "bash",
    ".ps1": "powershell", ".h": "c", ".cc": "cpp", ".hpp": "cpp", ".pl": "perl", ".r": "r", ".jl": "julia",
    ".ndjson": "jsonl", ".geojson": "json", ".cfg": "ini", ".conf": "ini", ".patch": "diff", ".bib": "bibtex",
    ".tf": "hcl", ".f90": "fortran", ".hs": "haskell", ".ml": "ocaml", ".ex": "elixir", ".erl": "erlang",
    ".clj": "clojure", ".m": "objectivec",
}  # fmt: skip
_MOST_LINES = 120
_MOST_CHARACTERS = 6_000
_LONG_LINE = 2_000
_JSON = frozenset({".json", ".geojson", ".jsonl", ".ndjson"})
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"?|[{}\[\],]|[^\s{}\[\],"]+|\n')
_CHARACTER = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")


def convert_program_text(source: Source) -> Conversion:
    """The text as it is, in fenced blocks of at most 120 lines or 6,000 characters, so that a topic can begin
    between two. JSON without line breaks is laid out on lines; a notebook is read cell by cell."""
    text = decode(source.read(), source.name)
    suffix = PurePath(source.name).suffix.lower()
    if suffix == ".ipynb":
        notebook = _json(text)
        if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list):
            return Conversion(pieces=tuple(Piece(cell) for cell in _cells(notebook)))
    if suffix in _JSON:
        text = _CHARACTER.sub(_spelled_out, text)
    if suffix in _JSON and max(map(len, text.splitlines()), default=0) > _LONG_LINE:
        text = _laid_out(text)
    language = _LANGUAGES.get(suffix, "json" if suffix == ".ipynb" else suffix[1:])
    return Conversion(pieces=tuple(Piece(block) for block in fenced_blocks(text, language)))


def convert_xml(source: Source) -> Conversion:
    """XML as it is, in fenced blocks; a document on one line gets a line for each tag."""
    text = decode(source.read(), source.name)
    if max(map(len, text.splitlines()), default=0) > _LONG_LINE:
        text = re.sub(r">\s*<", ">\n<", text)
    return Conversion(pieces=tuple(Piece(block) for block in fenced_blocks(text, "xml")))


def fenced_blocks(text: str, language: str) -> Iterator[str]:
    """The text in fenced blocks that together hold every line of it, each ending in a blank line."""
    for part in _parts(text.strip("\n").splitlines()):
        yield fenced(part, language) + "\n"


def _parts(lines: list[str]) -> Iterator[str]:
    """Stretches of lines below both bounds: cut before an unindented line after a blank one, else before any
    unindented line, else where the bound is reached. A longer line is a part of its own."""
    start = 0
    while start < len(lines):
        end, size = start, 0
        while end < len(lines) and end - start < _MOST_LINES and size + len(lines[end]) < _MOST_CHARACTERS:
            size += len(lines[end]) + 1
            end += 1
        end = max(end, start + 1)
        if end < len(lines):
            end = _cut(lines, start, end)
        part = "\n".join(lines[start:end]).strip("\n")
        if part.strip():
            yield part
        start = end


def _cut(lines: list[str], start: int, end: int) -> int:
    earliest = start + max(1, (end - start) // 3)
    open_ends = [at for at in range(earliest, end + 1) if lines[at][:1].strip() and lines[at][0] not in ")]}"]
    after_blank = [at for at in open_ends if not lines[at - 1].strip()]
    return (after_blank or open_ends or [end])[-1]


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """A notebook's cells: Markdown as Markdown, code and what it printed as fenced blocks."""
    kernel = notebook.get("metadata", {}).get("language_info", {}).get("name", "python")
    for cell in notebook["cells"]:
        if not isinstance(cell, dict):
            continue
        words = _joined(cell.get("source"))
        if cell.get("cell_type") == "markdown" and words.strip():
            yield words.strip("\n") + "\n\n"
        elif words.strip():
            yield from fenced_blocks(words, str(kernel) if cell.get("cell_type") == "code" else "")
        for output in cell.get("outputs") or ():
            data = output.get("data") or {}
            printed = _joined(output.get("text") or data.get("text/markdown") or data.get("text/plain"))
            if printed.strip():
                yield from fenced_blocks(printed, "text")


def _joined(lines: Any) -> str:
    return "".join(str(line) for line in lines) if isinstance(lines, list) else str(lines or "")


def _json(text: str) -> Any:
    """The values of valid JSON; None for what is none, or nested deeper than Python goes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _laid_out(text: str) -> str:
    """JSON with a line for each value. Works on its characters: numbers, order and repeated keys stay as they are."""
    parts: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "]}":
            depth = max(0, depth - 1)
            parts.append("\n" + " " * min(depth, 40))
        if token != "\n":
            parts.append(token)
        elif depth == 0:
            # Records of JSON lines stay apart.
            parts.append(token)
        if token in "[{":
            depth += 1
        if token in "[{,":
            parts.append("\n" + " " * min(depth, 40))
        elif token.endswith(":"):
            parts.append(" ")
    return "".join(parts).strip() + "\n"


def _spelled_out(escape: re.Match[str]) -> str:
    """``\\u00e9`` as the character it stands for, so that its word is found; marks JSON needs stay escaped."""
    written = escape.group()
    if written[1] != "u":
        return written
    character = json.loads(f'"{written}"')
    return character if character.isprintable() and character not in '"\\' and len(character) == 1 else written
