"""Passes of loops in lockstep: the same results on random loops, for lengths around a block, and what stays as it is."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.analysis.stepping import interpret
from adxform.ir.ops import Function
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.passes.scalar_expansion import expand_scalars
from adxform.passes.scalar_expansion.emission import BLOCK
from tests.oracle import central_jacobian, flat_function

pytest.importorskip("numba")

LENGTHS = (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5)
D, K = 3, 2


def mixture(x, p, w):
    """Terms of which each point has its own, the largest, a logarithm. x: (n, d), p: (k, e), w: (k,)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(p.shape[0]):
            at = x.shape[1]
            square = 0.0
            for r in range(x.shape[1]):
                z = np.exp(p[k, r]) * (x[i, r] - w[k])
                for c in range(r):
                    z += p[k, at] * (x[i, c] - w[k])
                    at += 1
                square += z * z
            terms[k] = w[k] - 0.5 * square
        top = np.max(terms)
        some = 0.0
        for k in range(p.shape[0]):
            some += np.exp(terms[k] - top)
        total += top + np.log(some)
    return total


def forms(x, p, w):
    """A result for each point, with a branch, the point's place and what the point before has. x: (n, d), p: (k, e), w: (k,)"""
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        s = 0.0
        for r in range(x.shape[1]):
            for c in range(r + 1):
                s += x[i, r] * x[i, c] * p[0, r]
        if s > 1.0:
            s = s * w[0]
        y[i] = s * (i + 1) + np.sin(s)
    return np.sum(y * y)


def solved(x, p, w):
    """A triangular system for each point, in rows of an array. x: (n, d), p: (k, e), w: (k,)"""
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            s = x[i, r]
            for c in range(r):
                s -= p[0, r] * y[i, c]
            y[i, r] = s / (2.0 + p[1, r] ** 2)
    return np.sum(y**3) * w[0]


def carried(x, p, w):
    """What a point leaves goes into the next one. x: (n, d), p: (k, e), w: (k,)"""
    s = w[0]
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for c in range(r + 1):
                s = 0.5 * s + 0.1 * x[i, c] * p[0, r]
        total += s * s
    return total


def remembered(x, p, w):
    """Terms that points add to, and look at. x: (n, d), p: (k, e), w: (k,)"""
    terms = np.zeros(p.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for c in range(r + 1):
                terms[0] = 0.5 * terms[0] + x[i, c] * 0.1
        total += terms[0] ** 2 * p[0, 0] * w[1]
    return total


def looked_up(x, p, w):
    """Weights at places that the point's number says. x: (n, d), p: (k, e), w: (k,)"""
    total = 0.0
    for i in range(x.shape[0]):
        for r in range(x.shape[1]):
            for c in range(r + 1):
                total += w[i % 2] * x[i, c] * p[i % 2, r] ** 2
    return total


FUNCTIONS = (mixture, forms, solved, carried, remembered, looked_up)
LOCKSTEP = {mixture, solved}


def arguments(n: int) -> tuple[Any, ...]:
    chance = np.random.default_rng(n)
    return chance.normal(size=(n, D)), 0.3 * chance.normal(size=(K, D * (D + 1) // 2)), chance.uniform(0.5, 1.5, K)


LAYOUTS: list[Callable[[Any], Any]] = [
    np.copy,
    np.asfortranarray,
    lambda x: x[::-1].copy()[::-1],
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_machine_code_gives_what_python_does(fn: Callable[..., Any]) -> None:
    prepared = {
        engine: adxform.prepare_value_and_gradient(fn, *arguments(BLOCK + 1), argnums=(0, 1, 2), strict=False, engine=engine)  # type: ignore[arg-type]
        for engine in ("numba", "python")
    }
    assert (", 64)" in prepared["numba"].source) == (fn in LOCKSTEP)
    for n in LENGTHS:
        for layout in LAYOUTS if n == BLOCK + 1 else LAYOUTS[:1]:
            args = tuple(map(layout, arguments(n)))
            for spoilt in (False, True)[: 1 + (n > 1)]:
                if spoilt:
                    args[0][n // 2, 1], args[0][n - 1, 0] = np.nan, np.inf
                with np.errstate(all="ignore"):
                    (value, found), (expected, plain) = (prepared[engine](*args) for engine in ("numba", "python"))
                np.testing.assert_allclose(value, expected, rtol=1e-11)
                for one, other in zip(found, plain, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_gradients_are_right(fn: Callable[..., Any]) -> None:
    args = arguments(17)
    gradient = adxform.grad(fn, argnums=(0, 1, 2), engine="numba")(*args)
    flat, start = flat_function(fn, args, (0, 1, 2))
    numerical, _ = central_jacobian(flat, start)
    np.testing.assert_allclose(np.concatenate([np.ravel(part) for part in gradient]), numerical.ravel(), rtol=1e-6, atol=1e-7)


def test_second_derivatives_and_arguments_that_are_one() -> None:
    args = arguments(BLOCK + 3)
    direction = np.cos(args[0])
    numba, python = (adxform.hvp(mixture, engine=engine)(*args, direction) for engine in ("numba", "python"))  # type: ignore[arg-type]
    np.testing.assert_allclose(numba, python, rtol=1e-9, atol=1e-11)
    x = np.random.default_rng(0).normal(size=(3, 3))
    p = np.hstack([x, x])
    for fn in (mixture, solved):
        found, plain = (adxform.grad(fn, argnums=(0, 1), engine=engine)(x, p, x[:, 0]) for engine in ("numba", "python"))  # type: ignore[arg-type]
        for one, other in zip(found, plain, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_errors_are_those_of_python() -> None:
    args = arguments(BLOCK)
    for engine in ("numba", "python"):
        with pytest.raises(IndexError):
            adxform.grad(mixture, engine=engine)(args[0], args[1][:, :-1], args[2])  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="zero-size"):
            adxform.grad(mixture, engine=engine)(args[0], args[1][:0], args[2])  # type: ignore[arg-type]


PROGRAM = """
def f(x: f64[x.0, 3], w: f64[w.0], k: i64[x.0], n: int, s: f64):
    d: int = intrinsics.dim(w, 0)
    a: f64[x.0, 3] = np.zeros((n, 3))
    b: f64[w.0] = np.zeros(d)
    c: f64[?0, w.0] = np.empty((n, d))
    own: f64[w.0] = np.empty(d)
    same: i64[w.0] = np.zeros(d, dtype=np.int64)
    q.9: f64 = for i: int in range(0, n, 1) with q: f64 = s:
BODY
        q.8: f64 = runtime.add_up(q, FINAL)
        yield q.8
LATER
    return a, b, same, q.9
"""
LATER = """\
    for j: int in range(0, n, 1):
        for m: int in range(0, d, 1):
            v: f64 = operator.getitem(c, (j, m))
            intrinsics.accumulate(b, m, v)"""


UNEVEN = """\
        for t: int in range(0, d, 1):
            for y: int in range(0, t, 1):
                intrinsics.accumulate(b, y, VALUE)"""


def program(lines: list[str], final: str, later: str = "") -> Function:
    fn = read(PROGRAM.replace("BODY", "\n".join(lines)).replace("FINAL", final).replace("LATER\n", later))
    verify(fn)
    return fn


class Random:
    """Lines of a random pass. `numbers`: names of numbers, by the block that they are of."""

    def __init__(self, seed: int) -> None:
        self.later = f"{LATER}\n" if seed % 2 else ""
        self.chance = random.Random(seed)
        self.count = 0
        self.short: set[str] = set()
        """The items that are columns of what has three."""

    def name(self) -> str:
        self.count += 1
        return f"u{self.count}"

    def load(self, items: list[str]) -> str:
        item = self.chance.choice(items)
        column = self.chance.choice([0, 2, *(item for item in items if item in self.short)])
        looked_up = self.chance.choice(["w, place", "x, (i, place)", "c, (i, place)"])
        place = self.chance.choice([f"w, {item}", looked_up, f"x, (i, {column})", f"own, {item}", f"c, (i, {item})"])
        return f"{(name := self.name())}: f64 = operator.getitem({place})|{name}"

    def lines(self, depth: int, items: list[str], numbers: list[str], pad: str) -> list[str]:
        """Loops in loops, some uneven, that carry numbers, between loads, work and stores."""
        found: list[str] = []
        numbers = list(numbers)
        for _ in range(self.chance.randint(2, 4)):
            match self.chance.choice(["load", "work", "work", "store", "loop", "branch"]):
                case "load" if items:
                    line, name = self.load(items).split("|")
                    found.append(pad + line)
                    numbers.append(name)
                case "work":
                    name, fn = self.name(), self.chance.choice(["operator.add", "operator.mul", "operator.sub"])
                    found.append(f"{pad}{name}: f64 = {fn}({self.chance.choice(numbers)}, {self.chance.choice(numbers)})")
                    numbers.append(name)
                case "store" if items:
                    item, value = self.chance.choice(items), self.chance.choice(numbers)
                    add = self.chance.choice(["intrinsics.accumulate", "intrinsics.deduct"])
                    store = self.chance.choice([add, "operator.setitem"])
                    found.append(pad + self.chance.choice([
                        f"{add}(b, {item}, {value})", f"{store}(a, (i, 1), {value})", f"{store}(own, {item}, {value})",
                        f"{store}(c, (i, {item}), {value})", f"{add}(b, place, {value})", f"{store}(c, (i, place), {value})",
                        f"operator.setitem(same, {item}, {item})",
                    ]))  # fmt: skip
                case "branch":
                    test, name = self.name(), self.name()
                    one, other, third = (self.chance.choice(numbers) for _ in range(3))
                    found.append(f"{pad}{test}: bool = operator.lt({one}, {other})")
                    found += [f"{pad}{name}: f64 = if {test}:", f"{pad}    yield {third}", f"{pad}else:", f"{pad}    yield {one}"]
                    numbers.append(name)
                case "loop" if depth:
                    found += self.loop(depth, items, numbers, pad)
        return found if found else [f"{pad}{self.name()}: f64 = operator.neg(s)"]

    def loop(self, depth: int, items: list[str], numbers: list[str], pad: str) -> list[str]:
        item, out, other, a, b = (self.name() for _ in range(5))
        stop = self.chance.choice([*items, "d", "3"])
        if stop == "3":
            self.short.add(item)
        inside = [*numbers, a, b]
        body = self.lines(depth - 1, [*items, item], inside, pad + "    ")
        made = [line.split(":")[0].strip() for line in body if line.startswith(f"{pad}    u") and ": f64 =" in line]
        result, second = self.chance.choice([*made, a, b, numbers[-1]]), self.chance.choice([*made, a, b])
        inits = self.chance.choice(numbers), self.chance.choice(numbers)
        carried = f"{a}: f64 = {inits[0]}, {b}: f64 = {inits[1]}"
        head = f"{pad}{out}: f64, {other}: f64 = for {item}: int in range(0, {stop}, 1) with {carried}:"
        numbers += [out, other]
        return [head, *body, f"{pad}    yield {result}, {second}"]

    def program(self) -> Function:
        filled = ["for o: int in range(0, d, 1):", "    z: f64 = operator.getitem(w, o)", "    operator.setitem(own, o, z)",
                  "    operator.setitem(c, (i, o), z)"]  # fmt: skip
        start = ["l: f64 = operator.getitem(x, (i, 1))", "e: int = operator.mul(i, 2)", "g: f64 = operator.mul(e, 0.1)",
                 "found: i64 = operator.getitem(k, i)", "place: i64 = operator.add(found, 1)"]  # fmt: skip
        numbers = ["s", "l", "g"]
        body = ["        " + line for line in (*start, *filled)]
        for _ in range(2):
            body += self.loop(2, [], numbers, "        ")
        return program([*body, UNEVEN.replace("VALUE", numbers[-1])], numbers[-1], self.later)


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed: int) -> None:
    fn = Random(seed).program()
    verify(fn)
    changed = expand_scalars(fn)
    assert changed is not fn
    verify(changed)
    assert read(show(changed)) == changed
    for n in (0, 1, 2, BLOCK + 2):
        numbers = np.random.default_rng(n)
        args = numbers.uniform(-1.0, 1.0, (n, 3)), numbers.uniform(-1.0, 1.0, 4), numbers.integers(0, 2, n), n, 0.7
        with np.errstate(all="ignore"):
            given, wanted = interpret(changed, *args), interpret(fn, *args)
        for found, expected in zip(given, wanted, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


STAYS = {
    "reads what another pass stores": "v.1: f64 = operator.getitem(a, (0, 1))\n        operator.setitem(a, (i, 1), v.1)",
    "reads a sum": "v.1: f64 = operator.getitem(b, 1)\n        intrinsics.accumulate(b, 1, v.1)",
    "stores what differs in one place": "operator.setitem(b, 1, l)",
    "stores into what the caller has": "intrinsics.accumulate(w, 1, l)",
    "fills a part": "v.1: f64 = operator.getitem(same, 1)\n        operator.setitem(same, 1, 3)",
    "a length that differs": "for v.1: int in range(0, i, 1):\n            intrinsics.accumulate(b, 1, 1.0)",
    "what is looked at was not filled": "v.1: f64 = operator.getitem(a, (i, 1))\n        operator.setitem(a, (0, 1), v.1)",
    "makes an array": "v.1: f64[3] = np.zeros(3)",
    "an order of its own": "v.1: f64 = operator.mul(q, 2.0)\n        intrinsics.accumulate(b, 1, v.1)",
}


@pytest.mark.parametrize("lines", STAYS.values(), ids=STAYS)
def test_what_stays_as_it_is(lines: str) -> None:
    start, uneven = "        l: f64 = operator.getitem(x, (i, 1))", UNEVEN.replace("VALUE", "l")
    fn = program([start, uneven], "l")
    assert expand_scalars(fn) is not fn
    fn = program([start, f"        {lines}", uneven], "l")
    assert expand_scalars(fn) is fn
