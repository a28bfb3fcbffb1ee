"""What the lists of links and of notes without links take and answer."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from serving.schemas import Reply
from wiki.library.links import MOST_ON_A_PAGE, MOST_PAGES, LinkState


class Paging(BaseModel):
    vault: str | None = Field(default=None, max_length=255, description="Only notes of this vault.")
    page: int = Field(default=1, ge=1, le=MOST_PAGES)
    page_size: int = Field(default=20, ge=1, le=MOST_ON_A_PAGE)


class LinkListing(Paging):
    state: LinkState = Field(
        default="broken", description="`broken`: no note has that name; `ambiguous`: several have."
    )


LinkQuery = Annotated[LinkListing, Query()]
OrphanQuery = Annotated[Paging, Query()]


class ListedLink(Reply):
    from_id: str = Field(description="The note it stands in.")
    vault: str
    path: str
    title: str
    line: int
    kind: str
    target: str = Field(description="As written.")
    heading: str | None
    block: str | None
    shown: str | None
    state: Literal["ok", "broken", "ambiguous"]
    note_id: str | None = Field(description="Where it leads, when that may be told.")
    target_vault: str | None
    target_path: str | None


class ListedLinks(Reply):
    links: list[ListedLink]
    total: int
    page: int
    page_size: int


class OrphanNote(Reply):
    note_id: str
    vault: str
    path: str
    title: str
    updated_at: str


class OrphanNotes(Reply):
    notes: list[OrphanNote]
    total: int
    page: int
    page_size: int
