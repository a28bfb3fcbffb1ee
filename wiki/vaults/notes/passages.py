"""A note as what is cut into passages."""

from wiki.index.cutting import Unit, split_units
from wiki.index.passages import TopicText
from wiki.vaults.model import Note
from wiki.vaults.notes.parser import read_text


def note_text(note: Note) -> TopicText:
    """The note for ``cut_many``: title and headings as the parser found them, the body, and what of it is read.

    A note without text to read is called by its aliases and tags as well, so that its one passage is found by them.
    """
    read = read_text(note)
    name = note.title if read.strip() else "\n".join(dict.fromkeys((note.title, *note.aliases, *note.tags)))
    return TopicText(name, note.body, note.body_line)
