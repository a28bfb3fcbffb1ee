"""The HTTP service as a process of its own, with the stand-in embedder: ``python -m tests.crash.service_process ROOT``.

As ``python -m serving`` does, it prints its address, and watches the root while nobody else does.
"""

import sys
from functools import partial
from pathlib import Path

import uvicorn

from serving.app import create_app, end_streams
from serving.run import EndingServer, listen, url_of
from tests.standins import WordEmbedder
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.settings import Settings


def main(root: Path) -> None:
    library = Library(Settings(root=root), embedder=WordEmbedder())
    app = create_app(library.settings, library, Cascade(library).stand_by)
    listener = listen("127.0.0.1", 0)
    sys.stdout.write(f"{url_of(listener)}\n")
    sys.stdout.flush()
    config = uvicorn.Config(app, access_log=False, log_config=None, timeout_graceful_shutdown=5)
    EndingServer(config, before=partial(end_streams, app)).run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
