"""How far an upload is: stages in order, each with its share of the whole."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from wiki.parsing.source import Step

Stage = Literal["stored", "parsed", "extracting", "classified", "written", "indexed"]
"""What is done: the bytes are safe, the file is read, topics are being found, the category is chosen, the document
stands on disk, search finds it."""

STAGES: tuple[Stage, ...] = get_args(Stage)
OnStage = Callable[[Stage], None]

_REACHED: dict[Stage, float] = {
    "stored": 0.0,
    "parsed": 0.4,
    "extracting": 0.45,
    "classified": 0.85,
    "written": 0.9,
    "indexed": 1.0,
}


def no_stage(stage: Stage) -> None:
    """Nobody watches."""


def fraction(stage: Stage, step: "Step | None") -> float:
    """0 to 1: what the stage is worth, and the part of the way to the next one that its steps have made."""
    start = _REACHED[stage]
    if stage == STAGES[-1] or step is None or not step.total:
        return start
    end = _REACHED[STAGES[STAGES.index(stage) + 1]]
    return round(start + (end - start) * min(1.0, step.done / step.total), 4)
