"""How far long work is: a bar with the time left on a terminal, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Any, Self

from wiki.cli.output import console, on_terminal, say

_LINE_SECONDS = 10.0


class Progress:
    """``with Progress("adding") as bar: bar.update(3, 10)``: on stderr, so stdout stays data.

    Off a terminal it says one line every ten seconds: ``adding: 120 of 500, ETA 0:03:12``.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None
        self._task: Any = None
        self._started = self._said = time.monotonic()
        self._done = 0
        self._total: int | None = None

    def __enter__(self) -> Self:
        if on_terminal():
            from rich import progress

            columns = (
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TextColumn("ETA"),
                progress.TimeRemainingColumn(),
            )
            self._bar = progress.Progress(*columns, console=console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=None)
        return self

    def update(self, done: int, total: int, detail: str = "") -> None:
        """``done`` of ``total`` are finished; ``detail`` names what is next to be seen."""
        self._done, self._total = done, total
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, description=detail or self._title)
        else:
            self._line(detail)

    def detail(self, words: str) -> None:
        """What is worked on within the present step."""
        if self._bar is not None:
            self._bar.update(self._task, description=words)
        else:
            self._line(words)

    def _line(self, detail: str) -> None:
        now = time.monotonic()
        if now - self._said < _LINE_SECONDS:
            return
        self._said = now
        words = f"{self._title}: {self._done}"
        if self._total is not None:
            words += f" of {self._total}"
            if self._done:
                words += f", ETA {clock((now - self._started) / self._done * (self._total - self._done))}"
        say(words + (f", {detail}" if detail else ""))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def clock(seconds: float) -> str:
    """``h:mm:ss``"""
    whole = max(0, round(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
