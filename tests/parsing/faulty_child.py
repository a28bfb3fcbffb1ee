"""A parser process that misbehaves as the file's name says: ``python -m tests.parsing.faulty_child``."""

import os
import time

from wiki.errors import ExtractionEmpty
from wiki.parsing.child import answer, serve
from wiki.parsing.exchange import Reply, Request
from wiki.parsing.source import Progress, Step


def misbehave(request: Request, progress: Progress) -> Reply:
    if request.name.startswith("steady"):
        for page in range(1, 13):
            time.sleep(0.3)
            progress(Step("page", page, 12))
    if request.name.startswith("stalls"):
        progress(Step("page", 7, 12))
        time.sleep(600)
    if request.name.startswith("hang"):
        time.sleep(600)
    if request.name.startswith("die"):
        os._exit(3)
    if request.name.startswith("crash"):
        os.abort()
    if request.name.startswith("hungry"):
        held = [bytearray(os.urandom(1024) * 1024 * 20) for _ in range(40)]
        time.sleep(600)
        return Reply(error=ExtractionEmpty(str(len(held))))
    return answer(request)


if __name__ == "__main__":
    serve(misbehave)
