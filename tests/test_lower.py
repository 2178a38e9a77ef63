"""Lowering: what the untyped SSA computes is what Python computes, and what it refuses is located."""

# The programs are written as people write them.
# ruff: noqa: B007, B015, B905, C416, RET503, RET504
from __future__ import annotations

import copy
import inspect
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.frontend.lowering.lower import lower
from adxform.ir.ops import For, Free, If
from adxform.ir.prune import prune
from adxform.ir.text import read, show
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops, defined_variables
from tests.interpret import interpret_call

SCALE = 3


def early_return(x, n):
    for i in range(n):
        if x < i:
            return i
        if x == 3:
            continue
        x += 1
        if x > 7:
            break
    else:
        x = 5
    return x


def countdown(x, n):
    while True:
        if x < n:
            return x
        x -= 1


def nested_return(x, n):
    for i in range(n):
        for j in range(i):
            if i * j == x:
                return (i, j)
            if j > x:
                break
        else:
            x -= 1
        if x < 0:
            return "below"
    return None


def partial_return(x, n):
    if x > n:
        if x > 2 * n:
            return 1
        y = 2
    elif x == n:
        y = 3
    else:
        if n == 4:
            return 4
        y = 5
    z = y + x
    if z == 6:
        return "six"
    return z


def while_else(x, n):
    total = 0
    while x < n:
        x += 1
        if x % 5 == 0:
            break
        if x % 2:
            continue
        total += x
    else:
        total = -total
    return total, x


def late_name(x, n):
    for last in range(n):
        half = last // 2
    return (last, half) if n else x


def unassigned(x, n):
    if x > n:
        y = 1
    return y


def falls_through(x, n):
    for i in range(n):
        if i == x:
            return i


def chained(x, n):
    a = 0 < x <= n != 3
    b = (x and n) or "none"
    c = x not in (1, 2) and n is not None
    d = x if x > n else n if n > 1 else "one"
    return a, b, c, d


def side_effects(x, n):
    seen = []

    def note(v):
        seen.append(v)
        return v

    note(1) < note(x) < note(n)
    (note(0) and note(7)) or note(8)
    return seen


def augmented(x, n):
    a = np.arange(6.0)
    a[1] += x
    a[2:4] *= n
    a[-1] -= 1
    b = a
    b += 1
    m = np.zeros((2, 3))
    m[0, ...] = x
    m[:, 1] **= 2
    m[None, 1][0] += n
    x //= 2
    x <<= 1
    return a, b, m, x


def closures(x, n):
    def outer(y, k=n):
        def inner(z):
            return x * y + z * k

        return inner

    twice = lambda f, v=x: f(v) + f(n)
    return twice(outer(2)), outer(1, k=3)(4)


def recursion(x, n):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    return fact(n) + x


def unpacking(x, n):
    a, (b, c) = x, (n, x + n)
    a, b = b, a
    (d, e), f = [np.array([a, b]), c]
    g = h = a + 1
    for i, (j, k) in enumerate(zip((1, 2), (3, 4))):
        g += i * j * k
    return a, b, c, d, e, f, g, h


def splats(x, n):
    def collect(*args, **kwargs):
        return args, kwargs

    xs = (x, n)
    more = {"p": 1}
    return collect(*xs, 5, *xs, q=2, **more), (*xs, 0), {**more, "z": x}, [1, *xs], {x, n}


def parameters(x, n, /, y=2, *rest, scale=SCALE, **named):
    return x, n, y, rest, scale, named


def formatted(x, n):
    w = 8
    return f"{x:>{w}} and {n!r:4}{x + n}" + "" + "plain"


def comprehensions(x, n):
    squares = [k * k for k in range(n)]
    odd = {k for k in range(n) if k % 2 if k > x}
    pairs = {k: v for k, v in zip("abc", squares)}
    k = "kept"
    return squares, odd, pairs, sum(v for v in squares), [k for _ in range(2)], k


def loops_in_comprehensions(x, n):
    table = [[i * j for j in range(i) if j != x] for i in range(n)]
    flat = [v + i for i, row in enumerate(table) if i > 1 for v in row if v]
    same = lambda: [x for x in (x, n)]
    hint = sum(v * i for i, row in enumerate(table) for v in row if v > x if v < n) + sum([]) + sum(v for v in flat)
    return hint, flat, same(), {(i, j) for i in range(2) for j in range(i)}, any(v > x for row in table for v in row)


def lists(x, n):
    p, q = [[x], [n]]
    p.append(n)
    q = p
    q.append(5)
    a = [x, p]
    b = a
    a.append(n)
    c = {"a": a}
    c["b"] = b[0]
    del c["a"][0]
    return a, b, c, a is b


def imports(x, n):
    import math as m
    import os.path
    from math import floor
    from math import sqrt as root

    return m.pi, os.path.sep, floor(x + 0.5), root(n)


def asserts(x, n):
    assert x < n, f"{x} not below {n}"
    if x < 0:
        raise ValueError("negative")
    return n - x


def deletes(x, n):
    y = x
    del y
    y = n
    return y


def walrus(x, n):
    if (m := x + n) > 3:
        m *= 2
    while (m := m - 1) > x:
        n += m
    return m, n


def globals_read(x, n):
    global SCALE
    return SCALE * x + len("abc")


def dead_ends(x, n):
    if x > n:
        y = 1
        raise KeyError(x)
    if x == n:
        return "same"
        x = 5
    y = 2
    while True:
        y += 1
        if y > n:
            break
    return y


def loop_flags(x, n):
    found = None
    for i in range(n):
        if i == x:
            found = i
            break
    keep_going = x and n
    for a in range(3):
        for b in range(3):
            if a * b == x:
                break
        else:
            continue
        break
    return found, keep_going, a, b


def in_pass_closures(x, n):
    total = 0
    for i in range(n):
        shift = i * 2
        step = lambda v: v + shift
        total += step(x) + max([1, 2], key=lambda v: v * shift)
    return total


def swap_loop(x, n):
    a, b = x, n
    for _ in range(3):
        a, b = b, a + b
    t = (a, b)
    u, v = t
    return u - v


def decorated_inside(x, n):
    def double(f):
        return lambda *a: 2 * f(*a)

    @double
    @double
    def add(a, b):
        return a + b

    return add(x, n)


def attributes(x, n):
    class_ = type("Box", (), {})
    box = class_()
    box.v = x
    box.v += n
    a = np.eye(2)
    a.T[0, 1] = box.v
    return box.v, a.shape, a.T.sum(axis=0)


def while_return_in_else(x, n):
    while x > 0:
        x -= 2
        if x == n:
            break
    else:
        return "emptied"
    for i in range(x):
        pass
    else:
        return x, "done"


def mixed_exits(x, n):
    out = []
    for i in range(n):
        if i % 2:
            if i == x:
                continue
            out.append(i)
        if i > x:
            if i == 5:
                return out, "five"
            if i == 6:
                break
            out.append(-i)
        for j in range(2):
            if j == x:
                continue
            if i == 4 and j:
                return "inner"
        out.append(j)
    return out


PROGRAMS = [
    early_return,
    countdown,
    nested_return,
    partial_return,
    while_else,
    late_name,
    unassigned,
    falls_through,
    chained,
    side_effects,
    augmented,
    closures,
    recursion,
    unpacking,
    splats,
    parameters,
    formatted,
    comprehensions,
    lists,
    loops_in_comprehensions,
    imports,
    asserts,
    deletes,
    walrus,
    globals_read,
    dead_ends,
    loop_flags,
    in_pass_closures,
    swap_loop,
    decorated_inside,
    attributes,
    while_return_in_else,
    mixed_exits,
    lambda x, n: [x, n][x > n],
    lambda x, n: (lambda y: y * x)(n),
]


def outcome(call: Callable[[], Any]) -> str:
    """What a call comes to: its value, or the class of what it raises."""
    try:
        return repr(call())
    except Exception as error:
        undefined = type(error).__name__ in ("UnboundLocalError", "UndefinedReadError")
        return "undefined" if undefined else type(error).__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda fn: fn.__name__)
def test_the_ir_computes_what_python_computes(program: Callable[..., Any]) -> None:
    fn = lower(program)
    verify(fn, typed=False)
    assert prune(fn) == fn
    for x in (-1, 0, 1, 2, 3, 5):
        for n in (0, 1, 2, 4, 8):
            expected = outcome(lambda x=x, n=n: program(copy.copy(x), n))
            actual = outcome(lambda x=x, n=n: interpret_call(fn, program, copy.copy(x), n))
            assert actual == expected or "Box" in expected, (x, n, show(fn))


def test_keyword_arguments_and_rests_bind() -> None:
    fn = lower(parameters)
    assert fn.kinds == tuple(p.kind.name for p in inspect.signature(parameters).parameters.values())


def test_a_free_name_is_read_once_where_it_is_used() -> None:
    names = [op.name for op in all_ops(lower(asserts).body) if isinstance(op, Free)]
    assert names == ["ValueError"]


def test_carried_values_that_nobody_reads_are_pruned() -> None:
    def program(x, n):
        u, v = x, n
        for i in range(n):
            t = i + 1
            u, v = v, u
        return t

    (loop,) = (op for op in lower(program).body.ops if isinstance(op, For))
    assert [var.base for var in loop.outs] == ["t", "t_is_defined"]


def test_a_branch_that_returns_takes_the_rest_into_the_other() -> None:
    def program(x):
        if x > 0:
            return x
        y = x * 2
        return y

    ops = lower(program).body.ops
    assert [type(op).__name__ for op in ops] == ["Call", "If"]
    assert isinstance(ops[-1], If)
    assert [var.base for var in ops[-1].outs] == ["result"]


def test_prune_works_on_typed_ir() -> None:
    fn = read("""
def f(x: f64, n: int):
    k: f64, a: f64, twin: f64, lost: f64, dead: f64 = for i: int in range(0, n, 1) with k.1: f64 = x, a.1: f64 = x, \
twin.1: f64 = x, lost.1: f64 = 1.0, dead.1: f64 = x:
        t: f64 = operator.mul(a.1, k.1)
        yield k.1, t, t, dead.1, lost.1
    c: bool = operator.gt(a, 0.0)
    same: f64, e: f64, unused: f64 = if c:
        s: f64 = operator.mul(twin, k)
        yield x, s, x
    else:
        yield x, twin, a
    r: f64 = operator.add(same, e)
    return r
""")
    pruned = prune(fn)
    verify(pruned)
    left = {var.base for var in defined_variables(pruned.body)}
    assert left == {"x", "n", "a", "i", "t", "c", "e", "s", "r"}


class Account:
    __rate = 2.0

    def worth(self, x):
        held = self.__rate * x

        def add(y):
            return held + y * self.__rate

        return add(x)


def test_private_names_of_a_class_are_mangled() -> None:
    account = Account()
    fn = lower(account.worth)
    assert interpret_call(fn, account.worth, 3.0) == account.worth(3.0)


def test_spans_count_characters() -> None:
    def program(x):
        é = "é"; return é + x  # fmt: skip  # noqa: E702

    (op,) = lower(program).body.ops
    line = inspect.getsource(program).splitlines()[1]
    assert line[op.span.column : op.span.end_column] == "é + x"


LONG = {
    "statements": "".join(f"    y{i} = x * {i}\n    x = y{i} % 97\n" for i in range(1000)),
    "returns": "".join(f"    if x == {i}:\n        return {2 * i}\n" for i in range(400)),
    "arms": "    if x < 0:\n        x = 1\n" + "".join(f"    elif x == {i}:\n        return {2 * i}\n" for i in range(120)),
    "breaks": "    for j in range(3):\n"
    + "".join(f"        if x == {i}:\n            break\n        x += {i}\n" for i in range(200)),
}


@pytest.mark.parametrize("shape", LONG)
def test_long_functions_need_no_deep_stack(shape: str) -> None:
    text = "def program(x):\n" + LONG[shape] + "    return x\n"
    file = f"<long {shape}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    fn = lower(scope["program"])
    verify(fn, typed=False)
    for x in (-1, 0, 3, 57, 119, 350, 5000):
        assert interpret_call(fn, scope["program"], x) == scope["program"](x)
