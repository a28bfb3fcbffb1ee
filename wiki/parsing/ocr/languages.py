"""Languages by ISO code: what Tesseract calls them, and the script they are written in."""

from __future__ import annotations

import unicodedata

_TESSERACT: dict[str, str] = {
    iso: name
    for iso, _, name in (
        pair.partition(":")
        for pair in (
            "af:afr am:amh ar:ara az:aze be:bel bg:bul bn:ben bs:bos ca:cat cs:ces cy:cym da:dan de:deu el:ell en:eng "
            "eo:epo es:spa et:est eu:eus fa:fas fi:fin fr:fra ga:gle gl:glg gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye "
            "id:ind is:isl it:ita ja:jpn ka:kat kk:kaz km:khm kn:kan ko:kor ky:kir la:lat lo:lao lt:lit lv:lav mk:mkd "
            "ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya ne:nep nl:nld no:nor nb:nor nn:nor pa:pan pl:pol ps:pus pt:por "
            "ro:ron ru:rus sa:san si:sin sk:slk sl:slv sq:sqi sr:srp sv:swe sw:swa ta:tam te:tel th:tha tr:tur uk:ukr "
            "ur:urd uz:uzb vi:vie yi:yid zh:chi_sim zh-tw:chi_tra zh-hant:chi_tra zh-hans:chi_sim"
        ).split()
    )
}
_SCRIPTS = {
    "Arabic": "ar fa ps ur",
    "Armenian": "hy",
    "Bengali": "bn",
    "Cyrillic": "be bg kk ky mk mn ru sr uk",
    "Devanagari": "hi mr ne sa",
    "Ethiopic": "am",
    "Georgian": "ka",
    "Greek": "el",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    "Han": "zh zh-tw zh-hant zh-hans",
    "Hangul": "ko",
    "Hebrew": "he yi",
    "Japanese": "ja",
    "Kannada": "kn",
    "Khmer": "km",
    "Lao": "lo",
    "Malayalam": "ml",
    "Myanmar": "my",
    "Sinhala": "si",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
}
_SCRIPT_OF = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
_RAPIDOCR = frozenset({"Latin", "Han", "Japanese"})
_ASIAN = frozenset({"Han", "Japanese", "Hangul"})
# Vietnamese is Latin, but half its letters are missing in the model's alphabet.
_RAPIDOCR_LACKS = frozenset({"vi"})


def tesseract_code(language: str) -> str:
    """``en`` -> ``eng``; a code that is not known is given on as it is, for Tesseract's own names."""
    return _TESSERACT.get(language.lower(), _TESSERACT.get(language.lower().split("-")[0], language))


def tesseract_package(code: str) -> str:
    """The Debian package that holds a language of Tesseract."""
    return f"tesseract-ocr-{code.lower().replace('_', '-')}"


def script(language: str) -> str:
    """The script a language is written in, ``Latin`` where nothing else is known."""
    code = language.lower()
    return _SCRIPT_OF.get(code) or _SCRIPT_OF.get(code.split("-")[0], "Latin")


def rapidocr_reads(language: str) -> bool:
    """Whether the alphabet of the model in the rapidocr wheel holds the language's letters."""
    return script(language) in _RAPIDOCR and language.lower() not in _RAPIDOCR_LACKS


def covers(languages: tuple[str, ...], found: str) -> bool:
    """Whether any of the languages is written in the script ``found``, as Tesseract names it.

    Chinese, Japanese and Korean count as one: which of them a short text is, is hard to tell.
    """
    scripts = {script(language) for language in languages}
    return found in scripts or (found in _ASIAN and bool(scripts & _ASIAN)) or found in ("Latin", "Fraktur", "")


def letters_of(text: str) -> int:
    """How many letters and figures a text holds."""
    return sum(unicodedata.category(character)[0] in "LN" for character in text)
