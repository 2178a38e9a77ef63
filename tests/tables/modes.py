"""Edge points of every primitive and of compositions of singular functions: the two modes, and the orders, say the same.

Three kinds of cells: the samples of each record of the rule table with zeros, ties, infinities and NaN put into them;
elementwise functions and operators on the edge values of each kind of operand (arrays, numbers, elements of loops, masked
lanes, small dtypes); one singular function of another.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.record import General, Linear, Partials
from adxform.primitives.table import TABLE
from tests.tables.agreement import agreeing, programs
from tests.tables.cell import Cell

INF, NAN = np.inf, np.nan
FINITE = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0)
EDGES = (*FINITE, INF, -INF, NAN)

UNARY = ("sqrt", "cbrt", "square", "reciprocal", "exp", "log", "log2", "log1p", "arcsin", "arccosh", "arctanh", "abs", "tanh")
FUNCTIONS = {
    **{name: f"np.{name}({{}})" for name in UNARY},
    "root": "({}) ** 0.5",
    "inverse": "1.0 / ({})",
    "inverse root": "({}) ** -0.5",
    "cube": "({}) ** 3",
    "positive part": "np.maximum({}, 0.0)",
    "clip": "np.clip({}, -1.0, 1.0)",
    "nan_to_num": "np.nan_to_num({})",
    "sinc": "np.sinc({})",
}
INNER = {
    **FUNCTIONS,
    "product": "({0}) * ({0})",
    "zero weight": "0.0 * ({})",
}
BINARY = (
    *("arctan2", "hypot", "power", "float_power", "fmod", "remainder", "maximum", "minimum", "fmax", "fmin", "logaddexp"),
    *("logaddexp2", "copysign", "heaviside", "nextafter", "ldexp", "true_divide", "multiply", "subtract"),
)
PAIRS = {
    **{sign: f"a {sign} b" for sign in ("+", "-", "*", "/", "//", "%", "**")},
    **{name: f"np.{name}(a, b)" for name in BINARY},
    "masked quotient": "np.where(b != 0, a / b, 0.0)",
    "masked power": "np.where(a > 0, a ** b, 0.0)",
    "nan_to_num of quotient": "np.nan_to_num(a / b)",
    "length": "np.sqrt(a * a + b * b)",
    "distance": "((a - b) ** 2) ** 0.5",
    "ratio of lengths": "a / np.sqrt(a * a + b * b)",
    "larger of roots": "np.maximum(np.sqrt(a), np.sqrt(b))",
    "weighted root": "b * np.sqrt(a)",
    "entropy": "np.where(a > 0, a * np.log(a), 0.0) * b",
}
WHOLE = {
    "array": "def f(x):\n    return {}\n",
    "weighted": "def f(x):\n    return np.array([0.0, 1.0, 0.0, 2.0, 0.0, 3.0]) * ({})\n",
    "masked": "def f(x):\n    return np.where(x > 0, {}, 0.0)\n",
    "sum": "def f(x):\n    return np.sum({})\n",
    "float32": "def f(x):\n    return {}\n",
    "elements": """def f(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        t = x[i]
        y[i] = {}
    return y
""",
    "accumulated": "def f(x):\n    s = 0.0\n    for t in x:\n        s += {}\n    return s\n",
}
LOOP = """def f(x, z):
    s = 0.0
    for i in range(x.shape[0]):
        a = x[i]
        b = z[i]
        s += {}
    return s
"""
SINGLE = "def f(x):\n    return {}\n"
SPOTS: Mapping[str, Callable[[float], Any]] = {
    "number": float,
    "float64": np.float64,
    "0-d": np.array,
    "float32 number": np.float32,
}

OF_LOGARITHMS = {
    "exp of": "np.exp({})",
    "power of exp of": "np.exp({}) ** 2",
    "exp of twice": "np.exp(2.0 * ({}))",
    "quarter of exp of": "np.exp(0.25 * ({}))",
    "logaddexp of": "np.logaddexp({}, 0.0)",
    "log1p of exp of": "np.log1p(np.exp({}))",
    "larger of one and": "np.maximum({}, 1.0)",
    "tanh of": "np.tanh({})",
    "inverse of": "1.0 / ({})",
    "zero times": "np.array([0.0, 1.0]) * ({})",
    "sine of exp of": "np.sin(np.exp({}))",
}
"""Functions whose slope is zero where the logarithm of zero is."""

Made = tuple[str, str, dict[str, Any], list[tuple[str, tuple[Any, ...]]]]


def cells() -> Iterator[Cell]:
    """All cells, those of one program one after another."""
    for name, (body, params, names, points) in itertools.chain(_records(), _compositions(), _pairs(), _reductions()):
        f, total = programs(body, params, **names)
        judge = agreeing(total)
        for point, args in points:
            jumps = any(word in name for word in JUMPING) and point not in ("the sample", "regular")
            orders = 1 if jumps or _is_power_of_zero(name, args) or name in FIRST_ORDER else 2
            yield Cell(f"{name} at {point}", f, args, orders=orders, judged_by=judge)


FIRST_ORDER = ("matrix root of det", f"{runtime.__name__}.ratio 0")
"""What has no second order at a pole: infinite slopes go through products of matrices, `ratio` is a subgradient there."""

JUMPING = ("pinv", "lstsq", "linalg.qr")
"""What jumps at matrices without full rank, along all directions but those that keep it: there are no second derivatives."""

GAPS = (runtime.divided_differences, runtime.sums_over_gaps, runtime.over_gaps, runtime.over_values)
SMOOTH_ALONE = frozenset({runtime.cofactor_change, *GAPS})
"""What has no derivative at other points: a second derivative of `det`, see above; ties."""
NOT_OF_ZERO = frozenset({np.linalg.eigh, np.linalg.svd})
"""What has vectors, which are not determined of a matrix of zeros."""
OF_SCIPY = ("scipy.", "adxform.runtime.of_scipy.")
"""Records that are there once SciPy has been asked for: the table `primitives` has them."""


def _is_power_of_zero(name: str, args: tuple[Any, ...]) -> bool:
    """Whether the mixed second derivative by base and exponent is asked at base zero, where there is none."""
    if len(args) < 2 or not any(word in name for word in ("pow", "**", "exponent")):
        return False
    return not np.all(args[0])


def _compositions() -> Iterator[tuple[str, Made]]:
    """Each function, and one of another, on edge values of each kind."""
    bodies = {name: form.format("{0}") for name, form in INNER.items()}
    for (outer, form), (inner, within) in itertools.product(FUNCTIONS.items(), INNER.items()):
        bodies[f"{outer} of {inner}"] = form.format(f"({within})") if "{0}" not in form else form
    edges = np.array(FINITE)
    for name, form in bodies.items():
        for kind, body in WHOLE.items():
            x = edges.astype(np.float32) if kind == "float32" else edges
            variable = "t" if kind in ("elements", "accumulated") else "x"
            points = [
                ("the edges", (x,)),
                *((repr(v), (np.full(1, v, x.dtype),)) for v in EDGES[6:] if kind not in ("weighted", "masked")),
            ]
            yield f"{name}: {kind}", (body.format(form.format(variable)), "x", {}, points)
        text = SINGLE.format(form.format("x"))
        for kind, make in SPOTS.items():
            yield f"{name}: {kind}", (text, "x", {}, [(repr(value), (make(value),)) for value in EDGES])


def _pairs() -> Iterator[tuple[str, Made]]:
    """Functions of two operands, of which one or both move, on pairs of edge values, of each pair of dtypes and kinds."""
    few = (0.0, -0.0, 1.0, -1.0, 2.5)
    a, b = (np.array(column) for column in zip(*itertools.product(few, few), strict=True))
    small = np.array([-3, -1, 0, 1, 2, 3, 5])
    exact = {dtype: small.astype(dtype) for dtype in ("int8", "int16", "int32", "int64")} | {
        "uint8": np.array([0, 1, 2, 3, 100, 200, 255], np.uint8),
        "big int8": np.array([-128, -100, 0, 1, 99, 100, 127], np.int8),
        "bool": np.array([0, 1, 0, 1, 1, 0, 1], bool),
        "float16": np.array([0.0, 1.0, -1.5, 300.0, -0.0, 2.0, 65000.0], np.float16),
        "float32": np.array([0.0, 1.0, -1.5, 1e30, -0.0, 2.0, 1e-30], np.float32),
    }
    real = np.array([0.0, -0.0, 1.5, -2.5, 3.0, -0.7, 0.7])
    for name, form in PAIRS.items():
        text = f"def f(a, b):\n    return {form}\n"
        lanes = [(f"row {row}", (a[row * 5 : row * 5 + 5], b[row * 5 : row * 5 + 5])) for row in range(5)]
        lanes += [
            (f"{u!r}, {v!r}", (np.array([u]), np.array([v])))
            for u, v in itertools.product(EDGES, EDGES)
            if not np.isfinite(u + v)
        ]
        yield f"{name}: arrays", (text, "a, b", {}, lanes)
        numbers = [(f"{one!r}, {other!r}", (one, other)) for one, other in itertools.product((*few, INF, NAN), repeat=2)]
        yield f"{name}: numbers", (text, "a, b", {}, numbers)
        yield f"{name}: float64", (text, "a, b", {}, [(p, (np.float64(u), np.float64(v))) for p, (u, v) in numbers])
        yield f"{name}: array and number", (text, "a, b", {}, [(repr(v), (real, v)) for v in few])
        yield f"{name}: number and array", (text, "a, b", {}, [(repr(v), (v, real)) for v in few])
        loop = LOOP.format(form)
        yield f"{name}: elements", (loop, "x, z", {}, lanes)
        for dtype, values in exact.items():
            points = [("array, array", (real, values)), ("array, number", (real, values[3])), ("number, array", (1.5, values))]
            points += [("number, number", (1.5, value)) for value in values[3:6]]
            yield f"{name}: and {dtype}", (text, "a, b", {}, points)
            yield f"{name}: {dtype} and", (text, "a, b", {}, [(p, (v, u)) for p, (u, v) in points])


def _reductions() -> Iterator[tuple[str, Made]]:
    """Norms, reductions and determinants at singular points, alone and under a root."""
    vectors = {
        "zeros": np.zeros(3),
        "one zero": np.array([0.0, 2.0, -1.0]),
        "ties": np.array([2.0, 2.0, -2.0]),
        "infinite": np.array([INF, 1.0, 0.0]),
        "nan": np.array([1.0, NAN, 0.0]),
        "one": np.array([1.5]),
        "one zero alone": np.array([0.0]),
    }
    orders = ("", ", 1", ", 2", ", 0", ", 3", ", 5", ", 0.5", ", -1", ", -2", ", np.inf", ", -np.inf", ", 1.5", ", -0.5")
    forms = {f"norm{order}": f"np.linalg.norm(x{order})" for order in orders}
    forms |= {
        "std": "np.std(x)",
        "std ddof": "np.std(x, ddof=1)",
        "var ddof": "np.var(x, ddof=1)",
        "prod": "np.prod(x)",
        "cumprod": "np.cumprod(x)",
        "root of sum of squares": "np.sum(x ** 2) ** 0.5",
        "inverse norm": "1.0 / np.linalg.norm(x)",
        "unit": "x / np.linalg.norm(x)",
        "root of norm": "np.sqrt(np.linalg.norm(x))",
        "distances": "np.sum((x[:, None] - x[None]) ** 2 * np.ones((2, 1, 1)), 0) ** 0.5 * (1.0 + np.arange(float(x.size)))",
        "log of sum": "np.log(np.sum(x * x))",
        "root of prod": "np.sqrt(np.prod(x))",
        "power by list": "x ** np.arange(2.0, 2.0 - x.size, -1.0)",
        "boolean": "np.sqrt(x)[x > 0]",
        "triu": "np.triu(np.sqrt(x[:, None] * x[None]))",
        "root of max": "np.sqrt(np.max(x))",
        "max of root": "np.max(np.sqrt(x))",
        "sorted roots": "np.sort(np.sqrt(np.abs(x)))",
        "softmax": "np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))",
        "logsumexp": "np.log(np.sum(np.exp(x)))",
    }
    for name, form in forms.items():
        points = [(where, (x,)) for where, x in vectors.items()]
        if name.startswith("norm"):
            points.append(("of powers that are zero", (np.array([1e-80, -2e-80, 0.0]),)))
        yield name, (f"def f(x):\n    return {form}\n", "x", {}, points)
    exponents = "def f(x, p):\n    return x ** p\n"
    points = [(f"{where}, {p!r}", (x, p)) for where, x in vectors.items() for p in (2, 1, 0, -1, 0.5, 2.0, 1.0, 0.0, -0.5)]
    yield "exponent as an argument", (exponents, "x, p", {}, points)
    exponents = "def f(x, p):\n    return np.array([u ** p for u in x])\n"
    yield "exponent of elements", (exponents, "x, p", {}, points)
    fixed = "def f(x):\n    return x ** np.array([1, 2, 0])\n"
    yield "exponents of integers", (fixed, "x", {}, [(where, (x,)) for where, x in vectors.items() if x.size == 3])
    matrices = {
        "regular": np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]]),
        "identity": np.eye(3),
        "zeros": np.zeros((3, 3)),
        "rank one": np.ones((3, 3)),
        "rank two": np.diag([2.0, 1.0, 0.0]),
        "nan": np.diag([1.0, NAN, 1.0]),
        "infinite": np.diag([1.0, INF, 1.0]),
    }
    of_matrices = {
        **{name: f"np.linalg.{name}(x)" for name in ("det", "inv", "cholesky", "eigvalsh", "norm", "pinv")},
        "sign": "np.linalg.slogdet(x)[0]",
        "log determinant": "np.linalg.slogdet(x)[1]",
        **{f"{outer} log determinant": form.format("np.linalg.slogdet(x)[1]") for outer, form in OF_LOGARITHMS.items()},
        "signed exp of log determinant": "np.linalg.slogdet(x)[0] * np.exp(np.linalg.slogdet(x)[1])",
        "root of log determinant of squares": "np.exp(0.5 * np.linalg.slogdet(x @ x.T)[1])",
        "exp of log determinants": "np.exp(np.linalg.slogdet(np.stack([x, np.eye(3) + x @ x.T]))[1])",
        "exp of log determinant of a root": "np.exp(np.linalg.slogdet(np.sqrt(np.abs(x)))[1])",
        "eigh values": "np.linalg.eigh(x)[0]",
        "solve": "np.linalg.solve(x, np.ones(3))",
        "root of det": "np.sqrt(np.linalg.det(x))",
        **{f"norm {o}": f"np.linalg.norm(x, {o!r})" for o in ("fro", "nuc", 2, 1)},
        **{f"norms of rows {o}": f"np.linalg.norm(x, {o}, axis=1)" for o in (None, 0.5, -1, 1, 3, "np.inf")},
        "max of rows": "np.max(x, axis=1)",
        "min of columns": "np.min(x, axis=0)",
        "std of rows": "np.std(x, axis=1)",
        "distances of rows": "np.sum((x[None] - x[:, None]) ** 2, -1) ** 0.5",
        "weighted distances of rows": "WEIGHTS * np.sum((x[None] - x[:, None]) ** 2, -1) ** 0.5",
        "distances by einsum": "np.einsum('ijk,ijk->ij', APART, APART) ** 0.5",
        "weighted distances by einsum": "WEIGHTS * np.einsum('ijk,ijk->ij', APART, APART) ** 0.5",
        "weighted distances by matmul": "WEIGHTS * np.sqrt((APART[:, :, None] @ APART[..., None])[..., 0, 0])",
        "weighted distances by tensordot": "WEIGHTS * np.sqrt(np.tensordot(APART ** 2, np.ones(3), 1))",
        "lengths by einsum": "np.array([0.0, 1.0, 2.0]) * np.sqrt(np.einsum('ij,ij->i', x, x))",
        "lengths by vecdot": "np.array([0.0, 1.0, 2.0]) * np.sqrt(np.vecdot(x, x))",
        "lengths by dot": "np.array([np.sqrt(row @ row) * k for k, row in enumerate(x)])",
        "roots times a matrix": "np.sqrt(np.abs(x)) @ np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]])",
        "roots of products": "np.array([0.0, 1.0, 2.0]) * np.sqrt(np.abs(x @ x))",
        "norms of differences": "np.linalg.norm(x[None] - x[:, None], axis=-1)",
        "triangle of roots": "np.triu(np.sqrt(x))",
        "logs of sums": "np.log(np.sum(x, axis=1))",
        "normalised rows": "x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))",
    }
    weights = {"WEIGHTS": np.arange(9.0).reshape(3, 3)}
    for name, form in of_matrices.items():
        points = [(where, (x,)) for where, x in matrices.items()]
        text = form.replace("APART", "(x[None] - x[:, None])")
        yield f"matrix {name}", (f"def f(x):\n    return {text}\n", "x", weights, points)


def _records() -> Iterator[tuple[str, Made]]:
    """The samples of each record of the rule table, with edge values in the place of some of their numbers."""
    for fn, record in TABLE.items():
        if not isinstance(record.derivative, Partials | Linear | General) or record.name.startswith(OF_SCIPY):
            continue
        for number, sample in enumerate(record.samples):
            given, sample = _spread(sample)
            moves = [_is_float(arg) for arg in sample]
            params = [f"x{i}" for i, moving in enumerate(moves) if moving]
            for i, moving in enumerate(moves):
                given = given.replace(f"<{i}>", f"x{i}" if moving else f"c{i}")
            fixed = {f"c{i}": arg for i, arg in enumerate(sample) if not moves[i]}
            static = {name: arg for name, arg in fixed.items() if not isinstance(arg, np.ndarray)}
            for name, arg in static.items():
                if isinstance(arg, int | float | str | tuple | None):
                    given = given.replace(name, repr(arg).replace("inf", "np.inf"))
            arrays = [name for name in fixed if name not in static]
            signature = ", ".join((*params, *arrays))
            call = f"fn({given})"
            if isinstance(fn(*copy.deepcopy(record.samples[number])), tuple):
                call = f"np.concatenate([np.ravel(part) for part in {call}])"
            text = f"def f({signature}):\n    return {call}\n"
            moving = [arg for arg, moves_ in zip(sample, moves, strict=True) if moves_]
            points = [
                (where, (*(_changed(change, arg) for arg in moving), *(fixed[name] for name in arrays)))
                for where, change in CHANGES.items()
                if where == "the sample" or (fn not in SMOOTH_ALONE and (fn not in NOT_OF_ZERO or where != "zeros"))
            ]
            yield f"{record.name} {number}", (text, signature, {"fn": fn, **static}, points)


def _spread(sample: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """How a call gives the arguments of `sample`, those in lists and tuples of arrays one by one, and what these are."""
    found: list[Any] = []

    def written(arg: Any) -> str:
        if isinstance(arg, list | tuple) and any(isinstance(item, np.ndarray) for item in arg):
            inside = ", ".join(map(written, arg))
            return f"[{inside}]" if isinstance(arg, list) else f"({inside},)"
        found.append(arg)
        return f"<{len(found) - 1}>"

    return ", ".join(map(written, sample)), tuple(found)


def _is_float(arg: Any) -> bool:
    if isinstance(arg, tuple | list) and any(isinstance(item, np.ndarray) for item in arg):
        return all(map(_is_float, arg))
    return isinstance(arg, float) or (isinstance(arg, np.ndarray) and arg.dtype.kind == "f")


def _changed(change: Callable[[Any], Any], arg: Any) -> Any:
    """`arg`, or each item of a sequence of arrays, after `change`."""
    return type(arg)(map(change, arg)) if isinstance(arg, tuple | list) else change(arg)


def _with(value: float, every: int = 1) -> Callable[[Any], Any]:
    """A change that puts `value` in the place of every so many numbers of an argument."""

    def change(arg: Any) -> Any:
        if isinstance(arg, float):
            return value
        changed = arg.copy()
        changed.reshape(-1)[::every] = value
        return changed

    return change


CHANGES: Mapping[str, Callable[[Any], Any]] = {
    "the sample": lambda arg: arg,
    "zeros": _with(0.0),
    "some zeros": _with(0.0, 2),
    "negative zeros": _with(-0.0, 3),
    "ties": _with(1.0),
    "infinite": _with(INF, 3),
    "less than infinite": _with(-INF, 4),
    "nan": _with(NAN, 3),
    "one zero": lambda arg: _with(0.0, max(np.size(arg), 1))(arg),
}
