"""``python -m pipelines.instance``: make Dagster's databases before anything else does.

The webserver and the daemon starting together on an empty home would crash one of them: both create the tables.
"""

import sys

import dagster as dg


def initialise(instance: dg.DagsterInstance) -> None:
    """Touch every storage once: runs, events, schedules."""
    instance.get_runs(limit=1)
    instance.get_dynamic_partitions("source_files")
    instance.all_instigator_state()


def main() -> int:
    try:
        with dg.DagsterInstance.get() as instance:
            initialise(instance)
    except dg.DagsterInvariantViolationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
