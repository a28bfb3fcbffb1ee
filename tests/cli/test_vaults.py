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


def test_a_note_is_moved_with_its_links_after_a_dry_run(wiki: Wiki, root: Path) -> None:
    vault = root / "default/default/vaults/work"
    (vault / "CloudOps").mkdir(parents=True)
    (vault / "CloudOps/Pump.md").write_text("# Pump\n")
    (vault / "Week.md").write_text("[[Pump]]\n")
    wiki("sync")
    asked = ("vault", "move", "work/CloudOps/Pump.md", "--folder", "SecOps", "--title", "Big Pump")
    planned = wiki(*asked, "--dry-run", "--json").json
    assert (planned["path"], (vault / "CloudOps/Pump.md").is_file()) == ("SecOps/Big Pump.md", True)
    moved = wiki(*asked)
    assert moved.code == 0, moved.err
    assert "work/Week.md: 1 link" in moved.out
    assert (vault / "Week.md").read_text() == "[[Big Pump]]\n"
    assert wiki(*asked).code != 0


def test_what_is_staged_is_listed_and_decided_on_by_a_person(wiki: Wiki, tmp_path: Path) -> None:
    text = tmp_path / "fact.md"
    text.write_text("The user studies zymurgy.\n")
    wiki("vault", "init")
    said = ("--prop", "type=candidate-fact", "--prop", "source=chat", "--prop", "evidence=said")
    for title in ("Brewing", "Brews"):
        wrote = wiki("vault", "write", "user-facts", "--actor", "agent", "--title", title, *said, "--body", text)
        assert wrote.code == 0, wrote.err
    staged = wiki("vault", "inbox", "--json").json["notes"]
    assert [note["title"] for note in staged] == ["Brewing", "Brews"]
    first, second = (note["note_id"] for note in staged)
    refused = wiki("vault", "inbox", "promote", first, "--folder", "_inbox")
    assert refused.code != 0
    assert wiki("vault", "inbox", "promote", first, "--folder", "facts").code == 0
    assert wiki("vault", "inbox", "reject", second, "--reason", "the same").code == 0
    assert "zymurgy" in wiki("vault", "brief").out
    assert wiki("vault", "inbox", "--json").json["notes"] == []
    assert wiki("vault", "inbox", "expire", "--json").code == 0


def test_the_audit_tells_who_was_allowed_or_refused_what(wiki: Wiki, tmp_path: Path, root: Path) -> None:
    text = tmp_path / "rule.md"
    text.write_text("Ask before renaming.\n")
    wiki("vault", "init")
    assert wiki("vault", "audit", "--json").json["decisions"] == []
    wrote = wiki("vault", "write", "note", "--vault", "user", "--folder", "facts", "--title", "Ask", "--body", text)
    assert wrote.code == 0, wrote.err
    refused = wiki("vault", "write", "user-facts", "--title", "Zebra", "--actor", "agent", "--body", text)
    assert refused.code != 0
    told = wiki("vault", "audit", "--json").json
    assert [(row["outcome"], row["path"]) for row in told["decisions"]] == [
        ("refused", None),
        ("allowed", "facts/ask.md"),
    ]
    assert (told["total"], told["indexed"]) == (2, True)
    listed = wiki("vault", "audit", "--outcome", "allowed")
    assert listed.out.split()[1:5] == ["person", "write", "allowed", "user/facts/ask.md"]
    assert "1 of 1 decisions" in listed.err
    with (root / "default/default/audit/2026-01.jsonl").open("w") as file:
        file.write("torn\n")
    assert "1 lines of the audit are no decision" in wiki("vault", "audit").err
    assert wiki("vault", "audit", "--vault", "nowhere").code != 0
    assert wiki("verify").code == 0
