"""File and folder names a person can read, safe on Linux, macOS and Windows."""

import re
import unicodedata
from collections.abc import Collection, Iterator

MAX_CHARACTERS = 50
MAX_BYTES = 180
MAX_NAME_BYTES = 255

_RESERVED = re.compile(r"^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_FORBIDDEN_IN_NAMES = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\ud800-\udfff]')


def slug(text: str, fallback: str) -> str:
    """``text`` as a name: NFC, white space to ``_``, word characters of every script, ``-`` and ``.`` kept.

    At most 50 characters and 180 bytes, cut between graphemes. Never empty (then ``fallback``), never
    hidden, never ``.`` or ``..``, never a name Windows reserves, no dot at the end.
    """
    return _shape(text) or _shape(fallback) or "_"


def document_folder_name(title: str, doc_id: str) -> str:
    """``<Title_Slug>_<doc_id>``."""
    return f"{slug(title, 'document')}_{doc_id}"


def topic_file_name(number: int, name: str) -> str:
    """``<n>_<Name_Slug>.md``."""
    return f"{number}_{slug(name, f'topic_{number}')}.md"


def free_topic_file_name(number: int, name: str, taken: Collection[str]) -> str:
    """``<n>_<Name_Slug>.md``, or ``<n>_<Name_Slug>_2.md`` and so on where some disk would take it for one of ``taken``."""
    wanted = topic_file_name(number, name)
    held = {_folded(other) for other in taken}
    found, count = wanted, 1
    while _folded(found) in held:
        count += 1
        found = f"{wanted.removesuffix('.md')}_{count}.md"
    return found


def category_folder_name(category_id: str) -> str:
    """The folder of a category below ``knowledge/``."""
    return slug(category_id, "Others")


def original_name(name: str) -> str:
    """The file name an upload is kept under: the last path part, without what file systems refuse.

    At most 255 bytes; a longer name is shortened before its extension.
    """
    last = re.split(r"[/\\]", name.replace("\x00", ""))[-1]
    clean = _FORBIDDEN_IN_NAMES.sub("_", unicodedata.normalize("NFC", last)).strip().rstrip(". ")
    if not clean.strip(". _"):
        clean = "original" if not clean.strip(". ") else clean
    if is_reserved(clean):
        clean = f"_{clean}"
    if len(clean.encode()) <= MAX_NAME_BYTES:
        return clean
    stem, dot, extension = clean.rpartition(".")
    if not stem or len(extension.encode()) > 20:
        stem, dot, extension = clean, "", ""
    room = MAX_NAME_BYTES - len((dot + extension).encode())
    return _cut(stem, len(stem), room).rstrip(". ") + dot + extension


def is_reserved(name: str) -> bool:
    """Whether Windows keeps this name for itself, whatever its ending."""
    return _RESERVED.match(name.split(".")[0].strip()) is not None


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _shape(text: str) -> str:
    underscored = _SPACES.sub("_", unicodedata.normalize("NFC", text).strip())
    kept = "".join(char for char in underscored if _keeps(char))
    composed = unicodedata.normalize("NFC", kept).lstrip(".")
    start = next((i for i, char in enumerate(composed) if not unicodedata.category(char).startswith("M")), None)
    if start is None:
        return ""
    name = _cut(composed[start:], MAX_CHARACTERS, MAX_BYTES).strip(".")
    if _RESERVED.match(name.split(".")[0]):
        name = "_" + _cut(name, MAX_CHARACTERS - 1, MAX_BYTES - 1).rstrip(".")
    return name if name.strip("_.-") else ""


def _keeps(char: str) -> bool:
    return char in "_-." or unicodedata.category(char)[0] in "LMN"


def _cut(text: str, characters: int, size: int) -> str:
    taken: list[str] = []
    count = used = 0
    for cluster in _clusters(text):
        count += len(cluster)
        used += len(cluster.encode())
        if count > characters or used > size:
            break
        taken.append(cluster)
    if not taken and text:
        return text[:characters].encode()[:size].decode(errors="ignore")
    return "".join(taken)


def _clusters(text: str) -> Iterator[str]:
    start = 0
    for i in range(1, len(text)):
        if not _joins(text[i - 1], text[i]):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def _joins(before: str, char: str) -> bool:
    """Whether ``char`` belongs to the grapheme ``before`` is part of (Unicode annex 29, for word characters)."""
    if unicodedata.category(char)[0] == "M" or char in "\u200d\ufe0e\ufe0f" or before == "\u200d":
        return True
    if unicodedata.combining(before) == 9 and unicodedata.category(char) == "Lo":
        return True
    return _is_jamo_leader(before) and _is_jamo_follower(char)


def _is_jamo_leader(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97c" or "\uac00" <= char <= "\ud7a3"


def _is_jamo_follower(char: str) -> bool:
    return "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb"
