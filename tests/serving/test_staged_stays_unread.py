"""Whatever people, agents, settings and crashes do: no answer holds a word of a note that nobody promoted.

And what was promoted is found again, by every method, as soon as the index is in step.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fastapi.testclient import TestClient
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from serving.app import create_app
from tests.serving.asking import METHODS, answers, search
from tests.serving.conftest import BASE
from tests.standins import WordEmbedder
from wiki.index.lance import passage_schema
from wiki.library import Library
from wiki.settings import Settings, VaultsSettings
from wiki.vaults.model import note_id

SECRET = re.compile(r"zq[a-z]{6}")
INBOX = "/api/v1/vaults/inbox"


class Doomed:
    """A process that does single things in children that are killed on the way."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.vaults.doomed_process"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, **order: Any) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline().strip() in ("killed", "done")

    def end(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(20) == 0


@pytest.fixture(scope="module")
def doomed() -> Iterator[Doomed]:
    process = Doomed()
    yield process
    process.end()


class World:
    """A library with a vault ``user``, those who use it, and what each fact's state is by its secret word."""

    def __init__(self, folder: Path, doomed: Doomed) -> None:
        self.root, self.outside = folder / "root", folder / "outside"
        self.own, self.doomed = self.root / "default" / "default" / "vaults", doomed
        for path in ("user/facts", "user/_inbox", "user/communication", "work/CloudOps"):
            (self.own / path).mkdir(parents=True)
        self.outside.mkdir()
        (self.own / "user/facts/Editor.md").write_text("# Editor\n\nThe user likes vim.\n")
        self.user = self.own / "user"
        self.vaults: dict[str, Any] = {}
        self.promoted: set[str] = set()
        self.decided: set[str] = set()
        """A person's promotion of these was cut short: it may have happened or not."""
        self.facts = 0
        self.client: TestClient | None = None
        self.open()

    def open(self) -> None:
        """Start the service with the settings of now."""
        self.close()
        chosen = Settings(root=self.root, vaults=VaultsSettings(**self.vaults))
        self.library = Library(chosen, embedder=WordEmbedder())
        self.client = TestClient(create_app(chosen, self.library), base_url=BASE)
        self.client.__enter__()

    def close(self) -> None:
        if self.client is not None:
            self.client.__exit__(None, None, None)
            self.library.close()
            self.client = None

    def post(self, path: str, body: dict[str, Any]) -> int:
        assert self.client
        reply = self.client.post(path, json=body)
        assert reply.status_code < 500, reply.text
        return reply.status_code

    # What is done, one step each.

    def stage(self, rng: random.Random) -> None:
        self.post("/api/v1/vaults/notes", self._fact(rng))

    def stage_killed(self, rng: random.Random) -> None:
        self.killed("stage", self._fact(rng), rng.randint(1, 25))

    def promote(self, rng: random.Random) -> None:
        for wanted, word in self._staged(rng):
            if self.post(f"{INBOX}/{wanted}/promote", {"folder": "facts", "actor": "person"}) == 200:
                self.promoted.add(word)

    def promote_killed(self, rng: random.Random) -> None:
        for wanted, word in self._staged(rng):
            self.decided.add(word)
            self.killed("promote", wanted, rng.randint(1, 25))

    def promote_as_agent(self, rng: random.Random) -> None:
        for wanted, _ in self._staged(rng):
            assert self.post(f"{INBOX}/{wanted}/promote", {"folder": "facts"}) == 403

    def reject(self, rng: random.Random) -> None:
        for wanted, _ in self._staged(rng):
            self.post(f"{INBOX}/{wanted}/reject", {"reason": "untrue", "actor": "person"})

    def reject_killed(self, rng: random.Random) -> None:
        for wanted, _ in self._staged(rng):
            self.killed("reject", wanted, rng.randint(1, 25))

    def expire_killed(self, rng: random.Random) -> None:
        self.killed("expire", None, rng.randint(1, 60))

    def sync(self, rng: random.Random) -> None:  # noqa: ARG002
        self.library.tenant().sync()

    def sync_killed(self, rng: random.Random) -> None:
        self.killed("sync", None, rng.randint(1, 40))

    def rebuild(self, rng: random.Random) -> None:  # noqa: ARG002
        self.library.tenant().sync()
        self.library.tenant().rebuild()

    def rebuild_killed(self, rng: random.Random) -> None:
        self.killed("rebuild", None, rng.randint(1, 60))

    def rename_note(self, rng: random.Random) -> None:
        for path in self._note(rng):
            path.rename(path.with_name(f"{rng.choice('abcdef')}.md"))

    def move_note(self, rng: random.Random) -> None:
        for path in self._note(rng):
            target = self.user / rng.choice(["facts", "_inbox", "_inbox/later", "communication", "_old", ""])
            target.mkdir(exist_ok=True, parents=True)
            path.rename(target / path.name)

    def copy_note(self, rng: random.Random) -> None:
        for path in self._note(rng):
            (path.parent / f"{path.stem} copy.md").write_bytes(path.read_bytes())

    def rename_inbox(self, rng: random.Random) -> None:
        there = [path for path in self.user.iterdir() if path.is_dir() and path.name.strip("_").lower() == "inbox"]
        target = self.user / rng.choice(["inbox", "_inbox", "_INBOX", "_Inbox"])
        if there and not target.exists():
            there[0].rename(target)

    def move_vault(self, rng: random.Random) -> None:
        target = rng.choice([self.outside / "mine", self.outside / "other", self.own / "user"])
        if target != self.user:
            self.close()
            self.user = self.user.rename(target)
            self._set(folders=() if target == self.own / "user" else (f"user={target}",))

    def change_rules(self, rng: random.Random) -> None:
        self._set(
            exclude=tuple(rng.sample(["facts/", "*copy.md", "user:communication/"], rng.randint(0, 2))),
            hide_underscored=("work",) if rng.random() < 0.5 else (),
            inbox_days=rng.choice([0, 30]),
        )

    def show_the_inbox_as_a_vault(self, rng: random.Random) -> None:
        own = () if self.user == self.own / "user" else (f"user={self.user}",)
        other = (f"other={self.user / rng.choice(['_inbox', '_inbox/later'])}",)
        self._set(folders=(*own, *other) if rng.random() < 0.7 else own)

    # What holds at every moment, and what at the end.

    def check_nothing_leaks(self) -> None:
        hidden = self._words() - self._open_words()
        assert self.client
        places = [note_id("user", path.relative_to(self.user).as_posix()) for path in self.user.rglob("*.md")]
        queries = [" ".join(["what", "prefers", *sorted(hidden)])]
        for question, answer in answers(self.client, queries, places).items():
            assert not hidden & set(SECRET.findall(answer)), question

    def check_at_last(self) -> None:
        here = self.library.tenant()
        here.sync()
        assert here.verify().differences == ()
        here.sync()
        hidden = self._words() - self._open_words()
        assert not hidden & set(SECRET.findall(self._stored()))
        assert self.client
        for word in sorted(self._findable()):
            for method in METHODS:
                assert word in search(self.client, word, method), (word, method)

    def _stored(self) -> str:
        """All text of both stores."""
        layout = self.library.tenant().layout
        found = [str(self.library.tenant().index.store().rows(passage_schema(1).names).to_pylist())]
        for path in sorted(layout.catalog.glob("snap-*.duckdb"))[-1:]:
            with duckdb.connect(str(path), read_only=True) as connection:
                for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                    found.append(str(connection.execute(f"SELECT * FROM {name}").fetchall()))
        return "\n".join(found)

    def _words(self) -> set[str]:
        return {_word(number) for number in range(self.facts)}

    def _open_words(self) -> set[str]:
        """Words that answers may hold: promoted, and not only in an inbox or a hidden folder now."""
        return {
            word
            for word, path in self._written()
            if word in self.promoted | self.decided and not any(part.startswith("_") for part in path)
        }

    def _findable(self) -> set[str]:
        """Words that a search must find."""
        excluded = set(self.vaults.get("exclude", ()))
        return {
            word
            for word, path in self._written()
            if word in self.promoted
            and not any(part.startswith("_") for part in path)
            and not ("facts/" in excluded and path[0] == "facts")
            and not ("user:communication/" in excluded and path[0] == "communication")
            and not ("*copy.md" in excluded and path[-1].endswith("copy.md"))
        }

    def _written(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The word and the path of every fact in the vault, as they lie there now."""
        for path in sorted(self.user.rglob("*.md")):
            for word in set(SECRET.findall(path.read_text(encoding="utf-8"))):
                yield word, path.relative_to(self.user).parts

    def _note(self, rng: random.Random) -> list[Path]:
        there = [path for path in sorted(self.user.rglob("*.md")) if SECRET.search(path.read_text(encoding="utf-8"))]
        return [rng.choice(there)] if there else []

    def _staged(self, rng: random.Random) -> list[tuple[str, str]]:
        """One of the inbox's notes that can be read: its id and its word."""
        assert self.client
        listed = [note for note in self.client.get(INBOX).json()["data"]["notes"] if note["vault"] == "user"]
        chosen = rng.choice(listed) if listed else None
        found = SECRET.search((self.user / chosen["path"]).read_text(encoding="utf-8")) if chosen else None
        return [(chosen["note_id"], found[0])] if chosen and found else []

    def _fact(self, rng: random.Random) -> dict[str, Any]:
        word = _word(self.facts)
        self.facts += 1
        return {
            "content_type": "user-facts",
            "kind": "candidate",
            "title": f"Fact {rng.choice(['one', 'two', 'three'])}",
            "body": f"The user prefers {word} over vim, see [[Editor]].\n",
            "front_matter": {"type": "candidate-fact", "source": "chat", "evidence": "said so", "aliases": [word]},
        }

    def killed(self, act: str, wanted: Any, at: int) -> None:
        self.doomed.do(root=str(self.root), vaults=self.vaults, act=act, wanted=wanted, at=at)

    def _set(self, **changes: Any) -> None:
        self.vaults = {**self.vaults, **changes}
        self.open()


def _word(number: int) -> str:
    """A word of its own for each fact, of letters alone."""
    return "zq" + "".join(chr(ord("a") + (number // 26**place) % 26) for place in range(6))


ACTS = (
    "stage", "stage", "stage", "stage_killed", "promote", "promote", "promote_killed", "promote_as_agent", "reject",
    "reject_killed", "expire_killed", "sync", "sync_killed", "rebuild", "rebuild_killed", "rename_note", "move_note",
    "move_note", "copy_note", "rename_inbox", "move_vault", "change_rules", "show_the_inbox_as_a_vault",
)  # fmt: skip


# Each example takes seconds: one that fails is told as it is, not made shorter.
@pytest.mark.timeout(400)
@settings(max_examples=5, deadline=None, database=None, phases=[Phase.generate])
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2**16)), min_size=8, max_size=16))
def test_no_answer_ever_holds_a_word_of_what_nobody_promoted(doomed: Doomed, acts: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), doomed)
        try:
            for act, seed in [("stage", 0), ("stage", 1), *acts]:
                getattr(world, act)(random.Random(seed))
                world.check_nothing_leaks()
            world.check_at_last()
        finally:
            world.close()
