"""Searches by meaning say when over 5 % of the passages are in a language that the embedding model does not know."""

from pathlib import Path

import pytest

from tests.index.library_on_disk import write_document
from tests.index.notes.vaults_on_disk import write_note
from tests.index.test_languages import TOLD
from tests.standins import WordEmbedder
from wiki.index.language_counts import LanguageCounts
from wiki.library import Library, TenantLibrary
from wiki.library.language_warning import language_warnings
from wiki.models.bundled import BundledEmbedder
from wiki.search.unified import UnifiedQuery
from wiki.settings import Settings
from wiki.views import SearchQuery, WarningView

DOC = "d_aaaaaaaaaaaa"


def write_topics(here: TenantLibrary, foreign: int, total: int = 100) -> None:
    bodies = {f"{n}_Pump.md": TOLD["de" if n <= foreign else "en"] for n in range(1, total + 1)}
    write_document(here.layout, f"Technology/P_{DOC}", DOC, bodies)


def write_notes(here: TenantLibrary, foreign: int, total: int = 100) -> None:
    for number in range(1, total + 1):
        text = TOLD["ja" if number <= foreign else "en"]
        write_note(here.layout.home / "vaults" / "work", f"Pumps/{number}.md", f"{text}\n")


def warned(here: TenantLibrary) -> tuple[WarningView, ...]:
    """What every search by meaning, and the status, say alike; by words alone says nothing."""
    here.sync()
    found = here.search(SearchQuery("pump")).warnings
    assert here.search(SearchQuery("pump", method="vector")).warnings == found
    assert here.unified_search(UnifiedQuery("pump")).warnings == found
    assert here.unified_search(UnifiedQuery("pump", hybrid=False)).warnings == found
    assert here.status().warnings == found
    assert here.search(SearchQuery("pump", method="keyword")).warnings == ()
    return found


@pytest.mark.parametrize("write", [write_topics, write_notes])
def test_five_of_a_hundred_are_tolerated_and_six_are_not(here: TenantLibrary, write: object) -> None:
    write(here, 4)  # type: ignore[operator]
    assert warned(here) == ()
    write(here, 5)  # type: ignore[operator]
    assert warned(here) == ()
    write(here, 6)  # type: ignore[operator]
    (warning,) = warned(here)
    assert warning.code == "EMBEDDER_LANGUAGE"
    assert "6.0 % of the passages (6 of 100)" in warning.message
    assert "embedding.provider" in warning.remedy and "wiki rebuild" in warning.remedy
    assert warning.details["foreign_passages"] == 6


def test_topics_and_notes_count_together_and_deleted_ones_no_more(here: TenantLibrary) -> None:
    write_topics(here, 3, 50)
    write_notes(here, 3, 50)
    (warning,) = warned(here)
    assert warning.details["languages"] == {"de": 3, "ja": 3}
    assert "German 3, Japanese 3" in warning.message
    for number in (1, 2):
        (here.layout.home / "vaults" / "work" / "Pumps" / f"{number}.md").unlink()
    assert warned(here) == ()


def test_staged_notes_do_not_count(here: TenantLibrary) -> None:
    write_notes(here, 0, 10)
    for number in range(10):
        write_note(here.layout.home / "vaults" / "user", f"_inbox/{number}.md", TOLD["fr"])
    assert warned(here) == ()


def test_a_tenant_hears_of_its_own_passages_only_and_ready_of_all_together(library: Library) -> None:
    german, english = library.tenant("default", "german"), library.tenant("default", "english")
    write_topics(german, 10, 10)
    write_topics(english, 0, 90)
    assert len(warned(german)) == 1
    assert warned(english) == ()
    (warning,) = library.ready()["warnings"]
    assert (warning["code"], warning["details"]["share"]) == ("EMBEDDER_LANGUAGE", 0.1)
    assert "Pumpe" not in str(warning) and "german" not in str(warning)
    write_topics(english, 0, 210)
    english.sync()
    assert library.ready()["warnings"] == []


def test_a_model_for_all_languages_is_not_warned_of(root: Path) -> None:
    class Polyglot(WordEmbedder):
        languages = None

    library = Library(Settings(root=root), embedder=Polyglot())
    write_topics(library.tenant(), 10, 10)
    assert warned(library.tenant()) == ()
    library.close()


def test_only_the_most_frequent_languages_are_named() -> None:
    counts = LanguageCounts(100, {"de": 9, "und-Cyrl": 5, "zh": 3, "fr": 1})
    (warning,) = language_warnings(counts)
    assert "(German 9, the Cyrillic script 5, Chinese 3, ...)" in warning.message
    assert warning.details["languages"] == counts.foreign


@pytest.mark.real_model
def test_the_bundled_model_knows_english(root: Path) -> None:
    library = Library(Settings(root=root), embedder=BundledEmbedder())
    here = library.tenant()
    write_topics(here, 1, 10)
    (warning,) = warned(here)
    assert warning.details["languages"] == {"de": 1}
    write_topics(here, 0, 10)
    assert warned(here) == ()
    library.close()
