"""SciPy's functions of arrays, in each form of their calls, by what is given for the array and along which axis.

The array is of every rank and layout, a list or a tuple, a list of arrays, a number, empty, of single precision or complex. What
moves is what it is made of. Calls that SciPy does not take are left out, and those of which a number is not finite. Elements of
results are weighted, each by another number, so that one that lies at the wrong place shows.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, special, stats
from scipy.spatial import distance

from tests.tables.cell import Cell, program
from tests.tables.scipy_forms import CALLS

_RNG = np.random.default_rng(8)
_ROOT = _RNG.normal(size=(3, 3)) * 0.4
ARGS = (
    _RNG.uniform(0.2, 1.9, 7),
    _RNG.uniform(0.2, 1.9, (3, 7)),
    _ROOT @ _ROOT.T + np.diag([2.1, 3.0, 3.7]) + 0.05 * np.triu(_ROOT, 1),
)
OPERANDS = {
    "vector": "y1",
    "rows": "y2",
    "columns": "y2.T",
    "cube": "np.stack((y2, y2 * 1.2 + 0.1))",
    "square": "M",
    "squares": "np.stack((M, M * 1.1 + 0.05))",
    "list": "list(y1)",
    "tuple": "tuple(y1)",
    "list of arrays": "[y1, y1[::-1] * 2.0]",
    "list of lists": "y2.tolist()",
    "single": "y1",
    "strided": "np.repeat(y1, 2)[::2]",
    "reversed": "y1[::-1]",
    "fortran": "np.asfortranarray(y2)",
    "one element": "y1[:1]",
    "two elements": "y1[:2]",
    "three elements": "y1[:3]",
    "none": "y1[:0]",
    "no rows": "y2[:0]",
    "number": "y1[0]",
    "float": "float(y1[0])",
    "0-d": "np.array(y1[0])",
    "whole": "np.arange(1, 8)",
    "complex": "y1 + 0.3j * y1 ** 2",
}
AXES = ("-1", "0", "None", "(0, 1)", "1", "-2")
PLACES = ("0.7", "[0.3, 1.1]", "np.array([[0.3, 1.1], [0.2, 0.9]])", "y1[:3] * 0.4", "np.array([])", "np.float32(0.4)")
NAMES = {
    "fft": fft,
    "integrate": integrate,
    "interpolate": interpolate,
    "linalg": linalg,
    "ndimage": ndimage,
    "optimize": optimize,
    "signal": signal,
    "special": special,
    "stats": stats,
    "distance": distance,
    "x1": np.linspace(0.0, 2.0, 7),
    "p7": np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.1, 1.2], [0.5, 0.6], [0.3, 0.1], [0.7, 0.9]]),
    "w7": np.cos(np.arange(7.0)) + 1.5,
}
TOTAL = """
def total(r):
    if isinstance(r, (tuple, list)):
        s = 0.0
        for k, one in enumerate(r):
            s = s + (k + 1.0) * total(one)
        return s
    if r is None or isinstance(r, (str, bool)):
        return 0.0
    w = np.cos(np.arange(np.size(r))).reshape(np.shape(r))
    return np.sum(w * np.real(r)) + 0.3 * np.sum(w * np.imag(r))
"""


def cells(every: int = 1) -> Iterator[Cell]:
    """Each call that SciPy takes, or one in `every`."""
    calls = ((form, operand, axis, at) for form in CALLS for operand in OPERANDS for axis, at in _choices(form))
    for form, operand, axis, at in itertools.islice(calls, 0, None, every):
        if "lstsq" in form and operand.startswith("no"):
            continue  # LAPACK writes beyond what it is given
        call = form.replace("{ax}", axis).replace("{at}", at)
        function = program(f"{TOTAL}\ndef f(y1, y2, M):\n    Z = {OPERANDS[operand]}\n    return total({call})\n", **NAMES)
        if _finite(function):
            args = tuple(arg.astype(np.float32) for arg in ARGS) if operand == "single" else ARGS
            yield Cell(f"{call} of Z = {operand}", function, args, orders=2, bits=False)


def _choices(form: str) -> Iterator[tuple[str, str]]:
    """Each axis and each place, not each with each."""
    axes, places = AXES if "{ax}" in form else AXES[:1], PLACES if "{at}" in form else PLACES[:1]
    for k in range(max(len(axes), len(places))):
        yield axes[k % len(axes)], places[k % len(places)]


def _finite(function: Callable[..., Any]) -> bool:
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(np.isfinite(function(*(arg.copy() for arg in ARGS))))
    except Exception:
        return False
