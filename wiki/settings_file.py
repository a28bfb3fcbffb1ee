"""Adding one setting to ``<root>/wiki.toml``. Whatever else a person wrote there stays byte for byte."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from wiki.errors import ConfigurationError, Conflict
from wiki.filesystem import write_atomic
from wiki.settings_sources import SETTINGS_FILE


def add_setting(root: Path, key: str, value: str) -> bool:
    """Set the text setting ``section.name`` in the root's file, which is made when there is none.

    False when it is set so already. Raises Conflict when the file sets it to something else, or is written so that a
    line cannot be added safely, and ConfigurationError when the file cannot be read. Neither changes a byte.
    """
    path = root / SETTINGS_FILE
    table, _, name = key.rpartition(".")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise ConfigurationError(f"{path} can't be read: {error}; correct its permissions") from error
    try:
        text = data.decode("utf-8-sig")
        before = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}; correct it first") from error
    wanted, line = _with(before, key, value), f"{name} = {json.dumps(value)}"
    if wanted == before:
        return False
    if (present := _get(before, key)) is not None:
        raise Conflict(
            f"{path} sets {key} to {present!r}: write {line} under [{table}] there", file=str(path), line=line
        )
    added = _added(text, table, line)
    if _parsed(added) != wanted:
        raise Conflict(f"a line cannot be added to {path} safely: write {line} under [{table}] there", line=line)
    root.mkdir(parents=True, exist_ok=True)
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    write_atomic(path, bom + added.encode())
    return True


def _added(text: str, table: str, line: str) -> str:
    """The text with the line first in its table; a table that is not there comes last."""
    end = "\r\n" if "\r\n" in text else "\n"
    header = re.compile(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][ \t]*(#[^\r\n]*)?(\r?\n|\Z)", re.MULTILINE)
    if found := header.search(text):
        start = text[: found.end()]
        return f"{start}{'' if start.endswith(end) else end}{line}{end}{text[found.end() :]}"
    gap = "" if not text else end if text.endswith("\n") else end + end
    return f"{text}{gap}[{table}]{end}{line}{end}"


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _get(tree: Any, key: str) -> Any:
    for part in key.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _with(tree: dict[str, Any], key: str, value: str) -> dict[str, Any]:
    first, _, rest = key.partition(".")
    inner = tree.get(first)
    return {**tree, first: _with(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}
