"""What the routes that change notes take and answer."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from serving.requests import ContentHash, Scoped, storable
from serving.schemas import Reply
from wiki.vaults.move import MoveRequest
from wiki.vaults.write import MOST_BODY, MOST_KEYS

ExpectedHash = Annotated[ContentHash, Field(description="`content_hash` of the note you read.")]
ActorName = Annotated[Literal["person", "agent"], Field(description="Until there are keys, what the caller says.")]


class SectionEdit(Scoped):
    """Text for one section of a note."""

    heading_path: Annotated[list[Annotated[str, Field(max_length=2_000)]], Field(max_length=20)] = Field(
        description="Headings from the outermost to the section's own; empty for the whole body."
    )
    op: Literal["append", "replace"]
    body: Annotated[str, Field(max_length=MOST_BODY)]
    expected_hash: ExpectedHash
    actor: ActorName = "agent"


class PropertiesEdit(Scoped):
    """Front matter keys to set and to remove."""

    set: Annotated[dict[str, Any], AfterValidator(storable)] = Field(default_factory=dict[str, Any])
    remove: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=MOST_KEYS)] = Field(
        default_factory=list[str]
    )
    expected_hash: ExpectedHash
    actor: ActorName = "agent"


class NoteMove(Scoped):
    """Where a note is to go."""

    folder: Annotated[str, Field(max_length=2_000)] | None = Field(
        default=None, description="In the note's vault; its own folder when absent."
    )
    title: Annotated[str, Field(max_length=2_000)] | None = Field(
        default=None, description="A new title, and with it a new file name."
    )
    dry_run: bool = False
    expected_hash: ExpectedHash | None = Field(default=None, description="Needed unless it is a dry run.")
    actor: ActorName = "agent"

    def to_request(self) -> MoveRequest:
        return MoveRequest(**self.model_dump(exclude={"app_id", "project_id"}))


class LinkedNote(Reply):
    note_id: str
    vault: str
    path: str
    links: int = Field(description="Links in it that are written anew.")


class NoteMoved(Reply):
    note_id: str = Field(description="The new one: the path makes the id.")
    vault: str
    path: str
    old_id: str
    old_path: str
    rule_id: str
    content_hash: str
    linked: list[LinkedNote]
    dry_run: bool = False
    indexed: bool = False


class NoteEdited(Reply):
    note_id: str
    vault: str
    path: str
    rule_id: str = Field(description="The rule of the contract that allows it.")
    content_hash: str = Field(description="Of the note now.")
    indexed: bool
