"""Jobs whose topics a language model proposes: its calls are told one by one, and a redo asks nothing twice."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.extraction.llm.models import Asked, GoodModel, StandInChat
from tests.jobs.conftest import accepted
from tests.standins import WordEmbedder
from wiki.errors import ConfigurationError, ExternalServiceUnavailable
from wiki.jobs.run import run_job
from wiki.library import Library, TenantLibrary
from wiki.parsing.source import Step
from wiki.settings import ExtractionSettings, Settings

WITH_MODEL = ExtractionSettings(method="llm")
Opened = Callable[[StandInChat], TenantLibrary]


@pytest.fixture
def opened(root: Path) -> Iterator[Opened]:
    libraries: list[Library] = []

    def make(chat: StandInChat) -> TenantLibrary:
        library = Library(Settings(root=root, extraction=WITH_MODEL), embedder=WordEmbedder(), chat=chat)
        libraries.append(library)
        return library.tenant()

    yield make
    for library in libraries:
        library.close()


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """More text than one call can show the model."""
    path = tmp_path / "book.md"
    chapters = (
        f"## Chapter {n}\n\n"
        + "\n\n".join(f"Paragraph {p} of chapter {n} tells of sails and masts. " * 8 for p in range(12))
        for n in range(8)
    )
    path.write_text("# Sailing\n\n" + "\n\n".join(chapters) + "\n", encoding="utf-8")
    return path


def run_it(here: TenantLibrary, job_id: str, steps: list[Step] | None = None) -> str:
    claim = here.jobs.claim(job_id)
    assert claim is not None
    with claim:
        return run_job(here, claim, index_seconds=0, progress=(steps if steps is not None else []).append).state.status


def test_each_call_is_told_while_topics_are_found(opened: Opened, book: Path) -> None:
    here: TenantLibrary
    seen: list[tuple[str, str, float]] = []

    def answer(asked: Asked) -> object:
        view = here.job(job_id)
        seen.append((view.status, view.stage, view.progress))
        return GoodModel()(asked)

    here = opened(StandInChat(answer, context_tokens=8_000))
    job_id, steps = accepted(here, book), list[Step]()
    assert run_it(here, job_id, steps) == "done"
    total = len(seen)
    assert total > 2
    assert [(step.unit, step.done, step.total) for step in steps][-1] == ("window", total, total)
    assert [step.done for step in steps] == list(range(total + 1))
    assert {(status, stage) for status, stage, _ in seen} == {("running", "extracting")}
    assert seen[0][2] < seen[-1][2]


def test_a_model_that_is_down_leaves_nothing_and_the_redo_asks_only_what_was_not_answered(
    opened: Opened, book: Path
) -> None:
    good = StandInChat(GoodModel(), context_tokens=8_000)
    whole = opened(good)
    whole.upload(book, name="book.md", wait=0)
    calls = len(good.asked)
    there = whole._library.tenant("other", "other")
    answered: list[Asked] = []

    def dies_at_the_end(asked: Asked) -> object:
        if asked.is_closing:
            raise ExternalServiceUnavailable("the endpoint does not answer")
        answered.append(asked)
        return GoodModel()(asked)

    failing = opened(StandInChat(dies_at_the_end, context_tokens=8_000))._library.tenant("other", "other")
    job_id = accepted(failing, book)
    assert run_it(failing, job_id) == "failed"
    view = failing.job(job_id)
    assert view.error is not None and view.error.retryable and view.retry_at is not None
    assert not failing.layout.knowledge.exists() or not list(failing.layout.knowledge.glob("*/*"))
    good.asked.clear()
    there.retry_job(job_id)
    assert run_it(there, job_id) == "done"
    assert len(good.asked) == calls - len(answered) == 1


def test_without_a_provider_nothing_is_accepted(root: Path, book: Path) -> None:
    library = Library(Settings(root=root, extraction=WITH_MODEL), embedder=WordEmbedder())
    with pytest.raises(ConfigurationError, match=r"llm\.provider"):
        accepted(library.tenant(), book)
    assert not library.tenant().layout.jobs.exists()
    library.close()
