"""The docs say what the code does: generated pages are current, every dependency has its reason, links lead somewhere."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from docs.generate import pages
from wiki import __version__

REPOSITORY = Path(__file__).resolve().parent.parent
WRITTEN = sorted(
    path
    for folder in (REPOSITORY, REPOSITORY / "docs", REPOSITORY / "docs" / "decisions")
    for path in folder.glob("*.md")
)


@pytest.mark.parametrize("path", list(pages()), ids=lambda path: path.name)
def test_a_generated_page_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == pages()[path], f"{path.name} is old; run `make docs`"


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [
        *project["dependencies"],
        *(name for names in project["optional-dependencies"].values() for name in names),
    ]
    wanted = {re.split(r"[\[<>=~! ;]", requirement)[0].lower() for requirement in required}
    page = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8")
    reasons = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", page, flags=re.MULTILINE))
    assert wanted == set(reasons)


def test_constraints_pin_every_dependency() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [
        *project["dependencies"],
        *(name for names in project["optional-dependencies"].values() for name in names),
    ]
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {line.split("==")[0].lower().replace("_", "-") for line in lines if line and not line.startswith("#")}
    assert [
        line for line in lines if line and not line.startswith("#") and not re.fullmatch(r"[\w.-]+==[\w.]+", line)
    ] == []
    wanted = {re.split(r"[\[<>=~! ;]", requirement)[0].lower().replace("_", "-") for requirement in required}
    assert wanted - pins == set()


@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.name)
def test_links_and_named_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = [target.split("#")[0] for target in re.findall(r"\]\((?!https?://|mailto:)([^)]+)\)", text)]
    missing = [target for target in targets if target and not (page.parent / target).exists()]
    named = re.findall(r"`((?:wiki|docs|tests|serving|assets|pipelines|bench|examples)/[\w./-]*)`", text)
    missing += [name for name in named if not (REPOSITORY / name).exists()]
    assert missing == []


def test_every_make_target_is_explained() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    told = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert targets == set(re.findall(r"make ([\w-]+)", told))


def test_the_readme_names_only_real_make_targets() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    for page in ("README.md", "CONTRIBUTING.md", "docs/development.md"):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        for command in re.findall(r"(?:^|`)make ([a-z -]+)", text, flags=re.MULTILINE):
            assert set(command.split()) <= targets, f"{page}: make {command}"


def test_the_changelog_has_a_place_for_the_next_version() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
