"""Drops values that control flow carries for nobody, and those that it carries unchanged."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from adxform.ir.ops import Block, For, Function, If, Lit, Op, Operand, Pack, Var, While
from adxform.ir.types import BOOL, FLOAT, INT, Object, Scalar, Type
from adxform.ir.walk import changed, mapped, reads, rename_block, substitute, variables_of

_T = TypeVar("_T")
CONTROL = frozenset({If, For, While})
_LITERALS: dict[type, Type] = {float: FLOAT, int: INT, bool: BOOL}


def prune(fn: Function) -> Function:
    """Drop outs of `If`, `For` and `While` that nobody reads; replace those that never change by what they are.

    A carried value is dropped when it is read only to carry itself. One that every iteration hands on as it was is its
    initial value; an `If` out that is the same on both sides is that value. An `If` that does nothing disappears.

    Before::

        def f(n):
            for i, a.1, k.1 in n carrying 0, 1:
                b = add(a.1, i)
                yield b, k.1
            return k                              # the out of k.1

    After: ``for i in n: b = add(a.1, i)`` carries nothing, ``a.1`` is gone with its use, and ``return 1``.
    """
    body = fn.body
    if any(isinstance(op, If | For | While) for op in body.ops):
        body = _drop(body)
        while same := _unchanged(body):
            body = _drop(rename_block(body, same))
    helpers = mapped(fn.helpers, prune)
    return fn if body is fn.body and helpers is fn.helpers else replace(fn, body=body, helpers=helpers)


def _drop(body: Block) -> Block:
    """Without the outs and carried values that no op reads, however indirectly."""
    feeds: dict[str, list[Operand]] = {}
    wanted = list(variables_of(body.results))
    _collect(body, feeds, wanted)
    live: set[str] = set()
    while wanted:
        name = wanted.pop().name
        if name not in live:
            live.add(name)
            if name in feeds:
                wanted += variables_of(feeds[name])
    return _keep(body, live)


def _collect(block: Block, feeds: dict[str, list[Operand]], wanted: list[Var]) -> bool:
    """Gather what keeps what alive: `feeds` for values that control flow carries, `wanted` for what ops read.

    Returns whether `block` holds an op that stays whatever its outs are for.
    """
    stays = False
    for op in block.ops:
        match op:
            case If(outs=outs, cond=cond, then=then, orelse=orelse):
                for out, left, right in zip(outs, then.results, orelse.results, strict=True):
                    feeds[out.name] = [cond, left, right]
                sides = [_collect(side, feeds, wanted) for side in (then, orelse)]
                if any(sides):
                    wanted += variables_of((cond,))
                    stays = True
            case For(outs=outs, source=source, inits=inits, body=body, breaks=breaks):
                wanted += variables_of(source)
                wanted += variables_of(body.results[:breaks])
                carried = body.params[len(body.params) - len(inits) :]
                for out, param, init, result in zip(outs, carried, inits, body.results[breaks:], strict=True):
                    feeds[out.name] = [init, result, param]
                    feeds[param.name] = [init, result, out]
                _collect(body, feeds, wanted)
                stays = True
            case While(outs=outs, inits=inits, test=test, body=body):
                wanted += variables_of(test.results)
                for out, seen, param, init, result in zip(outs, test.params, body.params, inits, body.results, strict=True):
                    feeds[out.name] = feeds[seen.name] = feeds[param.name] = [init, result, out, seen, param]
                _collect(test, feeds, wanted)
                _collect(body, feeds, wanted)
                stays = True
            case _:
                wanted += reads(op)
                stays = True
    return stays


def _keep(block: Block, live: set[str]) -> Block:
    """`block` with what is `live` of what control flow carries; itself where that is all."""
    ops: list[Op] = []
    for op in block.ops:
        match op:
            case If(outs=outs, then=then, orelse=orelse):
                kept = [k for k, out in enumerate(outs) if out.name in live]
                then, orelse = _results(_keep(then, live), kept), _results(_keep(orelse, live), kept)
                if kept or then.ops or orelse.ops:
                    ops.append(changed(op, outs=_pick(outs, kept), then=then, orelse=orelse))
            case For(outs=outs, inits=inits, body=body, breaks=breaks):
                kept = [k for k, out in enumerate(outs) if out.name in live]
                items = len(body.params) - len(inits)
                body = _carrying(_keep(body, live), kept, items, int(breaks))
                ops.append(changed(op, outs=_pick(outs, kept), inits=_pick(inits, kept), body=body))
            case While(outs=outs, inits=inits, test=test, body=body):
                kept = [k for k, out in enumerate(outs) if out.name in live]
                test = _carrying(_keep(test, live), kept, 0, len(test.results))
                body = _carrying(_keep(body, live), kept)
                ops.append(changed(op, outs=_pick(outs, kept), inits=_pick(inits, kept), test=test, body=body))
            case _:
                ops.append(op)
    same = len(ops) == len(block.ops) and all(map(operator.is_, ops, block.ops))
    return block if same else Block(block.params, tuple(ops), block.results)


def _carrying(block: Block, kept: list[int], params: int = 0, results: int = 0) -> Block:
    """A block of a loop with those at the places `kept` of what it carries, after so many `params` and `results` of its own."""
    if len(kept) == len(block.params) - params:
        return block
    yielded = block.results[results:]
    own = (*block.params[:params], *_pick(block.params[params:], kept))
    return Block(own, block.ops, (*block.results[:results], *(_pick(yielded, kept) if yielded else ())))


def _pick(items: tuple[_T, ...], kept: list[int]) -> tuple[_T, ...]:
    return items if len(kept) == len(items) else tuple(items[k] for k in kept)


def _results(block: Block, kept: list[int]) -> Block:
    results = _pick(block.results, kept)
    return block if results is block.results else Block(block.params, block.ops, results)


def _unchanged(body: Block) -> dict[Var, Operand]:
    """The outs and carried values that are always another operand, with that operand."""
    same: dict[Var, Operand] = {}
    _compare(body, same)
    return {var: _chase(operand, same) for var, operand in same.items()}


def _chase(operand: Operand, same: dict[Var, Operand]) -> Operand:
    while (after := substitute(operand, same)) != operand:
        operand = after
    return operand


def _compare(block: Block, same: dict[Var, Operand]) -> None:
    for op in block.ops:
        match op:
            case If(outs=outs, then=then, orelse=orelse):
                _compare(then, same)
                _compare(orelse, same)
                slots = [((out,), left, right) for out, left, right in zip(outs, then.results, orelse.results, strict=True)]
                _compare_slots(slots, same)
            case For(outs=outs, inits=inits, body=body, breaks=breaks):
                _compare(body, same)
                carried = zip(outs, body.params[len(body.params) - len(inits) :], strict=True)
                _compare_slots(list(zip(carried, inits, body.results[breaks:], strict=True)), same)
            case While(outs=outs, inits=inits, test=test, body=body):
                _compare(test, same)
                _compare(body, same)
                carried_by = zip(outs, test.params, body.params, strict=True)
                _compare_slots(list(zip(carried_by, inits, body.results, strict=True)), same)
            case _:
                pass


def _compare_slots(slots: Sequence[tuple[tuple[Var, ...], Operand, Operand]], same: dict[Var, Operand]) -> None:
    """Find the slots whose two values agree (a loop's second may be the slot itself), and slots that agree with each other."""
    first: dict[tuple[Operand, Operand, Type], tuple[Var, ...]] = {}
    for names, left, right in slots:
        left, right = _chase(left, same), _chase(right, same)
        if (left == right or right in names) and _fits(names[0].type, left):
            same.update(dict.fromkeys(names, left))
        else:
            twin = first.setdefault((left, right, names[0].type), names)
            if twin is not names:
                same.update(zip(names, twin, strict=True))


def _fits(type_: Type, operand: Operand) -> bool:
    """Whether a variable of `type_` may be replaced by `operand`."""
    match operand:
        case Var():
            return operand.type == type_
        case Lit(value=value):
            return type_ in (Object(), _LITERALS.get(type(value))) or (type_ == Scalar("float64") and type(value) is float)
        case Pack(kind=kind):
            return type_ == Object() and kind in ("tuple", "slice")
        case _:
            assert_never(operand)
