"""Folding of text for full-text search: the index and the query go through the same function."""

import re
import unicodedata

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""Characters without a shape of their own that would split or hide a word: soft hyphen, tatweel, zero-width space."""


def fold(text: str) -> str:
    """``text`` as full-text search sees it: compatibility forms, case and invisible characters made equal.

    NFKC and case folding (Unicode 3.13, ``toNFKC_Casefold``), applied until nothing changes, so that
    ``fold(fold(x)) == fold(x)``. Accents stay: the analyser folds those it knows.
    """
    if text.isascii():
        return text.lower()
    for _ in range(4):
        folded = unicodedata.normalize("NFKC", _IGNORABLE.sub("", text).casefold())
        if folded == text:
            break
        text = folded
    return text
