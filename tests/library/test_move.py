"""A note moved or renamed: links that led to it lead to it, whatever they looked like; all of it or nothing."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.errors import Conflict, Forbidden, InvalidInput, NotFound
from wiki.library import Library, TenantLibrary
from wiki.settings import ApiSettings, Settings
from wiki.vaults.audit import read_audit
from wiki.vaults.model import note_id
from wiki.vaults.move import MovedNote, MoveRequest
from wiki.vaults.notes.parser import parse_note
from wiki.vaults.notes.resolving import NotePlace, Targets

PUMP = ("work", "CloudOps/Pump.md")
FILES = {
    ("work", "CloudOps/Pump.md"): "# Pump\n\n![drawing](img/pump.png) [other](Valve.md) [[Pump]] [[#Pump]]\n",
    ("work", "CloudOps/Valve.md"): "[[Pump]] [[pump|the pump]] [p](Pump.md#Pump) ![[Pump.md#^x]] [[CloudOps/Pump]]\n",
    ("work", "Weekly/Week.md"): "---\nup: '[[Pump]]'\n---\n[x](../CloudOps/Pump.md) `[[Pump]]` [[Nowhere]]\n",
    ("work", "Plan.canvas"): '{"nodes": [{"id": "1", "type": "file", "file": "CloudOps/Pump.md"}], "edges": []}',
    ("work", "CloudOps/Form.md"): "---\nstatus: template\n---\n[[Pump]]\n",
    ("ai", "observations/Song.md"): "[[Pump]] and [[work/CloudOps/Pump]]\n",
    ("user", "_inbox/Tea.md"): "[[Pump]]\n",
}


def write_all(layout_home: Path, files: dict[tuple[str, str], str]) -> Path:
    for (vault, path), text in files.items():
        write_note(layout_home / "vaults" / vault, path, text)
    return layout_home / "vaults"


@pytest.fixture
def here(root: Path) -> Iterator[TenantLibrary]:
    vaults = write_all(root / "default" / "default", FILES)
    (vaults / "work/CloudOps/img").mkdir()
    (vaults / "work/CloudOps/img/pump.png").write_bytes(b"png")
    library = Library(Settings(root=root, api=ApiSettings(wait_seconds=30)), embedder=WordEmbedder())
    library.tenant().sync()
    yield library.tenant()
    library.close()


def vaults_of(here: TenantLibrary) -> Path:
    return here.layout.home / "vaults"


def move(here: TenantLibrary, where: tuple[str, str] = PUMP, **wanted: str) -> MovedNote:
    digest = sha256((vaults_of(here) / where[0] / where[1]).read_bytes()).hexdigest()
    request = MoveRequest(**{"actor": "person", "expected_hash": digest, **wanted})  # type: ignore[arg-type]
    return here.move_note(note_id(*where), request)[0]


def meanings(vaults: Path) -> list[tuple[str, str, tuple[NotePlace, ...]]]:
    """Every link of every note with what it leads to, read from disk alone."""
    files = sorted(p for p in vaults.rglob("*") if p.suffix in (".md", ".canvas"))
    places = [
        (p.relative_to(vaults).parts[0], "/".join(p.relative_to(vaults).parts[1:]), p.read_bytes()) for p in files
    ]
    notes = [(vault, path, parse_note(path, data)) for vault, path, data in places]
    targets = Targets((vault, path, note.aliases) for vault, path, note in notes)
    return [
        (vault, path, targets.resolve(link, vault, path).notes[:1])
        for vault, path, note in notes
        for link in note.links
    ]


def renamed(found: list[tuple[str, str, tuple[NotePlace, ...]]], old: NotePlace, new: NotePlace) -> list[object]:
    def place(vault: str, path: str) -> NotePlace:
        return new if (vault, path) == old else NotePlace(vault, path)

    return sorted((*place(vault, path), tuple(place(*n) for n in notes)) for vault, path, notes in found)


def test_every_form_of_link_follows_and_nothing_else_changes(here: TenantLibrary) -> None:
    before = meanings(vaults_of(here))
    moved = move(here, folder="Architecture/parts", title="Big Pump")
    assert (moved.path, moved.old_path) == ("Architecture/parts/Big Pump.md", PUMP[1])
    work = vaults_of(here) / "work"
    text = (work / moved.path).read_text()
    assert text == (
        "---\ntitle: Big Pump\n---\n# Pump\n\n![drawing](../../CloudOps/img/pump.png) [other](../../CloudOps/Valve.md)"
        " [[Big Pump]] [[#Pump]]\n"
    )
    assert (work / "CloudOps/Valve.md").read_text() == (
        "[[Big Pump]] [[Big Pump|the pump]] [p](../Architecture/parts/Big%20Pump.md#Pump) ![[Big Pump.md#^x]]"
        " [[Architecture/parts/Big Pump]]\n"
    )
    assert (work / "Weekly/Week.md").read_text() == (
        "---\nup: '[[Big Pump]]'\n---\n[x](../Architecture/parts/Big%20Pump.md) `[[Pump]]` [[Nowhere]]\n"
    )
    assert '"file": "Architecture/parts/Big Pump.md"' in (work / "Plan.canvas").read_text()
    assert (work / "CloudOps/Form.md").read_text() == "---\nstatus: template\n---\n[[Big Pump]]\n"
    assert (vaults_of(here) / "user/_inbox/Tea.md").read_text() == "[[Big Pump]]\n"
    assert (vaults_of(here) / "ai/observations/Song.md").read_text() == (
        "[[Big Pump]] and [[work/Architecture/parts/Big Pump]]\n"
    )
    after = renamed(meanings(vaults_of(here)), NotePlace("-", "-"), NotePlace("-", "-"))
    assert after == renamed(before, NotePlace(*PUMP), NotePlace("work", moved.path))
    told = {(note.vault, note.path) for note in moved.linked}
    assert told == {
        ("work", "CloudOps/Valve.md"),
        ("work", "Weekly/Week.md"),
        ("work", "Plan.canvas"),
        ("ai", "observations/Song.md"),
    }
    assert here.note(moved.note_id).path == moved.path
    with pytest.raises(NotFound):
        here.note(moved.old_id)
    assert not list(here.layout.staging.glob("relocation.*"))
    assert here.verify().ok


def test_a_dry_run_tells_the_same_and_changes_nothing(here: TenantLibrary) -> None:
    before = {p: p.read_bytes() for p in vaults_of(here).rglob("*") if p.is_file()}
    planned = here.move_note(note_id(*PUMP), MoveRequest(folder="Architecture", actor="person", dry_run=True))[0]
    assert {p: p.read_bytes() for p in vaults_of(here).rglob("*") if p.is_file()} == before
    assert not list(read_audit(here.layout))
    assert move(here, folder="Architecture") == planned


def test_links_to_others_that_the_new_name_would_take_are_written_out(here: TenantLibrary) -> None:
    write_all(here.layout.home, {("work", "SecOps/Key.md"): "# Key\n", ("work", "Weekly/W2.md"): "[[Key]]\n"})
    here.sync()
    move(here, title="Key")
    assert (vaults_of(here) / "work/Weekly/W2.md").read_text() == "[[SecOps/Key]]\n"
    assert (vaults_of(here) / "work/CloudOps/Valve.md").read_text().startswith("[[CloudOps/Key]] ")


def test_an_ambiguous_link_a_taken_name_and_a_changed_note_are_conflicts(here: TenantLibrary) -> None:
    write_all(here.layout.home, {("work", "SecOps/deep/Pump.md"): "# Twin\n", ("work", "SecOps/Valve.md"): "# V\n"})
    here.sync()
    before = {p: p.read_bytes() for p in vaults_of(here).rglob("*") if p.is_file()}
    with pytest.raises(Conflict, match="may mean"):
        move(here, title="Other")
    with pytest.raises(Conflict, match="is there already"):
        move(here, ("work", "CloudOps/Valve.md"), folder="SecOps")
    with pytest.raises(Conflict, match="was changed"):
        move(here, folder="SecOps", expected_hash="0" * 64)
    with pytest.raises(InvalidInput, match="lies there already"):
        move(here, folder="CloudOps")
    with pytest.raises(InvalidInput, match="expected_hash"):
        here.move_note(note_id(*PUMP), MoveRequest(folder="SecOps", actor="person"))
    assert {p: p.read_bytes() for p in vaults_of(here).rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "folder",
    ["../ai/identity", "/etc", "_inbox", "CloudOps/../..", ".hidden", "a\\b", "CON", "x/_inbox/y", "~", "a//b"],
)
def test_no_move_leads_out_of_the_vault_or_into_hiding(here: TenantLibrary, folder: str) -> None:
    with pytest.raises(Forbidden):
        move(here, ("work", "CloudOps/Valve.md"), folder=folder)
    assert (vaults_of(here) / "work/CloudOps/Valve.md").is_file()


def test_an_agent_moves_only_between_its_folders_and_rewrites_only_there(here: TenantLibrary) -> None:
    week = ("work", "Weekly/Week.md")
    assert move(here, week, folder="SecOps", actor="agent").rule_id == "operational"
    with pytest.raises(Forbidden, match="no-route"):
        move(here, ("work", "SecOps/Week.md"), folder="Elsewhere", actor="agent")
    with pytest.raises(Forbidden, match="ask a person"):
        move(here, folder="SecOps", actor="agent")
    outcomes = [(row.action, row.outcome) for row in read_audit(here.layout)]
    assert outcomes == [("move", "allowed"), ("move", "refused"), ("move", "refused")]


@pytest.mark.parametrize("step", range(6))
def test_a_move_that_is_killed_is_finished_at_the_next_start(root: Path, step: int) -> None:
    vaults = write_all(root / "default" / "default", FILES)
    before = meanings(vaults)
    library = Library(Settings(root=root), embedder=WordEmbedder())
    library.tenant().sync()
    library.close()
    done = subprocess.run([sys.executable, "-c", KILLED, str(root), str(step)], timeout=100, check=False)
    assert done.returncode in (-signal.SIGKILL, 0)
    library = Library(Settings(root=root), embedder=WordEmbedder())
    library.recover()
    old, new = NotePlace(*PUMP), NotePlace("work", "SecOps/Pump Two.md")
    there = [place for place in (old, new) if (vaults / place.vault / place.path).exists()]
    assert there == [new]
    assert renamed(meanings(vaults), NotePlace("-", "-"), old) == renamed(before, old, new)
    assert not list(library.tenant().layout.staging.glob("relocation.*"))
    library.close()


KILLED = """
import os, signal, sys
from hashlib import sha256
from pathlib import Path
from tests.standins import WordEmbedder
from wiki.library import Library
from wiki.settings import Settings
from wiki.vaults import relocation
from wiki.vaults.model import note_id
from wiki.vaults.move import MoveRequest

root, left = Path(sys.argv[1]), [int(sys.argv[2])]

def deadly(function):
    def call(*given, **named):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return function(*given, **named)
    return call

here = Library(Settings(root=root), embedder=WordEmbedder()).tenant()
file = root / "default/default/vaults/work/CloudOps/Pump.md"
noted = relocation._note_plan
def plan(*given):
    noted(*given)
    relocation.write_atomic = deadly(relocation.write_atomic)
    relocation.rename_noreplace = deadly(relocation.rename_noreplace)
relocation._note_plan = plan
request = MoveRequest("SecOps", "Pump Two", "person", sha256(file.read_bytes()).hexdigest())
here.move_note(note_id("work", "CloudOps/Pump.md"), request, wait=0)
"""
NAMES = st.sampled_from(["Lamp", "Oil", "Tea", "Übung"])
FOLDERS = st.sampled_from(["", "a/", "a/b/", "c/"])
TEXTS = st.lists(
    st.one_of(
        st.builds("[[{}{}]]".format, FOLDERS, NAMES),
        st.builds("![[{}{}.md|x]]".format, FOLDERS, NAMES),
        st.builds("[x]({}{}.md)".format, st.sampled_from(["", "../", "../a/", "b/", "/a/"]), NAMES),
        st.builds("[[work/{}{}]]".format, FOLDERS, NAMES),
    ),
    max_size=4,
).map(" ".join)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files=st.dictionaries(st.tuples(st.sampled_from(["work", "ai"]), st.builds("{}{}.md".format, FOLDERS, NAMES)), TEXTS, min_size=2, max_size=7),
    pick=st.integers(0, 6),
    folder=st.one_of(st.none(), FOLDERS.map(lambda text: text.rstrip("/"))),
    title=st.one_of(st.none(), NAMES),
)  # fmt: skip
def test_no_link_that_resolved_is_broken(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[tuple[str, str], str],
    pick: int,
    folder: str | None,
    title: str | None,
) -> None:
    root = tmp_path_factory.mktemp("move")
    vaults = write_all(root / "default" / "default", files)
    before = meanings(vaults)
    where = sorted(files)[pick % len(files)]
    library = Library(Settings(root=root), embedder=WordEmbedder())
    here = library.tenant()
    digest = sha256((vaults / where[0] / where[1]).read_bytes()).hexdigest()
    here.sync()
    try:
        moved = here.move_note(note_id(*where), MoveRequest(folder, title, "person", digest), wait=0)[0]
    except (Conflict, InvalidInput):
        assert meanings(vaults) == before
        return
    finally:
        library.close()
    old, new = NotePlace(*where), NotePlace(moved.vault, moved.path)
    after = renamed(meanings(vaults), NotePlace("-", "-"), old)
    led = renamed([found for found in before if found[2]], old, new)
    for found in led:
        assert found in after
