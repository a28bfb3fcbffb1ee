"""Categories: the taxonomy with the number of documents in each."""

from fastapi import APIRouter, Request

from serving.deps import QueryTenant
from serving.envelope import Success, success
from serving.errors import documented
from serving.schemas import Category, CategoryList

router = APIRouter(prefix="/api/v1/knowledge/categories", tags=["categories"])


@router.get("", responses=documented())
def list_categories(request: Request, tenant: QueryTenant) -> Success[CategoryList]:
    """Every category in the taxonomy's order, then those that only documents name."""
    categories = [Category.model_validate(view) for view in tenant.categories()]
    return success(request, CategoryList(categories=categories))
