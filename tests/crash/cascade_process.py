"""A cascade as a process of its own, with the stand-in embedder: ``python -m tests.crash.cascade_process ROOT``."""

import sys
import threading
from pathlib import Path

from tests.standins import WordEmbedder
from wiki.index.cascade import Cascade
from wiki.library import Library
from wiki.settings import CascadeSettings, Settings


def main(root: Path) -> None:
    settings = Settings(root=root, cascade=CascadeSettings(window_seconds=1))
    Cascade(Library(settings, embedder=WordEmbedder())).run(threading.Event())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
