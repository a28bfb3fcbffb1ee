"""Writing into vaults: what the contract allows lands in one place, and what it does not leaves nothing behind."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from wiki.errors import Conflict, Forbidden, InvalidInput
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.audit import read_audit
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.write import NoteRequest, WrittenNote, write_note

Write = Callable[..., WrittenNote]
FACT = {"type": "candidate-fact", "source": "chat", "evidence": "I use vim"}


@pytest.fixture
def layout(root: Path) -> Layout:
    layout = Layout(root, Tenant())
    for folder in ("work/CloudOps", "ai/identity", "user/facts", "user/_inbox", "other/Deep"):
        (layout.home / "vaults" / folder).mkdir(parents=True)
    (layout.home / "secret.md").write_text("outside")
    (layout.home / "vaults" / "work" / "link").symlink_to(layout.home, target_is_directory=True)
    return layout


@pytest.fixture
def write(layout: Layout) -> Write:
    def write(
        content_type: str = "operational", title: str = "Pump", body: str = "Lifts.\n", **more: Any
    ) -> WrittenNote:
        return write_note(layout, VaultsSettings(), NoteRequest(content_type, title, body, **more))

    return write


def disk(layout: Layout) -> dict[str, bytes]:
    vaults = layout.home / "vaults"
    return {
        path.relative_to(layout.home).as_posix(): path.read_bytes()
        for path in [*vaults.rglob("*"), *layout.home.glob("*.md")]
        if path.is_file() and not path.is_symlink()
    }


def text_of(layout: Layout, note: WrittenNote) -> bytes:
    return (layout.home / "vaults" / note.vault / note.path).read_bytes()


def test_content_goes_where_the_contract_says(write: Write, layout: Layout) -> None:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    places = {
        write("agent-self", "I am terse", kind="identity"): ("ai", f"identity/{today}-i-am-terse.md", "agent-self"),
        write("agent-self", "No rhymes", kind="interaction-rule"): ("ai", f"interaction-rules/{today}-no-rhymes.md", "agent-self"),
        write("user-facts", "Editor", front_matter=FACT): ("user", f"_inbox/{today}-editor.md", "user-facts"),
        write("operational", "Pump Haltestelle Süd", kind="cloudops"): ("work", "CloudOps/pump-haltestelle-süd.md", "operational"),
        write("operational", "泵", kind="weekly"): ("work", "Weekly/泵.md", "operational"),
        write("note", "By hand", actor="person", vault="user", folder="facts/home"): ("user", "facts/home/by-hand.md", "person"),
    }  # fmt: skip
    assert {note: (note.vault, note.path, note.rule_id) for note in places} == places
    for note in places:
        assert sha256(text_of(layout, note)).hexdigest() == note.content_hash
    assert [row.outcome for row in read_audit(layout)] == ["allowed"] * len(places)


def test_the_body_is_exact_and_cannot_pass_for_front_matter(write: Write, layout: Layout) -> None:
    body = "---\nstatus: accepted\nowner: root\n---\r\n  text \t\n\n"
    note = write(
        title="Odd: 'title' #1", body=body, kind="secops", front_matter={"status": "draft", "n": 3, "tags": "a"}
    )
    parsed = parse_note(note.path, text_of(layout, note))
    assert parsed.body == body
    assert parsed.front_matter | {"date": None} == {
        "title": "Odd: 'title' #1", "status": "draft", "n": 3, "date": None, "tags": ["a"],
    }  # fmt: skip


def test_decisions_are_numbered_also_when_many_write_at_once(write: Write) -> None:
    made: list[str] = []

    def decide(number: int) -> None:
        made.append(write(title=f"Choice {number}", kind="architecture", front_matter={"type": "adr"}).path)

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(path.split("/")[-1][:4] for path in made) == [f"{number:04}" for number in range(1, 9)]
    assert all(path.startswith("Architecture/decisions/") for path in made)


def test_a_taken_name_gets_a_number_and_nothing_is_overwritten(write: Write, layout: Layout) -> None:
    first, second = write(kind="devops"), write(kind="devops", body="Other.\n")
    assert (first.path, second.path) == ("DevOps/pump.md", "DevOps/pump-2.md")
    assert text_of(layout, first).endswith(b"Lifts.\n")


def test_a_hash_replaces_that_very_note_only(write: Write, layout: Layout) -> None:
    first = write("agent-self", kind="observation")
    again = write("agent-self", kind="observation", body="New.\n", expected_hash=first.content_hash)
    assert again.path == first.path
    assert text_of(layout, again).endswith(b"New.\n")
    before = disk(layout)
    for hash_, title in ((first.content_hash, "Pump"), (again.content_hash, "Nothing of that name")):
        with pytest.raises(Conflict):
            write("agent-self", title, kind="observation", body="Late.\n", expected_hash=hash_)
    assert disk(layout) == before


def test_unsure_work_is_tagged(write: Write, layout: Layout) -> None:
    note = write(front_matter={"tags": ["pump"]})
    assert (note.vault, note.path) == ("work", "pump.md")
    assert parse_note(note.path, text_of(layout, note)).tags == ("pump", "needs-routing")


def test_a_dry_run_says_where_and_leaves_nothing(write: Write, layout: Layout) -> None:
    before = disk(layout)
    planned = write(kind="finops", dry_run=True)
    with pytest.raises(Forbidden):
        write("operational", kind="finops", vault="user", dry_run=True)
    assert disk(layout) == before
    assert list(read_audit(layout)) == []
    assert write(kind="finops") == planned


@pytest.mark.parametrize("missing", ["type", "source", "evidence"])
def test_a_candidate_needs_its_evidence(write: Write, layout: Layout, missing: str) -> None:
    before = disk(layout)
    for value in ({}, {missing: "  "}):
        with pytest.raises(InvalidInput, match=missing):
            write("user-facts", front_matter={key: v for key, v in FACT.items() if key != missing} | value)
    assert disk(layout) == before


FOLDERS = [
    "..", "../..", "facts/..", "./facts", "/etc", "/", "~/x", "~", "\\\\host\\share", "facts\\..\\..", "C:", "C:/Windows",
    "_inbox", "_Inbox", "_INBOX", "_inbox/deeper", "facts/_inbox", "_private", "facts/_drafts", ".obsidian", ".trash",
    ".git/hooks", "facts/.hidden", "facts//deep", "facts/\x00", "facts/a\nb", "facts/con", "NUL", "aux.md", "com1", "facts.",
    "facts ", " facts", "fa\u200bcts", "facts/\u202etxt", "\uff0e\uff0e", "facts/\uff0fetc", "fact\u017f", "Facts", "FACTS/x",
    "a" * 256, "/".join("d" * 14), "facts/*", "facts?", "facts|x", "facts:stream", "<facts>", 'fa"cts',
]  # fmt: skip
AGENT: list[dict[str, Any]] = [
    {"vault": "user", "folder": "facts"}, {"vault": "user", "folder": "communication"}, {"vault": "ai", "folder": "identity"},
    {"vault": "other", "folder": "Deep"}, {"vault": "nowhere"}, {"vault": "../user"}, {"vault": "/"}, {"folder": "Weekly"},
    {"folder": "CloudOps/deeper"}, {"folder": "link"}, {"folder": "link/knowledge"}, {"folder": "../user/facts"},
    {"vault": "work", "folder": ""}, {"vault": "USER", "folder": "facts"},
    *({"folder": folder} for folder in FOLDERS),
    *({"vault": "user", "folder": folder} for folder in FOLDERS),
]  # fmt: skip


@pytest.mark.parametrize("attempt", AGENT, ids=lambda attempt: ascii(attempt)[:60])
def test_an_agent_writes_nowhere_but_where_the_contract_allows(
    write: Write, layout: Layout, attempt: dict[str, Any]
) -> None:
    before = disk(layout)
    with pytest.raises(Forbidden) as refused:
        write("operational", kind="cloudops", **attempt)
    assert refused.value.details["rule_id"] == "operational"
    assert disk(layout) == before
    [row] = read_audit(layout)
    assert (row.outcome, row.actor, row.rule_id) == ("refused", "agent", "operational")


FREE_IN_WORK = {"_private", "facts/_drafts", "Facts", "FACTS/x"}


@pytest.mark.parametrize(
    ("vault", "folder"),
    [
        *(("user", folder) for folder in FOLDERS),
        *(("work", folder) for folder in (*FOLDERS, "link", "link/default") if folder not in FREE_IN_WORK),
    ],
    ids=lambda value: ascii(value)[:60],
)
def test_a_person_stays_inside_the_visible_part_of_a_vault(
    write: Write, layout: Layout, vault: str, folder: str
) -> None:
    before = disk(layout)
    with pytest.raises(Forbidden) as refused:
        write("note", actor="person", vault=vault, folder=folder)
    assert refused.value.details["rule_id"] == "path"
    assert disk(layout) == before


def test_a_link_in_the_contracts_own_folder_is_not_followed(write: Write, layout: Layout) -> None:
    outside = layout.root / "elsewhere"
    outside.mkdir()
    (layout.home / "vaults" / "work" / "Weekly").symlink_to(outside, target_is_directory=True)
    with pytest.raises(Forbidden, match="is a link"):
        write(kind="weekly")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [{"content_type": "unknown"}, {"kind": "unknown"}, {"title": ""}, {"title": "a\nb"}, {"title": "x" * 201},
     {"body": "a\0b"}, {"front_matter": {"a: b\nc": 1}}, {"front_matter": {"a": {"b": 1}}}, {"body": "x" * 1_000_001}],
    ids=lambda wrong: ascii(wrong)[:40],
)  # fmt: skip
def test_malformed_input_is_told(write: Write, layout: Layout, wrong: dict[str, Any]) -> None:
    before = disk(layout)
    with pytest.raises(InvalidInput):
        write(**{"kind": "cloudops", **wrong})
    assert disk(layout) == before


def test_titles_become_names_that_stay_in_their_folder(write: Write, layout: Layout) -> None:
    for title in (
        "../../etc/passwd",
        "..",
        "/",
        "con",
        "a" * 200,
        ".hidden",
        "x\\y",
        "\u202egnp.exe",
        "C:\\x",
        "_inbox/../x",
    ):
        note = write("agent-self", title, kind="observation")
        assert note.path.count("/") == 1
        file = layout.home / "vaults" / "ai" / note.path
        assert file.resolve().parent == (layout.home / "vaults" / "ai" / "observations").resolve()


def test_the_contract_of_the_tenant_is_in_force_at_once(write: Write, layout: Layout) -> None:
    contract = {
        "schema_version": 1,
        "routes": [{"content_type": "log", "vault_id": "other", "folders": {"entry": "Deep/"}, "writers": ["agent"]}],
    }
    (layout.home / "routing.json").write_text(json.dumps(contract))
    assert write("log").path == "Deep/pump.md"
    with pytest.raises(InvalidInput, match="there are log"):
        write("operational")
    with pytest.raises(Forbidden, match="written by agent, not by an person"):
        write("log", actor="person")


def test_a_crash_between_staging_and_entering_leaves_no_half_note(
    write: Write, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = disk(layout)
    monkeypatch.setattr("wiki.vaults.turns.rename_noreplace", fails)
    with pytest.raises(OSError, match="No space"):
        write(kind="cloudops")
    assert disk(layout) == before
    monkeypatch.undo()
    assert write(kind="cloudops").path == "CloudOps/pump.md"


def test_a_torn_line_of_the_audit_harms_nothing(write: Write, layout: Layout) -> None:
    write(kind="cloudops")
    [file] = (layout.home / "audit").glob("*.jsonl")
    file.write_bytes(file.read_bytes() + b'{"at": "2026-')
    write(kind="cloudops")
    rows = list(read_audit(layout))
    assert [row.path for row in rows] == ["CloudOps/pump.md", "CloudOps/pump-2.md"]
    assert "Lifts" not in file.read_text()
    assert replace(rows[0], at="") != replace(rows[1], at="")
