"""Whatever prints reads back: `read(show(fn)) == fn`."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest

from adxform.ir import intrinsics
from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Operand,
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.text import read, show
from adxform.ir.types import BOOL, FLOAT, INT, Array, Dim, Scalar, Stack, Type

TYPED = """
def f(x: f64[x.0, ?3-1, 1], n: int, c: bool, s: f32):
    acc: f64[x.0] = np.sum(x, axis=lit((1, 2)))
    tape: stack = intrinsics.new_stack()
    t: float, u = for i: int in range(0, n, 1) breaks keeps 3 with t.1: float = 0.0, u.1 = <undefined>:
        row: f64[?3-1, 1] = operator.getitem(x, (i, ...))
        intrinsics.accumulate(row, (slice(None, -1, None), 0), 1.5e-07)
        intrinsics.push(tape, (row, i))
        t.2: float = if c:
            a: b8 = operator.lt(t.1, s)
            yield t.1
        else:
            raise 'no'
            yield -math.inf
        yield True, t.2, [t.2, {'a': i}]
    k: int = while keeps 1000 bytes with k.1: int = 3:
        m: bool = operator.gt(k.1, n)
        yield m
    do with k.2: int:
        k.3: int, w: weak f32 = invoke g(k.2, s)
        yield k.3
    if c:
        pass
    else:
        np.add.at(acc, [1, 1], np.float32(2.0))
    return acc, t, (k,), None


def g(k: int, s: f32):
    j: int = operator.add(k, 1)
    return j, s
    def '<lambda>'():
        return
"""

UNTYPED = """
def h(a, args) by (POSITIONAL_OR_KEYWORD, VAR_POSITIONAL):
    np = free np
    g = closure of (h=a, g=np) defaults (k=lit([1, 2])):
        def g(h, g, k) by (POSITIONAL_OR_KEYWORD, POSITIONAL_OR_KEYWORD, KEYWORD_ONLY):
            slice = attribute sin of h
            t = slice(k, key=k)
            return t
    x.1 = for item in args with x = a:
        t = g(item, x)
        yield t
    c = operator.not_(x.1)
    if c:
        t.1 = builtins.print(x.1, complex(0.0, math.nan), b'y', np.dtype('<f4'))
    return x.1
"""


@pytest.mark.parametrize("text", [TYPED, UNTYPED])
def test_text_reads_and_prints_back_the_same(text: str) -> None:
    fn = read(text)
    assert show(fn) == "\n".join(line for line in text.strip().splitlines())
    assert read(show(fn)) == fn


VALUES: list[Any] = [
    0,
    1,
    True,
    False,
    1.0,
    -1.5,
    1e300,
    1e-300,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    1j,
    complex(-0.0, math.inf),
    None,
    ...,
    "a'\n\"b",
    b"\x00",
    (1, (2.0, "x"), ()),
    [1, [True]],
    {"a": (1,)},
    slice(None, 2, None),
    np.float32(0.1),
    np.float64(1.5),
    np.int8(-3),
    np.bool(True),
    np.complex64(1j),
    np.float32,
    np.dtype("float32"),
    np.dtype(">i2"),
    np.sin,
    np.add.at,
    np.linalg.solve,
    np.ndarray.sum,
    np.ndarray,
    operator.getitem,
    operator.not_,
    math.log1p,
    math.hypot,
    abs,
    len,
    print,
    ValueError,
    float,
    int,
    bool,
    intrinsics.push,
    np.bool,
    np.maximum.reduce,
    str.join,
    np.random.default_rng,
    (np.float32, None),
]


@pytest.mark.parametrize("value", VALUES)
def test_literals_read_back(value: Any) -> None:
    fn = Function("f", Block((), (), (Lit(value),)))
    assert read(show(fn)) == fn
    assert type(read(show(fn)).results[0].value) is type(value)  # type: ignore[union-attr]


TYPES: list[Type] = [
    FLOAT,
    INT,
    BOOL,
    Scalar("complex128", weak=True),
    Scalar("float32", weak=True),
    Stack(),
    *(
        Scalar(name)
        for name in ("float64", "float32", "float16", "int64", "uint8", "bool", "complex64", "longdouble", "datetime64[D]")
    ),
    Array("float64", None),
    Array("bool", ()),
    Array("<U3", (3,)),
    Array("float32", (Dim("x.0", -2), Dim("?12"), Dim("?12", 3), 1, 0)),
    Array("float64", (Dim("p.mean.0"), Dim("xs[0].1", -1), Dim("d['k-1'].0"), Dim("a-1"))),
]


@pytest.mark.parametrize("type_", TYPES)
def test_types_read_back(type_: Type) -> None:
    x = Var("x.12", type_)
    fn = Function("f", Block((x,), (Call((Var("y", type_),), Lit(abs), (x,)),), (x,)))
    assert read(show(fn)) == fn


def test_packs_and_literals_stay_apart() -> None:
    operands: tuple[Operand, ...] = (
        Pack("tuple", (Lit(1), Lit(2))),
        Lit((1, 2)),
        Pack("list", ()),
        Lit([]),
        Pack("slice", (Lit(1), Lit(None), Lit(None))),
        Lit(slice(1, None, None)),
        Pack("dict", (Lit("a"), Lit(1))),
        Lit({"a": 1}),
        Lit("<undefined>"),
        UNDEFINED,
    )
    fn = Function("f", Block((), (), operands))
    assert read(show(fn)) == fn


def test_a_block_that_yields_nothing_and_empty_loops() -> None:
    i, c = Var("i", INT), Var("c", BOOL)
    empty = Block((), (), ())
    ops = (
        For((), (Lit(0), Lit(3), Lit(1)), (), Block((i,), (), ())),
        If((), c, Block((), (Raise(Lit(ValueError)),), ()), empty),
        While((), (), Block((), (), (c,)), Block((), (), ())),
        Invoke((), "f", (c,)),
    )
    fn = Function("f", Block((c,), ops, ()))
    assert read(show(fn)) == fn


def test_nested_functions_have_their_own_names() -> None:
    x = Var("x")
    inner = Function(
        "<lambda>", Block((x,), (Free(Var("y"), "y"), Attribute(Var("z"), x, "T")), (Var("z"),)), ("POSITIONAL_ONLY",)
    )
    fn = Function("f", Block((x,), (Closure(Var("y"), inner, (("a", x),), ()),), (Var("y"),)))
    assert read(show(fn)) == fn


def test_what_text_cannot_hold_is_shown_and_refused() -> None:
    fn = Function("f", Block((), (Call((), Lit(lambda: None), ()),), ()))
    assert "<lambda>()" in show(fn)
    with pytest.raises(SyntaxError, match="<lambda> stands for a value") as caught:
        read(show(fn))
    assert caught.value.lineno == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("def f(x):\n    return y", 2, "y is not defined here"),
        ("def f(x: q7):\n    return x", 1, "unknown type q7"),
        ("def f(x):\n    y = np.no_such_thing(x)\n    return y", 2, "nothing is called np.no_such_thing"),
        ("def f(x):\n    y = np.sin(x) 3\n    return y", 2, "unexpected text"),
        ("def f(x):\n    if x:\n    return x", 3, "expected an indented block"),
        ("", 0, "expected def"),
    ],
)
def test_errors_name_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SyntaxError, match=message) as caught:
        read(text)
    assert caught.value.lineno == line
