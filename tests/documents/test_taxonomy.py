"""Categories follow their file at once, and a broken file stops nothing."""

import os
from pathlib import Path

import pytest

from wiki.documents.slugs import category_folder_name
from wiki.documents.taxonomy import FALLBACK, InvalidTaxonomy, TaxonomyFile, default_taxonomy, default_text, parse

REPOSITORY = Path(__file__).resolve().parent.parent.parent

TOPICS = [
    "Technology", "Science", "Medical", "Finance", "Legal", "Education", "Business", "Engineering", "Arts", "Sports",
    "Travel", "Food", "Environment", "Politics", "History", "Psychology", "Agriculture", "RealEstate", "Media", "Security",
]  # fmt: skip

GOOD = "---\nkind: knowledge_taxonomy\ncategories:\n  - {id: Alpha, description: first}\n  - {id: Two Words, description: 'a --- b'}\n---\nnotes\n"


@pytest.fixture
def taxonomy(tmp_path: Path) -> TaxonomyFile:
    return TaxonomyFile(tmp_path / "knowledge" / ".taxonomy.md", tmp_path / ".index" / "taxonomy.json")


def _path(tmp_path: Path) -> Path:
    path = tmp_path / "knowledge" / ".taxonomy.md"
    path.parent.mkdir(exist_ok=True)
    return path


def test_the_default_holds_the_twenty_topics_and_the_fallback() -> None:
    assert list(default_taxonomy().ids) == [*TOPICS, FALLBACK]
    assert all(60 < len(category.description) < 400 for category in default_taxonomy().categories)
    fallback = default_taxonomy().get(FALLBACK)
    assert fallback is not None
    assert "fallback" in fallback.description


def test_the_shipped_root_shows_the_packaged_default() -> None:
    shipped = REPOSITORY / "knowledge_root" / "default" / "default" / "knowledge" / ".taxonomy.md"
    assert shipped.read_text(encoding="utf-8") == default_text()


def test_without_a_file_the_default_counts_and_is_written_when_asked_for(
    taxonomy: TaxonomyFile, tmp_path: Path
) -> None:
    found, problem = taxonomy.load()
    assert (found, problem) == (default_taxonomy(), None)
    assert not _path(tmp_path).exists()
    taxonomy.ensure()
    assert taxonomy.load() == (found, None)
    assert _path(tmp_path).read_text(encoding="utf-8") == default_text()


def test_an_edit_counts_at_the_next_load(taxonomy: TaxonomyFile, tmp_path: Path) -> None:
    taxonomy.load()
    _path(tmp_path).write_text(GOOD)
    assert taxonomy.load()[0].ids == ("Alpha", "Two Words")
    temporary = tmp_path / "new"
    temporary.write_text(GOOD.replace("Alpha", "Gamma"))
    os.replace(temporary, _path(tmp_path))
    found, problem = taxonomy.load()
    assert (found.ids, problem) == (("Gamma", "Two Words"), None)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("---\nkind: knowledge_taxonomy\ncategories:\n  - {id: A\n---\n", 4, "cannot be read"),
        ("", 1, "front matter"),
        ("---\ncategories: []\n---\n", 2, "list"),
        ("---\nkind: knowledge_taxonomy\n---\n", 1, "categories"),
        ("---\nkind: knowledge_document\ncategories: [{id: A}]\n---\n", 2, "kind"),
        ("---\ncategories:\n  - {id: A}\n  - {description: x}\n---\n", 4, "id"),
        ("---\ncategories:\n  - {id: A}\n  - text\n---\n", 4, "id"),
        ("---\ncategories:\n  - {id: A, description: [1]}\n---\n", 3, "description"),
        ("---\ncategories:\n  - {id: A b}\n  - {id: a_B}\n---\n", 4, "same folder"),
        ("---\ncategories:\n  - {id: A}\n", 1, "never closed"),
    ],
)
def test_an_invalid_file_keeps_the_last_good_one_also_over_a_restart(
    taxonomy: TaxonomyFile, tmp_path: Path, text: str, line: int, part: str
) -> None:
    _path(tmp_path).write_text(GOOD)
    taxonomy.load()
    _path(tmp_path).write_text(text)
    restarted = TaxonomyFile(_path(tmp_path), tmp_path / ".index" / "taxonomy.json")
    for reader in (taxonomy, restarted, taxonomy):
        found, problem = reader.load()
        assert found.ids == ("Alpha", "Two Words")
        assert problem is not None
        assert problem.line == line
        assert part in problem.reason
        assert problem.remedy
    assert _path(tmp_path).read_text() == text
    _path(tmp_path).write_text(GOOD)
    assert taxonomy.load()[1] is None


def test_an_invalid_file_without_a_last_good_one_uses_the_default(taxonomy: TaxonomyFile, tmp_path: Path) -> None:
    _path(tmp_path).write_bytes(b"---\ncategories: \xff\n---\n")
    found, problem = taxonomy.load()
    assert found == default_taxonomy()
    assert problem is not None
    assert "UTF-8" in problem.reason


def test_a_file_that_cannot_be_opened_is_a_problem(taxonomy: TaxonomyFile, tmp_path: Path) -> None:
    _path(tmp_path).mkdir()
    found, problem = taxonomy.load()
    assert found == default_taxonomy()
    assert problem is not None
    assert "cannot be read" in problem.reason


def test_dashes_in_a_description_do_not_cut_the_list() -> None:
    found = parse(
        b"---\ncategories:\n  - id: A\n    description: |\n      one\n      ---\n      two\n  - {id: B}\n---\n"
    )
    assert found.ids == ("A", "B")
    assert found.categories[0].description == "one --- two"


def test_a_folder_tells_its_category() -> None:
    found = parse(GOOD.encode())
    assert category_folder_name("Two Words") == "Two_Words"
    assert found.category_of_folder("Two_Words") == "Two Words"
    assert found.category_of_folder("Two Words") is None
    assert found.category_of_folder("Beta") is None
    with pytest.raises(InvalidTaxonomy):
        parse(b"words")
