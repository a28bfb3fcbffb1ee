"""What the list of decisions takes and answers."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from serving.deps import NOTE_ID_PATTERN
from serving.links import Paging
from serving.schemas import Reply
from wiki.library.audit import AuditQuery

Word = Annotated[str, Field(max_length=80)]


class AuditListing(Paging):
    vault: str | None = Field(default=None, max_length=255, description="Only decisions on notes of this vault.")
    actor: Word | None = Field(default=None, description="`person`, `agent`, or `upkeep` for what happens by itself.")
    action: Word | None = Field(
        default=None,
        description="`write`, `append`, `replace`, `properties`, `move`, `promote`, `reject` or `expire`.",
    )
    outcome: Literal["allowed", "refused"] | None = None
    note_id: str | None = Field(default=None, pattern=NOTE_ID_PATTERN)
    since: Word | None = Field(default=None, description="ISO date or time, in UTC when it names no zone.")

    wait: float | None = Field(
        default=None, ge=0, le=60, description="Most seconds to wait for the index; `api.wait_seconds` when absent."
    )

    def to_query(self) -> AuditQuery:
        return AuditQuery(**self.model_dump(exclude={"wait"}))


AuditFilter = Annotated[AuditListing, Query()]


class ListedDecision(Reply):
    at: str
    actor: str
    action: str
    outcome: Literal["allowed", "refused"]
    rule_id: str | None = Field(description="The rule that allowed or refused it.")
    content_type: str | None
    vault: str | None
    path: str | None = Field(description="None unless the note can be found now.")
    note_id: str | None = Field(description="As it was then: a move or a promotion gives another.")
    content_hash: str | None
    reason: str | None = Field(description="Why an edit was refused; None unless the note can be found now.")
    target: str | None = Field(description="Where it went; None unless it can be found there now.")
    file: str = Field(description="In the tenant's `audit` folder.", examples=["2026-12.jsonl"])
    line: int


class ListedDecisions(Reply):
    decisions: list[ListedDecision]
    total: int
    skipped: int = Field(description="Lines of the audit that are no decision.")
    indexed: bool = Field(description="False when the index had not followed within `wait` seconds.")
    page: int
    page_size: int
