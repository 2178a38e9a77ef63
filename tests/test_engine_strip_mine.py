"""Loops in blocks, rows packed into columns: the same results on random loops, for lengths around a block, and what stays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.analysis.stepping import interpret
from adxform.errors import PreparationMismatchError
from adxform.ir.ops import For, Function
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.passes.loops.strip_mine import BLOCK, strip_mine_loops

LENGTHS = (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5)


def turned(m, p, w):  # type: ignore[no-untyped-def]
    """m: (n, 7), p: (n, 3), w: (n,)"""
    r, d = m[:, :3], p - m[:, 3:6]
    angle = np.sqrt(np.sum(r * r, axis=1))[:, None]
    a = r / angle
    cross = np.stack(
        [a[:, 1] * d[:, 2] - a[:, 2] * d[:, 1], a[:, 2] * d[:, 0] - a[:, 0] * d[:, 2], a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0]],
        axis=1,
    )
    y = d * np.cos(angle) + cross * np.sin(angle) * m[:, 6:7]
    return w[:, None] * y * np.exp(-y * y)


def rows(n: int, seed: int = 0) -> list[Any]:
    chance = np.random.default_rng(seed)
    return [chance.normal(size=shape) for shape in ((n, 7), (n, 3), (n,))]


def loops(fn: Function) -> int:
    return sum(isinstance(op, For) for op in all_ops(fn.body))


LAYOUTS: list[Callable[[Any], Any]] = [
    np.copy,
    np.asfortranarray,
    lambda x: x[::-1].copy()[::-1],
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=["by rows", "by columns", "backwards", "strided"])
def test_machine_code_gives_what_python_does(layout: Callable[[Any], Any]) -> None:
    packed, plain = [adxform.prepare_vjp(turned, *rows(40), strict=False, engine=engine) for engine in ("numba", "python")]  # type: ignore[arg-type]
    assert "made[" in packed.rule.text
    for n in LENGTHS:
        args, ct = rows(n), rows(n, 1)[1]
        if n > 2:
            args[0][1, 1], args[1][2, 0], args[2][0] = np.nan, np.inf, 0.0
        with np.errstate(all="ignore"):
            for found, expected in zip(
                (packed(*map(layout, args))[1](layout(ct)), packed.batch(tuple(map(layout, args)), layout(ct)[None])[1]),
                (plain(*args)[1](ct), plain.batch(tuple(args), ct[None])[1]),
                strict=True,
            ):
                for one, other in zip(found, expected, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def test_memory_that_is_given_is_apart() -> None:
    packed, plain = [
        adxform.prepare_vjp(turned, *rows(40), strict=False, engine=engine, directions=2) for engine in ("numba", "python")
    ]  # type: ignore[arg-type]
    for rule in (packed.rule, packed.batched):
        assert "made[" in packed.made.pool(rule).rule.generated.text
    for n in (0, 2, BLOCK + 1, 3 * BLOCK + 5):
        args, ct = rows(n), rows(n, 1)[1]
        if n > 2:
            args[0][1, 1], args[1][2, 0], args[2][0] = np.nan, np.inf, 0.0
        memory = np.full(11 * n, np.nan)
        out = memory[: 7 * n].reshape(n, 7), memory[7 * n : 10 * n].reshape(n, 3), memory[10 * n :]
        cts, many = np.stack([ct, -2.0 * ct]), tuple(np.full((2, *part.shape), np.nan) for part in out)
        with np.errstate(all="ignore"):
            for _ in range(2):
                for found, expected in (
                    (packed.cotangents(tuple(args), ct, out=out), plain.cotangents(tuple(args), ct)),
                    (packed.batch(tuple(args), cts, out=(None, many))[1], plain.batch(tuple(args), cts)[1]),
                ):
                    for one, other in zip(found, expected, strict=True):
                        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
        if n:
            for wrong in ((args[0], *out[1:]), (out[0], out[0].reshape(-1)[n : 4 * n].reshape(n, 3), out[2])):
                with pytest.raises(PreparationMismatchError):
                    packed.cotangents(tuple(args), ct, out=wrong)


PROGRAM = """
def f(x: f64[x.0, 4], y: f64[x.0], table: i64[x.0], n: int, s: f64):
    a: f64[x.0, 3] = np.zeros((n, 3))
    b: f64[x.0] = np.zeros(n)
    c: f64[x.0, 2] = np.zeros((n, 2))
    d: f64[x.0] = np.zeros(n)
    for i: int in range(FIRST, n, 1):
BODY
    return (a, b, c, d)
"""


def random_body(chance: random.Random) -> list[str]:
    """Loads, also by a table, work of which each op takes the last ones, and stores that may meet in one element."""
    loads = ["x, (i, 0)", "x, (i, 1)", "x, (i, 2)", "x, (i, 3)", "y, i", "y, j"]
    lines = ["j: int = operator.getitem(table, i)"]
    names = ["s", "0.5"]
    for number, load in enumerate(["x, (j, 2)", *chance.sample(loads, chance.randint(2, 6))]):
        lines.append(f"v{number}: f64 = operator.getitem({load})")
        names.append(f"v{number}")
    for number in range(chance.randint(40, 60)):
        fn = chance.choice(["operator.add", "operator.sub", "operator.mul", "runtime.masked_product"])
        first, second = chance.choice(names[-4:]), chance.choice(names)
        lines.append(f"w{number}: f64 = {fn}({first}, {second})")
        lines.append(f"w{number}.1: f64 = np.sin(w{number})")
        names.append(f"w{number}.1")
    places = ["a, (i, 0)", "a, (i, 1)", "a, (i, 2)", "b, i", "c, (i, 0)", "c, (i, 1)", "d, i", "a, (0, 1)", "d, 0"]
    for place in (*places, *chance.choices(places, k=4)):
        fn = chance.choice(["operator.setitem", "intrinsics.accumulate", "intrinsics.deduct"])
        lines.append(f"{fn}({place}, {chance.choice([*names[2:], 's', '2.0'])})")
    return lines


def program(lines: list[str], first: int = 0) -> Function:
    fn = read(PROGRAM.replace("BODY", "\n".join("        " + line for line in lines)).replace("FIRST", str(first)))
    verify(fn)
    return fn


@pytest.mark.parametrize("seed", range(8))
def test_random_loops(seed: int) -> None:
    chance = random.Random(seed)
    fn = program(random_body(chance), seed % 3)
    packed = strip_mine_loops(fn)
    verify(packed)
    assert loops(packed) == 4
    assert read(show(packed)) == packed
    for n in (1, 2, BLOCK, BLOCK + 1, 2 * BLOCK + 7):
        numbers = np.random.default_rng(n)
        args = numbers.normal(size=(n, 4)), numbers.normal(size=n), numbers.integers(0, n, size=n), n, 0.7
        for found, expected in zip(interpret(packed, *args), interpret(fn, *args), strict=True):
            np.testing.assert_array_equal(found, expected)


STAYS = {
    "reads what it stores": "v: f64 = operator.getitem(b, i)",
    "stores into what the caller has": "intrinsics.accumulate(y, i, 1.0)",
    "stores where a table says": "intrinsics.accumulate(b, j, 1.0)",
    "computes with its place": "v: f64 = operator.mul(s, i)",
    "has a branch": "if s:\n            intrinsics.accumulate(b, i, 1.0)",
    "calls what lanes cannot do": "v: f64 = math.gamma(s)",
}


@pytest.mark.parametrize("line", STAYS.values(), ids=STAYS)
def test_what_stays_as_it_is(line: str) -> None:
    lines = random_body(random.Random(3))
    assert strip_mine_loops(program(lines)) is not program(lines)
    assert loops(strip_mine_loops(program(lines))) == 4
    fn = program([*lines[:1], line, *lines[1:]])
    assert strip_mine_loops(fn) is fn


def test_parameters_that_share_no_memory() -> None:
    lines = random_body(random.Random(4))
    assert not any("getitem(y" in line for line in lines)
    fn = program([*lines, "intrinsics.accumulate(y, i, 1.0)"])
    assert strip_mine_loops(fn) is fn
    assert loops(strip_mine_loops(fn, {1})) == 4


def test_little_work_stays_as_it_is() -> None:
    fn = program(["v: f64 = operator.getitem(y, i)", "operator.setitem(b, i, v)", "operator.setitem(a, (i, 0), v)"])
    assert strip_mine_loops(fn) is fn
