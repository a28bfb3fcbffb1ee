"""The MCP server on stdio with the stand-in embedder: ``python -m tests.serving.mcp_process ROOT PROJECT``."""

import os
import sys
from pathlib import Path

from serving.mcp.stdio import serve
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings

if __name__ == "__main__":
    library = Library(Settings(root=Path(sys.argv[1])), embedder=WordEmbedder())
    print("this is no protocol", file=sys.stderr)  # noqa: T201
    serve(library, library.tenant("default", sys.argv[2]))
    os._exit(0)
