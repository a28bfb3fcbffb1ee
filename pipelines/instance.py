"""``python -m pipelines.instance``: make Dagster's databases before anything else does.

The webserver and the daemon starting together on an empty home would crash one of them: both create the tables.
"""

import sys
from pathlib import Path

import dagster as dg

from wiki.supervisor.processes import INITIALISED


def initialise(instance: dg.DagsterInstance) -> None:
    """Touch every storage once: runs, events, schedules."""
    instance.get_runs(limit=1)
    instance.get_dynamic_partitions("source_files")
    instance.all_instigator_state()


def main() -> int:
    try:
        with dg.DagsterInstance.get() as instance:
            initialise(instance)
            (Path(instance.root_directory) / INITIALISED).touch()
    except dg.DagsterInvariantViolationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
