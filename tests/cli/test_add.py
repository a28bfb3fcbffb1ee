"""``wiki add``: what goes in, what is passed over, what a person is told."""

from pathlib import Path

import pytest

from tests.cli.conftest import Wiki
from wiki.cli import add


def test_a_folder_goes_in_sorted_without_hidden_files(wiki: Wiki, files: Path) -> None:
    outcome = wiki("add", files, "--json")
    assert outcome.code == 0
    names = [(Path(line["path"]).name, line["status"]) for line in outcome.lines]
    assert names == [("backups.md", "added"), ("garden.txt", "added"), ("prices.csv", "added")]
    assert all(set(line) == {"path", "status", "doc_id", "error"} for line in outcome.lines)
    found = wiki("search", "how long are backups kept", "--json").json
    assert found["hits"][0]["document"]["doc_id"] == outcome.lines[0]["doc_id"]


def test_the_same_bytes_are_skipped_whatever_their_name(wiki: Wiki, files: Path) -> None:
    first = wiki("add", files, "--json").lines
    (files / "copy.md").write_bytes((files / "backups.md").read_bytes())
    again = wiki("add", files, "--json").lines
    assert {line["status"] for line in again} == {"skipped"}
    assert again[2]["doc_id"] == first[0]["doc_id"]
    assert wiki("status", "--json").json["documents"] == 3


def test_two_copies_in_one_go_make_one_document(wiki: Wiki, files: Path) -> None:
    (files / "copy.md").write_bytes((files / "backups.md").read_bytes())
    statuses = [line["status"] for line in wiki("add", files, "--json").lines]
    assert statuses == ["added", "added", "skipped", "added"]
    assert wiki("status", "--json").json["documents"] == 3


def test_on_duplicate_new_adds_again(wiki: Wiki, files: Path) -> None:
    wiki("add", files / "backups.md")
    outcome = wiki("add", files / "backups.md", "--on-duplicate", "new", "--json")
    assert outcome.lines[0]["status"] == "added"
    assert wiki("status", "--json").json["documents"] == 2


def test_a_bad_file_is_listed_and_the_others_go_in(wiki: Wiki, files: Path) -> None:
    (files / "empty.md").write_bytes(b"")
    (files / "noise.xyz").write_bytes(bytes(range(256)) * 8)
    outcome = wiki("add", files, files / "absent.md")
    assert outcome.code == 1
    assert outcome.out.splitlines()[-1] == "3 added, 0 skipped, 3 failed"
    assert "error NOT_FOUND:" in outcome.err and "absent.md: there is no such file" in outcome.err
    assert "error INVALID_INPUT:" in outcome.err and "empty.md" in outcome.err
    assert "Traceback" not in outcome.out + outcome.err


def test_the_users_own_file_stays_as_it_was(wiki: Wiki, files: Path) -> None:
    before = (files / "backups.md").read_bytes()
    wiki("add", files / "backups.md")
    assert (files / "backups.md").read_bytes() == before


def test_title_category_and_labels_are_given_to_the_document(wiki: Wiki, files: Path) -> None:
    options = ("--title", "Keeping copies", "--category", "Technology", "--label", "ops", "--label", "policy")
    doc_id = wiki("add", files / "backups.md", *options, "--json").lines[0]["doc_id"]
    shown = wiki("show", doc_id, "--json").json
    assert (shown["title"], shown["category_id"], shown["labels"]) == (
        "Keeping copies",
        "Technology",
        ["ops", "policy"],
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--title", "One for all"), "--title names one document"), (("--category", "Tecnology"), "no category")],
)
def test_options_that_cannot_be_are_refused_before_anything_is_read(
    wiki: Wiki, files: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = wiki("add", files, *options)
    assert outcome.code == 2
    assert outcome.err.startswith("error INVALID_INPUT: ") and message in outcome.err
    assert wiki("status", "--json").json["documents"] == 0


def test_a_stopped_add_goes_on_where_it_stopped(wiki: Wiki, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = add.add_files

    def stopped_after_one(*arguments: object) -> object:
        yield next(whole(*arguments))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(add, "add_files", stopped_after_one)
        outcome = wiki("add", files)
    assert outcome.code == 130
    assert "stopped: 1 added, 0 skipped, 0 failed" in outcome.err
    assert [line["status"] for line in wiki("add", files, "--json").lines] == ["skipped", "added", "added"]
    assert wiki("status", "--json").json["documents"] == 3


def test_the_library_itself_is_not_added_to_itself(wiki: Wiki, root: Path, files: Path) -> None:
    wiki("add", files / "backups.md")
    assert list(add.collect([root.parent], root)) == list(add.collect([files], root))


def test_a_tenant_of_its_own(wiki: Wiki, files: Path) -> None:
    wiki("add", files / "backups.md", "--app", "shop", "--project", "east")
    assert wiki("status", "--json", "--app", "shop", "--project", "east").json["documents"] == 1
    assert wiki("status", "--json").json["documents"] == 0
