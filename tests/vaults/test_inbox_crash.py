"""``kill -9`` before each change of the disk: a staged note is whole, once, and as findable as its place says."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("change", ["promote", "reject", "expire"])
def test_a_decision_that_is_killed_loses_nothing_and_can_be_taken_again(root: Path, change: str) -> None:
    program = [sys.executable, "-m", "tests.vaults.inbox_crash", str(root), change]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
