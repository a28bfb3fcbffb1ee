"""The phrases of a text that can name what it is about, and how often they come up."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wiki.extraction.words import MARKS, STOPWORDS

LONGEST_PHRASE = 3
"""Words."""
_LETTER = rf"(?:[^\W_]|[{MARKS}])"
_TOKEN = re.compile(rf"[^\W_]{_LETTER}*(?:['’\-.]{_LETTER}+)*|[^\w\s]")
_ADDRESS = re.compile(r"\b(?:https?|ftp)://\S+|\bwww\.\S+|\S+@\S+\.\w+")
_SPEAKER = re.compile(r"^[^\W\d_][^:.!?\n]{0,24}:(?=\s)", re.MULTILINE)
MOST_SPEAKER_WORDS = 2

_GENERAL = """able account actual add added amount annual answer april ask asked august back bad based began begin best better big
bit bring brought call called came carry case cases change changes check come common complete consider contain contains
copy correct course current cut date day days december decide default described detail details different differ easy end
enter entry etc example examples expect fact february few figure file files fill final find fine follow following follows
form found free friday full further future general good great group hand happen happens hard held help high hold hope hour
hours idea important include included includes including increase item january july june kind large late later leave left
level line list little live long look looks lot low main march matter mean means minute minutes monday month months morning
move moved name named new newer next night note notes november number numbers october offer offers old older open order
page pages part parts past people percent person place plan point points possible present provide provided provides question
quite read ready reason related remain rest result results run runs saturday second seconds section see sees send sent
september set sets several short show shown shows side similar simple single size small something sort stand stands start
starts state stay stop sunday sure table takes talk talks tell test text things think thing thought thursday time times today
told tomorrow took top total true try tuesday turn turns type use used useful usual value various wait wanted wants way ways
wednesday week weeks whole wide word words work works worth write writes writing written wrong year years yesterday
jahr jahre jahren januar februar märz juni juli oktober dezember tag tage tagen woche wochen monat seite teil beispiel
année années jour jours mois semaine exemple partie page año años día días mes ejemplo parte anno giorno esempio"""
_NUMBERS = "two three four five six seven eight nine ten eleven twelve hundred thousand million billion half once twice"
GENERAL = frozenset(f"{_GENERAL} {_NUMBERS}".split())
"""Words of any subject, which say nothing of one when they stand alone."""


@dataclass
class Phrases:
    """The phrases of one text, case folded: how often each comes up, as it is written, where first and last."""

    counts: Counter[str] = field(default_factory=Counter[str])
    first: dict[str, int] = field(default_factory=dict[str, int])
    last: dict[str, int] = field(default_factory=dict[str, int])
    written: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    @property
    def length(self) -> int:
        """The place of the last one."""
        return max(self.last.values(), default=0)

    def as_written(self, phrase: str) -> str:
        return self.written[phrase].most_common(1)[0][0]

    def is_local(self, phrase: str, share: int) -> bool:
        """Whether it comes up in less than one part in ``share`` of the text only."""
        return (self.last[phrase] - self.first[phrase]) * share < self.length


def phrases_of(text: str) -> Phrases:
    """The phrases of plain text, without those that ``bare`` leaves out."""
    found = Phrases()
    for at, (phrase, surface) in enumerate(each_phrase(bare(text))):
        found.counts[phrase] += 1
        found.first.setdefault(phrase, at)
        found.last[phrase] = at
        found.written.setdefault(phrase, Counter())[surface] += 1
    return found


def bare(text: str) -> str:
    """``text`` without addresses and the names of speakers, where something else is left."""
    rest = _SPEAKER.sub(_without_speaker, _ADDRESS.sub(" ", text))
    return rest if len(rest) * 3 > len(text) else text


def _without_speaker(found: re.Match[str]) -> str:
    return found.group() if found.group().count(" ") >= MOST_SPEAKER_WORDS else "."


def each_phrase(text: str) -> Iterator[tuple[str, str]]:
    """Runs of up to three content words within a clause: case folded, and as written."""
    run: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if _can_name(token):
            run.append(token)
        else:
            yield from _within(run)
            run = []
    yield from _within(run)


def overlap(one: str, other: str) -> bool:
    """Whether two phrases share a word, or what look like two forms of one."""
    return bool({word[:5] for word in one.split()} & {word[:5] for word in other.split()})


def _can_name(token: str) -> bool:
    """Neither a mark, a function word, a number nor an identifier made by a machine."""
    if len(token) < 2 or len(token) > 30 or token.casefold() in STOPWORDS:
        return False
    if token.isalpha():
        return True
    letters = sum(map(str.isalpha, token))
    return letters == len(token) or (letters * 2 > len(token) and len(token) <= 20 and (letters > 1 or len(token) > 2))


def _within(run: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(run) == 1:
        folded = run[0].casefold()
        if folded not in GENERAL:
            yield folded, run[0]
        return
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + LONGEST_PHRASE) + 1):
            surface = " ".join(run[start:end])
            folded = surface.casefold()
            if folded not in GENERAL:
                yield folded, surface
