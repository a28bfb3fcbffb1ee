"""One query over notes and topics, filtered before recall, joined with the rules of now."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.index.library_on_disk import write_document
from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.errors import InvalidInput
from wiki.index.notes.rows import NoteRef
from wiki.library import Library, TenantLibrary
from wiki.search.unified import UnifiedHit, UnifiedQuery
from wiki.settings import Settings, VaultsSettings
from wiki.views import SearchFilters, SearchQuery

DOC = "d_aaaaaaaaaaaa"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    home = root / "default" / "default" / "vaults"
    write_note(
        home / "work",
        "CloudOps/Backup.md",
        "---\ntype: runbook\ntags: [disk]\n---\n# Backup\n\nWhales sing at night.\n",
    )
    write_note(home / "work", "SecOps/Keys.md", "---\nstatus: accepted\n---\n# Keys\n\nWhales turn keys.\n")
    write_note(home / "user", "facts/Editor.md", "# Editor\n\nThe user likes whales.\n")
    write_note(home / "user", "_inbox/Staged.md", "# Staged\n\nWhales whales whales, unproven.\n")
    write_note(home / "tiny", "Deep/Only.md", "# Only\n\nA whale among many.\n")
    sections = "\n".join(f"## Part {n}\n\n" + f"Rivers part {n} run to the sea. " * 60 for n in range(6))
    write_note(home / "work", "Architecture/Long.md", f"# Long\n\n{sections}\n")
    for number in range(300):
        write_note(
            home / "bulk", f"Many/{number}.md", f"# Number {number}\n\nWhales and whale songs, number {number}.\n"
        )
    library = Library(Settings(root=root), embedder=WordEmbedder())
    write_document(library.tenant().layout, f"Science/P_{DOC}", DOC, {"1_Whales.md": "Whales breathe air.\n"})
    library.tenant().sync()
    library.close()
    return root


@pytest.fixture
def open_library(filled: Path) -> Iterator[Callable[..., TenantLibrary]]:
    opened: list[Library] = []

    def opens(**vaults: object) -> TenantLibrary:
        opened.append(Library(Settings(root=filled, vaults=VaultsSettings(**vaults)), embedder=WordEmbedder()))
        return opened[-1].tenant()

    yield opens
    for library in opened:
        library.close()


@pytest.fixture
def here(open_library: Callable[..., TenantLibrary]) -> TenantLibrary:
    return open_library()


def hits(here: TenantLibrary, query: str = "whales", **values: object) -> tuple[UnifiedHit, ...]:
    return here.unified_search(UnifiedQuery(query, **values)).hits  # type: ignore[arg-type]


def test_one_query_returns_notes_and_topics(here: TenantLibrary) -> None:
    found = hits(here, "whales breathe air sing at night", top=20)
    note = next(hit for hit in found if hit.path == "CloudOps/Backup.md")
    assert (note.vault_id, note.namespace, note.title, note.topic_id) == ("work", "CloudOps", "Backup", None)
    assert "Whales sing at night." in note.content
    assert note.note_id and note.chunk_id == f"{note.note_id}#0"
    assert note.lines == (5, 7)
    assert note.link == "obsidian://open?vault=work&file=CloudOps%2FBackup.md"
    topic = next(hit for hit in found if hit.topic_id)
    assert (topic.topic_id, topic.note_id, topic.vault_id, topic.namespace) == (f"{DOC}_1", None, None, "Science")
    assert topic.path == f"default/default/knowledge/Science/P_{DOC}/1_Whales.md"
    assert all(0 <= hit.score <= 1 for hit in found)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"vaults": ("tiny",)}, {"Deep/Only.md"}),
        ({"namespaces": ("SecOps",)}, {"SecOps/Keys.md"}),
        ({"vaults": ("work", "user"), "namespaces": ("facts", "SecOps")}, {"SecOps/Keys.md", "facts/Editor.md"}),
        ({"tags": ("disk",)}, {"CloudOps/Backup.md"}),
        ({"types": ("runbook",)}, {"CloudOps/Backup.md"}),
        ({"status": ("accepted",)}, {"SecOps/Keys.md"}),
        ({"record_types": ("topic",)}, {f"default/default/knowledge/Science/P_{DOC}/1_Whales.md"}),
        ({"updated_after": "2999-01-01"}, set()),
    ],
)
@pytest.mark.parametrize("hybrid", [True, False])
def test_a_filter_is_applied_before_recall(
    here: TenantLibrary, filters: dict[str, object], paths: set[str], hybrid: bool
) -> None:
    found = hits(here, hybrid=hybrid, top=3, **filters)
    assert {hit.path for hit in found} & paths == paths
    assert all(hit.path in paths or hit.path == "Architecture/Long.md" for hit in found)


def test_an_unknown_vault_or_namespace_is_an_error(here: TenantLibrary) -> None:
    with pytest.raises(InvalidInput, match="vaults: there is no 'wrok'; there are: bulk, tiny, user, work"):
        hits(here, vaults=("wrok",))
    with pytest.raises(InvalidInput, match="namespaces: there is no 'Cloud'"):
        hits(here, namespaces=("Cloud",))
    (here.layout.home / "vaults" / "work" / "Weekly").mkdir(exist_ok=True)
    assert hits(here, namespaces=("Weekly",)) == ()
    assert hits(here, namespaces=("Medical",)) == ()


@pytest.mark.parametrize("values", [{"top": 0}, {"top": 51}, {"mmr_lambda": 1.5}, {"max_per_note": 0}, {"query": " "}])
def test_numbers_out_of_range_are_refused(here: TenantLibrary, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        here.unified_search(UnifiedQuery(**{"query": "whales", **values}))  # type: ignore[arg-type]


def test_one_note_gives_at_most_so_many_hits(here: TenantLibrary) -> None:
    assert sum(hit.path == "Architecture/Long.md" for hit in hits(here, "rivers run to the sea part", top=10)) == 3
    many = hits(here, "rivers run to the sea part", top=10, max_per_note=5)
    assert sum(hit.path == "Architecture/Long.md" for hit in many) == 5


def test_diversity_brings_other_notes_up(here: TenantLibrary) -> None:
    query, where = "rivers run to the sea part, whales", {"vaults": ("work", "user"), "top": 4, "max_per_note": 4}
    plain = hits(here, query, **where)
    diverse = hits(here, query, mmr=True, mmr_lambda=0.3, **where)
    assert {hit.path for hit in plain} == {"Architecture/Long.md"}
    assert len({hit.path for hit in diverse}) == 4
    assert diverse[0] == plain[0]
    assert hits(here, query, mmr=True, mmr_lambda=1.0, **where) == plain


def test_a_staged_note_is_in_no_answer(here: TenantLibrary) -> None:
    for hybrid in (True, False):
        assert not any("unproven" in hit.content for hit in hits(here, "whales unproven staged", hybrid=hybrid, top=50))


def test_the_settings_of_now_decide_though_the_index_is_behind(open_library: Callable[..., TenantLibrary]) -> None:
    here = open_library(exclude=("work:SecOps/",))
    found = hits(here, "whales turn keys", top=50)
    assert found
    assert not any(hit.path == "SecOps/Keys.md" for hit in found)
    query = SearchQuery("whales turn keys", filters=SearchFilters(record_type=("note",)), top_k=50)
    assert not any("SecOps" in hit.md_path for hit in here.search(query).hits)


def test_the_library_search_gives_topics_only_unless_notes_are_asked_for(here: TenantLibrary) -> None:
    assert {hit.topic_id for hit in here.search(SearchQuery("whales")).hits} == {f"{DOC}_1"}
    filters = SearchFilters(record_type=("note", "topic"), vault=("work",))
    query = SearchQuery("whales sing", filters=filters, include_content=True, facets=True)
    result = here.search(query)
    best = result.hits[0]
    assert best.topic_id.startswith("n_")
    assert (best.md_path, best.category_id, best.topic_path) == (
        "work/CloudOps/Backup.md",
        "CloudOps",
        "work > CloudOps > Backup",
    )
    assert best.content == "# Backup\n\nWhales sing at night.\n"
    assert result.facets is not None and "note" in result.facets["record_type"]


def test_explain_shows_each_part_of_a_score(here: TenantLibrary) -> None:
    (hit,) = hits(here, top=1, explain=True)
    assert hit.explain is not None and hit.explain["ranks"]
    assert hits(here, top=1)[0].explain is None


HIDDEN_NOW: list[Callable[[Path], object]] = [
    lambda path: path.rename(path.parent.parent / "_inbox" / path.name),
    lambda path: path.write_text(f"---\nstatus: template\n---\n{path.read_text()}"),
    lambda path: path.unlink(),
]


@pytest.mark.parametrize("hide", HIDDEN_NOW, ids=["moved into the inbox", "made a template", "deleted"])
def test_what_is_hidden_is_in_no_answer_though_nobody_indexes(
    root: Path, word_embedder: WordEmbedder, hide: Callable[[Path], object]
) -> None:
    library = Library(Settings(root=root), embedder=word_embedder)
    here = library.tenant()
    vault = here.layout.home / "vaults" / "user"
    (vault / "_inbox").mkdir(parents=True)
    path = write_note(vault, "facts/Editor.md", "# Editor\n\nThe user likes zebras.\n")
    here.sync()
    assert hits(here, "zebras")
    hide(path)
    notes = SearchQuery("zebras", filters=SearchFilters(record_type=("note",)))
    for method in ("keyword", "vector", "hybrid"):
        assert here.search(replace(notes, method=method)).hits == ()
    for hybrid in (True, False):
        assert hits(here, "zebras", hybrid=hybrid) == ()
    library.close()


def test_a_vault_that_was_taken_away_still_answers(root: Path, tmp_path: Path, word_embedder: WordEmbedder) -> None:
    write_note(tmp_path / "mine", "a.md", "Zebras run.\n")
    settings = Settings(root=root, vaults=VaultsSettings(folders=(f"mine={tmp_path / 'mine'}",)))
    library = Library(settings, embedder=word_embedder)
    library.recover()
    library.tenant().sync()
    (tmp_path / "mine").rename(tmp_path / "away")
    assert [hit.path for hit in hits(library.tenant(), "zebras")] == ["a.md"]
    library.close()


def test_a_note_written_a_moment_ago_can_be_waited_for(root: Path, word_embedder: WordEmbedder) -> None:
    library = Library(Settings(root=root), embedder=word_embedder)
    here = library.tenant()
    path = write_note(here.layout.home / "vaults" / "work", "a.md", "Zebras run.\n")
    assert here.wait_for_notes([NoteRef("work", "a.md")], 20)
    assert [hit.path for hit in hits(here, "zebras")] == ["a.md"]
    path.unlink()
    assert here.wait_for_notes([NoteRef("work", "a.md")], 20)
    assert here.status().notes == 0
    library.close()
