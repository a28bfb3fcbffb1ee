"""What a batch is about to write, noted before it touches LanceDB: a crash anywhere is redone, never half-believed."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from wiki.filesystem import write_atomic

FILE = "journal.json"


@dataclass(frozen=True)
class Intent:
    """Folders and records of an unfinished batch. Empty when the last one finished."""

    folders: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


def read_intent(index: Path) -> Intent:
    """The intent a crashed batch left behind."""
    try:
        noted = json.loads((index / FILE).read_text(encoding="utf-8"))
        return Intent(tuple(noted["folders"]), tuple(noted["records"]))
    except FileNotFoundError:
        return Intent()


def note_intent(index: Path, folders: Collection[str], records: Collection[str]) -> None:
    write_atomic(index / FILE, json.dumps({"folders": sorted(folders), "records": sorted(records)}).encode())


def clear_intent(index: Path) -> None:
    (index / FILE).unlink(missing_ok=True)
