"""Loops that no compiler runs in vectors, for an iteration waits for a number that the one before it computes."""

from __future__ import annotations

from collections.abc import Collection

from adxform import runtime
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, If, Operand, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import blocks, operands, outs, variables_of

GATHERED = frozenset({runtime.add_up, runtime.larger, runtime.smaller})
"""What takes a number in from each iteration, in any order."""


def is_recurrence(loop: For | While) -> bool:
    """Whether the iterations of `loop` come one by one: it may break off, or computes a float from what the last one made of it.

    Sums in any order, and extremes, do not count.

    >>> from adxform.ir.text import read
    >>> fn = read('''
    ... def f(x: f64[x.0], n: int):
    ...     s: f64, y: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0, y.1: f64 = 1.0:
    ...         y.2: f64 = np.sin(y.1)
    ...         u: f64 = runtime.add_up(t, y.2)
    ...         yield u, y.2
    ...     s.1: f64 = for i.1: int in range(0, n, 1) with t.1: f64 = 0.0:
    ...         v: f64 = operator.getitem(x, i.1)
    ...         u.1: f64 = runtime.add_up(t.1, v)
    ...         yield u.1
    ...     return s, s.1''')
    >>> [is_recurrence(op) for op in fn.body.ops]
    [True, False]
    """
    if isinstance(loop, While) or loop.breaks:
        return True
    params = loop.body.params[1:]
    return any(_follows_itself(place, loop.body) for place, param in enumerate(params) if _is_float(param))


def _follows_itself(place: int, body: Block) -> bool:
    """Whether the carried number at `place` is computed from what it was some iterations ago."""
    given, made = {body.params[1 + place].name}, set[str]()
    size = 0
    while size < len(given) + len(made):
        size = len(given) + len(made)
        _follow(body, given, made)
        for param, result in zip(body.params[1:], body.results, strict=True):
            for names in (given, made):
                if _any((result,), names):
                    names.add(param.name)
        if _any((body.results[place],), made):
            return True
    return False


def _follow(block: Block, given: set[str], made: set[str]) -> None:
    """Add to `made` what `block` computes from the numbers in `given` and `made`, and to `given` what they are called there."""
    for op in block.ops:
        for inner in blocks(op):
            _follow(inner, given, made)
        match op:
            case Call():
                pairs = [(out, operands(op)) for out in outs(op) if callee(op) not in GATHERED]
                made.update(out.name for out, taken in pairs if _any(taken, given | made))
            case If(cond=cond, then=then, orelse=orelse):
                chosen = _any((cond,), given | made)
                for out, *either in zip(op.outs, then.results, orelse.results, strict=True):
                    if chosen or _any(tuple(either), made):
                        made.add(out.name)
            case For(breaks=False, body=body):
                for out, param, init, result in zip(op.outs, body.params[1:], op.inits, body.results, strict=True):
                    given.update(name.name for name in (param, out) if _any((init,), given))
                    made.update(name.name for name in (param, out) if _any((init, result), made))
            case _:
                if _any((*operands(op), *(var for inner in blocks(op) for var in inner.results)), given | made):
                    made.update(out.name for out in outs(op))


def _is_float(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.dtype in ("float64", "float32")


def _any(given: tuple[Operand, ...], found: Collection[str]) -> bool:
    return any(var.name in found for var in variables_of(given))
