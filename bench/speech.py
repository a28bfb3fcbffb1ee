"""How fast speech is written down: minutes of made-up talk, read by espeak-ng, through the parser as any upload."""

import random
import resource
import subprocess
import tempfile
import time
import wave
from pathlib import Path
from typing import Any

from bench.options import Options
from bench.synthetic import SUBJECTS, sentences
from wiki.parsing.parser import parse_file
from wiki.settings import ParsingSettings

MINUTES = 10
WORDS_A_TALK = 150
WORDS_A_MINUTE = 160


def run(options: Options) -> dict[str, Any]:
    """The real-time factor (seconds of work a second of sound; below 1 is faster than the talk), in this process, model
    loaded; what an hour takes by it; how many of the talk's own words were written down; peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.wav"
        said = write_speech(path, MINUTES, options.seed)
        clip = Path(folder) / "clip.wav"
        write_speech(clip, 0.2, options.seed + 1)
        parse_file(clip, clip.name)
        seconds = duration(path)
        started, worked = time.perf_counter(), time.process_time()
        document = parse_file(path, path.name, settings=ParsingSettings())
        elapsed, worked = time.perf_counter() - started, time.process_time() - worked
    written = document.markdown.casefold()
    words = [word.strip(".").casefold() for word in said.split()]
    return {
        "minutes": round(seconds / 60, 1),
        "seconds": round(elapsed, 1),
        "processor_seconds": round(worked, 1),
        "real_time_factor": round(elapsed / seconds, 3),
        "seconds_for_an_hour": round(3600 * elapsed / seconds),
        "words_found": round(sum(word in written for word in words) / len(words), 3),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def write_speech(path: Path, minutes: float, seed: int) -> str:
    """A WAV of about ``minutes`` of talk about varied subjects; gives back the words said."""
    source = random.Random(seed)
    talks: list[str] = []
    while sum(len(talk.split()) for talk in talks) < minutes * WORDS_A_MINUTE:
        subject = source.choice(list(SUBJECTS))
        talks.append(sentences(subject, source, min(WORDS_A_TALK, round(minutes * WORDS_A_MINUTE))))
    text = "\n\n".join(talks)
    command = ["espeak-ng", "-v", "en-us", "-s", str(WORDS_A_MINUTE), "-w", str(path), "--stdin"]
    subprocess.run(command, input=text.encode(), check=True)
    return text


def duration(path: Path) -> float:
    """Seconds of a WAV."""
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()
