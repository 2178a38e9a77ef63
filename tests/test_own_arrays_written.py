"""Arrays of the function that functions of libraries write to: plainly, in a ``try``, a branch, a helper and a generator.

Each derivative is that of the program, by differences, or the call is refused by name: never is a write left out.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.tables.cell import Cell, judge

pytest.importorskip("scipy")

IMPORTS = """
import bisect, functools, heapq, io, operator, struct
import numpy as np, scipy.fft, scipy.linalg, scipy.linalg.blas, scipy.ndimage
"""
STATEMENTS = [
    "np.random.default_rng(0).permuted(y, out=y)", "np.random.default_rng(0).random(out=y)",
    "np.random.default_rng(0).shuffle(y)", "np.random.default_rng(0).standard_normal(out=y)",
    "y.byteswap(True)", "y.setfield(y[0] + 1.0, float)", "y.partition(1)", "y.sort()", "y.fill(x[0])", "y.put(0, 2.0)",
    "y.__setitem__(0, 2.0)", "y.__iadd__(2.0)", "np.ndarray.sort(y)",
    "np.put_along_axis(y, np.array([0]), 7.0, 0)", "np.place(y, y > 0.5, (9.0,))", "np.put(y, [0], 3.0)",
    "np.copyto(y, 2.0)", "np.putmask(y, y > 0.5, 3.0)", "np.fill_diagonal(m, 2.0)", "np.add(y, 1.0, out=y)",
    "np.cumsum(y, out=y)", "np.add.at(y, [0, 0], x[0])", "np.nan_to_num(y, copy=False)",
    "np.frexp(y, y, np.zeros(3, int))", "np.modf(y, y, np.zeros(3))",
    "np.median(y, overwrite_input=True)", "np.percentile(y, 30, overwrite_input=True)",
    "scipy.linalg.inv(m, overwrite_a=True)", "scipy.linalg.lu_factor(m, True)", "scipy.linalg.solve(m, y, overwrite_b=True)",
    "scipy.linalg.cholesky(m, overwrite_a=True)", "scipy.linalg.blas.dscal(2.0, y)", "scipy.fft.dct(y, overwrite_x=True)",
    "scipy.ndimage.uniform_filter1d(x, 3, output=y)", "scipy.ndimage.gaussian_filter(x, 0.7, output=y)",
    "struct.pack_into('d', y, 0, 5.0)", "io.BytesIO(b'12345678').readinto(y)",
    "operator.iadd(y, 2.0)", "operator.setitem(y, 0, 2.0)", "list(map(y.__setitem__, [0], [3.0]))",
    "functools.partial(np.put, y)([0], 3.0)", "functools.reduce(np.ndarray.__iadd__, [y, 2.0])",
]  # fmt: skip
FORMS = {
    "plain": "    {0}\n",
    "tried": "    try:\n        {0}\n    except (ValueError, TypeError, struct.error):\n        z = 0.0\n",
    "branch": "    if x[0] > 0.1:\n        {0}\n",
    "loop": "    for _ in range(2):\n        {0}\n",
    "helper": "    def inside(y, m):\n        {0}\n        return 0.0\n    z = inside(y, m)\n",
    "generator": "    def inside(y, m):\n        {0}\n        yield 0.0\n    z = sum(inside(y, m))\n",
}
HEAD = "    y, m, z = x * x, np.outer(x, x) + np.diag(x + 1.0), 0.0\n    w = np.sum(y[:2] * m[0, :2])\n"
END = "    return w + z + np.sum(y * y * x) + np.sum(m * m)\n"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A module with a function for each statement in each form."""
    path: Path = tmp_path_factory.mktemp("written") / "arrays_written.py"
    texts = [
        f"def f{k}_{form}(x):\n{HEAD}{text.format(one)}{END}" for k, one in enumerate(STATEMENTS) for form, text in FORMS.items()
    ]
    path.write_text(IMPORTS + "\n\n".join(texts), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("arrays_written", path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules["arrays_written"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["arrays_written"]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_write_is_left_out(programs: ModuleType, statement: str) -> None:
    x = np.array([0.3, 0.8, 1.1])
    for form in FORMS:
        fn = getattr(programs, f"f{STATEMENTS.index(statement)}_{form}")
        try:
            with np.errstate(all="ignore"):
                fn(x.copy())
        except (ValueError, TypeError):  # as NumPy says of what it does not take
            continue
        with np.errstate(all="ignore"):
            verdict = judge(Cell(form, fn, (x,), orders=1, bits=False))
        assert verdict.kind in ("right", "refused"), (form, verdict.reason)
