"""What the catalog holds of the audit: every decision, and how far each file was read."""

from dataclasses import dataclass

from wiki.vaults.audit import FIELDS, Decision


@dataclass(frozen=True)
class DecisionRow(Decision):
    """One row of the catalog's ``decisions``."""

    file: str = ""
    """Its name in the folder of the audit."""
    line: int = 0
    """From 1."""

    @property
    def told(self) -> tuple[str | None, ...]:
        """The decision alone, wherever it is written."""
        return tuple(getattr(self, name) for name in FIELDS)


@dataclass(frozen=True)
class AuditFileRow:
    """One row of the catalog's ``audit_files``. What follows the last line break is read again each time."""

    file: str
    size: int
    mtime_ns: int
    inode: int
    lines: int
    """Lines that end with a line break."""
    length: int
    """Bytes of those."""
    skipped: int
    """Those that are no decision."""
    sha256: str
    """Of those bytes."""

    @property
    def stamp(self) -> tuple[int, int, int]:
        return self.size, self.mtime_ns, self.inode
