"""A vault of five notes beside twenty thousand passages that say the same: a filter lets only its own in, at any depth."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from os import utime
from pathlib import Path
from typing import Any

import pytest

from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.models.protocols import Candidate, QueryEmbedding
from wiki.search.unified import UnifiedQuery
from wiki.settings import Settings
from wiki.views import Method, SearchFilters, SearchQuery

pytestmark = pytest.mark.timeout(300)

PASSAGES = 20_000
BULK_NOTES = 100
RIGHT = {"Deep/Humpback.md", "Deep/Minke.md", "Deep/Orca.md"}
OLD = datetime(2020, 5, 1, tzinfo=UTC).timestamp()
QUERY = "whales sing at night"


class ShortSighted(WordEmbedder):
    """Sees a dozen words at once, so that a note is many passages."""

    fingerprint = "stand-in:words:short:1"
    max_tokens = 12


class ByWords:
    """A reranker of texts: the share of the query's words a candidate holds."""

    name = "stand-in:by-words"
    needs_tokens = False

    def score(self, query: str, embedded: QueryEmbedding | None, candidates: Sequence[Candidate]) -> list[float]:  # noqa: ARG002
        words = set(query.split())
        return [len(words & set(candidate.text.lower().split())) / len(words) for candidate in candidates]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    home = root / "default" / "default" / "vaults"
    each = PASSAGES // BULK_NOTES
    for number in range(BULK_NOTES):
        said = "\n\n".join(f"Whales sing at night, song {number} verse {verse}." for verse in range(each))
        write_note(home / "bulk", f"Many/{number}.md", f"---\ntype: song\ntags: [noise]\n---\n{said}\n")
    head = "---\ntype: sighting\nstatus: accepted\ntags: [sea/whale]\ndate: 2020-05-01\nharbour: north\n---\n"
    for path in sorted(RIGHT):
        said = f"{head}The whales we heard near the {path[5:-3]} buoy sing.\n"
        utime(write_note(home / "small", path, said), (OLD, OLD))
    write_note(home / "small", "Shore/Tea.md", "Tea is drunk at four.\n")
    write_note(home / "small", "Shore/Nets.md", "Nets are mended in winter.\n")
    library = Library(Settings(root=root), embedder=ShortSighted())
    library.tenant().sync()
    assert library.tenant().status().passages >= PASSAGES
    library.close()
    return root


@pytest.fixture(scope="module", params=["late interaction", "by words"])
def here(filled: Path, request: pytest.FixtureRequest) -> Iterator[TenantLibrary]:
    reranker = ByWords() if request.param == "by words" else None
    library = Library(Settings(root=filled), embedder=ShortSighted(), reranker=reranker)
    yield library.tenant()
    library.close()


@pytest.mark.parametrize("method", ["keyword", "vector", "hybrid"])
@pytest.mark.parametrize(
    "filters",
    [
        {"vault": ("small",)},
        {"category_id": ("Deep",)},
        {"label": ("sea/whale",)},
        {"type": ("sighting",)},
        {"status": ("accepted",)},
        {"fields": {"harbour": "north"}},
        {"updated_before": "2020-06-01"},
        {"document_date_after": "2020-05-01", "document_date_before": "2020-05-02"},
    ],
    ids=lambda filters: next(iter(filters)),
)
def test_each_method_finds_the_three_right_notes(here: TenantLibrary, method: Method, filters: dict[str, Any]) -> None:
    asked = SearchFilters(record_type=("note",), **filters)
    found = here.search(SearchQuery(QUERY, method=method, top_k=3, filters=asked)).hits
    assert {hit.md_path for hit in found} == {f"small/{path}" for path in RIGHT}


@pytest.mark.parametrize("mmr", [False, True], ids=["by relevance", "diverse"])
@pytest.mark.parametrize("hybrid", [True, False], ids=["hybrid", "vector"])
@pytest.mark.parametrize(
    "filters",
    [
        {"vaults": ("small",)},
        {"namespaces": ("Deep",)},
        {"tags": ("sea/whale",)},
        {"types": ("sighting",)},
        {"status": ("accepted",)},
        {"vaults": ("small",), "record_types": ("note",), "tags": ("sea/whale",), "updated_after": "2020-04-30"},
    ],
    ids=lambda filters: "+".join(filters),
)
def test_the_search_over_everything_finds_them_too(
    here: TenantLibrary, filters: dict[str, Any], hybrid: bool, mmr: bool
) -> None:
    found = here.unified_search(UnifiedQuery(QUERY, top=3, hybrid=hybrid, mmr=mmr, mmr_lambda=0.9, **filters)).hits
    assert {hit.path for hit in found} == RIGHT


@pytest.mark.parametrize("hybrid", [True, False], ids=["hybrid", "vector"])
def test_the_other_notes_of_the_vault_come_behind_the_right_ones(here: TenantLibrary, hybrid: bool) -> None:
    found = here.unified_search(UnifiedQuery(QUERY, top=50, hybrid=hybrid, vaults=("small",))).hits
    assert {hit.path for hit in found[:3]} == RIGHT
    assert len(found) == 5
    assert {hit.vault_id for hit in found} == {"small"}


def test_without_a_filter_the_many_crowd_them_out(here: TenantLibrary) -> None:
    found = here.unified_search(UnifiedQuery(QUERY, top=3, max_per_note=1)).hits
    assert {hit.vault_id for hit in found} == {"bulk"}


def test_topics_alone_or_a_moment_to_come_finds_nothing(here: TenantLibrary) -> None:
    assert here.unified_search(UnifiedQuery(QUERY, record_types=("topic",))).hits == ()
    assert here.unified_search(UnifiedQuery(QUERY, updated_after="2999-01-01")).hits == ()
