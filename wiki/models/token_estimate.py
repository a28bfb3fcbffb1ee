"""How many tokens a text has for a model whose tokenizer is not known."""

import re
from collections.abc import Iterator

SPECIAL_TOKENS = 2
_IDEOGRAPHS = "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_PIECE = re.compile(
    rf"[A-Za-z]{{1,5}}|[0-9]{{1,3}}|[{_IDEOGRAPHS}]|[\u00c0-\u058f]{{1,3}}|[^\W\d_A-Za-z\u00c0-\u058f{_IDEOGRAPHS}]{{1,2}}|\S"
)


def piece_spans(text: str) -> list[tuple[int, int]]:
    """Character spans of what most tokenizers would make one token or less of.

    Five Latin letters, three of a Latin word with accents or of Cyrillic and Greek, two of another alphabet, three
    digits, one ideograph, kana or Hangul syllable, one sign. For prose that is a tenth to a half more than real
    tokenizers count; for letters without meaning (base64, digests) it can be a half less.
    """
    return [piece.span() for piece in _pieces(text)]


def count_pieces(text: str) -> int:
    """How many ``piece_spans`` there are."""
    return sum(1 for _ in _pieces(text))


def _pieces(text: str) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(text)
