"""Rules for titles and labels, the same for forms and JSON."""

import re
from collections.abc import Iterable

MAX_TITLE = 500
MAX_LABELS = 100
MAX_LABEL = 100
_WORD = re.compile(r"\w")


def clean_title(title: str) -> str:
    """The title without surrounding space. Raises ``ValueError`` when it is empty, wordless or too long."""
    text = title.strip()
    if not text:
        raise ValueError("must not be empty")
    if not _WORD.search(text):
        raise ValueError("must hold at least one letter or digit")
    if len(text) > MAX_TITLE:
        raise ValueError(f"holds {len(text):,} characters; at most {MAX_TITLE}")
    return text


def clean_labels(labels: Iterable[str]) -> list[str]:
    """Labels without surrounding space, each once, in order. Raises ``ValueError`` for an empty or long one."""
    cleaned = list(dict.fromkeys(label.strip() for label in labels))
    if len(cleaned) > MAX_LABELS:
        raise ValueError(f"{len(cleaned)} labels; at most {MAX_LABELS}")
    for label in cleaned:
        if not label:
            raise ValueError("a label must not be empty")
        if len(label) > MAX_LABEL:
            raise ValueError(f"a label holds at most {MAX_LABEL} characters")
    return cleaned
