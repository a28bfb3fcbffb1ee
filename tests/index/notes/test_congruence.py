"""Incremental equals rebuild for notes: after any sequence of what people do, the stores equal those derived anew."""

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.library_on_disk import write_document
from tests.index.notes.conftest import Shelves
from tests.index.notes.vaults_on_disk import write_note
from wiki.index.rebuild import rebuild
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.audit import Decision, note_decision

VAULTS = ["work", "user", "out"]
FOLDERS = ["", "CloudOps/", "_inbox/", "facts/", "_drafts/", "Ünïcode/deep/"]
WORDS = "pump valve seal motor rotor bearing shaft gasket flange nozzle насос клапан".split()


class Person:
    """Does one random thing to the vaults, or to their settings, at a time."""

    def __init__(self, shelves: Shelves, outside: Path, rng: random.Random) -> None:
        self.shelves = shelves
        self.outside = outside
        self.rng = rng
        self.doings: list[Callable[[], None]] = [
            self.new_note, self.new_note, self.new_note, self.edit, self.edit, self.rename, self.move, self.move,
            self.copy, self.delete, self.set_status, self.break_yaml, self.rename_folder, self.move_vault_away,
            self.change_settings, self.touch, self.conflict_copy, self.document, self.decide, self.decide, self.tear_audit,
            self.edit_audit, self.delete_audit,
        ]  # fmt: skip

    def act(self) -> None:
        self.rng.choice(self.doings)()

    def vault(self) -> Path:
        name = self.rng.choice(VAULTS)
        return self.outside if name == "out" else self.shelves.home / name

    def notes(self) -> list[Path]:
        return sorted([*self.shelves.home.rglob("*.md"), *self.outside.rglob("*.md")])

    def text(self) -> str:
        words = " ".join(self.rng.choices(WORDS, k=self.rng.randint(0, 9)))
        alias = f"---\naliases: [{self.rng.choice(WORDS)}]\n---\n" if self.rng.random() < 0.2 else ""
        return (
            f"{alias}# {self.rng.choice(WORDS)}\n\n{words} [[{self.rng.choice(WORDS)}]] ![[{self.rng.choice(WORDS)}]]\n"
        )

    def place(self) -> str:
        return f"{self.rng.choice(FOLDERS)}{self.rng.choice(WORDS)}.md"

    def new_note(self) -> None:
        write_note(self.vault(), self.place(), self.text())

    def edit(self) -> None:
        for path in self.pick():
            path.write_text(path.read_text() + self.text())

    def rename(self) -> None:
        for path in self.pick():
            path.rename(path.with_name(f"{self.rng.choice(WORDS)}.md"))

    def move(self) -> None:
        for path in self.pick():
            target = self.vault() / self.rng.choice(FOLDERS) / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)

    def copy(self) -> None:
        for path in self.pick():
            shutil.copy2(path, path.with_name(f"{self.rng.choice(WORDS)} copy.md"))

    def delete(self) -> None:
        for path in self.pick():
            path.unlink()

    def set_status(self) -> None:
        for path in self.pick():
            path.write_text(f"---\nstatus: {self.rng.choice(['template', 'accepted'])}\n---\n{self.text()}")

    def break_yaml(self) -> None:
        for path in self.pick():
            path.write_text(f"---\ntags: [\n---\n{self.text()}")

    def rename_folder(self) -> None:
        folders = sorted({path.parent for path in self.notes()} - {self.outside, *self.shelves.home.glob("*")})
        for folder in [self.rng.choice(folders)] if folders else []:
            target = folder.with_name(self.rng.choice(["Renamed", "_hidden", "_inbox"]))
            if not target.exists():
                folder.rename(target)

    def move_vault_away(self) -> None:
        work, aside = self.shelves.home / "work", self.shelves.home / "aside"
        if work.exists() and not aside.exists():
            work.rename(aside)

    def change_settings(self) -> None:
        self.shelves.settings = VaultsSettings(
            folders=(f"out={self.outside}",) if self.rng.random() < 0.7 else (),
            exclude=tuple(self.rng.sample(["CloudOps/", "facts/", "user:pump.md"], k=self.rng.randint(0, 2))),
            hide_underscored=("work",) if self.rng.random() < 0.5 else (),
        )

    def touch(self) -> None:
        for path in self.pick():
            path.touch()

    def conflict_copy(self) -> None:
        for path in self.pick():
            shutil.copy2(path, path.with_name(f"{path.stem}.sync-conflict-20260101-000000-AAAAAAA.md"))

    def document(self) -> None:
        doc = self.rng.choice(["d_aaaaaaaaaaaa", "d_bbbbbbbbbbbb"])
        write_document(self.shelves.layout, f"Science/P_{doc}", doc, {"1_One.md": self.text()})

    def decide(self) -> None:
        month = self.rng.choice(["2026-11", "2026-12"])
        word = self.rng.choice(WORDS)
        row = Decision(f"{month}-01T00:00:00Z", "agent", "write", "refused", None, vault="work", reason=word)
        note_decision(self.shelves.layout, row)

    def tear_audit(self) -> None:
        for path in self.audit():
            with path.open("ab") as file:
                file.write(self.rng.choice([b'{"at": "2026-1', b"\n", b"[1, 2]\n", b'{"at": 3}\n\n', b"\xff"]))

    def edit_audit(self) -> None:
        for path in self.audit():
            lines = path.read_bytes().splitlines(keepends=True)
            self.rng.shuffle(lines)
            path.write_bytes(b"".join(lines[: self.rng.randint(0, len(lines))]))

    def delete_audit(self) -> None:
        for path in self.audit():
            path.unlink()

    def audit(self) -> list[Path]:
        paths = sorted(self.shelves.layout.audit.glob("*.jsonl"))
        return [self.rng.choice(paths)] if paths else []

    def pick(self) -> list[Path]:
        paths = self.notes()
        return [self.rng.choice(paths)] if paths else []


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), pauses=st.lists(st.integers(1, 5), min_size=3, max_size=6))
def test_incremental_equals_rebuild(seed: int, pauses: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        outside = Path(folder) / "outside"
        outside.mkdir()
        shelves = Shelves(Layout(Path(folder) / "root", Tenant()), VaultsSettings(folders=(f"out={outside}",)))
        shelves.home.mkdir(parents=True)
        person = Person(shelves, outside, random.Random(seed))
        for pause in pauses:
            for _ in range(pause):
                person.act()
            for _ in shelves.index.sync(batch_files=person.rng.choice([1, 3, 400])):
                pass
            shelves.check()
        before = shelves.rows(), shelves.links(), shelves.faults(), shelves.decisions(), shelves.audit_files()
        rebuild(shelves.index, shelves.taxonomy, lambda: shelves.embedder)
        shelves.check()
        after = shelves.rows(), shelves.links(), shelves.faults(), shelves.decisions(), shelves.audit_files()
        assert after == before
