"""Settings: which place wins, and what a person is told when something is wrong."""

import logging
from pathlib import Path

import pytest

from wiki.errors import ConfigurationError
from wiki.settings_keys import sections, setting_keys
from wiki.settings_sources import MASK, explain_settings, load_settings


@pytest.fixture(autouse=True)
def no_settings_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith(("WIKI_", "EVEROS_")):
            monkeypatch.delenv(name)


def write(root: Path, text: str) -> None:
    (root / "wiki.toml").write_text(text, encoding="utf-8")


def source_of(root: Path, key: str) -> str:
    return next(item.source for item in explain_settings(root) if item.key == key)


def test_defaults_stand_without_any_file(root: Path) -> None:
    settings = load_settings(root)
    assert settings.root == root
    assert settings.knowledge.search.recall_n == 200
    assert settings.knowledge.search.lambda_ == 0.1
    assert settings.api.host == "127.0.0.1"
    assert {item.source for item in explain_settings(root)} == {"default"}


def test_each_later_place_wins(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "[knowledge.search]\nrecall_n = 101\nrerank_n = 41\nlambda = 0.3\n\n[api]\nport = 9001\n")
    monkeypatch.setenv("EVEROS_KNOWLEDGE__SEARCH__RERANK_N", "42")
    monkeypatch.setenv("EVEROS_KNOWLEDGE__SEARCH__RECALL_N", "102")
    monkeypatch.setenv("WIKI_KNOWLEDGE__SEARCH__RECALL_N", "103")
    monkeypatch.setenv("WIKI_API__PORT", "9002")
    settings = load_settings(root, overrides={"api.port": 9003, "api.host": None})
    assert settings.knowledge.search.lambda_ == 0.3
    assert settings.knowledge.search.rerank_n == 42
    assert settings.knowledge.search.recall_n == 103
    assert settings.api.port == 9003
    assert source_of(root, "knowledge.search.lambda") == "wiki.toml line 4"
    assert source_of(root, "knowledge.search.rerank_n") == "EVEROS_KNOWLEDGE__SEARCH__RERANK_N"
    assert source_of(root, "api.port") == "WIKI_API__PORT"


def test_flags_may_be_nested(root: Path) -> None:
    assert load_settings(root, overrides={"knowledge": {"search": {"recall_n": 7}}}).knowledge.search.recall_n == 7


def test_every_key_can_be_set_by_its_variable(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({key.env for key in setting_keys().values()}) == len(setting_keys())
    for item in explain_settings(root):
        text = ",".join(item.value) if isinstance(item.value, list) else str(item.value)
        monkeypatch.setenv(setting_keys()[item.key].env, "" if item.value is None else text)
    assert load_settings(root) == load_settings(root, overrides={"embedding.dim": None})


def test_lists_come_as_commas_or_json(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_API__ALLOWED_HOSTS", "one.example, two.example")
    monkeypatch.setenv("WIKI_API__ALLOWED_ORIGINS", '["https://three.example"]')
    api = load_settings(root).api
    assert api.allowed_hosts == ("one.example", "two.example")
    assert api.allowed_origins == ("https://three.example",)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[embedding]\nmodell = 'x'\n", ["wiki.toml, line 2", "embedding.modell", "did you mean embedding.model?"]),
        ("[knowledge.serch]\n\nrecall_n = 5\n", ["line 3", "did you mean knowledge.search.recall_n?"]),
        ("[embeding]\n", ["line 1", "embeding"]),
        ("root = '/tmp'\n", ["--root or WIKI_ROOT"]),
        ("[api]\nport = 99999\n", ["api.port is 99999", "wiki.toml line 2", "0 to 65535"]),
        ("[knowledge.search]\nlambda = 'much'\n", ["knowledge.search.lambda", "number, 0 to 1"]),
        ("[llm]\nprovider = 'oracle'\n", ["llm.provider is 'oracle'", "must be none or openai"]),
        ("[parsing]\ntimeout_seconds = 0\n", ["above 0, at most 7200"]),
        ("[api\n", ["not valid TOML", "line 1"]),
    ],
)
def test_a_wrong_file_is_refused_with_its_line_and_a_remedy(root: Path, text: str, parts: list[str]) -> None:
    write(root, text)
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(root)
    for part in parts:
        assert part in refusal.value.message


@pytest.mark.parametrize(
    ("variable", "value", "parts"),
    [
        ("WIKI_EMBEDDING__MODLE", "x", ["WIKI_EMBEDDING__MODLE", "did you mean WIKI_EMBEDDING__MODEL?"]),
        ("WIKI_EMBEDDING_MODEL", "x", ["did you mean WIKI_EMBEDDING__MODEL?"]),
        ("WIKI_KNOWLEDGE__SEARCH__RECALL_N", "0", ["recall_n is '0'", "WIKI_KNOWLEDGE__SEARCH__RECALL_N", "1 to 2000"]),
        ("WIKI_API__ALLOWED_HOSTS", "[oops", ["WIKI_API__ALLOWED_HOSTS", "JSON list"]),
        ("EVEROS_EMBEDDING__DIM", "many", ["embedding.dim", "EVEROS_EMBEDDING__DIM", "1 to 8192"]),
    ],
)
def test_a_wrong_variable_is_refused_by_name(
    root: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, parts: list[str]
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(root)
    for part in parts:
        assert part in refusal.value.message


def test_an_unknown_flag_is_refused(root: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"did you mean api\.port"):
        load_settings(root, overrides={"api.prot": 1})


def test_variables_that_are_no_settings_are_left_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_EVAL", "full")
    monkeypatch.setenv("WIKI_EMBEDDING__DIM", "")
    assert load_settings(root).embedding.dim is None


def test_peer_names_are_read_and_others_of_that_prefix_warned_about(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EVEROS_EMBEDDING__MODEL", "some/model")
    monkeypatch.setenv("EVEROS_EMBEDDING__DIM", "768")
    monkeypatch.setenv("EVEROS_RERANK__BASE_URL", "http://localhost:1")
    monkeypatch.setenv("EVEROS_LLM__API_KEY", "hidden")
    monkeypatch.setenv("EVEROS_CASCADE__SCAN_INTERVAL_SECONDS", "9")
    with caplog.at_level(logging.WARNING, "wiki.settings"):
        settings = load_settings(root)
    assert (settings.embedding.model, settings.embedding.dim) == ("some/model", 768)
    assert settings.rerank.base_url == "http://localhost:1"
    assert settings.llm.api_key.get_secret_value() == "hidden"
    assert [record.args for record in caplog.records] == [("EVEROS_CASCADE__SCAN_INTERVAL_SECONDS",)]


def test_secrets_never_show(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_EMBEDDING__API_KEY", "s3cret")
    shown = {item.key: item.value for item in explain_settings(root)}
    assert shown["embedding.api_key"] == MASK
    assert shown["llm.api_key"] == ""
    assert "s3cret" not in repr(load_settings(root))
    monkeypatch.setenv("WIKI_EMBEDDING__DIM", "0")
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(root)
    assert "s3cret" not in refusal.value.message


def test_the_root_comes_from_the_variable_then_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().root == tmp_path / "knowledge_root"
    monkeypatch.setenv("WIKI_ROOT", str(tmp_path / "elsewhere"))
    assert load_settings().root == tmp_path / "elsewhere"


def test_every_section_and_setting_is_described() -> None:
    assert sections() == {"embedding", "rerank", "llm", "extraction", "knowledge", "knowledge.search", "parsing",
                          "parsing.ocr", "parsing.speech", "cascade", "api", "auth", "vaults"}  # fmt: skip
    assert [name for name, key in setting_keys().items() if not key.description] == []
