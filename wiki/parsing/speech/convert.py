"""A recording -> a transcript."""

import re
from collections.abc import Iterator
from typing import Any

from wiki.errors import ExtractionEmpty
from wiki.parsing.captions import Cue, cue_pieces
from wiki.parsing.source import Conversion, Source, Step
from wiki.parsing.speech.model import load_model
from wiki.parsing.speech.sound import RATE, Recording, Stretch

CAREFUL_MINUTES = 10
"""Up to here five readings of each half minute are weighed; a longer recording gets one, in two thirds of the time."""
_SURE = 0.8
_UNSURE_SPEECH = 0.6
_UNSURE_WORDS = -1.0
_REPEATS = 2.4
_NO_WORDS = re.compile(r"[\[(*♪♫][^\])*]*[\])*♪♫]?")
# What the model says of silence, noise and music, because films end with it.
_STOCK = re.compile(
    r"(?:thank(?:s| you)(?: so much| very much)?(?: for watching)?|please subscribe.*|subscribe.*|you|bye|"
    r"(?:the )?music|applause|subtitles by.*|untertitel .*|vielen dank.*|sous-titr.*|продолжение следует.*|"
    r"ご視聴ありがとうございました|字幕.*|amara\.org.*)",
    re.IGNORECASE,
)


def convert_sound(source: Source) -> Conversion:
    """What was said, in paragraphs that carry their seconds, a heading every ``speech.heading_minutes`` of a
    recording longer than that; title and date from the tags.

    Raises ExtractionEmpty for silence, noise and music, UnsupportedFormat for a damaged or too long file,
    CapabilityUnavailable when the speech model is not there.
    """
    settings = source.settings
    with Recording(source.path, source.name, settings.max_minutes) as recording:
        seconds = recording.seconds
        total = max(1, round(seconds / 60)) if seconds else None
        careful = seconds is not None and seconds <= CAREFUL_MINUTES * 60
        listener = _Listener(source, beam=5 if careful else 1, total=total)
        cues = [cue for stretch in recording.stretches() for cue in listener.hear(stretch)]
        title, date = recording.title, recording.date
    if not cues or all(_STOCK.fullmatch(_bare(cue.text)) for cue in cues):
        raise ExtractionEmpty(f"{source.name} can be played but no speech was found in it")
    return Conversion(
        pieces=cue_pieces(cues, settings.speech.heading_minutes * 60),
        title=title,
        language=listener.language,
        document_date=date,
    )


class _Listener:
    """Writes down one stretch after the other; the language stays what it was unless another one is sure."""

    def __init__(self, source: Source, *, beam: int, total: int | None) -> None:
        self._source, self._beam, self._total = source, beam, total
        self.language: str | None = None
        self._now = ""

    def hear(self, stretch: Stretch) -> Iterator[Cue]:
        from faster_whisper.vad import get_speech_timestamps

        self._tell(stretch.start)
        spoken = get_speech_timestamps(stretch.samples, sampling_rate=RATE)
        if spoken:
            model = load_model(self._source.settings.speech.model)
            language = self._language(model, stretch.samples[spoken[0]["start"] :])
            segments, _ = model.transcribe(
                stretch.samples,
                language=language,
                beam_size=self._beam,
                vad_filter=True,
                condition_on_previous_text=False,
            )
            for segment in segments:
                self._tell(stretch.start + segment.end)
                text = (
                    " ".join(_NO_WORDS.sub(" ", segment.text).split()) if "♪" in segment.text else segment.text.strip()
                )
                if _is_speech(segment, text):
                    yield Cue(stretch.start + segment.start, stretch.start + segment.end, None, text)
        self._tell(stretch.start + len(stretch.samples) / RATE)

    def _language(self, model: Any, samples: Any) -> str:
        wanted = self._source.settings.speech.language.split("-")[0].lower()
        if wanted:
            self.language = wanted
            return wanted
        found, probability, _ = model.detect_language(samples)
        if self.language is None or probability >= _SURE:
            self._now = str(found)
        self.language = self.language or self._now
        return self._now

    def _tell(self, seconds: float) -> None:
        minute = int(seconds // 60)
        self._source.progress(Step("minute", min(minute, self._total) if self._total else minute, self._total))


def _is_speech(segment: Any, text: str) -> bool:
    bare = _bare(text)
    if not any(character.isalnum() for character in bare) or re.fullmatch(r"[\[(*][^\])*]*[\])*]", text):
        return False
    if segment.no_speech_prob > _UNSURE_SPEECH and segment.avg_logprob < _UNSURE_WORDS / 2:
        return False
    if segment.compression_ratio > _REPEATS and segment.avg_logprob < _UNSURE_WORDS:
        return False
    return not (_STOCK.fullmatch(bare) and (segment.no_speech_prob > 0.3 or segment.avg_logprob < -0.7))


def _bare(text: str) -> str:
    return text.strip().strip(".!?…, 。！♪").strip()
