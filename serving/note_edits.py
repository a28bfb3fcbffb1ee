"""What the routes that change notes take and answer."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from serving.requests import Scoped, storable
from serving.schemas import Reply
from wiki.vaults.write import MOST_BODY, MOST_KEYS

ExpectedHash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="`content_hash` of the note you read.")]
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


class NoteEdited(Reply):
    note_id: str
    vault: str
    path: str
    rule_id: str = Field(description="The rule of the contract that allows it.")
    content_hash: str = Field(description="Of the note now.")
    indexed: bool
