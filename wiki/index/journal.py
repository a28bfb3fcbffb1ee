"""What a batch is about to write, noted before it touches LanceDB: a crash anywhere is redone, never half-believed."""

import json
from dataclasses import dataclass
from pathlib import Path

from wiki.filesystem import write_atomic
from wiki.index.notes.rows import NoteRef

FILE = "journal.json"


@dataclass(frozen=True)
class Intent:
    """Folders, notes and records of an unfinished batch. Empty when the last one finished."""

    folders: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    """Ids of topics and notes."""
    notes: tuple[NoteRef, ...] = ()


def read_intent(index: Path) -> Intent:
    """The intent a crashed batch left behind."""
    try:
        noted = json.loads((index / FILE).read_text(encoding="utf-8"))
        notes = tuple(NoteRef(*pair) for pair in noted.get("notes", ()))
        return Intent(tuple(noted["folders"]), tuple(noted["records"]), notes)
    except FileNotFoundError:
        return Intent()


def note_intent(index: Path, intent: Intent) -> None:
    """Keep what a batch is about to do; an empty intent is cleared."""
    if intent == Intent():
        clear_intent(index)
        return
    pairs = [[note.vault, note.path] for note in sorted(intent.notes)]
    noted = {"folders": sorted(intent.folders), "records": sorted(intent.records), "notes": pairs}
    write_atomic(index / FILE, json.dumps(noted).encode())


def clear_intent(index: Path) -> None:
    (index / FILE).unlink(missing_ok=True)
