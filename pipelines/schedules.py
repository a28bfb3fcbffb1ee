"""Chores by the clock."""

import dagster as dg

from pipelines.jobs import evaluate, reindex, upkeep

SCHEDULES = (
    dg.ScheduleDefinition(
        name="nightly_reindex",
        job=reindex,
        cron_schedule="17 3 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Hash everything once a night: finds what no watcher can, such as an edit that kept size and time.",
    ),
    dg.ScheduleDefinition(
        name="hourly_upkeep",
        job=upkeep,
        cron_schedule="41 * * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Optimize, prune, keep the event history small.",
    ),
    dg.ScheduleDefinition(
        name="weekly_evaluate",
        job=evaluate,
        cron_schedule="23 4 * * 0",
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Every asset check, search floors included.",
    ),
)
