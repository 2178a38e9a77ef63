"""The verifier names the op that breaks a rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adxform.errors import VerificationError
from adxform.ir.ops import Block, Call, For, Function, If, Invoke, Lit, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.text import read
from adxform.ir.types import BOOL, FLOAT, INT, Array
from adxform.ir.verify import verify
from tests.test_ir_text import TYPED, UNTYPED

X, Y, C = Var("x", FLOAT), Var("y", FLOAT), Var("c", BOOL)
A = Var("a", Array("float64", (2,)))
EMPTY = Block((), (), ())


def test_well_formed_functions_pass() -> None:
    verify(read(TYPED))
    verify(read(UNTYPED), typed=False)


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (Function("f", Block((), (), (X,))), "f: x is not defined before use, in its return"),
        (Function("f", Block((X,), (Call((X,), Lit(abs), (X,)),), ())), "x is defined twice, in `x: float = builtins.abs(x)`"),
        (Function("f", Block((X,), (), (Var("x", INT),))), "x is float, here int"),
        (
            Function("f", Block((C,), (If((), C, Block((), (Call((X,), Lit(abs), (C,)),), ()), EMPTY),), (X,))),
            "x is out of scope",
        ),
        (Function("f", Block((C,), (If((X,), C, EMPTY, EMPTY),), ())), "yields 0 values, not 1, in `x: float = if c:`"),
        (
            Function("f", Block((C,), (For((), (C,), (), Block((X,), (), ())),), ())),
            "1 operands to walk, in `for x: float in c:`",
        ),
        (Function("f", Block((X,), (Call((Y,), X, ()),), ())), "a call of no literal callable"),
        (Function("f", Block((X,), (Invoke((), "g", (X,)),), ())), "no such helper, in `invoke g"),
        (Function("f", Block((X,), (Invoke((), "f", ()),), ())), "f takes 1 arguments"),
        (Function("f", Block((), (), (Pack("slice", (Lit(1),)),))), "is no slice"),
        (Function("f", Block((Var("x y"),), (), ())), "'x y' is no variable name"),
        (
            Function("f", Block((C, A), (If((X,), C, *[Block((), (), (A,))] * 2),), ())),
            "x is a number, a an array",
        ),
    ],
)
def test_broken_rules_are_named(fn: Function, message: str) -> None:
    with pytest.raises(VerificationError) as caught:
        verify(fn)
    assert message in caught.value.message


def test_untyped_ops_are_refused_in_typed_ir() -> None:
    with pytest.raises(VerificationError, match="an op of untyped IR, in `np = free np`"):
        verify(read(UNTYPED))


def test_the_error_has_the_place_of_the_op() -> None:
    span = Span("model.py", 3, 4, 3, 9)
    op = replace(Call((X,), Lit(abs), (Y,)), span=span)
    with pytest.raises(VerificationError) as caught:
        verify(Function("f", Block((), (op,), ())))
    assert caught.value.span == span
