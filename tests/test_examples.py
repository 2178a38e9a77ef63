"""Every example runs as its docstring says and checks itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(set((ROOT / "examples").glob("*.py")) - {ROOT / "examples" / "fit.py"})


def run(*arguments: str) -> str:
    """Return what a Python process prints; fail with all of its output if it fails or warns."""
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "NO_COLOR": "1", "COLUMNS": "120"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(path: Path) -> None:
    assert run(str(path.relative_to(ROOT)))


def test_the_main_job_fits_the_model_and_builds_no_rule_after_the_first_iteration() -> None:
    printed = run("examples/fit.py")
    assert "'rule_builds': 0, 'source_parses': 0, 'py_compiles': 0" in printed
    assert (ROOT / "examples" / "out" / "fit.png").stat().st_size > 10_000
