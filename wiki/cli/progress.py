"""A progress bar with the time left, on a terminal; silence elsewhere."""

from types import TracebackType
from typing import Any, Self

from wiki.cli.output import console, on_terminal


class Progress:
    """``with Progress("adding") as bar: bar.update(3, 10)``: draws on stderr, so stdout stays data."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if on_terminal():
            from rich import progress

            columns = (
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
            )
            self._bar = progress.Progress(*columns, console=console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=None)
        return self

    def update(self, done: int, total: int, detail: str = "") -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, description=detail or self._title)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
