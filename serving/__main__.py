"""``python -m serving``."""

import sys

from serving.run import main

if __name__ == "__main__":
    sys.exit(main())
