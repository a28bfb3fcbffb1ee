"""A tenant's index over vaults on disk, on real stores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.index.notes.vaults_on_disk import write_note
from tests.standins import WordEmbedder
from wiki.documents.taxonomy import TaxonomyFile
from wiki.index.audit.rows import AuditFileRow, DecisionRow
from wiki.index.catalog import select
from wiki.index.notes.rows import LinkRow, NoteRow
from wiki.index.rows import BatchReport
from wiki.index.sync import TenantIndex
from wiki.index.verify import verify
from wiki.settings import VaultsSettings
from wiki.tenants import Layout, Tenant
from wiki.vaults.model import Vault, note_id
from wiki.vaults.vaults import vaults_of


@dataclass
class Shelves:
    """One tenant's vaults and the index over them."""

    layout: Layout
    settings: VaultsSettings = field(default_factory=VaultsSettings)
    embedder: WordEmbedder = field(default_factory=WordEmbedder)

    def __post_init__(self) -> None:
        self.taxonomy = TaxonomyFile(self.layout.taxonomy, self.layout.index / "taxonomy.json")
        self.index = self.open()

    @property
    def home(self) -> Path:
        """Where the tenant's own vaults lie."""
        return self.layout.home / "vaults"

    def open(self) -> TenantIndex:
        return TenantIndex(self.layout, lambda: self.embedder, self.taxonomy, vaults=self.vaults)

    def vaults(self) -> Sequence[Vault]:
        return vaults_of(self.layout, self.settings)

    def write(self, path: str, text: str) -> Path:
        """Write ``vault/path`` among the own vaults."""
        return write_note(self.home, path, text)

    def sync(self) -> list[BatchReport]:
        return [report for report in self.index.sync() if report]

    def check(self) -> None:
        """Both stores equal the Markdown, and nothing is left to do."""
        assert verify(self.index, self.taxonomy, lambda: self.embedder).differences == ()
        assert self.index.drift().pending == 0

    def found(self, words: str) -> list[str]:
        """Notes as ``vault/path`` whose passages hold one of the words, sorted."""
        ids = {recall.record_id for recall in self.index.store().keyword(words, 500)}
        return sorted(f"{row.vault}/{row.path}" for row in self.rows().values() if row.note_id in ids)

    def rows(self) -> dict[str, NoteRow]:
        """The published notes by ``vault/path``."""
        return {f"{row.vault}/{row.path}": row for row in self._select("notes")}

    def links(self) -> dict[tuple[str, str], str | None]:
        """Where each link leads, by note and target as written."""
        places = {row.note_id: place for place, row in self.rows().items()}
        rows: list[LinkRow] = self._select("links")
        return {(places[link.from_id], link.target): places.get(link.target_id or "") for link in rows}

    def decisions(self) -> list[DecisionRow]:
        """The published decisions of the audit, the oldest first."""
        return sorted(self._select("decisions"), key=lambda row: (row.file, row.line))

    def audit_files(self) -> dict[str, AuditFileRow]:
        """How far each file of the audit was read."""
        return {row.file: row for row in self._select("audit_files")}

    def faults(self) -> dict[str, str]:
        """Reasons by path."""
        return {fault.path: fault.reason for fault in self._select("faults")}

    def text_of(self, path: str) -> list[str]:
        """What LanceDB holds of a note, under its id."""
        vault, _, inner = path.partition("/")
        where = f"record_id = '{note_id(vault, inner)}'"
        return self.index.store().rows(["text"], where).column("text").to_pylist()

    def _select(self, table: str) -> list:
        cursor = self.index.snapshots.cursor()
        return select(cursor, table, "TRUE") if cursor else []


@pytest.fixture
def shelves(root: Path) -> Shelves:
    return Shelves(Layout(root, Tenant()))
