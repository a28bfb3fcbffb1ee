"""``wiki up``: every process of a root under one roof."""

from wiki.supervisor.record import RunRecord, read_record
from wiki.supervisor.supervisor import Supervisor

__all__ = ["RunRecord", "Supervisor", "read_record"]
