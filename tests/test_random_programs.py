"""Programs nobody wrote: aliases, views, writes and rebindings in random order inside loops and branches.

Each statement of the functions below is a template. `u`, `v`, `w` stand for arrays of length four, `s`, `t` for
numbers, `i` for the index of the innermost loop; a program is a random tree of templates with its names exchanged.
Programs whose branches flip near the point, which central differences cannot judge, are passed over.
"""

# The templates are pieces of programs, not code of this module.
# ruff: noqa: B007, F821, F841, PIE790, RET503

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import adxform
from tests.oracle import central_jacobian, flat_function, float_leaves, pack

ARRAYS = ("x", "p", "q", "r")
NUMBERS = ("a", "b")


def simple(u, v, w, s, t, i):  # type: ignore[no-untyped-def]
    """Statements."""
    u[0] = s * v[1]
    u[i] = np.sin(v[i - 1]) * s
    u[i] += v[3 - i] * t
    u[i] *= v[i]
    u[1:] += v[:-1] * 0.5
    u[1:] = u[:-1]
    u[0:2] = u[0:2] * v[1:3]
    u *= 0.5
    u += v
    u -= np.tanh(u) * s
    u /= 2.0 + np.cos(v)
    u[:] = v
    u[...] = v[::-1] * w
    u[::2] *= t
    u[i], u[3 - i] = u[3 - i], u[i]
    u[[0, 0, 2]] += v[1:]
    u[u > 0.7] = s
    u[v > 0.4] *= 0.5
    u = v
    u = v.copy()
    u = v[::-1]
    u = np.sin(v * w)
    u = v * s
    u, v = v, u
    u = v if s > t else w
    u = np.zeros(4)
    u = v.reshape(2, 2).T.reshape(4)
    u.reshape(2, 2)[1] *= s
    v.reshape(2, 2).T[0] = u[2:] * t
    s = u[i] * v[0]
    s += u[1]
    s = np.sum(u * v) * 0.25
    s = np.sin(s) + t
    s, t = t, s
    s = t if u[0] > v[1] else u[2]
    u = helper(v, w, s)
    helper(u, u, t)
    helper(u[:], v, s)
    np.add.at(u, [0, 1, 0], v[1:] * s)
    np.multiply(u, v, out=w)
    np.tanh(u, out=u)
    u = np.concatenate([v[2:], w[:2]])
    u = np.stack([v, w])[1]
    u = np.where(u > v, w, s)
    u = np.cumsum(v) * 0.5
    u = np.maximum(v, w * 0.9)
    u, s = v * t, u[3] * 0.5
    rows = [u, v, u]
    rows[0][1] = s
    rows[2][2] *= t
    pair = u[1:3]
    pair *= v[0]
    pair[0] += s
    row = u.reshape(2, 2)[i // 2]
    row[1] = row[0] * s
    v[i] = s = t * u[i]
    u[1:3][0] = s
    u[:2], v[2:] = v[:2] * s, u[2:].copy()
    u[[3, 1]] = v[[0, 2]] * s
    u[u < 0] = 0.0
    u.fill(s)
    u[:, None][1] *= s
    s = max(s, u[0] * 0.5)
    s = float(u[2]) * 0.5
    s = u.sum() * 0.1 + v.min()


def blocks(u, v, w, s, t, i):  # type: ignore[no-untyped-def]
    """Statements with room for others."""
    if s > t:
        ...
    else:
        ...
    if u[i] > 0.5:
        ...
    for i in range(4):
        ...
    for i in range(3, 0, -1):
        ...
        if s > 1.5:
            break
    for i in range(n):
        if u[i] > 1.0:
            continue
        ...
    for row in u.reshape(2, 2):
        row[0] = np.cos(row[1]) * s
    while s > 0.3 and fuel > 0:
        fuel -= 1
        s = s * 0.5 - 0.1
        ...
    for k in range(2):
        u = v * s
        ...
        v = np.tanh(u)
    if s < -0.9:
        return s * np.sum(u * v)


def helper(u, v, s):  # type: ignore[no-untyped-def]
    """A function that programs call: it writes, and it returns a view."""
    u[1] = np.sin(v[2]) * s
    if s > 0.4:
        u[2:] *= v[:2]
    return u[::-1]


def frame(x, a, n):  # type: ignore[no-untyped-def]
    """The beginning and the end of every program."""
    p = x.copy()
    q = x * a
    r = p
    b = a * a
    i = 1
    fuel = 6
    rows, pair, row = [p, q, x], r[1:3], q[:2]
    ...
    return np.sum(x * p) + np.sum(q * r) * b + a


def templates(function: Callable[..., Any]) -> list[ast.stmt]:
    """Return the statements of a function's body."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree.body[1:]


SIMPLE, BLOCKS, FRAME = templates(simple), templates(blocks), templates(frame)


class Filled(ast.NodeTransformer):
    """A template with its names exchanged and its ``...`` statements replaced."""

    def __init__(self, names: dict[str, str], draw: Callable[[], list[ast.stmt]]) -> None:
        self.names = names
        self.draw = draw

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.AST:
        if isinstance(node.value, ast.Constant) and node.value.value is Ellipsis:
            return self.draw()
        return self.generic_visit(node)


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> list[ast.stmt]:
    """Draw a list of statements."""
    statements: list[ast.stmt] = []
    for _ in range(draw(st.integers(1, 4))):
        nested = depth < 2 and draw(st.integers(0, 3)) == 0
        template = draw(st.sampled_from(BLOCKS if nested else SIMPLE))
        arrays = draw(st.permutations(ARRAYS))
        numbers = draw(st.permutations(NUMBERS))
        names = dict(zip("uvw", arrays, strict=False)) | dict(zip("st", numbers, strict=True))
        filled = Filled(names, lambda: draw(bodies(depth + 1))).visit(copy.deepcopy(template))
        statements += filled if isinstance(filled, list) else [filled]
    return statements


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw the source of a program."""
    filled = Filled({}, lambda: draw(bodies()))
    body = [piece for statement in copy.deepcopy(FRAME) for piece in np.atleast_1d(filled.visit(statement))]
    arguments = ast.arguments([], [ast.arg(name) for name in ("x", "a", "n")], None, [], [], None, [])
    function = ast.FunctionDef("program", arguments, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        function.type_params = []
    return ast.unparse(ast.fix_missing_locations(ast.Module([function], []))) + "\n"


COUNT = itertools.count()


def compiled(text: str) -> Callable[..., Any]:
    """Return the function `program` of a source text that `inspect` can find."""
    file = f"<random program {next(COUNT)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np, "helper": helper, "__name__": "random_program"}
    exec(compile(text, file, "exec"), namespace)
    program: Callable[..., Any] = namespace["program"]
    return program


def judged(program: Callable[..., Any], args: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """Return the gradient by central differences; pass over programs that have none here."""
    with np.errstate(all="ignore"):
        jacobian, error = central_jacobian(*flat_function(program, args, (0, 1)), step=1e-3)
    scale = max(1.0, float(np.max(np.abs(jacobian))))
    assume(np.all(np.isfinite(jacobian)) and scale < 1e4 and error < 1e-8 * scale)
    return jacobian


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_program(text: str) -> None:
    program = compiled(text)
    args = (np.array([0.45, -0.62, 0.83, 0.31]), 0.77, 3)
    jacobian = judged(program, args)
    scale = max(1.0, float(np.max(np.abs(jacobian))))
    kept = args[0].copy()
    value, gradient = adxform.value_and_grad(program, argnums=(0, 1))(*args)
    assert value == program(*copy.deepcopy(args)), text
    assert np.array_equal(args[0], kept), text
    assert np.max(np.abs(pack(float_leaves(gradient)) - jacobian[0])) <= 1e-7 * scale, text
    tangent = np.array([0.3, -0.8, 0.5, 0.2]), 0.6
    _, out_t = adxform.jvp(program, args, (*tangent, None))
    assert abs(out_t - jacobian[0] @ pack(tangent)) <= 1e-7 * scale, text
