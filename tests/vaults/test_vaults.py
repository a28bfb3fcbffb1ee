"""Which vaults there are, and which notes may be found."""

from pathlib import Path

import pytest

from wiki.errors import ConfigurationError
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.model import Vault
from wiki.vaults.patterns import matching
from wiki.vaults.vaults import vaults_of
from wiki.vaults.visibility import why_hidden


def test_own_folders_and_those_of_the_settings_are_vaults(root: Path) -> None:
    home = root / "default" / "default" / "vaults"
    for name in ("work", "user", ".hidden"):
        (home / name).mkdir(parents=True)
    (home / "a file").write_text("no vault")
    settings = VaultsSettings(folders=("mine=/elsewhere", "near=Notes"), exclude=("*.tmp.md", "work:Old/"))
    vaults = {vault.name: vault for vault in vaults_of(Layout(root, Tenant()), settings)}
    assert {name: vault.root for name, vault in vaults.items()} == {
        "mine": Path("/elsewhere"), "near": root / "Notes", "user": home / "user", "work": home / "work",
    }  # fmt: skip
    assert vaults["work"].exclude == ("*.tmp.md", "Old/")
    assert vaults["mine"].exclude == ("*.tmp.md",)
    assert [name for name, vault in vaults.items() if vault.hide_underscored] == ["user"]
    assert vaults_of(Layout(root, Tenant("other", "x")), settings) == ()


@pytest.mark.parametrize("entry", ["work", "=x", "work=", "a/b=c", ".x=c"])
def test_an_entry_of_another_form_is_refused(root: Path, entry: str) -> None:
    with pytest.raises(ConfigurationError, match=r"vaults\.folders"):
        vaults_of(Layout(root, Tenant()), VaultsSettings(folders=(entry,)))


@pytest.mark.parametrize(
    ("vault", "path", "hidden"),
    [
        ("work", "CloudOps/a.md", False),
        ("work", "_Index/Vault Map.md", False),
        ("work", "_inbox/a.md", True),
        ("work", "deep/_INBOX/a.md", True),
        ("user", "_drafts/a.md", True),
        ("user", "_a.md", False),
        ("user", "facts/a.md", False),
        ("work", ".trash/a.md", True),
        ("work", "Old/a.md", True),
    ],
)
def test_what_is_hidden_and_why(vault: str, path: str, hidden: bool) -> None:
    found = why_hidden(Vault(vault, Path("/x"), ("Old/",), vault == "user"), path)
    assert (found is not None) == hidden


@pytest.mark.parametrize(
    ("patterns", "path", "excluded"),
    [
        (["Private/"], "Private/a.md", True),
        (["Private/"], "deep/Private/a.md", True),
        (["Private/"], "Private.md", False),
        (["/Private/"], "deep/Private/a.md", False),
        (["Private"], "Private/a.md", True),
        (["Private/*"], "Private/deep/a.md", True),
        (["*.draft.md"], "deep/a.draft.md", True),
        (["a/**/b.md"], "a/b.md", True),
        (["a/**/b.md"], "a/x/y/b.md", True),
        (["a/**"], "a/x/y.md", True),
        (["**/tmp/*.md"], "a/tmp/b.md", True),
        (["a?.md"], "ab.md", True),
        (["[ab].md"], "a.md", True),
        (["[!ab].md"], "a.md", False),
        (["*.md", "!keep.md"], "keep.md", False),
        (["*.md", "!keep.md"], "other.md", True),
        (["Private/", "!Private/keep.md"], "Private/keep.md", True),
        (["# a comment", ""], "# a comment", False),
        ([], "a.md", False),
    ],
)
def test_patterns_are_those_of_a_gitignore(patterns: list[str], path: str, excluded: bool) -> None:
    assert (matching(patterns, path) is not None) == excluded
