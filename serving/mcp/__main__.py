"""``python -m serving.mcp``."""

import os
import sys

from serving.mcp.stdio import main

if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)
