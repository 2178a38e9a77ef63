"""Products of what repeats along an axis: the same numbers, formed once, and left alone where that could be told."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from adxform import runtime
from adxform.analysis.stepping import interpret
from adxform.frontend.types.shape_rules import product_type
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.linalg.repeats import multiply_once


def program(body: str) -> str:
    """A function of a part that repeats, of what has the whole shape, and of matrices to multiply with."""
    matrices = "u: f64[k, 1, d], c: f64[k, d, 1], x: f64[k, n, d], w: f64[k, d, m], ct: f64[k, n, m]"
    return f"def f({matrices}, v: f64[d]):\n" + body


ROWS = "    a: f64[k, n, d] = runtime.broadcast_like(u, x)\n"
TURNED = ROWS + "    at: f64[k, d, n] = np.swapaxes(a, -1, -2)\n    xt: f64[k, d, n] = np.swapaxes(x, -1, -2)\n"
COLUMNS = "    wide: f64[k, d, m] = runtime.broadcast_like(c, w)\n    wt: f64[k, m, d] = np.swapaxes(wide, -1, -2)\n"
END = "    r: f64[k, n, m] = operator.mul(y, ct)\n    return r"
BODIES = {
    "rows": ROWS + "    z: f64[k, n, m] = operator.matmul(x, w)\n    y: f64[k, n, m] = operator.matmul(a, w)\n" + END,
    "columns": COLUMNS + "    z: f64[k, n, m] = operator.matmul(x, w)\n    y: f64[k, n, m] = operator.matmul(x, wide)\n" + END,
    "rows added up": TURNED + "    r: f64[k, d, m] = operator.matmul(at, ct)\n    return r",
    "columns added up": COLUMNS + "    r: f64[k, n, d] = operator.matmul(ct, wt)\n    return r",
    "rows times a vector": ROWS
    + "    z: f64[k, n] = operator.matmul(x, v)\n    y: f64[k, n] = operator.matmul(a, v)\n"
    + "    r: f64[k, n] = operator.mul(y, z)\n    return r",
    "a vector times columns": COLUMNS
    + "    z: f64[k, m] = operator.matmul(v, w)\n    y: f64[k, m] = operator.matmul(v, wide)\n"
    + "    r: f64[k, m] = operator.mul(y, z)\n    return r",
    "columns that were rows": TURNED
    + "    b: f64[k, n, d] = operator.mul(x, 2.0)\n    z: f64[k, n, n] = operator.matmul(b, xt)\n"
    + "    y: f64[k, n, n] = operator.matmul(b, at)\n    r: f64[k, n, n] = operator.mul(y, y)\n    return r",
}
LEFT = {
    "no product to repeat to": ROWS + "    y: f64[k, n, m] = operator.matmul(a, w)\n" + END,
    "returned": BODIES["rows"].replace("return r", "return r, y"),
    "written": BODIES["rows"].replace(END, "    operator.setitem(y, 0, 1.0)\n" + END),
    "the part is written": BODIES["rows"].replace(
        ROWS, "    u2: f64[k, 1, d] = np.copy(u)\n" + ROWS.replace("(u,", "(u2,") + "    operator.setitem(u2, 0, 1.0)\n"
    ),
    "the product is that of a branch": ROWS
    + "    last: f64 = operator.getitem(ct, (0, 0, 0))\n    q: f64 = if last:\n        z: f64[k, n, m] = operator.matmul(x, w)\n"
    + "        s: f64 = np.sum(z)\n        yield s\n    else:\n        yield last\n"
    + "    y: f64[k, n, m] = operator.matmul(a, w)\n"
    + END,
}


@pytest.mark.parametrize(
    "lengths", [(2, 3, 4, 5), (1, 1, 1, 1), (2, 0, 3, 4), (2, 1, 3, 4), (0, 2, 3, 4), (2, 3, 0, 4), (2, 3, 4, 0)]
)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_numbers(body: str, lengths: tuple[int, int, int, int]) -> None:
    k, n, d, m = lengths
    fn = read(program(body))
    once = multiply_once(fn)
    verify(once)
    assert once != fn
    chance = np.random.default_rng(1)
    shapes = (k, 1, d), (k, d, 1), (k, n, d), (k, d, m), (k, n, m), (d,)
    for bad in (1.0, np.nan) if n else (1.0,):
        args = [chance.normal(size=shape) for shape in shapes]
        args[0].flat[:1] *= bad
        found, expected = interpret(once, *args), interpret(fn, *args)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_types_are_those_of_the_products(body: str) -> None:
    products = [op for op in all_ops(multiply_once(read(program(body))).body) if callee(op) is operator.matmul]
    for op in products:
        assert isinstance(op, Call)
        assert op.outs[0].type == product_type(operator.matmul, *op.args)


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_stays(body: str) -> None:
    fn = read(program(body))
    assert multiply_once(fn) is fn


def test_what_repeats_along_more_than_one_axis_stays() -> None:
    fn = read("""def f(u: f64[1, 1, d], x: f64[k, n, d], w: f64[k, d, m]):
    a: f64[k, n, d] = runtime.broadcast_like(u, x)
    z: f64[k, n, m] = operator.matmul(x, w)
    y: f64[k, n, m] = operator.matmul(a, w)
    r: f64[k, n, m] = operator.mul(y, z)
    return r""")
    assert multiply_once(fn) is fn


def test_the_product_that_is_repeated_is_one_row() -> None:
    once = multiply_once(read(program(BODIES["rows"])))
    calls = [callee(op) for op in all_ops(once.body)]
    assert calls.count(operator.matmul) == calls.count(runtime.broadcast_like) == 2
