"""One job: its stages, its end, and what a second attempt makes of what the first left."""

import shutil
import threading
from datetime import timedelta

import pytest

from tests.jobs.conftest import File, MoodyEmbedder, accepted
from wiki.errors import Conflict, ExternalServiceUnavailable, RateLimited
from wiki.jobs import run
from wiki.jobs.job import Job, utc_now
from wiki.jobs.run import BACK_OFF, MOST_INTERRUPTIONS, run_job
from wiki.jobs.stages import STAGES, fraction
from wiki.library import TenantLibrary
from wiki.parsing.source import Step


class Killed(BaseException):
    """The process is gone."""


def run_it(here: TenantLibrary, job_id: str, **options: object) -> Job:
    claim = here.jobs.claim(job_id)
    assert claim is not None
    with claim:
        return run_job(here, claim, **options)  # type: ignore[arg-type]


def documents(here: TenantLibrary) -> list[str]:
    here.sync()
    return [document.doc_id for document in here.list_documents().documents]


def test_the_stages_come_in_order_and_the_result_is_that_of_an_upload(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file())
    seen: list[str] = []
    job = run_it(here, job_id, on_stage=seen.append)
    assert ["stored", *seen] == list(STAGES) == [mark.stage for mark in job.state.stages]
    view = here.job(job_id)
    assert (view.status, view.progress, view.attempts, view.error) == ("done", 1.0, 1, None)
    assert view.result is not None and view.result.indexed and view.result.doc_id == view.doc_id
    assert documents(here) == [view.doc_id]
    times = [stage.at for stage in view.stages]
    assert times == sorted(times)


def test_steps_are_told_within_their_stage_and_move_the_progress(
    here: TenantLibrary, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_TELL_SECONDS", 0.0)
    job_id = accepted(here, file())
    seen: list[tuple[str, float]] = []

    def pages(*_: object, progress: object = None, **_options: object) -> object:
        for page in (1, 50, 100):
            progress(Step("page", page, 100))  # type: ignore[operator]
            view = here.job(job_id)
            seen.append((str(view.step), view.progress))
        raise Conflict("enough")

    monkeypatch.setattr(here, "upload", pages)
    run_it(here, job_id)
    assert [words for words, _ in seen] == ["page 1 of 100", "page 50 of 100", "page 100 of 100"]
    assert [share for _, share in seen] == sorted(share for _, share in seen)
    assert 0 < seen[0][1] < seen[2][1] <= fraction("parsed", None)


def test_a_damaged_file_ends_failed_with_its_code_and_is_not_tried_again_by_itself(
    here: TenantLibrary, file: File
) -> None:
    job_id = accepted(here, file("%PDF-1.4 broken", "broken.pdf"))
    run_it(here, job_id)
    view = here.job(job_id)
    assert view.error is not None
    assert (view.status, view.error.code, view.error.retryable) == ("failed", "UNSUPPORTED_FORMAT", False)
    assert "broken.pdf" in view.error.message and str(here.layout.root) not in view.error.message
    assert view.retry_at is None and not here.jobs.find(job_id).due(utc_now() + timedelta(days=1))


@pytest.mark.parametrize("error", [ExternalServiceUnavailable("no answer"), RateLimited("busy", retry_after=900)])
def test_what_passes_is_tried_again_by_itself_ever_later_and_at_last_by_a_person_only(
    here: TenantLibrary, file: File, embedder: MoodyEmbedder, error: ExternalServiceUnavailable | RateLimited
) -> None:
    job_id = accepted(here, file())
    embedder.error = error
    for seconds in BACK_OFF:
        job = run_it(here, job_id)
        assert job.state.status == "failed" and job.state.error is not None and job.state.error.retryable
        assert job.state.retry_at is not None
        due = job.state.updated_at + timedelta(seconds=max(seconds, error.details.get("retry_after", 0)))
        assert abs(job.state.retry_at - due) < timedelta(seconds=1)
        assert not job.due(utc_now()) and job.due(due + timedelta(seconds=1))
    assert run_it(here, job_id).state.retry_at is None
    assert documents(here) == []
    embedder.error = None
    assert here.retry_job(job_id).status == "queued"
    assert run_it(here, job_id).state.status == "done"
    assert documents(here) == [here.job(job_id).doc_id]


@pytest.mark.parametrize(
    ("stage", "on_duplicate"),
    [("parsed", "new"), ("classified", "new"), ("written", "new"), ("written", "return"), ("written", "replace")],
)
def test_killed_after_any_stage_it_is_redone_to_one_document(
    here: TenantLibrary, file: File, stage: str, on_duplicate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = accepted(here, file(), on_duplicate=on_duplicate)

    def die(reached: str) -> None:
        if reached == stage:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(run._Running, "put_back", lambda *_: None)
        with pytest.raises(Killed):
            run_it(here, job_id, on_stage=die)
    assert here.jobs.find(job_id).state.status == "running"
    assert here.job(job_id).status == "queued"
    job = run_it(here, job_id)
    assert (job.state.status, job.state.attempts, job.state.interruptions) == ("done", 2, 1)
    assert documents(here) == [job.accepted.doc_id]
    assert job.state.result is not None and job.state.result.duplicate_of is None


def test_a_document_removed_before_its_job_ended_is_not_made_again(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file())

    def die(reached: str) -> None:
        if reached == "written":
            raise Killed

    with pytest.raises(Killed):
        run_it(here, job_id, on_stage=die)
    shutil.rmtree(here.documents.find(here.job(job_id).doc_id) or pytest.fail("it was not written"))
    job = run_it(here, job_id)
    assert job.state.error is not None
    assert (job.state.error.code, documents(here)) == ("CONFLICT", [])


def test_a_job_that_ends_its_process_again_and_again_is_given_up(
    here: TenantLibrary, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = accepted(here, file())

    def die(_: str) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(run._Running, "put_back", lambda *_: None)
        for _ in range(MOST_INTERRUPTIONS + 1):
            with pytest.raises(Killed):
                run_it(here, job_id, on_stage=die)
    job = run_it(here, job_id)
    assert job.state.error is not None and "in the middle of this file" in job.state.error.message
    here.retry_job(job_id)
    assert run_it(here, job_id).state.status == "done"


def test_told_to_stop_it_goes_back_into_the_queue_with_nothing_held_against_it(
    here: TenantLibrary, file: File, embedder: MoodyEmbedder
) -> None:
    job_id, stop = accepted(here, file()), threading.Event()
    embedder.error = RuntimeError("cut off by the stop")
    stop.set()
    job = run_it(here, job_id, stop=stop)
    assert (job.state.status, job.state.error, job.state.interruptions) == ("queued", None, 0)
    embedder.error = None
    assert run_it(here, job_id).state.status == "done"


def test_an_unforeseen_error_is_told_as_internal(
    here: TenantLibrary, file: File, embedder: MoodyEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.error = RuntimeError("surprise")
    job = run_it(here, accepted(here, file()))
    assert job.state.error is not None
    assert (job.state.error.code, job.state.error.message) == ("INTERNAL_ERROR", "RuntimeError: surprise")
    assert "surprise" in caplog.text


def test_duplicates_are_new_given_or_replaced_as_asked(here: TenantLibrary, file: File) -> None:
    first = here.upload(file(), name="kilns.md")
    results = {}
    for choice in ("return", "replace", "new"):
        job = run_it(here, accepted(here, file(), on_duplicate=choice, title=f"Kilns {choice}"))
        assert job.state.result is not None
        results[choice] = job.state.result
    assert results["return"].doc_id == results["replace"].doc_id == results["new"].duplicate_of == first.doc_id
    assert results["return"].title != results["replace"].title == "Kilns replace"
    assert results["new"].doc_id not in (first.doc_id, None)
    assert len(documents(here)) == 2


def test_two_jobs_with_the_same_bytes_at_once_make_one_document_when_the_second_asks_for_it(
    here: TenantLibrary, file: File
) -> None:
    ids = [accepted(here, file(), on_duplicate="return") for _ in range(3)]
    threads = [threading.Thread(target=run_it, args=(here, job_id)) for job_id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    results = [here.job(job_id).result for job_id in ids]
    assert len({result.doc_id for result in results if result}) == 1 and all(results)
    assert len(documents(here)) == 1


def test_a_chosen_id_that_was_taken_meanwhile_is_a_conflict(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file(), doc_id="d_0123456789ab")
    here.upload(file(), name="kilns.md", doc_id="d_0123456789ab", wait=0)
    job = run_it(here, job_id)
    assert job.state.error is not None and job.state.error.code == "CONFLICT"
    assert documents(here) == ["d_0123456789ab"]


def test_progress_never_goes_back_from_stage_to_stage() -> None:
    shares = [fraction(stage, step) for stage in STAGES for step in (None, Step("page", 1, 2), Step("page", 3, 2))]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1
    assert fraction("stored", Step("page", 5)) == 0
