"""A test that hangs fails by its name, wherever it hangs, and those beside it are run: what `pyproject.toml` says of time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HANGING = """
import itertools, threading
def test_before(): pass
def test_that_hangs(): {hangs}
def test_after(): pass
"""


@pytest.mark.parametrize(
    ("hangs", "limit", "said"),
    [
        ("threading.Event().wait()", "timeout", "Failed: Timeout"),
        ("all(itertools.repeat(1))", "faulthandler_timeout", "worker 'gw0' crashed"),  # hears no signal, like machine code
    ],
)
def test_a_test_that_hangs_fails_by_its_name(
    hangs: str, limit: str, said: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGING.format(hangs=hangs), encoding="utf-8")
    apart = ["-c", str(pytestconfig.inipath), "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-n", "1"]
    run = [sys.executable, "-m", "pytest", *apart, "-o", f"{limit}=1", str(file)]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert [line.partition(" - ")[0] for line in failed] == ["FAILED test_hanging.py::test_that_hangs"]
    assert said in failed[0]
    assert "1 failed, 2 passed" in done.stdout
