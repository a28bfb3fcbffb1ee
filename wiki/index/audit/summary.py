"""Decisions -> what may be told of them outside the tenant's wall: counts and ids, in words of ours alone."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from wiki.documents.timestamps import read_time, write_time
from wiki.index.rows import DecisionSummary
from wiki.vaults.audit import Decision

MOST_NOTE_IDS = 100
OTHER = "other"
NONE = "none"
ACTIONS = ("write", "append", "replace", "properties", "move", "promote", "reject", "expire")
ACTORS = ("person", "agent", "upkeep")
_RULE = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_NOTE_ID = re.compile(r"n_[0-9a-f]{12}")


def summarised(decisions: Sequence[Decision], vaults: Collection[str]) -> DecisionSummary | None:
    """These decisions counted; None when there are none. ``vaults``: the names of those there are."""
    if not decisions:
        return None
    times = [moment for row in decisions if (moment := read_time(row.at)) is not None]
    newest = sorted((row for row in decisions if is_note_id(row.note_id)), key=lambda row: row.at, reverse=True)
    return DecisionSummary(
        count=len(decisions),
        newest=write_time(max(times)) if times else "",
        actions=_counted(row.action if row.action in ACTIONS else OTHER for row in decisions),
        outcomes=_counted(row.outcome for row in decisions),
        actors=_counted(row.actor if row.actor in ACTORS else OTHER for row in decisions),
        rules=_counted(_rule(row.rule_id) for row in decisions),
        vaults=_counted(
            NONE if row.vault is None else row.vault if row.vault in vaults else OTHER for row in decisions
        ),
        note_ids=tuple(dict.fromkeys(str(row.note_id) for row in newest))[:MOST_NOTE_IDS],
    )


def is_note_id(text: str | None) -> bool:
    """Whether it is a note's id: what was asked for and refused may be anything."""
    return text is not None and _NOTE_ID.fullmatch(text) is not None


def _rule(rule_id: str | None) -> str:
    if rule_id is None:
        return NONE
    return rule_id if _RULE.fullmatch(rule_id) else OTHER


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
