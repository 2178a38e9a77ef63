"""An array that is filled where another one is read for the last time takes its memory: fewer arrays, and fewer that are new.

The system hands out large arrays page by page, at their first touch, which takes longer than to fill them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adxform.engine.scratch import makes_room
from adxform.engine.support import STORES
from adxform.ir.ops import Block, Call, For, Function, Op, Operand, Pack, Var
from adxform.ir.types import Array
from adxform.ir.walk import reads_with_blocks, rename_block, variables_of
from adxform.opt.rewriting import callee, each_function
from adxform.rules.alias import Aliases


def take_over_memory(fn: Function) -> Function:
    """`fn` with one array for two of a type, where the later one is first touched after the last touch of the earlier one.

    Or in the same pass of the same loops, at the same place, after it.

    >>> from adxform.ir.text import read, show
    >>> print(show(take_over_memory(read('''
    ... def f(x: f64[x.0], n: int):
    ...     a: f64[x.0] = np.empty(n)
    ...     for i: int in range(0, n, 1):
    ...         operator.setitem(a, i, 1.0)
    ...     b: f64[x.0] = np.empty(n)
    ...     for i.1: int in range(0, n, 1):
    ...         v: f64 = operator.getitem(a, i.1)
    ...         operator.setitem(b, i.1, v)
    ...     return b'''))))
    def f(x: f64[x.0], n: int):
        a: f64[x.0] = np.empty(n)
        for i: int in range(0, n, 1):
            operator.setitem(a, i, 1.0)
        for i.1: int in range(0, n, 1):
            v: f64 = operator.getitem(a, i.1)
            operator.setitem(a, i.1, v)
        return a
    """
    return each_function(fn, lambda part, aliases: _taken_over(part, aliases))


def _taken_over(fn: Function, aliases: Aliases) -> Block:
    body = fn.body
    while (found := next(_successions(body, aliases), None)) is not None:
        earlier, later = found
        ops = tuple([op for op in body.ops if not (makes_room(op) and op.outs == (later,))])
        body = rename_block(replace(body, ops=ops), {later: earlier})
    return body


def _successions(body: Block, aliases: Aliases) -> Iterator[tuple[Var, Var]]:
    """Pairs of arrays made in `body`, of which the second may take the memory of the first."""
    made = [op.outs[0] for op in body.ops if makes_room(op) and _is_alone(op.outs[0], aliases)]
    lives = {array: life for array in made if (life := _life(body.ops, array))}
    ending = set(variables_of(body.results))
    for later in lives:
        first = lives[later][0]
        for earlier in lives:
            if earlier is later or earlier in ending or earlier.type != later.type:
                continue
            last = lives[earlier][1]
            if last < first or (last == first and _goes_after(body.ops[first], earlier, later)):
                yield earlier, later


def _is_alone(array: Var, aliases: Aliases) -> bool:
    """Whether the memory of `array` has this one name, and lengths that are known."""
    class_ = aliases.of(array)
    known = isinstance(array.type, Array) and bool(array.type.shape)
    return known and class_ not in aliases.exposed and [var.name for var in aliases.members(class_)] == [array.name]


def _life(ops: Sequence[Op], array: Var) -> tuple[int, int] | None:
    """The places of the first and the last of `ops` that touches `array`."""
    touching = [place for place, op in enumerate(ops) if array in reads_with_blocks(op)]
    return (touching[0], touching[-1]) if touching else None


def _goes_after(op: Op, earlier: Var, later: Var) -> bool:
    """Whether each pass of the nest `op` touches one place of its own in both arrays, in `later` after that in `earlier`."""
    items: list[Operand] = []
    while isinstance(op, For):
        items.append(op.body.params[0])
        touching = [inner for inner in op.body.ops if not {earlier, later}.isdisjoint(reads_with_blocks(inner))]
        if len(touching) != 1 or not isinstance(touching[0], For):
            break
        op = touching[0]
    else:
        return False
    accesses = [inner for inner in touching if isinstance(inner, Call)]
    if len(accesses) != len(touching) or not all(map(_is_access, accesses)):
        return False
    places = {inner.args[1] for inner in accesses}
    order = [inner.args[0] == later for inner in accesses]
    return len(places) == 1 and set(_items(places.pop())) >= set(items) and order == sorted(order)


def _is_access(op: Call) -> bool:
    """Whether `op` loads one element, or stores it."""
    array = op.args[0]
    if callee(op) not in STORES and callee(op) is not operator.getitem:
        return False
    whole = isinstance(array, Var) and isinstance(array.type, Array) and len(_items(op.args[1])) == len(array.type.shape or ())
    return whole and all(isinstance(item, Var) for item in _items(op.args[1]))


def _items(index: Operand) -> tuple[Operand, ...]:
    return index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
