"""``python -m bench [NAME...]``: runs benchmarks one after another and prints one JSON object."""

import argparse
import importlib
import json
import os
import platform
import sys
from dataclasses import fields
from datetime import UTC, datetime

from bench.options import Options
from wiki import __version__

BENCHES = ("freshness", "search", "indexing", "notes", "footprint", "bulk", "parsing", "large_files", "speech")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones; all when none: {', '.join(BENCHES)}")
    for option in fields(Options):
        parser.add_argument(f"--{option.name.replace('_', '-')}", type=type(option.default), default=option.default)
    given = vars(parser.parse_args())
    names = given.pop("names") or BENCHES
    if unknown := sorted(set(names) - set(BENCHES)):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    options = Options(**given)
    report = {
        "version": __version__,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version()},
        "options": given,
    }
    for name in names:
        sys.stderr.write(f"{name} ...\n")
        report[name] = importlib.import_module(f"bench.{name}").run(options)
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
