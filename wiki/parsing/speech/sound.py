"""The sound of a recording, decoded piece by piece, and what its tags say."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wiki.errors import ExtractionEmpty, UnsupportedFormat
from wiki.parsing.front_matter import iso_date

RATE = 16_000
"""Samples a second, what the model hears."""
STRETCH_SECONDS = 300
"""Most sound held at once: 19 MB."""
_CUT_SECONDS = 30
_FRAME_SECONDS = 0.2
_DATES = ("date", "creation_time", "date_recorded", "originaldate")


@dataclass(frozen=True)
class Stretch:
    """Up to five minutes of sound; ``samples`` is a float32 array at ``RATE``."""

    start: float
    samples: Any


class Recording:
    """An open sound file, a context manager. Raises UnsupportedFormat when it is damaged, ExtractionEmpty when
    there is no sound track in it."""

    def __init__(self, path: Path, name: str, most_minutes: float) -> None:
        self._path, self._name, self._most = path, name, most_minutes * 60
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        import av
        from av.error import FFmpegError

        try:
            self._container: Any = self._stack.enter_context(av.open(str(self._path), metadata_errors="ignore"))
        except (FFmpegError, ValueError) as error:
            raise UnsupportedFormat(
                f"{self._name} cannot be played, it is damaged or no recording ({getattr(error, 'strerror', error)})"
            ) from error
        if not self._container.streams.audio:
            moving = bool(self._container.streams.video)
            self._stack.close()
            if moving:
                raise ExtractionEmpty(f"{self._name} is a film without sound")
            raise UnsupportedFormat(f"{self._name} is damaged: no sound track can be found in it")
        seconds = self.seconds
        if seconds is not None and seconds > self._most:
            self._stack.close()
            self._too_long(seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def seconds(self) -> float | None:
        """The length the file states; None when it states none."""
        stream = self._container.streams.audio[0]
        if stream.duration and stream.time_base:
            return float(stream.duration * stream.time_base)
        return self._container.duration / 1_000_000 if self._container.duration else None

    @property
    def title(self) -> str | None:
        return " ".join(self._tags.get("title", "").split()) or None

    @property
    def date(self) -> str | None:
        """ISO date of the tags, when they state a whole one."""
        found = (iso_date(self._tags.get(name)) for name in _DATES)
        return next((date for date in found if date and not date.startswith(("1904", "1970", "0000"))), None)

    @property
    def _tags(self) -> dict[str, str]:
        stream = self._container.streams.audio[0]
        pairs = [*dict(stream.metadata).items(), *dict(self._container.metadata).items()]
        return {str(key).casefold(): re.sub(r"[\x00-\x1f]+", " ", str(value)) for key, value in pairs}

    def stretches(self) -> Iterator[Stretch]:
        """The whole recording, cut where it is quiet. Damaged frames are left out; a file without a whole one is
        UnsupportedFormat, as is one longer than the limit."""
        import numpy as np

        waiting: list[Any] = []
        count, start = 0, 0
        for samples in self._decoded():
            waiting.append(samples)
            count += len(samples)
            if (start + count) / RATE > self._most:
                self._too_long((start + count) / RATE)
            while count > STRETCH_SECONDS * RATE:
                whole = np.concatenate(waiting)
                cut = _quiet_place(whole[: STRETCH_SECONDS * RATE])
                yield Stretch(start / RATE, whole[:cut])
                waiting, count, start = [whole[cut:]], count - cut, start + cut
        if start + count == 0:
            raise UnsupportedFormat(f"{self._name} is damaged: there is not one whole frame of sound in it")
        yield Stretch(start / RATE, np.concatenate(waiting))

    def _decoded(self) -> Iterator[Any]:
        import numpy as np
        from av.audio.resampler import AudioResampler
        from av.error import EOFError as EndOfFile
        from av.error import FFmpegError, InvalidDataError

        resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
        frames = self._container.decode(audio=0)
        while True:
            try:
                frame = next(frames, None)
            except InvalidDataError:
                continue
            except FFmpegError as error:
                if isinstance(error, EndOfFile):
                    frame = None
                else:
                    raise UnsupportedFormat(f"{self._name} is damaged: {error}") from error
            if frame is not None:
                frame.pts = None
            for piece in resampler.resample(frame):
                yield piece.to_ndarray().reshape(-1).astype(np.float32) / 32768.0
            if frame is None:
                return

    def _too_long(self, seconds: float) -> None:
        raise UnsupportedFormat(
            f"{self._name} is longer than {self._most / 60:g} minutes (it has {seconds / 60:.0f} or more); "
            "the setting parsing.max_minutes allows more"
        )


def _quiet_place(samples: Any) -> int:
    """Where to cut: the middle of the quietest fifth of a second within the last half minute."""
    import numpy as np

    frame = int(_FRAME_SECONDS * RATE)
    first = len(samples) - _CUT_SECONDS * RATE
    tail = samples[first:]
    tail = tail[: len(tail) // frame * frame].reshape(-1, frame)
    return first + int(np.argmin((tail * tail).mean(axis=1))) * frame + frame // 2
