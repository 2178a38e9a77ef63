"""Which numbers are certainly above zero, by more than an underflow: roots of them and divisions by them have finite slopes."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping

import numpy as np

from adxform.ir.ops import Block, Call, Function, If, Lit, Operand, Pack, Var
from adxform.ir.walk import all_ops, blocks
from adxform.primitives.facets import Moves, Reduces, Sign
from adxform.primitives.table import meaning_of, record_of, spelled


def find_signs(fn: Function) -> Mapping[Var, Sign]:
    """The signs of the variables of `fn` of which something is known.

    >>> from adxform.ir.text import read
    >>> signs = find_signs(read('''
    ... def f(x: f64):
    ...     a = operator.mul(x, x)
    ...     b = operator.add(1.0, a)
    ...     return b'''))
    >>> {var.name: sign.name for var, sign in signs.items()}
    {'a': 'NOT_BELOW', 'b': 'ABOVE'}
    """
    found: dict[Var, Sign] = {}
    calls = {op.outs[0]: op for op in all_ops(fn.body) if isinstance(op, Call) and len(op.outs) == 1}
    _follow(fn.body, found, calls)
    return found


def sign_of(operand: Operand, known: Mapping[Var, Sign]) -> Sign:
    """The sign of a variable or a literal."""
    match operand:
        case Var():
            return known.get(operand, Sign.ANY)
        case Lit(bool() | int() | float() as value) if value >= 0:
            return Sign.ABOVE if value > 0 else Sign.NOT_BELOW
        case Pack(_, items) if items:
            return min(sign_of(item, known) for item in items)
        case _:
            return Sign.ANY


def _follow(block: Block, known: dict[Var, Sign], calls: Mapping[Var, Call]) -> None:
    for op in block.ops:
        for inner in blocks(op):
            _follow(inner, known, calls)
        match op:
            case Call((out,), Lit(fn)) if record_of(fn).reduces is Reduces.SUM and _has_a_one(op, calls):
                known[out] = Sign.ABOVE
            case Call((out,), Lit(fn), args) if args:
                sign = _sign_of_call(fn, args, known)
                if sign > Sign.ANY:
                    known[out] = sign
            case If(outs, _, then, orelse):
                for out, *ends in zip(outs, then.results, orelse.results, strict=True):
                    if (sign := min(sign_of(end, known) for end in ends)) > Sign.ANY:
                        known[out] = sign
            case _:
                pass


def _has_a_one(total: Call, calls: Mapping[Var, Call]) -> bool:
    """Whether `total` sums ``exp(x - max(x))``, of which one is ``exp(0)``, over the axis of the maximum."""
    powers = _made(total.args[0], calls)
    shifted = _made(powers.args[0], calls) if powers is not None and powers.fn == Lit(np.exp) else None
    if shifted is None or not (isinstance(shifted.fn, Lit) and spelled(shifted.fn.value) is operator.sub):
        return False
    largest = _made(shifted.args[1], calls)
    while largest is not None and _places_anew(largest):
        largest = _made(largest.args[0], calls)
    if largest is None or not _is_largest(largest) or not _is_same(largest.args[0], shifted.args[0], calls):
        return False
    return _axis(total) in (Lit(None), _axis(largest))


def _is_largest(call: Call) -> bool:
    return isinstance(call.fn, Lit) and record_of(call.fn.value).reduces is Reduces.LARGEST


def _places_anew(call: Call) -> bool:
    """Whether `call` gives the same numbers in another shape, or some of them."""
    if not isinstance(call.fn, Lit):
        return False
    return record_of(call.fn.value).moves in (Moves.RESHAPE, Moves.LENGTHEN) or call.fn.value is operator.getitem


def _is_same(one: Operand, other: Operand, calls: Mapping[Var, Call]) -> bool:
    """Whether two operands are one variable, or the same load twice."""
    first, second = _made(one, calls), _made(other, calls)
    loads = first is not None and second is not None and first.fn == second.fn == Lit(operator.getitem)
    return one == other or (loads and first is not None and second is not None and first.args == second.args)


def _axis(call: Call) -> Operand:
    return call.args[1] if len(call.args) > 1 else dict(call.kwargs).get("axis", Lit(None))


def _made(operand: Operand, calls: Mapping[Var, Call]) -> Call | None:
    return calls.get(operand) if isinstance(operand, Var) else None


def _sign_of_call(fn: Callable[..., object], args: tuple[Operand, ...], known: Mapping[Var, Sign]) -> Sign:
    signs = [sign_of(arg, known) for arg in args]
    record, written = record_of(fn), spelled(fn)
    sign = meaning_of(fn).sign
    if sign is Sign.ABOVE:
        return sign
    if written is operator.add and len(args) == 2:
        return Sign.ANY if min(signs) == Sign.ANY else max(signs)
    if written is operator.mul and len(args) == 2:
        return max(min(signs), Sign.NOT_BELOW if args[0] == args[1] else Sign.ANY)
    if written is operator.truediv and len(args) == 2:
        return min(*signs, Sign.NOT_BELOW)
    if written is operator.pow and len(args) == 2:
        even = isinstance(args[1], Lit) and isinstance(args[1].value, int | float) and args[1].value % 2 == 0
        raised = signs[0] if signs[1] > Sign.ANY else min(signs[0], Sign.NOT_BELOW)
        return max(raised, Sign.NOT_BELOW if even else Sign.ANY)
    if fn in LARGER:
        return max(signs)
    if sign is Sign.NOT_BELOW:
        return max(signs[0], sign)
    return signs[0] if record.keeps_sign else Sign.ANY


LARGER = frozenset({builtins.max, np.maximum})
