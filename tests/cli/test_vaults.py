"""``wiki vault``: from nothing to a note that a search finds and a brief that tells it."""

from pathlib import Path

from tests.cli.conftest import Wiki


def test_new_vaults_are_made_once_and_never_overwritten(wiki: Wiki, root: Path) -> None:
    made = wiki("vault", "init", "--json").json["made"]
    assert "default/default/routing.json" in made
    assert "default/default/vaults/work/README.md" in made
    assert (root / "default/default/vaults/user/_inbox").is_dir()
    mine = root / "default/default/vaults/work/README.md"
    mine.write_text("mine")
    again = wiki("vault", "init", "--json")
    assert (again.code, again.json["made"], mine.read_text()) == (0, [], "mine")
    assert wiki("vault", "init", "other").code != 0


def test_the_conventions_answer_by_words_and_examples_never_do(wiki: Wiki) -> None:
    wiki("vault", "init")
    wiki("sync")
    library = wiki("status", "--json").json
    assert library["faults"] == []
    assert library["notes"] >= 6


def test_a_note_is_written_found_and_told(wiki: Wiki, tmp_path: Path) -> None:
    wiki("vault", "init")
    text = tmp_path / "rule.md"
    text.write_text("Never rename a folder without asking.\n")
    rule = ("vault", "write", "agent-self", "--kind", "interaction-rule", "--title", "Ask first", "--body", text)
    planned = wiki(*rule, "--dry-run", "--json").json
    written = wiki(*rule, "--json").json
    assert planned["path"] == written["path"]
    assert (written["vault"], written["rule_id"], written["indexed"]) == ("ai", "agent-self", True)
    assert "Never rename a folder without asking." in wiki("vault", "brief").out
    refused = wiki(
        "vault",
        "write",
        "user-facts",
        "--title",
        "x",
        "--vault",
        "user",
        "--actor",
        "agent",
        "--folder",
        "facts",
        "--body",
        text,
    )
    assert refused.code == 1
    assert "error FORBIDDEN: rule user-facts" in refused.err
    assert wiki("vault", "write", "note", "--title", "x", "--body", text, "--prop", "odd").code == 2


def test_an_empty_brief_says_why(wiki: Wiki) -> None:
    wiki("vault", "init", "work")
    outcome = wiki("vault", "brief")
    assert (outcome.code, outcome.out) == (0, "")
    assert "nothing to tell yet" in outcome.err
