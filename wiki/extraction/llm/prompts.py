"""The prompts, kept as files in ``wiki/extraction/prompts``: a folder a version."""

import re
from functools import cache
from importlib import resources
from string import Template

VERSION = 1
"""Raised with any change of wording, so that a person can tell which documents the new wording has not met."""

LEAKED_RUN = 32
"""Letters and digits in a row that no name, summary or reason may share with the prompts (some 40 characters)."""

_GAP = re.compile(r"\n{3,}")
_NOT_WORD = re.compile(r"[\W_]+")


@cache
def prompt(name: str) -> str:
    """The text of one prompt file, e.g. ``tree``."""
    folder = resources.files("wiki.extraction") / "prompts" / f"v{VERSION}"
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


def filled(name: str, **values: object) -> str:
    """A prompt with its ``$places`` filled. What is put in is taken as it is, dollar signs included."""
    text = Template(prompt(name)).substitute({key: str(value) for key, value in values.items()})
    return _GAP.sub("\n\n", text).strip()


def leaks(text: str) -> bool:
    """Whether ``text`` repeats a long run of the instructions, whatever lies between their letters."""
    letters = _letters(text)
    return any(letters[at : at + LEAKED_RUN] in _runs() for at in range(len(letters) - LEAKED_RUN + 1))


@cache
def _runs() -> frozenset[str]:
    """Every run of the instructions that counts as a leak."""
    texts = [_letters(prompt(name)) for name in ("tree", "document", "tree_question", "document_part", "category_part")]
    return frozenset(text[at : at + LEAKED_RUN] for text in texts for at in range(len(text) - LEAKED_RUN + 1))


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", text).casefold()
