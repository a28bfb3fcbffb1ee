"""What the tools take. Unknown arguments are refused."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from serving.deps import NOTE_ID_PATTERN, TOPIC_ID_PATTERN
from serving.mcp.bounds import MOST_CHARS, USUAL_CHARS
from serving.requests import ContentHash, Name, Scoped, storable
from serving.unified import UnifiedRequest
from wiki.errors import InvalidInput
from wiki.vaults.model import note_id
from wiki.vaults.write import MOST_BODY, MOST_TITLE, NoteRequest

MOST_BRIEF_TOKENS = 6_000
Title = Annotated[str, StringConstraints(min_length=1, max_length=MOST_TITLE)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class Search(UnifiedRequest):
    offset: int = Field(default=0, ge=0, le=50, description="Leave out so many hits: `next_offset` of the last answer.")


class ReadOn(Scoped):
    offset: int = Field(default=0, ge=0, description="First character: `next_offset` of the last answer.")
    max_chars: int = Field(default=USUAL_CHARS, ge=200, le=MOST_CHARS, description="Characters of text at most.")


class GetNote(ReadOn):
    note_id: Annotated[str, Field(pattern=NOTE_ID_PATTERN)] | None = Field(default=None, description="As search tells.")
    vault: Name | None = Field(default=None, description="With `path`, instead of `note_id`.")
    path: Annotated[str, Field(min_length=1, max_length=2_000)] | None = Field(
        default=None, description="In the vault, e.g. `CloudOps/Restart.md`."
    )

    def wanted(self) -> str:
        """The id of the note. Raises InvalidInput unless it is named in exactly one way."""
        if self.note_id is not None and self.vault is None and self.path is None:
            return self.note_id
        if self.note_id is None and self.vault is not None and self.path is not None:
            return note_id(self.vault, self.path.removeprefix("/"))
        raise InvalidInput("give either note_id, or vault and path", field="note_id")


class GetTopic(ReadOn):
    topic_id: Annotated[str, Field(pattern=TOPIC_ID_PATTERN, description="As search tells.")]


class WriteNote(Scoped):
    content_type: Name = Field(description="As the contract names it: `agent-self`, `operational`.")
    kind: Name | None = Field(default=None, description="The folder by kind, e.g. `observation` or `cloudops`.")
    title: Title
    body: Annotated[str, Field(max_length=MOST_BODY, description="Markdown, without front matter.")]
    front_matter: Annotated[dict[str, Any], AfterValidator(storable)] = Field(default_factory=dict[str, Any])
    vault: Name | None = Field(default=None, description="Only to be sure: refused when the contract says another.")
    folder: Annotated[str, Field(max_length=2_000)] | None = Field(default=None, description="As `vault`.")
    dry_run: bool = Field(default=False, description="Only tell where it would go.")
    expected_hash: ContentHash | None = Field(
        default=None, description="`content_hash` of the note this replaces; without it nothing is overwritten."
    )

    def to_request(self) -> NoteRequest:
        return NoteRequest(**self.model_dump(exclude={"app_id", "project_id"}), actor="agent")


class StageFact(Scoped):
    title: Title
    fact: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)] = Field(
        description="What is true of the user, in a sentence or two."
    )
    source: Words = Field(description="Where it comes from, e.g. the conversation and its date.")
    evidence: Words = Field(description="The user's own words that show it.")

    def to_request(self) -> NoteRequest:
        meta = {"type": "candidate-fact", "status": "staged", "source": self.source, "evidence": self.evidence}
        return NoteRequest("user-facts", self.title, f"{self.fact}\n", kind="candidate", front_matter=meta)


class Brief(Scoped):
    tokens: int = Field(default=1_500, ge=100, le=MOST_BRIEF_TOKENS, description="About so long at most.")
