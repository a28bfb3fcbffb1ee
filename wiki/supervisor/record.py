"""``<root>/.index/run.json``: who serves this root, where, and under which process ids."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from wiki.presence import is_alive
from wiki.tenants import run_file


@dataclass(frozen=True)
class RunRecord:
    """What ``wiki up`` runs. URLs have no trailing slash."""

    pid: int
    started: str
    """UTC, ISO."""
    api_url: str
    dagster_url: str | None
    ports: dict[str, int] = field(default_factory=dict[str, int])
    processes: dict[str, int] = field(default_factory=dict[str, int])
    lite: bool = False


def write_record(root: Path, record: RunRecord) -> None:
    """Replace ``run.json`` in one step, so that a reader never sees half of it."""
    path = run_file(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".run.json.{os.getpid()}")
    staged.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    os.replace(staged, path)


def read_record(root: Path) -> RunRecord | None:
    """The record of the running ``wiki up``, or None when there is none, or it died without clearing it."""
    try:
        found = cast(dict[str, Any], json.loads(run_file(root).read_text(encoding="utf-8")))
        record = RunRecord(**found)
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        return None
    return record if is_alive(record.pid) else None


def remove_record(root: Path) -> None:
    """Take ``run.json`` away at the end of ``wiki up``."""
    run_file(root).unlink(missing_ok=True)


def api_url(root: Path) -> str | None:
    """Where the API of this root answers, when it runs."""
    record = read_record(root)
    return None if record is None else record.api_url
