"""What became of each file of the ingestion corpus: uploaded into a library, then read back from its Markdown files."""

import re
import shutil
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt

from tests.corpus.facts import SOUND, check_facts, fact_count
from wiki.errors import WikiError
from wiki.extraction.sections import MAX_DEPTH
from wiki.extraction.words import count_words
from wiki.library import TenantLibrary

EMPTY_TOO = "EXTRACTION_EMPTY"
MOST_WORDS_IN_ONE = 6_000
_MARKS = re.compile(r"\]\(|\*\*|^#+ |^\||```|\[\[.*\]\]$")


@dataclass(frozen=True)
class Outcome:
    """One file. ``code`` is None when it was read; ``misses`` are the facts that do not hold, a line each."""

    path: str
    tier: int
    facts: int
    code: str | None
    message: str
    misses: tuple[str, ...]
    fault: str | None
    """Why the answer is wrong whatever the facts: a refusal that is not allowed, an unhandled error, remains on disk."""
    seconds: float = field(compare=False)

    @property
    def extension(self) -> str:
        return self.path.partition("/")[0]

    @property
    def counted(self) -> int:
        """The facts that count: none where a refusal is right."""
        return 0 if self.code is not None and self.fault is None else self.facts

    @property
    def held(self) -> int:
        return self.counted - (len(self.misses) if self.code is None else self.counted)


def outcome(tenant: TenantLibrary, corpus: Path, entry: dict[str, Any]) -> Outcome:
    """Upload one file and judge what came of it."""
    path, expect = corpus / entry["path"], entry["expect"]
    before = _on_disk(tenant)
    started = time.perf_counter()
    code, message, misses, fault, tree = None, "", (), None, None
    try:
        result = tenant.upload(path, name=path.name, on_duplicate="new", wait=0)
    except WikiError as error:
        code, message = error.code, error.message
    except Exception as error:
        code, message = "UNHANDLED", f"{type(error).__name__}: {error}"
    else:
        markdown, titles = read_document(tenant.layout.root / result.md_path)
        misses = tuple(check_facts(expect, markdown, titles, sound=path.suffix in SOUND))
        tree = tree_fault(tenant.layout.root / result.md_path)
    seconds = time.perf_counter() - started
    fault = tree or (None if _lacks_a_program(entry, code) else _fault(expect, code))
    if fault is None and code is not None and _on_disk(tenant) != before:
        fault = "refused, but something is left on disk"
    return Outcome(entry["path"], entry["tier"], fact_count(expect), code, message, misses, fault, seconds)


def read_document(folder: Path) -> tuple[str, list[str]]:
    """All Markdown of a document folder in reading order, and every heading and topic title in it."""
    files: list[tuple[tuple[int, ...], dict[str, Any], str]] = []
    for path in folder.glob("*.md"):
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        values = yaml.safe_load(front)
        place = tuple(int(number) for number in str(values.get("position", "0")).split("."))
        files.append((place, values, body))
    files.sort(key=lambda file: file[0])
    titles = [str(values[key]) for _, values, _ in files for key in ("title", "topic_name") if values.get(key)]
    titles += [heading for _, _, body in files for heading in _headings(body)]
    return "".join(body for _, _, body in files), titles


def tree_fault(folder: Path) -> str | None:
    """What is wrong with a document's topic tree for a reader, the first thing found: too much in one topic, too deep,
    a name that says nothing or holds marks, two of one name side by side."""
    topics: list[tuple[str, str]] = []
    for path in folder.glob("*.md"):
        _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
        values = yaml.safe_load(front)
        if values.get("kind") != "knowledge_topic":
            continue
        name, place = str(values["topic_name"]), str(values.get("position"))
        words = max(count_words(body), len(body.split()))
        if words > MOST_WORDS_IN_ONE:
            return f"{words:,} words are one topic, {name!r}"
        if place.count(".") >= MAX_DEPTH:
            return f"the topic {name!r} lies at {place}, deeper than {MAX_DEPTH} levels"
        if not any(char.isalnum() for char in name) or _MARKS.search(name):
            return f"a topic is called {name!r}"
        topics.append((place.rpartition(".")[0], unicodedata.normalize("NFC", name).casefold()))
    twice = [name for (_, name), count in Counter(topics).items() if count > 1]
    return f"two topics side by side are called {twice[0]!r}" if twice else None


def _headings(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(markdown)
    return [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]


def share_held(outcomes: Iterable[Outcome], tier: int) -> tuple[int, int]:
    """Facts held, and facts that count, of one tier."""
    of_tier = [item for item in outcomes if item.tier == tier]
    return sum(item.held for item in of_tier), sum(item.counted for item in of_tier)


def _lacks_a_program(entry: dict[str, Any], code: str | None) -> bool:
    """Whether the answer is that LibreOffice is missing, where it is."""
    needed = "libreoffice" in str(entry.get("needs", ""))
    return code == "CAPABILITY_UNAVAILABLE" and needed and shutil.which("soffice") is None


def _fault(expect: dict[str, Any], code: str | None) -> str | None:
    if code == "UNHANDLED":
        return "an error nobody handles"
    if code is None:
        return "must be refused" if expect["outcome"] == "error" else None
    allowed = set(expect.get("error_codes", ()))
    if "INVALID_INPUT" in allowed:
        allowed.add(EMPTY_TOO)
    if expect["outcome"] == "ok":
        return "must be read"
    return None if code in allowed else f"refused with {code}, allowed: {', '.join(sorted(allowed))}"


def _on_disk(tenant: TenantLibrary) -> list[str]:
    """Every file under the tenant's knowledge folder, staging included."""
    knowledge = tenant.layout.knowledge
    return sorted(str(path.relative_to(knowledge)) for path in knowledge.rglob("*") if path.is_file())
