"""``wiki doctor``: each part and each format, ready or why not."""

from pathlib import Path

import pytest

from tests.cli.conftest import Wiki
from wiki.parsing import registry
from wiki.parsing.media_types import EXTENSIONS


def test_every_format_is_listed_with_ready_or_why_not(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.shutil, "which", lambda _name: None)
    outcome = wiki("doctor", "--json")
    assert outcome.code == 1
    found = outcome.json
    assert found["ok"] is False
    formats = {suffix: item for item in found["formats"] for suffix in item["extensions"]}
    assert set(formats) == {suffix for suffixes in EXTENSIONS.values() for suffix in suffixes}
    for suffix in (".doc", ".xls", ".ppt", ".rtf"):
        assert not formats[suffix]["ready"]
        assert "LibreOffice" in formats[suffix]["reason"]
    for suffix in (".md", ".docx", ".pdf", ".png", ".mp3"):
        assert formats[suffix] | {"reason": None, "ready": True} == formats[suffix]


def test_the_root_the_models_and_the_index_are_looked_at(wiki: Wiki, files: Path) -> None:
    wiki("add", files)
    checks = {check["name"]: check for check in wiki("doctor", "--json").json["checks"]}
    assert set(checks) == {"root", "embedding", "rerank", "llm", "cascade", "index"}
    assert {check["status"] for check in checks.values()} == {"ready"}
    assert checks["index"]["detail"] == "3 documents, in step"


def test_a_faulty_file_is_named_with_its_remedy(wiki: Wiki, files: Path, root: Path) -> None:
    wiki("add", files)
    topic = next((root / "default_app").rglob("topic*.md"), None) or next(
        path for path in root.rglob("*.md") if path.parent.parent.name != ".index" and "source" not in path.name
    )
    topic.write_bytes(b"---\nid: [\n---\n\nbody\n")
    wiki("sync")
    outcome = wiki("doctor")
    assert outcome.code == 1
    assert topic.name in outcome.out
    assert "->" in outcome.out


def test_a_provider_that_is_none_is_at_fault(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_RERANK__PROVIDER", "none")
    check = next(check for check in wiki("doctor", "--json").json["checks"] if check["name"] == "rerank")
    assert (check["status"], check["remedy"]) == ("faulty", "set rerank.provider in wiki.toml")


def test_the_language_model_is_told_and_a_half_set_one_is_at_fault(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> tuple[str, str]:
        check = next(check for check in wiki("doctor", "--json").json["checks"] if check["name"] == "llm")
        return check["status"], check["detail"]

    assert told() == ("ready", "none: topic trees follow the outline of the text")
    monkeypatch.setenv("WIKI_EXTRACTION__METHOD", "llm")
    assert told()[0] == "faulty"
    monkeypatch.setenv("WIKI_LLM__PROVIDER", "openai")
    status, detail = told()
    assert status == "faulty" and "llm.model" in detail
    monkeypatch.setenv("WIKI_LLM__MODEL", "some-model")
    assert told() == ("ready", "some-model at the default endpoint, makes the topic trees")
