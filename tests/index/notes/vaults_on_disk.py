"""Vaults as a person keeps them: plain files."""

from pathlib import Path


def write_note(vault: Path, path: str, text: str) -> Path:
    """A note's file, its folders made as needed."""
    file = vault / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
