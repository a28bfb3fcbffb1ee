"""``wiki reextract``: one document, all of them, and what could not be done."""

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wiki
from wiki.library.reextract import Reextracting
from wiki.views import ReextractResult


def test_documents_that_come_out_the_same_are_not_touched(wiki: Wiki, files: Path) -> None:
    wiki("add", files)
    ids = [line["doc_id"] for line in wiki("add", files, "--json").lines]
    outcome = wiki("reextract", "--all", "--json")
    assert outcome.code == 0
    assert {line["doc_id"]: line["status"] for line in outcome.lines} == dict.fromkeys(ids, "same")
    one = wiki("reextract", ids[0])
    assert (one.code, one.out.splitlines()[-1]) == (0, "0 changed, 1 same, 0 failed")
    assert f"same    {ids[0]}" in one.out
    assert wiki("verify").code == 0


def test_a_document_that_fails_is_listed_and_the_others_go_on(wiki: Wiki, files: Path, root: Path) -> None:
    ids = [line["doc_id"] for line in wiki("add", files, "--json").lines]
    topic = next(next(root.rglob(f"*{ids[0]}")).glob("1_*.md"))
    topic.write_bytes(topic.read_bytes() + b"\xff\xfe")
    outcome = wiki("reextract", *ids, "d_000000000000", "--json")
    assert outcome.code == 1
    told = {line["doc_id"]: (line["status"], (line["error"] or {}).get("code")) for line in outcome.lines}
    assert told == {
        ids[0]: ("failed", "INVALID_INPUT"), ids[1]: ("same", None), ids[2]: ("same", None),
        "d_000000000000": ("failed", "NOT_FOUND"),
    }  # fmt: skip
    assert "not UTF-8" in next(line for line in outcome.lines if line["doc_id"] == ids[0])["error"]["message"]


def test_all_takes_documents_that_nobody_indexed_yet(wiki: Wiki, files: Path, root: Path) -> None:
    ids = {line["doc_id"] for line in wiki("add", files, "--json").lines}
    shutil.rmtree(root / ".index")
    outcome = wiki("reextract", "--all", "--json")
    assert (outcome.code, {line["doc_id"] for line in outcome.lines}) == (0, ids)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_stops_between_documents_and_a_second_one_at_once(
    wiki: Wiki, files: Path, root: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    ids = [line["doc_id"] for line in wiki("add", files, "--json").lines]
    topic = next(next(root.rglob(f"*{ids[0]}")).glob("1_*.md"))
    topic.write_bytes(topic.read_bytes().replace(b"ninety days", b"thirty days"))
    before = topic.read_bytes()
    real = Reextracting.reextract

    def pressed(here: Reextracting, doc_id: str, **options: Any) -> ReextractResult:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        return real(here, doc_id, **options)

    monkeypatch.setattr(Reextracting, "reextract", pressed)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = wiki("reextract", *ids, "--json")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)
    assert outcome.code == 130
    if times == 1:
        assert [(line["doc_id"], line["status"]) for line in outcome.lines] == [(ids[0], "changed")]
        assert "stopped: 1 changed, 0 same, 0 failed, 2 not looked at" in outcome.err
    else:
        assert (outcome.lines, topic.read_bytes()) == ([], before)
        assert "stopped: 0 changed, 0 same, 0 failed, 3 not looked at" in outcome.err
    assert wiki("sync", "--once").code == wiki("verify").code == 0


def test_failures_are_listed_at_the_end(wiki: Wiki, files: Path) -> None:
    [line, *_] = wiki("add", files, "--json").lines
    outcome = wiki("reextract", "d_000000000000", line["doc_id"])
    assert (outcome.code, outcome.out.splitlines()[-1]) == (1, "0 changed, 1 same, 1 failed")
    assert "error NOT_FOUND: d_000000000000: there is no document d_000000000000" in outcome.err


def test_documents_or_all_but_not_both(wiki: Wiki) -> None:
    assert wiki("reextract").code == wiki("reextract", "d_000000000000", "--all").code == 2


def test_a_document_whose_model_answered_nonsense_says_so(
    wiki: Wiki, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wiki.library.writing import Writing
    from wiki.views import UploadResult

    def upload(_self: Writing, _path: Path, *, name: str, **_: object) -> UploadResult:
        return UploadResult(
            "d_a1b2c3d4e5f6", name, "Others", 1, name, "", "", False, True, None, "the model m answered nonsense"
        )

    monkeypatch.setattr(Writing, "upload", upload)
    one = files / "backups.md"
    assert wiki("add", one, "--json").lines[0]["extraction_fallback"] == "the model m answered nonsense"
    assert "has the topics of its outline: the model m answered nonsense" in wiki("add", one).err
