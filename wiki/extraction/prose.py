"""The sentences of a block, as plain text: what summaries are picked from."""

import html
import re
from collections.abc import Iterator

from wiki.extraction.words import count_words
from wiki.parsing.blocks import Block

PROSE_KINDS = frozenset({"paragraph", "list", "quote"})

_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\([^)]*\)|\[[^\]]*\])")
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:?")
_CITATION = re.compile(r"(?:\[\s*(?:\d{1,3}|[a-z])\s*\])+|(?<=\s)\^\s")
_AUTOLINK = re.compile(r"<(?:https?|mailto|ftp)[^>\s]*>", re.IGNORECASE)
_TAG = re.compile(r"<<[A-Za-z][^<>]*>>|</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_STRONG = re.compile(r"\*\*|__|~~")
_EMPHASIS = re.compile(r"(?<![\w*\\])([*_])(\S(?:[^*_\n]*?\S)?)\1(?![\w*])")
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_KEPT = "\ue000"
"""Stands for a code span while the marks around it are taken off."""
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w+#.-]*[ \t]*")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?:\[![A-Z]+\])?")

TITLE_CHARACTERS = 80
TITLE_WORDS = 12
_TITLE_END = re.compile(r"[.!?…:;,。！？：；，、]$")

_CLOSERS = "\"'”’»)\\]*_"
_END = re.compile(
    rf"(?:[.!?…؟۔।॥]+[{_CLOSERS}]*(?=\s))|(?:[。！？｡]+[」』”’）》\"]*)",
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|Nr|No|Fig|Eq|Abb|Sec|Ch|Vol|pp?|cf|vs|etc|ca|approx|Inc|Ltd|Co|Corp|bzw|vgl|"
    r"usw|Mme|Sr|Sra|Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec|e\.g|i\.e|z\.B|d\.h|u\.a|a\.m|p\.m)|^\d{1,3})\.$",
    re.MULTILINE,
)
_WHOLE = re.compile(rf"[.!?…؟۔।॥。！？｡][{_CLOSERS}」』）》]*$")
_SPACE_OR_MARK = re.compile(r"[ \u0e31-\u0e4e\u0eb1-\u0ecd\u17b4-\u17d3\u102b-\u103e\u0900-\u0903\u093a-\u094f]")
"""Vowel signs of Thai, Lao, Khmer, Burmese and Devanagari are no letters of their own."""
THAI_LIKE = re.compile(r"[฀-๿຀-໿ក-៿က-႟]")


def plain(text: str) -> str:
    """``text`` without Markdown's inline marks and without HTML tags, on one line."""
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(found.group(2).strip())
        return _KEPT

    text = _CODE.sub(keep, text.replace(_KEPT, " "))
    text = _IMAGE.sub(" ", text)
    text = _FOOTNOTE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _CITATION.sub("", text)
    text = _AUTOLINK.sub("", text)
    text = _TAG.sub("", text)
    text = _STRONG.sub("", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _ESCAPE.sub(r"\1", text)
    text = html.unescape(text)
    if codes:
        left = iter(codes)
        text = re.sub(_KEPT, lambda _: next(left, ""), text)
    return " ".join(text.split())


def sentence_ends(text: str) -> list[int]:
    """Offsets after each sentence of ``text``, the white space behind it included; the last is ``len(text)``."""
    ends: list[int] = []
    for match in _END.finditer(text):
        end = match.end()
        if text[match.start()] == "." and _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start() + 1]):
            continue
        while end < len(text) and text[end].isspace():
            end += 1
        ends.append(end)
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    return ends


def split_sentences(text: str) -> list[str]:
    """The sentences of one-line plain text, stripped and never empty."""
    start = 0
    sentences: list[str] = []
    for end in sentence_ends(text):
        sentence = text[start:end].strip()
        start = end
        if sentence:
            sentences.extend(_phrases(sentence) if len(sentence) > 200 and THAI_LIKE.search(sentence) else (sentence,))
    return sentences


def _phrases(sentence: str) -> list[str]:
    """Thai, Lao, Khmer and Burmese end phrases with a space and seldom with a mark: runs of them up to 160 characters."""
    phrases: list[str] = []
    for part in sentence.split(" "):
        if phrases and len(phrases[-1]) + len(part) < 160:
            phrases[-1] += " " + part
        else:
            phrases.append(part)
    return phrases


def paragraphs(block: Block) -> Iterator[str]:
    """The plain paragraphs of a block of prose: each list item is one. Nothing for code, tables and headings."""
    if block.kind not in PROSE_KINDS:
        return
    lines: list[str] = []
    for line in block.text.splitlines():
        item = _ITEM.match(line) if block.kind == "list" else None
        if (item or not line.strip()) and lines:
            yield plain("\n".join(lines))
            lines = []
        if block.kind == "quote":
            line = _QUOTE.sub("", line)
        elif is_fence(line):
            continue
        lines.append(line[item.end() :] if item else line)
    if lines:
        yield plain("\n".join(lines))


def is_fence(line: str) -> bool:
    """Whether the line opens or closes a block of code."""
    return bool(_FENCE.fullmatch(line))


def title_line(block: Block) -> str:
    """The block's text, plain, when it is one short line without an end mark that stands alone; else nothing.

    In capitals it may end as a sentence does, and have two lines.
    """
    text = block.text.strip()
    if block.kind != "paragraph" or len(text) > 2 * TITLE_CHARACTERS or not text[:1].isalnum() | (text[:1] in "§*_"):
        return ""
    line = plain(text)
    words = line.split()
    if not any(char.isalpha() for char in line) or not line[0].isalnum() | (line[0] == "§") or line[0].islower():
        return ""
    if line.upper() == line != line.lower() and len(words) > 1:
        return line
    short = "\n" not in text and len(line) <= TITLE_CHARACTERS and 1 < len(words) <= TITLE_WORDS
    return line if short and not _TITLE_END.search(line) else ""


def sentences(block: Block) -> Iterator[str]:
    """The sentences of a block that can stand in a summary: whole, of letters, neither too short nor too long."""
    for paragraph in paragraphs(block):
        for sentence in split_sentences(paragraph):
            if _can_stand_alone(sentence):
                yield sentence


def is_whole(sentence: str) -> bool:
    """Whether it ends as a sentence does. Scripts that end theirs with a space always do."""
    return bool(_WHOLE.search(sentence) or THAI_LIKE.search(sentence))


def _can_stand_alone(sentence: str) -> bool:
    if not 12 <= len(sentence) <= 400 or sentence.endswith((":", "：")):
        return False
    if not 4 <= count_words(sentence) <= 80:
        return False
    letters = sum(map(str.isalpha, sentence)) + len(_SPACE_OR_MARK.findall(sentence))
    return letters >= 0.75 * len(sentence)
