"""Which legacy encoding a text is in: the one whose characters look most like writing.

Statistics over byte pairs need long texts; whole words of one script with sane letter case do not.
"""

import unicodedata
from functools import cache

CODECS = (
    "cp1252",
    "cp932",
    "gb18030",
    "big5",
    "euc_jp",
    "cp949",
    "cp1251",
    "koi8_r",
    "cp866",
    "cp1250",
    "iso8859_2",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp874",
    "mac_roman",
    "cp850",
)
_WESTERN = frozenset("éèêëàâäáãåæçñíìîïóòôöõøœúùûüßÉÈÀÂÄÖÜÁÍÓÚÑÇÅØÆÊÎÔ")
_CENTRAL = frozenset("ąćęłńśźżčďěňřšťůžőűșțăîâáéíóúýöüđĄĆĘŁŃŚŹŻČĎĚŇŘŠŤŮŽŐŰăţş")
_TURKISH = frozenset("ğışİŞĞ")
_MARKS = frozenset("¡¿«»„“”‘’‚–—…€°£§·•©®™†‰´`、。「」『』・ー（）：！？，；《》“”　")
_RUSSIAN = {letter: 1.4 - index * 0.03 for index, letter in enumerate("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґ")}
_HAN = frozenset(
    "的一是不了人我在有他这这為这中大来上国國个個到说說们們为和你地出道也时時年得就那要下以生会會自着去之过過家学學对對可她里裡后後小么麼心多天而能好都然没沒日"
    "于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經头頭面公同三已老从從动動两兩长長月日本語東京都市人名前年齢住所図書館通常利用休問合先月火水木金土様"
    "中文字電話号號北南西法律新高安部門们自由平等权權利尊严嚴理性精神相待"
)
_PENALTY = -4.0
_TELLING_BYTES = 64 * 1024


def likeliest(data: bytes, guess: str | None = None) -> str | None:
    """The codec of ``CODECS`` (or ``guess``) that decodes all bytes to the most plausible text.

    None when no codec fits or the best one still gives implausible text (a score of 0.2 or less,
    where 1 is fluent writing of one script).
    """
    best, best_score = None, 0.2
    sample = telling_part(data)
    high = sum(byte > 0x7F for byte in sample)
    for codec in dict.fromkeys((*((guess,) if guess else ()), *CODECS)):
        try:
            if sample is not data:
                data.decode(codec)
            text = sample.decode(codec, "strict" if sample is data else "ignore")
        except (UnicodeDecodeError, LookupError):
            continue
        score = plausibility(text, high) + (0.02 if codec == guess else 0)
        if score > best_score + 1e-9:
            best, best_score = codec, score
    return best


def telling_part(data: bytes) -> bytes:
    """Of a long text the lines beyond ASCII, taken evenly from all of it, about ``_TELLING_BYTES``; a short one whole."""
    if len(data) <= 2 * _TELLING_BYTES:
        return data
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    size = sum(map(len, lines))
    chosen = lines[:: max(1, size // _TELLING_BYTES)]
    return b"\n".join(line[:_TELLING_BYTES] for line in chosen)[: 2 * _TELLING_BYTES]


def plausibility(text: str, high_bytes: int) -> float:
    """Mean score of the characters beyond ASCII, a byte; about 1 for fluent writing, negative for mojibake."""
    total = 0.0
    before = " "
    for character in text:
        if character > "\x7f":
            total += _weight(character)
            kind, last = _script(character), _script(before)
            if kind and last and kind != last and "kana" not in (kind, last):
                total += _PENALTY if {kind, last} != {"latin", "han"} else 0
            elif (
                not kind
                and last
                and character not in _MARKS
                and not unicodedata.category(character).startswith(("M", "P"))
            ):
                total -= 1.5
        elif character.isalpha() and before > "\x7f":
            kind = _script(before)
            if kind not in ("latin", "han", "kana", ""):
                total += _PENALTY
            elif not kind and before not in _MARKS:
                total -= 1.5
        if character.isupper() and before.islower() and (character > "\x7f" or before > "\x7f"):
            total -= 2.5
        before = character
    return total / max(high_bytes, 1)


@cache
def _script(character: str) -> str:
    """The script of a letter, empty for anything else."""
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "")
    for prefix, script in _SCRIPTS:
        if name.startswith(prefix):
            return script
    return "other"


_SCRIPTS = (
    ("LATIN", "latin"),
    ("CYRILLIC", "cyrillic"),
    ("GREEK", "greek"),
    ("HEBREW", "hebrew"),
    ("ARABIC", "arabic"),
    ("THAI", "thai"),
    ("HANGUL", "hangul"),
    ("CJK", "han"),
    ("HIRAGANA", "kana"),
    ("KATAKANA", "kana"),
    ("HALFWIDTH KATAKANA", "half"),
)


@cache
def _weight(character: str) -> float:
    code = ord(character)
    category = unicodedata.category(character)
    if 0x80 <= code < 0xA0 or category in ("Cn", "Co", "Cs") or character == "\ufffd":
        return 2 * _PENALTY
    if 0x2500 <= code < 0x25A0:
        return -1.0
    if character in _MARKS:
        return 1.6 if code > 0x2FFF else 0.7
    script = _script(character)
    if script == "latin":
        if character in _WESTERN:
            return 1.0
        return 0.85 if character in _CENTRAL else 0.8 if character in _TURKISH else 0.2
    if script == "cyrillic":
        return _RUSSIAN.get(character.lower(), 0.0) * (1.0 if character.islower() else 0.5)
    if script == "han":
        return 2.2 if character in _HAN else 0.9
    if script == "kana":
        return 2.4
    if script == "hangul":
        return 1.9
    if script == "half":
        return -0.6
    if script in ("arabic", "hebrew", "thai", "greek"):
        return 1.0 if "FINAL" not in unicodedata.name(character, "") or script == "hebrew" else 0.5
    return 0.3 if category.startswith(("M", "P", "N")) else 0.0
