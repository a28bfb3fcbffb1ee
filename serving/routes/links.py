"""Links of notes that need a person, and notes without links. Part of the routes of vaults."""

from fastapi import APIRouter, Request

from serving.deps import QueryTenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.links import LinkQuery, ListedLinks, OrphanNotes, OrphanQuery

router = APIRouter()


@router.get("/links", responses=documented())
def links(request: Request, tenant: QueryTenant, asked: LinkQuery) -> Success[ListedLinks]:
    """Links that are broken or ambiguous, or all, by the note they stand in."""
    found = tenant.links(asked.state, vault=asked.vault, page=asked.page, page_size=asked.page_size)
    return success(request, ListedLinks.model_validate(found))


@router.get("/orphans", responses=documented())
def orphans(request: Request, tenant: QueryTenant, asked: OrphanQuery) -> Success[OrphanNotes]:
    """Notes that no other note links to and that link to no other."""
    found = tenant.orphans(vault=asked.vault, page=asked.page, page_size=asked.page_size)
    return success(request, OrphanNotes.model_validate(found))
