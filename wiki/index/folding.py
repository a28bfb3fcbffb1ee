"""Folding of text for full-text search: the index and the query go through the same function."""

import re
import unicodedata

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
"""Characters without a shape of their own that would split or hide a word: soft hyphen, tatweel, zero-width space."""


FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its may more "
    "most no not of on or such than that the their them then there these they this those to was we were what when where "
    "which while who whom whose why will with would you your".split()
)
"""English words that carry no topic."""


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


def query_words(text: str) -> str:
    """``text`` folded for full-text search, without English function words as long as another word remains."""
    words = fold(text).split()
    kept = [word for word in words if word.strip(".,;:?!()\"'") not in FUNCTION_WORDS]
    return " ".join(kept or words)
