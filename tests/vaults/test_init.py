"""The packaged vaults: every question they promise to answer is answered by words, by no example and no template."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins import WordEmbedder
from wiki.errors import InvalidInput
from wiki.library import Library, TenantLibrary
from wiki.search.unified import UnifiedQuery
from wiki.settings import Settings
from wiki.vaults.init import init_vaults


@pytest.fixture
def here(root: Path) -> Iterator[TenantLibrary]:
    library = Library(Settings(root=root), embedder=WordEmbedder())
    tenant = library.tenant()
    init_vaults(tenant.layout)
    tenant.sync()
    yield tenant
    library.close()


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("how do I record an architecture decision", "How to record an architecture decision"),
        ("certificate rotation", "Certificate rotation and other chores that come back"),
        ("cost anomaly", "A cost anomaly"),
    ],
)
def test_the_conventions_answer(here: TenantLibrary, question: str, heading: str) -> None:
    hits = here.unified_search(UnifiedQuery(question, top=3)).hits
    assert hits[0].path == "README.md"
    assert hits[0].vault_id == "work"
    keyword = here.index.store().keyword(question, 5)
    assert keyword[0].record_id == hits[0].note_id
    assert heading in hits[0].content


def test_no_example_and_no_template_is_found(here: TenantLibrary) -> None:
    for question in (
        "restart print queue label",
        "title of the decision considered",
        "spreadsheets",
        "shell that is not bash",
    ):
        assert all(
            "xample" not in hit.path and "emplate" not in hit.path
            for hit in here.unified_search(UnifiedQuery(question, top=20)).hits
        )
    assert here.brief().lines == ()
    assert here.faults() == []


def test_an_unknown_template_is_refused_and_makes_nothing(root: Path) -> None:
    from wiki.tenants import Layout, Tenant

    with pytest.raises(InvalidInput, match="there are work, ai, user"):
        init_vaults(Layout(root, Tenant()), ("work", "other"))
    assert not (root / "default").exists()
