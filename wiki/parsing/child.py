"""The parser's own process: ``python -m wiki.parsing.child``.

Reads requests from stdin and writes steps and replies to stdout. It ends at the end of its stdin and,
on Linux, with the thread that started it. It gives way to whoever answers a search.
"""

import contextlib
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from wiki.errors import WikiError
from wiki.parsing.exchange import Reply, Request, read_frame, write_frame
from wiki.parsing.memory import end_with_parent
from wiki.parsing.parser import parse_file
from wiki.parsing.source import Progress, Step, no_progress

_NICENESS = 10


def answer(request: Request, progress: Progress = no_progress) -> Reply:
    """The document, or the error a caller may see; anything else ends this process."""
    try:
        document = parse_file(
            Path(request.path), request.name, request.declared_type, settings=request.settings, progress=progress
        )
    except WikiError as error:
        return Reply(error=error)
    return Reply(document=document)


def serve(answering: Callable[[Request, Progress], Reply] = answer) -> None:
    """Answers requests until stdin ends."""
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the replies.
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.setrecursionlimit(20_000)

    def tell(step: Step) -> None:
        write_frame(replies, pickle.dumps(step))

    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        while (frame := read_frame(requests)) is not None:
            write_frame(replies, pickle.dumps(answering(pickle.loads(frame), tell)))


if __name__ == "__main__":
    serve()
