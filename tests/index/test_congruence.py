"""Incremental equals rebuild: after any sequence of what people do, the stores equal those derived from scratch."""

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.conftest import open_index
from tests.index.library_on_disk import write_document, write_topic
from tests.standins import WordEmbedder
from wiki.documents.taxonomy import TaxonomyFile
from wiki.index.rebuild import rebuild
from wiki.index.verify import verify
from wiki.tenants import Layout, Tenant

CATEGORIES = ["Technology", "Science", "Unknown_folder"]
IDS = ["d_aaaaaaaaaaaa", "d_bbbbbbbbbbbb", "d_cccccccccccc"]
WORDS = "pump valve seal motor rotor bearing shaft gasket flange nozzle насос клапан".split()


class Person:
    """Does one random thing to the Markdown at a time."""

    def __init__(self, layout: Layout, rng: random.Random) -> None:
        self.layout = layout
        self.rng = rng
        self.doings: list[Callable[[], None]] = [
            self.new_document, self.new_document, self.edit_topic, self.edit_topic, self.add_topic, self.by_hand,
            self.rename_topic, self.move_topic, self.copy_topic, self.delete_topic, self.rename_folder,
            self.move_folder, self.copy_folder, self.delete_folder, self.retitle, self.drop_index, self.break_yaml,
            self.rename_category, self.edit_taxonomy,
        ]  # fmt: skip

    def act(self) -> None:
        self.rng.choice(self.doings)()

    def folders(self) -> list[Path]:
        return sorted(p for p in self.layout.knowledge.glob("*/*") if p.is_dir())

    def topics(self) -> list[Path]:
        return sorted(p for p in self.layout.knowledge.glob("*/*/*.md") if p.name != "index.md")

    def body(self) -> str:
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(0, 12))) + "\n"

    def new_document(self) -> None:
        doc_id = self.rng.choice([*IDS, None])
        name = f"{self.rng.choice(WORDS)}_{doc_id or self.rng.choice(IDS)}"
        bodies = {f"{n}_{self.rng.choice(WORDS)}.md": self.body() for n in range(1, self.rng.randint(2, 4))}
        write_document(self.layout, f"{self.rng.choice(CATEGORIES)}/{name}", doc_id, bodies, self.rng.choice(WORDS))

    def edit_topic(self) -> None:
        for path in self.pick(self.topics()):
            path.write_text(path.read_text() + self.body())

    def add_topic(self) -> None:
        for folder in self.pick(self.folders()):
            write_topic(
                folder / f"{self.rng.randint(1, 5)}_{self.rng.choice(WORDS)}.md", self.rng.choice(IDS), self.body()
            )

    def by_hand(self) -> None:
        for folder in self.pick(self.folders()):
            name = self.rng.choice([f"{self.rng.randint(1, 5)}_by_hand.md", "notes.md", "Ünïcode.md"])
            (folder / name).write_text(self.body())

    def rename_topic(self) -> None:
        for path in self.pick(self.topics()):
            path.rename(path.with_name(f"{self.rng.randint(1, 5)}_{self.rng.choice(WORDS)}.md"))

    def move_topic(self) -> None:
        for path, folder in zip(self.pick(self.topics()), self.pick(self.folders()), strict=False):
            path.rename(folder / path.name)

    def copy_topic(self) -> None:
        for path, folder in zip(self.pick(self.topics()), self.pick(self.folders()), strict=False):
            shutil.copyfile(path, folder / f"{self.rng.randint(1, 9)}_copy.md")

    def delete_topic(self) -> None:
        for path in self.pick(self.topics()):
            path.unlink()

    def rename_folder(self) -> None:
        for folder in self.pick(self.folders()):
            self.replace(folder, folder.with_name(f"{self.rng.choice(WORDS)} by hand"))

    def move_folder(self) -> None:
        for folder in self.pick(self.folders()):
            self.replace(folder, self.layout.knowledge / self.rng.choice(CATEGORIES) / folder.name)

    def copy_folder(self) -> None:
        for folder in self.pick(self.folders()):
            target = folder.with_name(f"{self.rng.choice(['A copy of ', 'z '])}{folder.name}"[:80])
            if not target.exists():
                shutil.copytree(folder, target)

    def delete_folder(self) -> None:
        for folder in self.pick(self.folders()):
            shutil.rmtree(folder)

    def retitle(self) -> None:
        for folder in self.pick(self.folders()):
            if (folder / "index.md").exists():
                text = (folder / "index.md").read_text()
                (folder / "index.md").write_text(text.replace("title: ", f"title: {self.rng.choice(WORDS)} ", 1))

    def drop_index(self) -> None:
        for folder in self.pick(self.folders()):
            (folder / "index.md").unlink(missing_ok=True)

    def break_yaml(self) -> None:
        for path in self.pick(self.topics()):
            path.write_text("---\ntopic_id: [\n---\n" + self.body())

    def rename_category(self) -> None:
        for category in self.pick(sorted(p for p in self.layout.knowledge.glob("*") if p.is_dir())):
            self.replace(category, self.layout.knowledge / self.rng.choice([*CATEGORIES, "Another"]))

    def edit_taxonomy(self) -> None:
        ids = self.rng.sample(["Technology", "Science", "Another", "Food"], k=2)
        entries = "".join(f"- id: {i}\n  description: About {i}.\n" for i in ids)
        self.layout.taxonomy.write_text(f"---\nkind: knowledge_taxonomy\ncategories:\n{entries}---\n")

    def pick(self, paths: list[Path]) -> list[Path]:
        return [self.rng.choice(paths)] if paths else []

    def replace(self, source: Path, target: Path) -> None:
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), pauses=st.lists(st.integers(1, 4), min_size=3, max_size=6))
def test_incremental_equals_rebuild(seed: int, pauses: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder), Tenant())
        layout.knowledge.mkdir(parents=True)
        embedder = WordEmbedder()
        index = open_index(layout, lambda: embedder)
        person = Person(layout, random.Random(seed))
        for pause in pauses:
            for _ in range(pause):
                person.act()
            for _ in index.sync(batch_files=person.rng.choice([1, 3, 400])):
                pass
            taxonomy = TaxonomyFile(layout.taxonomy, layout.index / "taxonomy.json")
            assert verify(index, taxonomy, lambda: embedder).differences == ()
            assert index.drift().pending == 0
        incremental = set(_faults(index))
        rebuild(index, taxonomy, lambda: embedder)
        assert verify(index, taxonomy, lambda: embedder).differences == ()
        assert set(_faults(index)) == incremental


def _faults(index: object) -> list[tuple[str, str]]:
    cursor = index.snapshots.cursor()  # type: ignore[attr-defined]
    return cursor.execute("SELECT path, reason FROM faults").fetchall()
