"""Uploads whose topics a language model proposes: through the library, onto disk and into the index."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.extraction.llm.models import Asked, GoodModel, StandInChat
from tests.library.conftest import HANDBOOK
from tests.models.endpoints import Call, ChatServer, Script, completion, failure, refused_url
from tests.standins import WordEmbedder
from wiki.errors import ConfigurationError, ExternalServiceUnavailable, WikiError
from wiki.incoming import ingest_incoming
from wiki.library import Library
from wiki.models.protocols import Reply
from wiki.settings import ApiSettings, ExtractionSettings, LlmSettings, Settings
from wiki.views import SearchFilters, SearchQuery

KEY = "sk-hidden-4711"
Open = Callable[..., Library]


@pytest.fixture
def opened(root: Path) -> Iterator[Open]:
    """Makes a library with the method ``llm`` on the temporary root."""
    made: list[Library] = []

    def make(chat: StandInChat | None, *, fallback: Any = "none", **llm: Any) -> Library:
        settings = Settings(
            root=root,
            api=ApiSettings(wait_seconds=30),
            extraction=ExtractionSettings(method="llm", fallback=fallback),
            llm=LlmSettings(**llm),
        )
        made.append(Library(settings, embedder=WordEmbedder(), chat=chat))
        return made[-1]

    yield make
    for library in made:
        library.close()


def files_of(root: Path) -> set[str]:
    return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and ".index" not in p.parts}


def index_text(library: Library, md_path: str) -> str:
    return (library.root / md_path / "index.md").read_text(encoding="utf-8")


def test_the_topics_of_a_model_are_written_indexed_and_joined_the_very_source(opened: Open, note: Path) -> None:
    chat = StandInChat(GoodModel())
    here = opened(chat).tenant()
    result = here.upload(note, name="handbook.md")
    assert result.indexed
    assert result.extraction_fallback is None
    assert (result.category_id, result.topic_count) == ("Engineering", 3)
    assert here.markdown(result.doc_id) == HANDBOOK
    view = here.document(result.doc_id)
    assert view.summary == "It tells of pumps."
    assert view.labels == ("pumps", "repair")
    assert {topic.labels for topic in view.topics} == {("pumps",)}
    expected = {"method": "llm", "model": "stand-in", "version": 1, "category": "It is about machines.",
                "category_confidence": "0.80", "coverage": "1.000", "repaired": "0", "calls": "1"}  # fmt: skip
    assert expected.items() <= view.extraction.items()
    found = here.search(SearchQuery("spring", method="keyword", filters=SearchFilters(label=("pumps",)))).hits
    assert found[0].topic_name == "Seals"
    assert here.verify().ok
    assert len(chat.asked) == 1


def test_labels_and_category_of_the_uploader_win(opened: Open, note: Path) -> None:
    here = opened(StandInChat(GoodModel())).tenant()
    result = here.upload(note, name="handbook.md", labels=["mine"], category_id="Food")
    view = here.document(result.doc_id)
    assert (view.labels, view.category_id) == (("mine",), "Food")
    assert view.extraction["category"] == "given"


def test_the_same_bytes_again_cost_no_call_even_in_another_process(opened: Open, note: Path) -> None:
    chat = StandInChat(GoodModel())
    first = opened(chat).tenant().upload(note, name="handbook.md")
    silent = StandInChat([AssertionError("asked again")])
    here = opened(silent).tenant()
    second = here.upload(note, name="other name.md", title="Another title")
    assert second.duplicate_of == first.doc_id
    assert (here.document(second.doc_id).extraction["calls"], silent.asked) == ("0", [])
    kept = list((here.layout.index / "replies").iterdir())
    assert [path.suffix for path in kept] == [".json"]


def test_a_replaced_document_is_asked_about_and_keeps_its_category(opened: Open, note: Path, tmp_path: Path) -> None:
    chat = StandInChat(GoodModel())
    here = opened(chat).tenant()
    first = here.upload(note, name="handbook.md")
    other = tmp_path / "valves.md"
    other.write_text("# Valves\n\nValves stick in winter when the grease is old.\n", encoding="utf-8")
    here.replace(first.doc_id, other, name="valves.md")
    assert here.document(first.doc_id).category_id == "Engineering"
    assert "category" not in chat.asked[1].schema["properties"]["document"]["properties"]
    assert here.markdown(first.doc_id) == other.read_text(encoding="utf-8")


def test_a_replace_that_fails_leaves_the_old_document(opened: Open, note: Path, tmp_path: Path) -> None:
    here = opened(StandInChat([GoodModel(), ExternalServiceUnavailable("busy", provider="llm")])).tenant()
    first = here.upload(note, name="handbook.md")
    before = files_of(here.layout.root)
    other = tmp_path / "valves.md"
    other.write_text("# Valves\n\nValves stick in winter.\n", encoding="utf-8")
    with pytest.raises(ExternalServiceUnavailable, match="busy"):
        here.replace(first.doc_id, other, name="valves.md")
    assert files_of(here.layout.root) == before
    assert here.markdown(first.doc_id) == HANDBOOK


def test_without_a_provider_nothing_is_even_read(opened: Open, note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = opened(None)
    monkeypatch.setattr(library, "parser", None)
    with pytest.raises(ConfigurationError, match=r"llm\.provider"):
        library.tenant().upload(note, name="handbook.md")
    assert files_of(library.root) == set()


def test_nonsense_is_the_outline_and_the_answer_says_so_only_when_that_is_set(opened: Open, note: Path) -> None:
    strict = opened(StandInChat(["What a fine document!"]))
    with pytest.raises(ExternalServiceUnavailable, match="fallback"):
        strict.tenant().upload(note, name="handbook.md")
    assert files_of(strict.root) == set()
    here = opened(StandInChat(["What a fine document!"]), fallback="outline").tenant()
    result = here.upload(note, name="handbook.md")
    assert result.extraction_fallback is not None
    assert "stand-in answered nothing that can be used" in result.extraction_fallback
    assert here.document(result.doc_id).extraction["method"] == "outline"
    assert here.markdown(result.doc_id) == HANDBOOK


def by_http(call: Call) -> Script:
    """A server with a good model behind it."""
    system, user = (message["content"] for message in call.body["messages"])
    schema = call.body["response_format"]["json_schema"]["schema"]
    answer = GoodModel()(Asked(system, user, schema, call.body["max_tokens"]))
    return completion(json.dumps(answer), usage=(900, 100))


def remote(url: str, **more: Any) -> dict[str, Any]:
    return {"provider": "openai", "model": "some-model", "base_url": url, "api_key": KEY, "retries": 0, **more}


def test_a_model_behind_http_is_asked_with_the_schema_and_without_the_key_in_the_text(opened: Open, note: Path) -> None:
    with ChatServer([by_http]) as server:
        here = opened(None, **remote(server.base_url, reply_tokens=2_000)).tenant()
        result = here.upload(note, name="handbook.md")
        assert here.markdown(result.doc_id) == HANDBOOK
    assert len(server.calls) == 1
    body = server.calls[0].body
    assert body["max_tokens"] == 2_000
    assert KEY not in json.dumps(body)
    assert KEY not in index_text(opened(None), result.md_path)


FAILURES: Sequence[tuple[object, type[WikiError]]] = [
    (failure(500, "boom"), ExternalServiceUnavailable),
    (failure(429, "slow down"), ExternalServiceUnavailable),
    (failure(401, "who are you"), ConfigurationError),
    (Script(fault="reset"), ExternalServiceUnavailable),
    (Script(fault="slow"), ExternalServiceUnavailable),
    (Script("<html>", headers={"content-type": "text/html"}), ExternalServiceUnavailable),
    (completion("no"), ExternalServiceUnavailable),
    (completion('{"topics": [{"st', finish="length"), ExternalServiceUnavailable),
]


@pytest.mark.parametrize(("reply", "error"), FAILURES)
def test_whatever_fails_leaves_nothing_behind(opened: Open, note: Path, reply: Any, error: type[WikiError]) -> None:
    with ChatServer([reply]) as server:
        library = opened(None, **remote(server.base_url, timeout_seconds=0.3))
        with pytest.raises(error):
            library.tenant().upload(note, name="handbook.md")
    assert files_of(library.root) == set()
    assert library.tenant().list_documents().total == 0


@pytest.mark.parametrize("fallback", ["none", "outline"])
def test_a_provider_that_is_down_is_an_error_with_a_fallback_too(opened: Open, note: Path, fallback: str) -> None:
    library = opened(None, fallback=fallback, **remote(refused_url()))
    with pytest.raises(ExternalServiceUnavailable):
        library.tenant().upload(note, name="handbook.md")
    assert files_of(library.root) == set()


def test_a_dropped_file_tells_how_its_topics_were_made(opened: Open, note: Path) -> None:
    library = opened(StandInChat([Reply("no", False), GoodModel()]))
    tenant = library.tenant()
    tenant.layout.incoming.mkdir(parents=True)
    dropped = tenant.layout.incoming / "handbook.md"
    dropped.write_bytes(note.read_bytes())
    outcome = ingest_incoming(library, tenant, dropped)
    assert outcome.status == "added"
    assert (outcome.extraction["method"], outcome.extraction["calls"]) == ("llm", "2")
    assert int(outcome.extraction["repaired"]) > 0
