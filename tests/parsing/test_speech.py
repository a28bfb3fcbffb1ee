import math
import random
import shutil
import struct
import subprocess
import wave
from pathlib import Path

import av
import pytest

from wiki.errors import CapabilityUnavailable, ExtractionEmpty, UnsupportedFormat
from wiki.parsing.parser import parse_file
from wiki.parsing.source import Step
from wiki.parsing.speech.model import bundled_model
from wiki.parsing.speech.sound import RATE, STRETCH_SECONDS, Recording
from wiki.settings import ParsingSettings, SpeechSettings

speaking = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
SENTENCE = "The old water pump stands behind the red barn, and every morning the farmer fills two buckets."
GERMAN = "Heute Morgen ist das Wetter schön, und wir gehen mit den Kindern in den Garten, um Äpfel zu pflücken."


def speak(path: Path, text: str, voice: str = "en-us") -> Path:
    subprocess.run(["espeak-ng", "-v", voice, "-s", "140", "-w", str(path), text], check=True)
    return path


def write_wave(path: Path, samples: list[int], rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return path


def encode(source: Path, target: Path, codec: str, **tags: str) -> Path:
    with av.open(str(source)) as inside, av.open(str(target), "w") as outside:
        outside.metadata.update(tags)
        stream = outside.add_stream(codec, rate=44_100 if codec != "libopus" else 48_000)
        for frame in inside.decode(audio=0):
            for packet in stream.encode(frame):
                outside.mux(packet)
        for packet in stream.encode(None):
            outside.mux(packet)
    return target


@speaking
def test_speech_is_written_down_with_its_language_and_seconds(tmp_path: Path) -> None:
    steps: list[Step] = []
    found = parse_file(speak(tmp_path / "talk.wav", SENTENCE), "talk.wav", progress=steps.append)
    assert "water pump" in found.markdown and "every morning" in found.markdown
    assert found.language == "en" and not found.markdown.startswith("#")
    seconds = [block.provenance.seconds for block in found.blocks if block.provenance]
    assert seconds and seconds[0] is not None and seconds[0][0] < 1 < seconds[0][1]
    assert {step.unit for step in steps} == {"minute"}


@speaking
def test_another_language_is_found_or_set(tmp_path: Path) -> None:
    talk = speak(tmp_path / "talk.wav", GERMAN, "de")
    assert parse_file(talk, "talk.wav").language == "de"
    settings = ParsingSettings(speech=SpeechSettings(language="de"))
    assert "mit den Kindern" in parse_file(talk, "talk.wav", settings=settings).markdown


@speaking
@pytest.mark.parametrize(
    ("name", "codec"), [("a.mp3", "libmp3lame"), ("a.m4a", "aac"), ("a.flac", "flac"), ("a.ogg", "libopus")]
)
def test_every_container_gives_the_words_and_its_tags(tmp_path: Path, name: str, codec: str) -> None:
    talk = encode(speak(tmp_path / "t.wav", SENTENCE), tmp_path / name, codec, title="Farm notes")
    found = parse_file(talk, name)
    assert "water pump" in found.markdown
    assert found.title == "Farm notes" or codec == "libopus"


@speaking
def test_a_long_recording_gets_headings_with_its_times(tmp_path: Path) -> None:
    settings = ParsingSettings(speech=SpeechSettings(heading_minutes=0.1))
    found = parse_file(speak(tmp_path / "t.wav", f"{SENTENCE} {SENTENCE}"), "t.wav", settings=settings)
    headings = [block.heading for block in found.blocks if block.heading]
    assert headings[:2] == ["0:00 to 0:06", "0:06 to 0:12"]


def test_silence_noise_and_tones_hold_no_speech(tmp_path: Path) -> None:
    source = random.Random(3)
    for name, samples in {
        "silence.wav": [0] * RATE * 3,
        "noise.wav": [source.randint(-6_000, 6_000) for _ in range(RATE * 4)],
        "tone.wav": [int(9_000 * math.sin(at * 0.17) * math.sin(at * 0.0002)) for at in range(RATE * 4)],
    }.items():
        with pytest.raises(ExtractionEmpty, match="no speech"):
            parse_file(write_wave(tmp_path / name, samples), name)


def test_damaged_and_too_long_recordings_are_refused_before_any_work(tmp_path: Path) -> None:
    whole = write_wave(tmp_path / "a.wav", [0] * RATE * 120)
    with pytest.raises(UnsupportedFormat, match=r"parsing\.max_minutes"):
        parse_file(whole, "a.wav", settings=ParsingSettings(max_minutes=1))
    (tmp_path / "b.mp3").write_bytes(b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90" + bytes(40))
    (tmp_path / "c.wav").write_bytes(whole.read_bytes()[:44])
    (tmp_path / "d.m4a").write_bytes(b"\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A mp42")
    for name in ("b.mp3", "c.wav", "d.m4a"):
        with pytest.raises(UnsupportedFormat, match="damaged"):
            parse_file(tmp_path / name, name)


def test_a_long_recording_is_held_a_stretch_at_a_time_and_no_sample_is_lost(tmp_path: Path) -> None:
    count = RATE * (STRETCH_SECONDS + 60)
    path = write_wave(tmp_path / "a.wav", [4_000 if at % RATE > 400 else 0 for at in range(count)])
    with Recording(path, "a.wav", 60) as recording:
        stretches = list(recording.stretches())
    assert len(stretches) == 2
    assert sum(len(stretch.samples) for stretch in stretches) == count
    assert stretches[1].start == len(stretches[0].samples) / RATE


@speaking
def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    talk = speak(tmp_path / "t.wav", SENTENCE)
    settings = ParsingSettings(speech=SpeechSettings(model=str(tmp_path / "nowhere")))
    with pytest.raises(CapabilityUnavailable, match=r"parsing\.speech\.model"):
        parse_file(talk, "t.wav", settings=settings)


def test_the_bundled_model_is_joined_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_CACHE_DIR", str(tmp_path))
    folder = bundled_model()
    first = (folder / "model.bin").stat().st_mtime_ns
    assert bundled_model() == folder and (folder / "model.bin").stat().st_mtime_ns == first
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json", "model.bin", "tokenizer.json", "vocabulary.json",
    ]  # fmt: skip
