"""The other commands: their data, their words, their exit codes."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import commands
from tests.cli.conftest import Wiki
from wiki import __version__
from wiki.cli import indexes
from wiki.errors import NotFound

COMMANDS = [
    "up",
    "serve",
    "add",
    "reextract",
    "search",
    "show",
    "sync",
    "rebuild",
    "vault init",
    "vault write",
    "vault brief",
    "vault inbox",
    "vault inbox promote",
    "vault inbox reject",
    "vault inbox expire",
    "vault move",
    "vault links",
    "vault orphans",
    "vault audit",
    "verify",
    "status",
    "mcp",
    "config",
    "doctor",
    "eval",
]


@pytest.fixture
def filled(wiki: Wiki, files: Path) -> str:
    """The id of the document about backups in a library of three."""
    return wiki("add", files, "--json").lines[0]["doc_id"]


def test_these_are_the_commands() -> None:
    assert sorted(" ".join(words) for words in commands()) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_teaches_with_an_example_and_takes_the_shared_options(wiki: Wiki, command: str) -> None:
    text = wiki(*command.split(), "--help").out
    assert f"    wiki {command}" in text or re.search(rf"WIKI_\S+ wiki {command}", text)
    wanted = {"--root", "--app", "--project"} | (set() if command in ("up", "serve", "mcp") else {"--json"})
    assert wanted <= set(re.findall(r"--\w[\w-]*", text))


def test_the_version_is_printed(wiki: Wiki) -> None:
    assert wiki("--version").out.strip() == f"wiki {__version__}"


def test_help_is_there_at_once() -> None:
    """Counted in processor time, so that a busy machine doesn't fail it."""
    assert min(_processor_seconds([sys.executable, "-m", "wiki.cli", "--help"]) for _ in range(3)) < 0.5


def test_search_prints_hits_for_a_person(wiki: Wiki, filled: str) -> None:
    outcome = wiki("search", "backups ninety days", "--explain")
    assert outcome.code == 0
    assert "ninety days" in outcome.out
    assert filled in outcome.out
    assert re.search(r"\d+ of \d+ topics, \d+ ms", outcome.out)


@pytest.mark.usefixtures("filled")
def test_search_filters_by_category_and_limits(wiki: Wiki) -> None:
    hits = wiki("search", "backups", "--method", "keyword", "--top-k", "1", "--json").json["hits"]
    assert len(hits) == 1
    category = hits[0]["category_id"]
    other = "Sports" if category != "Sports" else "Media"
    assert wiki("search", "backups", "--category", other, "--json").json["hits"] == []


def test_search_filters_by_the_labels_a_text_got(wiki: Wiki, filled: str) -> None:
    document = wiki("show", filled, "--json").json
    assert "backups" in document["labels"]
    hits = wiki("search", "sun or snapshot", "--label", "backups", "--json").json["hits"]
    assert {hit["document"]["doc_id"] for hit in hits} == {filled}
    assert wiki("search", "sun or snapshot", "--label", "cats", "--json").json["hits"] == []


def test_show_a_document_a_topic_and_their_markdown(wiki: Wiki, filled: str, files: Path) -> None:
    document = wiki("show", filled, "--json").json
    topic_id = document["topics"][0]["topic_id"]
    assert document["title"] in wiki("show", filled).out
    assert topic_id in wiki("show", filled).out
    assert wiki("show", filled, "--markdown").out == (files / "backups.md").read_text(encoding="utf-8")
    topic = wiki("show", topic_id, "--json").json
    assert topic["content"] in wiki("show", topic_id, "--markdown").out
    assert topic["topic_path"] in wiki("show", topic_id).out


@pytest.mark.usefixtures("filled")
def test_an_unknown_id_is_trouble_not_wrong_use(wiki: Wiki) -> None:
    outcome = wiki("show", "d_000000000000")
    assert outcome.code == 1
    assert outcome.err.startswith("error NOT_FOUND: no document or topic 'd_000000000000' in default/default")
    told = wiki("show", "d_000000000000", "--json")
    assert told.code == 1
    assert told.json["error"]["code"] == "NOT_FOUND"


@pytest.mark.usefixtures("filled")
def test_status_has_the_shape_scripts_rely_on(wiki: Wiki) -> None:
    status = wiki("status", "--json").json
    assert {"documents", "topics", "notes", "passages", "pending", "faults", "processes"} <= set(status)
    assert (status["documents"], status["pending"], status["faults"]) == (3, 0, [])
    assert "documents  3" in wiki("status").out


def test_verify_says_zero_when_in_step_and_one_when_not(
    wiki: Wiki, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = wiki("verify", "--json")
    assert outcome.code == 0
    assert outcome.json["ok"] is True and outcome.json["differences"] == [] and outcome.json["checked"] > 0
    assert wiki("verify").out.endswith("checked, 0 differences\n")

    from wiki.library import TenantLibrary
    from wiki.views import Difference, VerifyResult

    differing = VerifyResult(False, 5, (Difference("missing_row", f"{filled}_1", "default/default/x.md"),))
    monkeypatch.setattr(TenantLibrary, "verify", lambda _: differing)
    outcome = wiki("verify", "--json")
    assert outcome.code == 1
    assert outcome.json["differences"] == [{"kind": "missing_row", "id": f"{filled}_1", "path": "default/default/x.md"}]
    assert f"missing_row: {filled}_1" in wiki("verify").out


def test_sync_follows_a_hand_edit(wiki: Wiki, filled: str, root: Path) -> None:
    topic_path = root / wiki("show", filled, "--json").json["topics"][0]["md_path"]
    topic_path.write_text(topic_path.read_text(encoding="utf-8") + "\nA zanzibar was seen.\n", encoding="utf-8")
    assert wiki("sync", "--once", "--json").json == {"changes": 1}
    assert len(wiki("search", "zanzibar", "--method", "keyword", "--json").json["hits"]) == 1
    assert wiki("sync").out == "the indexes were in step already\n"


def test_sync_takes_one_way_only(wiki: Wiki) -> None:
    assert wiki("sync", "--once", "--watch").code == 2


@pytest.mark.usefixtures("filled")
def test_rebuild_embeds_nothing_unless_cold(wiki: Wiki) -> None:
    warm = wiki("rebuild", "--json").json
    assert (warm["documents"], warm["embedded"]) == (3, 0)
    cold = wiki("rebuild", "--cold", "--json").json
    assert cold["embedded"] > 0
    assert "3 documents" in wiki("rebuild").out


def test_config_tells_each_value_and_its_place(wiki: Wiki, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "wiki.toml").write_text("[api]\nport = 8123\n", encoding="utf-8")
    monkeypatch.setenv("WIKI_EMBEDDING__API_KEY", "s3cret")
    told = wiki("config", "--json").json
    assert told["root"] == str(root)
    assert told["settings"]["api.port"] == {"value": 8123, "source": "wiki.toml line 2"}
    shown = wiki("config").out
    assert re.search(r"api\.port +8123 +wiki\.toml line 2", shown)
    assert "s3cret" not in shown + str(told)


def test_a_wrong_setting_stops_every_command_with_its_line(wiki: Wiki, root: Path) -> None:
    (root / "wiki.toml").write_text("[api]\nprot = 8123\n", encoding="utf-8")
    for command in (["status"], ["search", "x"], ["config"], ["verify", "--json"]):
        outcome = wiki(*command)
        assert outcome.code == 2
        assert "line 2" in outcome.out + outcome.err and "api.port" in outcome.out + outcome.err


def test_a_root_that_is_not_there_is_wrong_use(wiki: Wiki, tmp_path: Path) -> None:
    outcome = wiki("status", "--root", tmp_path / "nowhere")
    assert outcome.code == 2
    assert outcome.err.startswith("error INVALID_INPUT: there is no library at")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "arguments", [["serach"], ["search"], ["search", "x", "--method", "magic"], ["status", "--no"]]
)
def test_a_wrong_command_line_exits_with_two(wiki: Wiki, arguments: list[str]) -> None:
    assert wiki(*arguments).code == 2


def test_a_bad_tenant_name_is_wrong_use(wiki: Wiki) -> None:
    assert wiki("status", "--app", "../other").code == 2


def test_an_unexpected_error_is_one_line(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(indexes, "opened", broken)
    outcome = wiki("status")
    assert outcome.code == 1
    assert outcome.err.startswith("error INTERNAL_ERROR: ZeroDivisionError: by nothing (run again with")
    assert "Traceback" not in outcome.err


def test_ctrl_c_exits_with_130(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(indexes, "opened", interrupted)
    outcome = wiki("status")
    assert (outcome.code, outcome.err) == (130, "stopped\n")


def test_eval_refuses_a_folder_that_is_no_collection(wiki: Wiki, tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").touch()
    outcome = wiki("eval", tmp_path)
    assert outcome.code == 2
    assert "lacks documents.jsonl, qrels.tsv" in outcome.err


def test_errors_of_the_library_become_exit_code_one(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> None:
        raise NotFound("nothing here", id="x")

    monkeypatch.setattr(indexes, "opened", refusing)
    outcome = wiki("status", "--json")
    assert outcome.code == 1
    assert outcome.json == {"error": {"code": "NOT_FOUND", "message": "nothing here", "details": {"id": "x"}}}


def _processor_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
