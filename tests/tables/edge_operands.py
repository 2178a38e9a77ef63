"""Operands at the edges of domains: ties, zeros of both signs, infinities, NaN, no element, one, other widths and layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

INF, NAN = float("inf"), float("nan")
Operands = dict[str, tuple[Any, ...]]


def _as(dtype: Any, values: Any) -> Any:
    return np.array(values, dtype)


PLAIN = [0.4, -1.7, 2.1, 0.3]
TABLE = [[0.4, -1.7, 2.1], [1.3, 0.7, -0.6]]
CUBE = np.array([((7 * i) % 12 - 5.3) / 4 for i in range(12)]).reshape(2, 3, 2)
SQUARE = [[2.0, 0.5, -0.25], [0.25, 1.5, 0.75], [-0.5, 0.125, 3.0]]
SYMMETRIC = [[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]]

SMOOTH = frozenset({"plain", "f32", "reversed", "strided", "fortran", "transposed", "cube"})
"""The operands at which functions without a kink there have derivatives, for differences to tell."""

LAYOUTS = frozenset({"reversed", "strided", "fortran", "transposed", "read-only"})

VECTORS = {
    "plain": _as(float, PLAIN),
    "ties": _as(float, [1.0, 1.0, -2.0, 1.0, -2.0]),
    "zeros": _as(float, [0.0, -0.0, 0.0]),
    "a zero": _as(float, [1.5, 0.0, -0.5]),
    "negative zeros": _as(float, [-0.0, -0.0]),
    "inf": _as(float, [1.0, INF, 2.0]),
    "minus inf": _as(float, [-INF, 1.0, 0.5]),
    "both infs": _as(float, [-INF, 1.0, INF]),
    "nan": _as(float, [1.0, NAN, -1.0]),
    "all nan": _as(float, [NAN, NAN]),
    "mixed": _as(float, [0.0, NAN, INF, -0.0, -INF, 1.0]),
    "empty": _as(float, []),
    "one": _as(float, [0.7]),
    "f32": _as(np.float32, PLAIN),
    "f32 nan": _as(np.float32, [0.1, NAN, 0.7]),
    "f32 empty": _as(np.float32, []),
    "f16": _as(np.float16, PLAIN),
    "reversed": _as(float, [0.1, 0.7, -1.3, 2.9, 0.4])[::-1],
    "strided": _as(float, [0.1, 9.0, 0.7, 9.0, -1.3, 9.0, 0.3])[::2],
    "read-only": np.broadcast_to(np.array(0.3), (3,)),
    "long": np.sin(np.arange(1.0, 301.0)),
    "f32 long": np.sin(np.arange(1.0, 301.0)).astype(np.float32),
    "long strided": np.sin(np.arange(1.0, 601.0))[::2],
}

MATRICES = {
    "plain": _as(float, TABLE),
    "ties": _as(float, [[1.0, 1.0, 1.0], [1.0, -2.0, -2.0]]),
    "zeros": _as(float, [[0.0, -0.0, 0.0], [0.0, 1.0, 0.0]]),
    "inf": _as(float, [[INF, 1.0, 2.0], [0.5, INF, -1.0]]),
    "both infs": _as(float, [[INF, 1.0, -INF], [0.5, -INF, -1.0]]),
    "nan": _as(float, [[0.5, NAN, 2.0], [1.0, 0.0, -1.0]]),
    "a row of nan": _as(float, [[NAN, NAN, NAN], [1.0, 0.0, -1.0]]),
    "mixed": _as(float, [[NAN, INF, 0.0], [-0.0, -INF, 1.0]]),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "nothing": np.zeros((0, 0)),
    "one": _as(float, [[0.7]]),
    "one row": _as(float, [[0.7, -0.2, 0.1]]),
    "f32": _as(np.float32, TABLE),
    "f32 no rows": np.zeros((0, 3), np.float32),
    "f16": _as(np.float16, TABLE),
    "fortran": np.asfortranarray(_as(float, TABLE)),
    "transposed": _as(float, TABLE).T,
    "strided": np.arange(24.0).reshape(4, 6)[::2, ::-2] / 7 - 0.5,
    "read-only": np.broadcast_to(_as(float, [0.3, -0.6, 0.2]), (2, 3)),
    "large": np.sin(np.arange(1.0, 601.0)).reshape(20, 30),
}

CUBES = {
    "cube": CUBE,
    "nan": np.where(CUBE > 1.0, NAN, CUBE),
    "inf": np.where(CUBE > 1.0, INF, CUBE),
    "f32": CUBE.astype(np.float32),
    "no middle": np.zeros((2, 0, 2)),
    "transposed": CUBE.transpose(2, 0, 1),
}

NUMBERS: dict[str, Any] = {
    "plain": 0.7,
    "negative": -1.3,
    "zero": 0.0,
    "negative zero": -0.0,
    "a half": 0.5,
    "1": 1.0,
    "-1": -1.0,
    "-2": -2.0,
    "large": 1e200,
    "inf": INF,
    "minus inf": -INF,
    "nan": NAN,
    "float64": np.float64(0.7),
    "float64 zero": np.float64(0.0),
    "float64 nan": np.float64(NAN),
    "float32": np.float32(0.7),
    "float16": np.float16(0.7),
    "0-d": np.array(0.7),
    "0-d f32": np.array(0.7, np.float32),
    "0-d inf": np.array(INF),
}

_SQUARES = {
    "plain": _as(float, SQUARE),
    "singular": _as(float, [[1.0, 2.0], [2.0, 4.0]]),
    "zeros": np.zeros((2, 2)),
    "identity": np.eye(3),
    "inf": _as(float, [[INF, 1.0], [0.5, 2.0]]),
    "nan": _as(float, [[NAN, 1.0], [0.5, 2.0]]),
    "nothing": np.zeros((0, 0)),
    "one": _as(float, [[0.7]]),
    "f32": _as(np.float32, SQUARE),
    "fortran": np.asfortranarray(_as(float, SQUARE)),
    "strided": np.kron(_as(float, SQUARE), np.ones((2, 2)))[::2, ::2],
    "read-only": np.broadcast_to(_as(float, SQUARE), (3, 3)),
    "not square": _as(float, TABLE),
}

_STACKS = {
    "plain": np.stack([_as(float, SQUARE), 2.0 * np.eye(3) + 0.125]),
    "one singular": np.stack([np.ones((2, 2)), np.eye(2)]),
    "no matrices": np.zeros((0, 2, 2)),
    "empty matrices": np.zeros((2, 0, 0)),
    "f32": np.stack([_as(np.float32, SQUARE), _as(np.float32, SYMMETRIC)]),
}

_DEFINITE = {
    "plain": _as(float, SYMMETRIC),
    "identity": np.eye(3),
    "indefinite": _as(float, [[1.0, 2.0], [2.0, 1.0]]),
    "nan": _as(float, [[NAN, 1.0], [1.0, 2.0]]),
    "inf": _as(float, [[INF, 0.0], [0.0, 2.0]]),
    "nothing": np.zeros((0, 0)),
    "one": _as(float, [[0.7]]),
    "f32": _as(np.float32, SYMMETRIC),
    "fortran": np.asfortranarray(_as(float, SYMMETRIC)),
    "stack": np.stack([_as(float, SYMMETRIC), 2.0 * np.eye(3)]),
    "large": np.eye(12) * 3 + np.cos(np.add.outer(np.arange(12.0), np.arange(12.0))),
}

_PAIRS: Operands = {
    "plain": (_as(float, PLAIN), _as(float, [0.75, 0.5, -1.25, 3.0])),
    "ties": (_as(float, [1.0, 2.0, -1.0]), _as(float, [1.0, -2.0, -1.0])),
    "zeros": (_as(float, [0.0, -0.0, 0.0, -0.0]), _as(float, [0.0, 0.0, -0.0, -0.0])),
    "over zero": (_as(float, [1.0, -1.0, 2.0]), _as(float, [0.0, 0.0, -0.0])),
    "infs": (_as(float, [INF, -INF, INF, 1.0, 0.0]), _as(float, [INF, INF, 0.0, -INF, INF])),
    "nan": (_as(float, [NAN, 1.0, NAN]), _as(float, [1.0, NAN, NAN])),
    "empty": (_as(float, []), _as(float, [])),
    "one": (_as(float, [0.7]), _as(float, [1.3])),
    "f32": (_as(np.float32, PLAIN), _as(np.float32, [0.75, 0.5, -1.25, 3.0])),
    "f16": (_as(np.float16, PLAIN), _as(np.float16, [0.75, 0.5, -1.25, 3.0])),
    "f32 and f64": (_as(np.float32, PLAIN), _as(float, [0.75, 0.5, -1.25, 3.0])),
    "reversed": (_as(float, [0.1, 0.7, -1.3])[::-1], _as(float, [0.4, 9.0, 0.3, 9.0, 1.9])[::2]),
    "read-only": (np.broadcast_to(np.array(0.3), (3,)), _as(float, [1.0, 2.0, 3.0])),
    "long": (np.sin(np.arange(1.0, 101.0)), np.cos(np.arange(100.0))),
}

_BROADCAST: Operands = {
    "plain": (_as(float, TABLE), _as(float, [0.5, 2.0, -1.0])),
    "column": (_as(float, [[0.5], [2.0]]), _as(float, [0.25, -0.5, 2.0])),
    "number": (_as(float, PLAIN), 0.75),
    "number first": (1.25, _as(float, PLAIN)),
    "f32 number": (_as(np.float32, PLAIN), 0.75),
    "f32 numbers": (_as(np.float32, PLAIN), np.float32(0.75)),
    "float64 scalar": (_as(np.float32, PLAIN), np.float64(0.75)),
    "0-d": (_as(float, PLAIN), np.array(0.75)),
    "0-d both": (np.array(0.75), np.array(1.25)),
    "no rows": (np.zeros((0, 3)), _as(float, [0.25, -0.5, 2.0])),
    "one row": (_as(float, [[0.5, 1.5, -1.0]]), _as(float, [[0.5], [2.0]])),
    "zero": (_as(float, [0.0, -1.0, 2.0]), 0.0),
    "inf": (_as(float, [0.0, -1.0, INF]), INF),
    "nan": (_as(float, [0.0, NAN, INF]), NAN),
    "not alike": (_as(float, [1.0, 2.0]), _as(float, [1.0, 2.0, 3.0])),
    "an integer": (_as(float, PLAIN), 2),
}


def _pairs_of_numbers() -> Operands:
    values = (0.7, -1.3, 0.0, -0.0, 2.0, INF, -INF, NAN)
    made: Operands = {f"{a!r}, {b!r}": (a, b) for a in values for b in values}
    made["plain"] = (0.7, 1.3)
    made["float64"] = (np.float64(0.7), np.float64(1.3))
    made["float32"] = (np.float32(0.7), np.float32(1.3))
    made["float32 and float"] = (np.float32(0.7), 1.3)
    made["integer"] = (0.7, 2)
    return made


_KNOTS = np.array([0.0, 0.5, 1.5, 4.0])
_HEIGHTS = np.array([1.0, -0.5, 2.5, 0.25])

OPERANDS: dict[str, Operands] = {
    "vector": {label: (x,) for label, x in VECTORS.items()},
    "matrix": {label: (x,) for label, x in MATRICES.items()},
    "cubes": {label: (x,) for label, x in CUBES.items()},
    "number": {label: (x,) for label, x in NUMBERS.items()},
    "square": {label: (x,) for label, x in _SQUARES.items()},
    "stack": {label: (x,) for label, x in _STACKS.items()},
    "definite": {label: (x,) for label, x in _DEFINITE.items()},
    "regular": {label: (x,) for label, x in _DEFINITE.items() if label != "inf"},
    "pair": _PAIRS,
    "broadcast": _BROADCAST,
    "numbers": _pairs_of_numbers(),
    "integers": {"plain": (np.array([1, 2, 3]),), "number": (5,)},
    "integer_pair": {"plain": (np.array([1, 2, 3]), np.array([3, 2, 0])), "numbers": (5, 3)},
    "flat": {
        label: (x,) for label, x in VECTORS.items() if label in ("plain", "ties", "nan", "empty", "one", "f32", "f16", "reversed")
    },
    "table": {
        label: (x,)
        for label, x in MATRICES.items()
        if label in ("plain", "mixed", "no rows", "one", "f32", "fortran", "transposed")
    },
    "products": {
        "plain": (_as(float, TABLE), _as(float, [0.5, 2.0, -1.0])),
        "matrices": (_as(float, TABLE), _as(float, TABLE).T),
        "vectors": (_as(float, [1.5, -0.5, 0.1]), _as(float, [0.5, 2.0, -1.0])),
        "vector first": (_as(float, [1.5, -0.5]), _as(float, TABLE)),
        "inf": (_as(float, [[INF, 1.0], [0.0, 2.0]]), _as(float, [0.0, 1.0])),
        "nan": (_as(float, [[NAN, 1.0], [0.0, 2.0]]), _as(float, [0.0, 1.0])),
        "no rows": (np.zeros((0, 3)), _as(float, [1.0, 2.0, 3.0])),
        "nothing summed": (np.zeros((2, 0)), np.zeros(0)),
        "empty": (np.zeros(0), np.zeros(0)),
        "f32": (_as(np.float32, TABLE), _as(np.float32, [0.5, 2.0, -1.0])),
        "f32 and f64": (_as(np.float32, TABLE), _as(float, [0.5, 2.0, -1.0])),
        "f16": (_as(np.float16, TABLE), _as(np.float16, [0.5, 2.0, -1.0])),
        "fortran": (np.asfortranarray(_as(float, TABLE)), _as(float, [0.5, 2.0, -1.0])),
        "strided": (np.arange(24.0).reshape(4, 6)[::2, ::-2] / 7, _as(float, [0.5, 9.0, 2.0, 9.0, -1.0])[::2]),
        "stack": (CUBE, _as(float, [[0.5, -1.0], [2.0, 0.75]])),
        "stacks": (CUBE, CUBE.transpose(0, 2, 1).copy()),
        "not alike": (_as(float, TABLE), _as(float, [0.5, 2.0])),
        "numbers": (np.array(0.5), _as(float, [0.5, 2.0])),
    },
    "systems": {
        "plain": (_as(float, SQUARE), _as(float, [1.0, -0.5, 2.0])),
        "matrices": (_as(float, SQUARE), _as(float, [[1.0, 0.5], [-0.5, 2.0], [0.25, 1.0]])),
        "singular": (np.ones((2, 2)), _as(float, [1.0, 2.0])),
        "nan": (_as(float, [[NAN, 1.0], [1.0, 2.0]]), _as(float, [1.0, 2.0])),
        "inf": (_as(float, [[2.0, 1.0], [1.0, 3.0]]), _as(float, [INF, 2.0])),
        "nothing": (np.zeros((0, 0)), np.zeros(0)),
        "one": (_as(float, [[0.7]]), _as(float, [1.5])),
        "f32": (_as(np.float32, SQUARE), _as(np.float32, [1.0, -0.5, 2.0])),
        "f32 and f64": (_as(np.float32, SQUARE), _as(float, [1.0, -0.5, 2.0])),
        "stack": (np.stack([_as(float, SQUARE), np.eye(3)]), _as(float, [[1.0], [2.0], [0.5]])),
        "fortran": (np.asfortranarray(_as(float, SQUARE)), _as(float, [1.0, -0.5, 2.0])),
    },
    "vectors": {
        "plain": (_as(float, [0.5, -1.5, 2.0]), _as(float, [0.25, 1.0])),
        "alike": (_as(float, [0.5, -1.5, 2.0]), _as(float, [0.25, 1.0, -0.75])),
        "shorter": (_as(float, [0.5, 0.25]), _as(float, [0.25, 1.0, -0.75, 2.0])),
        "inf": (_as(float, [0.5, INF, 2.0]), _as(float, [0.25, 0.0])),
        "nan": (_as(float, [0.5, NAN, 2.0]), _as(float, [0.25, 0.0])),
        "one": (_as(float, [0.7]), _as(float, [1.3])),
        "empty": (_as(float, []), _as(float, [1.0])),
        "f32": (_as(np.float32, [0.5, -1.5, 2.0]), _as(np.float32, [0.25, 1.0])),
        "f32 and f64": (_as(np.float32, [0.5, -1.5, 2.0]), _as(float, [0.25, 1.0])),
        "f16": (_as(np.float16, [0.5, -1.5, 2.0]), _as(np.float16, [0.25, 1.0])),
        "reversed": (_as(float, [0.5, -1.5, 2.0])[::-1], _as(float, [0.25, 9.0, 1.0])[::2]),
        "long": (np.sin(np.arange(1.0, 41.0)), np.cos(np.arange(17.0))),
    },
    "weighted": {
        "plain": (_as(float, PLAIN), _as(float, [0.75, 0.5, 1.25, 3.0])),
        "no weight": (_as(float, [1.0, 2.0]), _as(float, [1.0, -1.0])),
        "nan": (_as(float, [1.0, NAN]), _as(float, [1.0, 2.0])),
        "inf": (_as(float, [1.0, INF]), _as(float, [1.0, 0.0])),
        "empty": (_as(float, []), _as(float, [])),
        "f32": (_as(np.float32, PLAIN), _as(np.float32, [0.75, 0.5, 1.25, 3.0])),
        "f32 and f64": (_as(np.float32, PLAIN), _as(float, [0.75, 0.5, 1.25, 3.0])),
        "matrices": (_as(float, TABLE), _as(float, [[0.5, 1.0, 2.0], [0.25, 0.75, 1.5]])),
        "long": (np.sin(np.arange(1.0, 301.0)), 1.5 + np.cos(np.arange(300.0))),
        "not alike": (_as(float, [1.0, 2.0]), _as(float, [1.0, 2.0, 3.0])),
    },
    "knots": {
        "plain": (_as(float, [0.25, 1.0, 3.0]), _KNOTS, _HEIGHTS),
        "outside": (_as(float, [-1.0, 5.0, 0.75]), _KNOTS, _HEIGHTS),
        "on knots": (_as(float, [0.0, 0.5, 4.0]), _KNOTS, _HEIGHTS),
        "infs": (_as(float, [INF, -INF, 1.0]), _KNOTS, _HEIGHTS),
        "nan": (_as(float, [NAN, 1.0]), _KNOTS, _HEIGHTS),
        "nan height": (_as(float, [0.25, 0.5, 1.0]), _KNOTS, _as(float, [1.0, NAN, 2.5, 0.25])),
        "inf height": (_as(float, [0.25, 0.5, 1.0, 2.0]), _KNOTS, _as(float, [1.0, INF, 2.5, 0.25])),
        "inf knot": (_as(float, [0.25, 2.0, INF]), _as(float, [0.0, 1.0, INF]), _as(float, [1.0, 2.0, 4.0])),
        "repeated knots": (_as(float, [0.5, 1.0, 1.5]), _as(float, [0.0, 1.0, 1.0, 2.0]), _HEIGHTS),
        "one knot": (_as(float, [0.5, 1.0, 1.5]), _as(float, [1.0]), _as(float, [2.0])),
        "no knots": (_as(float, [0.5]), _as(float, []), _as(float, [])),
        "empty": (_as(float, []), _KNOTS, _HEIGHTS),
        "number": (0.75, _KNOTS, _HEIGHTS),
        "float64": (np.float64(0.75), _KNOTS, _HEIGHTS),
        "0-d": (np.array(0.75), _KNOTS, _HEIGHTS),
        "matrix": (_as(float, TABLE), _KNOTS, _HEIGHTS),
        "f32": (_as(np.float32, [0.25, 1.0]), _KNOTS.astype(np.float32), _HEIGHTS.astype(np.float32)),
        "many": (np.linspace(-0.3, 4.1, 57), _KNOTS * 1.1, _HEIGHTS / 3.0),
        "fewer points than knots": (_as(float, [0.31, 1.7]), np.cumsum(0.1 + np.arange(9.0) / 7), np.sin(np.arange(9.0))),
    },
}
