"""WebVTT and SubRip -> paragraphs with speakers and times."""

import html
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from wiki.parsing.blocks import Provenance
from wiki.parsing.encoding import decode
from wiki.parsing.escape import escape_text
from wiki.parsing.source import Conversion, Piece, Source

_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]*)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:v|c|b|i|u|ruby|rt|lang|font)\b[^>]*>|<\d[\d:.]*>", re.IGNORECASE)
_SPEAKER = re.compile(r"(?:>>\s*|-\s*)?(\w[\w.'-]*(?: \w[\w.'-]*){0,2}):\s+(?=\S)")
_ROLLING = 0.3
_ROLL_SECONDS = 1.0
_PARAGRAPH_WORDS = 120
_SECTION_SECONDS = 300.0
_PAUSE_SECONDS = 4.0


@dataclass(frozen=True)
class Cue:
    start: float
    end: float
    speaker: str | None
    text: str


def convert_captions(source: Source) -> Conversion:
    """Cue text merged into paragraphs, one per speaker turn; ``**Name:**`` leads a turn.

    A recording longer than five minutes gets a heading every five minutes.
    Each piece carries the seconds it was spoken at.
    """
    return Conversion(pieces=cue_pieces(read_cues(decode(source.read(), source.name)), _SECTION_SECONDS))


def cue_pieces(cues: list[Cue], section_seconds: float) -> tuple[Piece, ...]:
    """Cues as paragraphs; a heading with the span of time every ``section_seconds``, unless all is one section."""
    paragraphs = _paragraphs(cues, section_seconds)
    long = bool(paragraphs) and paragraphs[-1][-1].end > section_seconds
    pieces: list[Piece] = []
    section = -1
    speaker: str | None = None
    for cues in paragraphs:
        seconds = (cues[0].start, max(cue.end for cue in cues))
        number = int(cues[0].start // section_seconds)
        if long and number != section:
            section, speaker = number, None
            begin = number * section_seconds
            pieces.append(
                Piece(f"## {clock(begin)} to {clock(begin + section_seconds)}\n\n", Provenance(seconds=seconds))
            )
        lead = f"**{escape_text(cues[0].speaker)}:** " if cues[0].speaker and cues[0].speaker != speaker else ""
        speaker = cues[0].speaker
        text = escape_text(" ".join(cue.text for cue in cues))
        pieces.append(Piece(f"{lead}{text}\n\n", Provenance(seconds=seconds)))
    return tuple(pieces)


def read_cues(text: str) -> list[Cue]:
    """Every cue in file order; notes, styles and regions are left out. A voice holds until the cue ends."""
    cues: list[Cue] = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        at = next((number for number, line in enumerate(lines) if _TIMING.match(line)), None)
        if at is None:
            continue
        timing = _TIMING.match(lines[at])
        assert timing is not None
        start, end = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
        cues += [Cue(start, end, speaker, said) for speaker, said in _voices("\n".join(lines[at + 1 :]))]
    return _named(_unrolled(cues))


def clock(seconds: float) -> str:
    """``h:mm:ss`` or ``m:ss``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _voices(text: str) -> list[tuple[str | None, str]]:
    parts = _VOICE.split(text)
    said = [(None, parts[0]), *((parts[i].strip() or None, parts[i + 1]) for i in range(1, len(parts), 2))]
    plain = [(speaker, " ".join(html.unescape(_TAG.sub("", words)).split())) for speaker, words in said]
    return [(speaker, words) for speaker, words in plain if words]


def _unrolled(cues: list[Cue]) -> list[Cue]:
    """Live captions roll: a cue repeats the end of the one before it. What is repeated is said once."""
    rolling = sum(_repeated(before, cue) > 0 for before, cue in pairwise(cues)) > _ROLLING * len(cues)
    if not rolling:
        return cues
    kept = cues[:1]
    for before, cue in pairwise(cues):
        words = cue.text.split()[_repeated(before, cue) :]
        if words:
            kept.append(replace(cue, text=" ".join(words)))
    return kept


def _repeated(before: Cue, cue: Cue) -> int:
    """How many words at the start of a cue are the last ones of the cue that ends as it begins."""
    if cue.speaker != before.speaker or cue.start - before.end > _ROLL_SECONDS:
        return 0
    old, new = before.text.split(), cue.text.split()
    return next((size for size in range(min(len(old), len(new)), 0, -1) if old[-size:] == new[:size]), 0)


def _named(cues: list[Cue]) -> list[Cue]:
    """``ADA: words`` as words of Ada, when nobody is named by a voice and the name comes twice or is in capitals."""
    if any(cue.speaker for cue in cues):
        return cues
    names = Counter(found.group(1) for cue in cues if (found := _SPEAKER.match(cue.text)))
    known = {name for name, count in names.items() if count > 1 or name.isupper()}
    speaker: str | None = None
    told: list[Cue] = []
    for cue in cues:
        found = _SPEAKER.match(cue.text)
        if found and found.group(1) in known:
            speaker = found.group(1)
            cue = replace(cue, text=cue.text[found.end() :])
        told.append(replace(cue, speaker=speaker))
    return told


def _paragraphs(cues: list[Cue], section_seconds: float) -> list[list[Cue]]:
    paragraphs: list[list[Cue]] = []
    words = 0
    for cue in cues:
        last = paragraphs[-1][-1] if paragraphs else None
        if (
            last is None
            or cue.speaker != last.speaker
            or cue.start - last.end > _PAUSE_SECONDS
            or (words > _PARAGRAPH_WORDS and last.text.endswith((".", "!", "?", "。", "…")))
            or words > 3 * _PARAGRAPH_WORDS
            or int(cue.start // section_seconds) != int(last.start // section_seconds)
        ):
            paragraphs.append([])
            words = 0
        paragraphs[-1].append(cue)
        words += len(cue.text.split())
    return paragraphs


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return (
        int(hours or 0) * 3600
        + int(minutes or 0) * 60
        + int(seconds or 0)
        + int((fraction or "0").ljust(3, "0")) / 1000
    )
