"""Labels out of a text's own words: what it says often, and what its headings say."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wiki.extraction.phrases import GENERAL, bare, each_phrase, overlap
from wiki.extraction.prose import THAI_LIKE, paragraphs, plain
from wiki.extraction.words import is_unspaced
from wiki.parsing.blocks import Block

MOST_LABELS = 8
"""Of a document."""
MOST_OF_TOPIC = 5
LONGEST_LABEL = 40
"""Characters."""
MOST_READ = 20_000
"""Characters of one topic."""
HEADING_WEIGHT = 2.0
FEW_PHRASES = 400
"""In more, what comes up twice is no subject."""

_OF_DOCUMENTS = frozenset(
    """abstract annex appendix attachment attached chapter conclusion conclusions contents document edit figure footnote
    heading index introduction isbn links none overview preface references sec sections see sources step steps subtitle summary
    table text title titles title-page sheet slide slides column columns row rows http https www html pdf docx einleitung kapitel
    zusammenfassung inhalt abbildung résumé chapitre sommaire resumen capítulo introducción anyone everybody nobody somebody
    comes keeps makes gives says goes gets happens needs becomes remains against according etc""".split()
)
"""Words that tell of a document's parts, and more that tell of nothing."""

_ROW_RULE = re.compile(r"[-:|\s]+")
_MARK_OF_CELL = re.compile(r"(?<!\\)\||<br>")
_NOT_LETTERS = re.compile(r"[^぀-ヿ㐀-䶿一-鿿々\uf900-\ufaff]+")
_JAPANESE = re.compile(r"[ぁ-ゖ]")
_JAPANESE_TERM = re.compile(r"[ァ-ヺー]{2,12}|[㐀-䶿一-鿿々\uf900-\ufaff]{2,6}")
_THAI = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_CHUNK = re.compile(rf"(?<!{_THAI}){_THAI}{{3,24}}(?!{_THAI})")
"""Thai and its neighbours part clauses by a space; a short one that comes up again is a term."""
_CHINESE_FUNCTION = re.compile(
    "[的了在是和与與及或被把对對从從到以为為于於这這那个個之其也都就而但不有没沒人我们們你他她它等中上下将將会會可能要当當时時"
    "后後前每并並很更最所让讓使用过過着著给給向由如果因所還还又再只已经經一二三四五六七八九十两兩年月日次号號]"
)
_LONGEST_CHINESE = 6


@dataclass(frozen=True)
class Labels:
    """For each topic up to five labels, for the document up to eight; lower case, most telling first."""

    topics: tuple[tuple[str, ...], ...]
    document: tuple[str, ...]


def label(bodies: Sequence[Sequence[Block]], names: Sequence[str], title: str) -> Labels:
    """``bodies``: the blocks of each topic; ``names``: what each is called.

    A topic's labels come up in it twice at least or in its name, and set it apart from the others; those of the
    document come up all over it. No model is asked.
    """
    texts = [_text(blocks) for blocks in bodies]
    counts = [_counted(text) for text in texts]
    in_names = [_counted(name) for name in names]
    spread = Counter(phrase for found in counts for phrase in found)
    topics = [
        _chosen({phrase: _in_topic(phrase, count, called, spread[phrase], len(counts)) for phrase, count in found.items()},
                MOST_OF_TOPIC)
        for found, called in zip(counts, in_names, strict=True)
    ]  # fmt: skip
    whole: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for found in counts:
        whole.update(found)
        for phrase, count in found.items():
            weights[phrase] += count**0.7
    called = _counted("\n".join([title, *names]))
    least = 2 if sum(whole.values()) < FEW_PHRASES else 3
    scores = {
        phrase: weight * _shape(phrase) * _heading_weight(phrase, called)
        for phrase, weight in weights.items()
        if whole[phrase] >= least or phrase in called
    }
    return Labels(tuple(topics), _chosen(scores, MOST_LABELS))


def _text(blocks: Sequence[Block]) -> str:
    """The text of a topic, plain; of a table its cells; nothing of code."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        if block.kind == "heading":
            parts.append(block.heading or "")
        elif block.kind == "table":
            rows = (row for row in block.text.splitlines() if not _ROW_RULE.fullmatch(row))
            parts += [plain(_MARK_OF_CELL.sub(" ; ", row)) for row in rows]
        else:
            parts += paragraphs(block)
        size += len(block.text)
        if size > MOST_READ:
            break
    return "\n".join(parts)[:MOST_READ]


def _counted(text: str) -> Counter[str]:
    """How often each phrase that can be a label comes up, lower case."""
    every = Counter(surface.lower() for _, surface in each_phrase(bare(text)))
    counts = Counter({phrase: count for phrase, count in every.items() if _can_label(phrase)})
    return counts + _unspaced(text) if is_unspaced(text) else counts


def _can_label(phrase: str) -> bool:
    if not 3 <= len(phrase) <= LONGEST_LABEL or (not phrase.isascii() and is_unspaced(phrase)):
        return False
    words = phrase.split()
    if len(words) == 1 and len(phrase) > 5 and phrase.endswith(("ed", "ly")):
        return False
    return not any(word in GENERAL or word in _OF_DOCUMENTS for word in words)


def _unspaced(text: str) -> Counter[str]:
    """The terms of scripts without spaces between words: of Japanese its runs of kanji or katakana, of Chinese what comes
    up as often as any part of it."""
    if THAI_LIKE.search(text):
        return Counter(_CHUNK.findall(text))
    if _JAPANESE.search(text):
        return Counter(_JAPANESE_TERM.findall(text))
    grams: Counter[str] = Counter()
    for run in _CHINESE_FUNCTION.sub(" ", _NOT_LETTERS.sub(" ", text)).split():
        for size in range(2, _LONGEST_CHINESE + 1):
            grams.update(run[at : at + size] for at in range(len(run) - size + 1))
    inner = Counter[str]()
    for gram, count in grams.items():
        for part in (gram[1:], gram[:-1]):
            inner[part] = max(inner[part], count)
    return Counter({gram: count for gram, count in grams.items() if inner[gram] < count})


def _in_topic(phrase: str, count: int, called: Counter[str], spread: int, topics: int) -> float:
    if count < 2 and phrase not in called:
        return 0.0
    rare = math.log((topics + 3) / (spread + 1)) + 0.3
    return count**0.8 * rare * _shape(phrase) * _heading_weight(phrase, called)


def _heading_weight(phrase: str, called: Counter[str]) -> float:
    return HEADING_WEIGHT if phrase in called or any(word in called for word in phrase.split()) else 1.0


def _shape(phrase: str) -> float:
    """Two words say more than one, three seldom more than two."""
    return (1.0, 1.5, 1.5)[phrase.count(" ")]


def _chosen(scores: dict[str, float], most: int) -> tuple[str, ...]:
    """The best, each once in one form."""
    best = sorted((phrase for phrase in scores if scores[phrase] > 0), key=lambda phrase: (-scores[phrase], phrase))
    chosen: list[str] = []
    for phrase in best[:80]:
        if len(chosen) == most:
            break
        if not any(overlap(phrase, other) or phrase in other or other in phrase for other in chosen):
            chosen.append(phrase)
    return tuple(chosen)
