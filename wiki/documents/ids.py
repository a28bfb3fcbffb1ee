"""Document and topic ids: new ones, checks, and the ones derived where a file names none."""

import hashlib
import re
import secrets
import unicodedata

DOC_ID_PATTERN = r"^d_[a-f0-9]{12,32}$"
TOPIC_ID_PATTERN = r"^d_[a-f0-9]{12,32}_([0-9]+|h[0-9a-f]{8})$"

_DOC_ID = re.compile(r"d_[a-f0-9]{12,32}")
_TOPIC_ID = re.compile(r"(d_[a-f0-9]{12,32})_([0-9]+|h[0-9a-f]{8})")
_NUMBERED = re.compile(r"([0-9]{1,9})_.*\.md", re.IGNORECASE | re.DOTALL)
_SUFFIX = re.compile(r"(?:^|_)(d_[a-f0-9]{12,32})$")


def new_doc_id() -> str:
    """A fresh random id: ``d_`` and 12 hex digits."""
    return f"d_{secrets.token_hex(6)}"


def is_doc_id(text: str) -> bool:
    return _DOC_ID.fullmatch(text) is not None


def is_topic_id(text: str) -> bool:
    return _TOPIC_ID.fullmatch(text) is not None


def topic_id(doc_id: str, number: int) -> str:
    return f"{doc_id}_{number}"


def doc_id_of_topic(topic_id: str) -> str:
    """The document part of a well-formed topic id."""
    return topic_id.rpartition("_")[0]


def number_of_topic(topic_id: str) -> int | None:
    """The ``n`` of ``<doc_id>_<n>``; None for an id derived from a file name."""
    last = topic_id.rpartition("_")[2]
    return int(last) if last.isdecimal() else None


def derived_doc_id(folder: str) -> str:
    """The id of a document that names none: ``d_`` and 12 hex of its NFC POSIX path below ``knowledge/``."""
    return f"d_{_hex(folder, 12)}"


def derived_topic_id(doc_id: str, file_name: str) -> str:
    """The id of a topic file without number or usable id: ``<doc_id>_h`` and 8 hex of its NFC file name."""
    return f"{doc_id}_h{_hex(file_name, 8)}"


def number_of(file_name: str) -> int | None:
    """The ``n`` of ``<n>_x.md``."""
    match = _NUMBERED.fullmatch(file_name)
    return int(match[1]) if match else None


def doc_id_of_folder(name: str) -> str | None:
    """The id a folder name ends with; a hint only, the front matter decides."""
    match = _SUFFIX.search(name)
    return match[1] if match else None


def _hex(text: str, digits: int) -> str:
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode(errors="surrogateescape")).hexdigest()[:digits]
