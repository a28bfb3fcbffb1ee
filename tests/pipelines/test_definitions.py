"""The asset graph as people see it, and the two sensors that stand in for a daemon."""

import json
import os
import subprocess
import sys
from pathlib import Path

import dagster as dg

from pipelines.definitions import defs

GOLDEN = Path(__file__).with_name("asset_graph.json")
REPOSITORY = Path(__file__).resolve().parents[2]


def graph() -> dict[str, object]:
    """What the graph promises; code versions are left out, as they follow the packages installed."""
    found: dict[str, object] = {}
    for key in sorted(defs.resolve_asset_graph().get_all_asset_keys()):
        node = defs.resolve_asset_graph().get(key)
        partitions = node.partitions_def
        found[key.to_user_string()] = {
            "depends_on": sorted(parent.to_user_string() for parent in node.parent_keys),
            "group": node.group_name,
            "kinds": sorted(node.kinds),
            "partitions": partitions.name if isinstance(partitions, dg.DynamicPartitionsDefinition) else None,
            "runs": node.is_executable,
            "backfill": "single run" if node.is_executable and node.backfill_policy else None,
            "freshness_seconds": _fail_seconds(node.freshness_policy),
            "checks": sorted(check.name for check in node.check_keys),
        }
    return found


def _fail_seconds(policy: object) -> float | None:
    return policy.fail_window.to_timedelta().total_seconds() if policy is not None else None  # pyright: ignore


def test_the_asset_graph_is_the_agreed_one() -> None:
    if os.environ.get("WIKI_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(graph(), indent=2) + "\n", encoding="utf-8")
    assert graph() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_asset_has_a_code_version_and_words_for_people() -> None:
    for node in defs.resolve_asset_graph().asset_nodes:
        assert node.code_version, node.key
        assert node.description and len(node.description) > 40, node.key


def test_jobs_schedules_and_sensors_are_the_agreed_ones() -> None:
    repository = defs.get_repository_def()
    assert {name for name in repository.job_names if not name.startswith("__")} == {
        *("ingest", "reindex", "rebuild", "upkeep", "evaluate")
    }
    running = {schedule.name for schedule in repository.schedule_defs if schedule.default_status.value == "RUNNING"}
    assert running == {"nightly_reindex", "hourly_upkeep"}
    assert {schedule.name for schedule in repository.schedule_defs} - running == {"weekly_evaluate"}
    assert {sensor.name for sensor in repository.sensor_defs} == {"cascade_a", "cascade_b", "incoming_sensor"}
    assert all(sensor.default_status is dg.DefaultSensorStatus.RUNNING for sensor in repository.sensor_defs)


def test_a_window_fits_into_the_minute_a_tick_may_take() -> None:
    from pipelines.sensors import BATON_SLACK
    from wiki.settings import CascadeSettings

    assert 2 * CascadeSettings().window_seconds + BATON_SLACK < 60


def test_the_instance_configuration_is_valid(tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_bytes((REPOSITORY / "dagster.yaml").read_bytes())
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert not instance.telemetry_enabled
        assert instance.get_settings("sensors")["use_threads"]
        assert Path(instance.root_directory) == tmp_path


def test_loading_the_definitions_touches_no_model() -> None:
    code = (
        "import sys, pipelines.definitions; "
        "print(sorted(set(sys.modules) & {'torch', 'docling', 'onnxruntime', 'sentence_transformers'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
