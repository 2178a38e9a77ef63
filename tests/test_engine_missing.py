"""Numba or SciPy that is there and cannot be imported, as with a NumPy that is too new: Python runs, or an error of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = """
import warnings
import numpy as np
import adxform
from adxform.backends.numba.importing import EngineWarning
from adxform.errors import MissingExtraError

def loop(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * x[i]
    return total

def chain(x):
    return np.sum(np.exp(-x) * np.sin(x) ** 2 + np.sqrt(1.0 + x * x)) + np.sum(np.tanh(x) * x)

def products(a, x):
    return np.sum(np.tanh(a @ x) @ x)

x = np.linspace(0.1, 2.0, 500)
a = np.outer(x, x)
"""
AUTO = """
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    found = adxform.grad(loop)(x)
    p = adxform.prepare_gradient(chain, x)
    adxform.hvp(loop)(x, x)
    p(x)
    adxform.clear_cache()
    adxform.grad(loop)(x)
assert np.allclose(found, np.cos(x) * x + np.sin(x)), found
assert [one.category for one in given] == [EngineWarning], [str(one.message) for one in given]
assert "too new" in str(given[0].message)
assert "cannot be imported" in adxform.explain(loop, x)
"""
ASKED = """
for attempt in range(2):
    try:
        adxform.grad(loop, engine="numba")(x)
    except MissingExtraError as error:
        assert type(error.__cause__).__name__ == KIND and "too new" in str(error), repr(error.__cause__)
        assert error.help
    else:
        raise AssertionError("no error")
assert np.allclose(adxform.grad(loop, engine="python")(x), np.cos(x) * x + np.sin(x))
"""
WITHOUT_SCIPY = """
for engine in ("auto", "numba"):
    try:
        found = adxform.grad(products, argnums=1, engine=engine)(a, x)
    except MissingExtraError:
        assert KIND != "ImportError"  # Numba itself looks for SciPy, and takes no other exception
        continue
    assert np.allclose(found, adxform.grad(products, argnums=1, engine="python")(a, x))
try:
    adxform.prepare_hessian(loop, x, sparse=True)
except MissingExtraError as error:
    assert type(error.__cause__).__name__ == KIND
else:
    raise AssertionError("no error")
"""


def run(script: str, folder: Path, package: str, kind: str) -> None:
    """Run `script` where importing `package` raises an exception of that kind, halfway."""
    fake = folder / package
    fake.mkdir()
    (fake / "__init__.py").write_text(f"from . import half\nraise {kind}('this NumPy is too new')\n")
    (fake / "half.py").write_text("")
    path = os.pathsep.join((str(folder), str(ROOT)))
    env = {**os.environ, "PYTHONPATH": path, "ADXFORM_CACHE_DIR": "off", "ADXFORM_ENGINE": "auto"}
    file = folder / "script.py"
    file.write_text(f"KIND = {kind!r}\n{SCRIPT}{script}")
    done = subprocess.run([sys.executable, str(file)], env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("kind", ["ImportError", "AttributeError", "SystemError"])
def test_numba_that_cannot_be_imported_is_left_out_by_auto(kind: str, tmp_path: Path) -> None:
    run(AUTO, tmp_path, "numba", kind)


@pytest.mark.parametrize("kind", ["ImportError", "AttributeError", "SystemError"])
def test_the_engine_that_was_asked_for_says_why_it_cannot_be_had(kind: str, tmp_path: Path) -> None:
    run(ASKED, tmp_path, "numba", kind)


@pytest.mark.parametrize("kind", ["ImportError", "AttributeError"])
def test_products_are_numpys_where_scipy_cannot_be_imported(kind: str, tmp_path: Path) -> None:
    run(WITHOUT_SCIPY, tmp_path, "scipy", kind)
