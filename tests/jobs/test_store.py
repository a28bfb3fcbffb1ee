"""``.jobs`` on disk: whole or not there, one holder at a time, tidied in time."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.jobs.conftest import TEXT, File, accepted
from wiki.errors import Conflict, InternalError, InvalidInput, NotFound
from wiki.jobs import store
from wiki.jobs.job import utc_now
from wiki.jobs.run import run_job
from wiki.jobs.store import KEPT, JobStore
from wiki.library import Library, TenantLibrary
from wiki.tenants import discover_tenants


def leftovers(here: TenantLibrary) -> list[str]:
    return [path.name for path in here.layout.staging.rglob("*") if path.name != "locks"]


def test_an_accepted_upload_is_whole_on_disk_and_its_file_stays_where_it_was(here: TenantLibrary, file: File) -> None:
    path = file()
    job_id = accepted(here, path, title="Of kilns", labels=["clay"])
    folder = here.layout.jobs / job_id
    assert sorted(entry.name for entry in folder.iterdir()) == ["job.json", "original", "upload.json"]
    assert (folder / "original").read_text() == path.read_text() == TEXT
    assert json.loads((folder / "upload.json").read_text())["request"]["title"] == "Of kilns"
    view = here.job(job_id)
    assert (view.status, view.stage, view.size, view.source_name) == ("queued", "stored", len(TEXT), "kilns.md")
    assert leftovers(here) == []


def test_a_file_that_may_be_taken_is_moved(here: TenantLibrary, file: File) -> None:
    path = file()
    accepted(here, path, take=True)
    assert not path.exists()


def test_what_is_refused_leaves_nothing(here: TenantLibrary, file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="zero bytes"):
        accepted(here, file(""))
    with pytest.raises(InvalidInput, match="category"):
        accepted(here, file(), category_id="Nowhere")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(store, "rename_noreplace", full)
        with pytest.raises(InternalError, match="No space left"):
            accepted(here, file())
    assert list(here.jobs.unfinished()) == [] and leftovers(here) == []


def test_a_chosen_id_is_free_or_refused(here: TenantLibrary, file: File) -> None:
    accepted(here, file(), doc_id="d_0123456789ab")
    with pytest.raises(Conflict, match="is about to make"):
        accepted(here, file(), doc_id="d_0123456789ab")
    failed = accepted(here, file("%PDF-1.4 broken", "broken.pdf"), doc_id="d_bbbbbbbbbbbb")
    claim = here.jobs.claim(failed)
    assert claim is not None
    with claim:
        run_job(here, claim)
    accepted(here, file(), doc_id="d_bbbbbbbbbbbb")
    here.upload(file(), name="kilns.md", doc_id="d_aaaaaaaaaaaa", wait=0)
    with pytest.raises(Conflict, match="exists already"):
        accepted(here, file(), doc_id="d_aaaaaaaaaaaa")


def test_jobs_come_in_the_order_of_acceptance_and_one_holder_at_a_time(here: TenantLibrary, file: File) -> None:
    ids = [accepted(here, file(f"# Number {n}\n\nText.\n", f"{n}.md")) for n in range(5)]
    assert [job.job_id for job in here.jobs.unfinished()] == ids == here.jobs.newest()[::-1]
    claim = here.jobs.claim(ids[0])
    assert claim is not None
    assert JobStore(here.layout).claim(ids[0]) is None
    claim.release()
    again = JobStore(here.layout).claim(ids[0])
    assert again is not None
    again.release()


def test_what_a_crash_left_half_placed_is_emptied_and_a_living_process_is_left_alone(here: TenantLibrary) -> None:
    dead, alive = ("j_" + digit * 18 for digit in "12")
    for job_id in (dead, alive):
        (here.layout.staging / f"{job_id}.placing").mkdir(parents=True)
    lock = here.jobs._lock(alive)
    assert lock.try_acquire()
    here.jobs.recover()
    assert [path.name for path in here.layout.staging.glob("j_*")] == [f"{alive}.placing"]
    lock.release()


def test_a_torn_state_is_taken_for_a_job_that_was_begun(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file())
    (here.layout.jobs / job_id / "job.json").write_bytes(b'{"status": "ru')
    job = here.jobs.find(job_id)
    assert (job.state.status, job.state.attempts) == ("queued", 1)
    claim = here.jobs.claim(job_id)
    assert claim is not None
    with claim:
        assert run_job(here, claim, index_seconds=0).state.status == "done"


def test_an_unreadable_upload_is_told_and_holds_up_no_other(
    here: TenantLibrary, file: File, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = accepted(here, file()), accepted(here, file("# B\n\nText.\n", "b.md"))
    (here.layout.jobs / bad / "upload.json").write_bytes(b"{}")
    assert [job.job_id for job in here.jobs.unfinished()] == [good]
    assert [job.job_id for job in here.jobs.unfinished()] == [good]
    assert sum("upload.json is damaged" in record.message for record in caplog.records) == 1
    with pytest.raises(InternalError):
        here.job(bad)


def test_a_done_job_is_remembered_without_its_bytes_for_a_while(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file())
    claim = here.jobs.claim(job_id)
    assert claim is not None
    with claim:
        run_job(here, claim, index_seconds=0)
    assert list(here.layout.jobs.iterdir()) == [] and leftovers(here) == []
    assert here.job(job_id).status == "done"
    here.jobs.tidy()
    assert here.job(job_id).status == "done"
    here.jobs.tidy(utc_now() + KEPT + timedelta(minutes=1))
    with pytest.raises(NotFound, match="no job"):
        here.job(job_id)


def test_a_crash_between_remembering_and_dropping_is_finished(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file())
    here.layout.finished_jobs.mkdir(parents=True)
    (here.layout.finished_jobs / f"{job_id}.json").write_text("{}")
    assert here.jobs.claim(job_id) is None
    assert not (here.layout.jobs / job_id).exists()


def test_a_failed_job_keeps_its_bytes_for_a_while(here: TenantLibrary, file: File) -> None:
    job_id = accepted(here, file("%PDF-1.4 broken", "broken.pdf"))
    claim = here.jobs.claim(job_id)
    assert claim is not None
    with claim:
        assert run_job(here, claim).state.status == "failed"
    here.jobs.tidy()
    assert (here.layout.jobs / job_id / "original").exists()
    here.jobs.tidy(utc_now() + KEPT + timedelta(minutes=1))
    assert not (here.layout.jobs / job_id).exists()


def test_a_state_that_changed_is_seen_at_once_and_an_old_one_is_read_once(
    here: TenantLibrary, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = accepted(here, file())
    state = here.layout.jobs / job_id / "job.json"
    os.utime(state, (1_000_000_000, 1_000_000_000))
    assert len(list(here.jobs.unfinished())) == 1
    with monkeypatch.context() as patch:
        patch.setattr(JobStore, "_read", lambda *_: pytest.fail("it was read again"))
        assert len(list(here.jobs.unfinished())) == 1
    state.write_text(state.read_text().replace('"queued"', '"failed"'))
    assert [job.state.status for job in here.jobs.unfinished()] == ["failed"]


def test_a_tenant_with_nothing_but_a_job_is_found(library: Library, file: File) -> None:
    there = library.tenant("shop", "east")
    accepted(there, file())
    assert not there.layout.knowledge.exists()
    assert there.tenant in discover_tenants(library.root)


@pytest.mark.parametrize("job_id", ["", "x", "j_", "../../etc", "j_" + "0" * 18, "j_" + "g" * 18])
def test_an_id_nobody_has_is_not_found(here: TenantLibrary, job_id: str) -> None:
    with pytest.raises(NotFound):
        here.job(job_id)
    assert not Path(here.layout.root, "default").exists()
