"""Notes that other tools lose: each is asked for through the real index, and the right passage comes back."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.library import Library, TenantLibrary
from wiki.search.unified import UnifiedQuery
from wiki.settings import KnowledgeSettings, SearchSettings, Settings
from wiki.views import Method, SearchFilters, SearchQuery

METHODS: tuple[Method, ...] = ("keyword", "vector", "hybrid")
BIG_SECTIONS = 2_000
BIG_BYTES = 10_000_000
BIG_SECONDS = 90
Opens = Callable[..., TenantLibrary]


class Small(WordEmbedder):
    """Keeps a few numbers a passage: what is measured here is the cutting and the index."""

    fingerprint = "stand-in:words:small:1"
    dim = 16
    max_tokens = 1_024


@pytest.fixture
def opens(root: Path) -> Iterator[Opens]:
    """Opens the library anew with search settings, as a later start of the service would."""
    opened: list[Library] = []

    def open_(embedder: WordEmbedder | None = None, **search: object) -> TenantLibrary:
        chosen = KnowledgeSettings(search=SearchSettings.model_validate(search))
        opened.append(Library(Settings(root=root, knowledge=chosen), embedder=embedder or WordEmbedder()))
        return opened[-1].tenant()

    yield open_
    for library in opened:
        library.close()


@pytest.fixture
def vault(root: Path) -> Path:
    return root / "default" / "default" / "vaults" / "work"


def found(here: TenantLibrary, query: str, method: Method = "keyword", **filters: tuple[str, ...]) -> list[str]:
    asked = SearchFilters(record_type=("note",), **filters)  # type: ignore[arg-type]
    return [hit.md_path.removeprefix("work/") for hit in here.search(SearchQuery(query, method, filters=asked)).hits]


CHINESE = {
    "止损": "交易计划写明在跌破支撑位时必须止损离场不得犹豫",
    "护城河": "品牌与网络效应构成了这家公司的护城河因此利润稳定",
    "审批": "采购超过五千元需要部门经理审批后才能下单付款",
    "估值": "我们用现金流折现来判断当前估值是否合理并保留安全边际",
}


def write_chinese(vault: Path) -> None:
    for number, text in enumerate(CHINESE.values()):
        write_note(vault, f"{number}.md", f"# 笔记\n\n{text}。\n")


@pytest.mark.parametrize("word", CHINESE)
def test_a_short_chinese_word_is_found_inside_longer_text(vault: Path, opens: Opens, word: str) -> None:
    write_chinese(vault)
    here = opens()
    here.sync()
    assert found(here, word) == [f"{list(CHINESE).index(word)}.md"]


@pytest.mark.real_model
def test_a_short_chinese_word_comes_first_though_the_model_knows_no_chinese(vault: Path, root: Path) -> None:
    write_chinese(vault)
    library = Library(Settings(root=root))
    here = library.tenant()
    here.sync()
    for number, word in enumerate(CHINESE):
        assert found(here, word, "hybrid")[0] == f"{number}.md", word
        assert here.unified_search(UnifiedQuery(word)).hits[0].path == f"{number}.md"
    library.close()


RUSSIAN = {
    "сертификаты": "Проверка сертификатов проходит каждый квартал.",
    "встреча": "Готовлюсь к встречам с подрядчиками заранее.",
    "резервное копирование": "О резервном копировании баз отвечает дежурный.",
    "договор": "Подписано три договора с поставщиками.",
}


@pytest.mark.parametrize("asked", RUSSIAN)
def test_a_russian_word_is_found_in_another_inflection(vault: Path, opens: Opens, asked: str) -> None:
    for number, text in enumerate(RUSSIAN.values()):
        write_note(vault, f"{number}.md", f"{text}\n")
    here = opens(language="russian")
    here.sync()
    assert found(here, asked) == [f"{list(RUSSIAN).index(asked)}.md"]


def test_another_language_counts_from_the_next_sync_on(vault: Path, opens: Opens) -> None:
    write_note(vault, "a.md", "Проверка сертификатов проходит каждый квартал.\n")
    write_note(vault, "b.md", "The pump was repaired.\n")
    english = opens()
    english.sync()
    assert (found(english, "сертификаты"), found(english, "repairing")) == ([], ["b.md"])
    russian = opens(language="russian")
    assert found(russian, "repairing") == ["b.md"]
    russian.sync()
    assert (found(russian, "сертификаты"), found(russian, "repaired")) == (["a.md"], ["b.md"])
    write_note(vault, "c.md", "Новый сертификат выдан.\n")
    russian.sync()
    assert sorted(found(russian, "сертификаты")) == ["a.md", "c.md"]
    assert russian.rebuild().embedded == 0
    assert sorted(found(russian, "сертификатом")) == ["a.md", "c.md"]
    assert russian.verify().ok


@pytest.mark.timeout(300)
def test_a_note_of_ten_megabytes_is_indexed_to_its_last_section(vault: Path, opens: Opens) -> None:
    filler = "The ledger of the harbour office lists every barge that came up the river on that day. " * 60
    sections = [f"## Day {number}\n\n{filler}Barge mark{number} was first.\n" for number in range(BIG_SECTIONS)]
    text = "# Ledger\n\n" + "\n".join(sections) + "\n## Afterword\n\nThe clerk kept a heron.\n"
    assert len(text) > BIG_BYTES
    write_note(vault, "Ledger.md", text)
    write_note(vault, "Other.md", "Barges rest in winter.\n")
    here = opens(Small())
    started = time.monotonic()
    here.sync()
    assert time.monotonic() - started < BIG_SECONDS
    last = text.count("\n")
    (hit,) = here.unified_search(UnifiedQuery("heron clerk", top=1)).hits
    assert (hit.path, hit.lines[1]) == ("Ledger.md", last)
    assert "## Afterword\n\nThe clerk kept a heron." in hit.content
    for number in (0, BIG_SECTIONS // 2, BIG_SECTIONS - 1):
        (hit,) = here.unified_search(UnifiedQuery(f"mark{number}", top=1)).hits
        assert f"mark{number} " in hit.content
        assert hit.lines[0] <= text[: text.index(f"mark{number} ")].count("\n") + 1 <= hit.lines[1]
    covered = here.index.store().rows(["line_start", "line_end"], "record_type = 'note'").to_pylist()
    lines = {line for row in covered for line in range(row["line_start"], row["line_end"] + 1)}
    blank = {number for number, line in enumerate(text.split("\n"), 1) if not line.strip()}
    assert lines | blank >= set(range(1, last + 1))


@pytest.mark.parametrize("method", METHODS)
def test_a_note_of_front_matter_alone_is_found_by_title_alias_and_tag(
    vault: Path, opens: Opens, method: Method
) -> None:
    write_note(
        vault, "People/jd.md", "---\ntitle: Jordan Doerr\naliases: [the librarian]\ntags: [people/archive]\n---\n"
    )
    write_note(vault, "People/xy.md", "---\ntitle: Robin Vale\n---\n")
    write_note(vault, "Noise.md", "Nothing to see.\n")
    here = opens()
    here.sync()
    for query in ("Jordan Doerr", "librarian", "archive"):
        assert found(here, query, method)[0] == "People/jd.md", query
    (hit,) = here.unified_search(UnifiedQuery("librarian", top=1)).hits
    assert (hit.title, hit.content, hit.heading) == ("Jordan Doerr", "", "Jordan Doerr")


@pytest.mark.parametrize("method", METHODS)
def test_tags_of_text_and_of_front_matter_are_filters(vault: Path, opens: Opens, method: Method) -> None:
    write_note(vault, "front.md", "---\ntags: [Deploy, area/Web]\n---\nPumps hum.\n")
    write_note(vault, "inline.md", "Pumps hum at night. #deploy and #area/web too.\n")
    write_note(vault, "code.md", "Pumps hum.\n\n```sh\n#deploy\n```\n\nIn code: `#deploy`.\n")
    write_note(vault, "none.md", "Pumps hum. # deploy is no tag, nor is a#deploy.\n")
    here = opens()
    here.sync()
    assert sorted(found(here, "pumps", method, label=("deploy",))) == ["front.md", "inline.md"]
    assert sorted(found(here, "pumps", method, label=("area/web",))) == ["front.md", "inline.md"]
    (a, b) = here.unified_search(UnifiedQuery("pumps", tags=("deploy",))).hits
    assert {a.path, b.path} == {"front.md", "inline.md"}


FENCED = """# Restart

Run this on the host:

```sh
# stop the kettle service
systemctl stop kettle
# Not a heading
```

## After

Check the log.

~~~python
# kelvin = reading
~~~
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_line_of_code_is_no_heading_and_is_found(vault: Path, opens: Opens, method: Method) -> None:
    write_note(vault, "Restart.md", FENCED)
    write_note(vault, "Other.md", "Tea is made with hot water.\n")
    here = opens()
    here.sync()
    for query in ("kettle service", "kelvin reading", "systemctl stop kettle"):
        assert found(here, query, method)[0] == "Restart.md", query
    hit = here.unified_search(UnifiedQuery("kettle service", top=1)).hits[0]
    assert {"# stop the kettle service", "# Not a heading"} <= set(hit.content.split("\n"))
    assert [heading.text for heading in here.note(hit.note_id or "").headings] == ["Restart", "After"]


COMMENTED = """# Plan

The plan is public. %%The budget is a walrus.%% It goes on.

%%
A whole block about a narwhal.
%%

The end: `%%code stays%%`.
"""
SHOWN = "# Plan\n\nThe plan is public. It goes on.\n\nThe end: `%%code stays%%`."


@pytest.mark.parametrize("method", METHODS)
def test_what_stands_in_a_comment_is_not_what_a_note_is_found_by(vault: Path, opens: Opens, method: Method) -> None:
    write_note(vault, "Plan.md", COMMENTED)
    write_note(vault, "Zoo.md", "A walrus and a narwhal.\n")
    here = opens()
    here.sync()
    assert found(here, "walrus", method)[0] == "Zoo.md"
    assert found(here, "narwhal", "keyword") == ["Zoo.md"]
    assert found(here, "plan public", method)[0] == "Plan.md"


def test_a_comment_is_in_no_answer(vault: Path, opens: Opens) -> None:
    write_note(vault, "Plan.md", COMMENTED)
    here = opens()
    here.sync()
    for hybrid in (True, False):
        for hit in here.unified_search(UnifiedQuery("plan public walrus narwhal", hybrid=hybrid)).hits:
            assert "walrus" not in hit.content and "narwhal" not in hit.content
            assert hit.content == SHOWN
    query = SearchQuery("plan public", filters=SearchFilters(record_type=("note",)), include_content=True)
    (found,) = here.search(query).hits
    assert "walrus" not in found.snippet.text and "narwhal" not in found.snippet.text
    assert found.content == f"{SHOWN}\n"
    assert here.verify().ok


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("# Boiler\n\nValves hiss.\n", ("Boiler",)),
        ("# Boiler\n\nValves hiss.\n\n## Care\n\nOil it.\n", ("Boiler",)),
        ("Valves hiss.\n\n## Care\n\nOil it.\n", ("Care",)),
        ("---\ntype: runbook\n---\n\n\nBoiler\n======\n\nValves hiss.\n", ("Boiler",)),
        ("Valves hiss.\n\n# One\n\nOil it.\n\n# Two\n\nWipe it.\n", ()),
        ("Valves hiss.\n", ()),
    ],
)
def test_a_hit_names_the_headings_above_its_first_line(
    vault: Path, opens: Opens, text: str, path: tuple[str, ...]
) -> None:
    write_note(vault, "Pump.md", text)
    here = opens()
    here.sync()
    (hit,) = here.unified_search(UnifiedQuery("valves hiss")).hits
    assert (hit.heading_path, hit.heading) == (path, path[-1] if path else "Pump")
    (found,) = here.search(SearchQuery("valves hiss", filters=SearchFilters(record_type=("note",)))).hits
    assert found.heading_path == path
    assert here.verify().ok
