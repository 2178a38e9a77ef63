"""Array expressions, stores into slices and reductions as loops over numbers, fused.

A block is read as units (`reading`: which elements each touches, by `maps`; `lanes`: what is done to one element), the units
share loops where they may (`fusion`), and the loops are written with as little memory between them as they need (`nests`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, For, Function, If, Op, Operand, While
from adxform.ir.types import Size
from adxform.ir.walk import Names, outs, reads, variables_of
from adxform.passes.arrays.array_versions import is_cleared, versioned
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.doubts import Doubts
from adxform.passes.arrays.fusion import depend, fuse
from adxform.passes.arrays.integer_signs import counts_from_zero
from adxform.passes.arrays.nests import NestWriter, storage
from adxform.passes.arrays.reading import Reader
from adxform.passes.arrays.recompute import recomputed
from adxform.passes.arrays.recording import unit_of
from adxform.passes.arrays.small_axes import unrolled
from adxform.passes.arrays.units import Unit
from adxform.passes.scalar.rewriting import each_body
from adxform.primitives.alias import alias_classes

ROUNDS = 3


def _anything(_op: Op) -> bool:
    return True


def form_loops(
    fn: Function, part_of: Function | None = None, takes: Callable[[Op], bool] = _anything, *, fastmath: bool = True
) -> Function:
    """`fn` with what it does to arrays element by element in fused loops over numbers; other calls stay.

    `part_of` is the function whose ops `fn` has a part of, if so: what its parameters are and share is found there.
    A loop holds only ops that `takes` is true of; what would need others stays as it is.
    With `fastmath`, several increases of one array may share a loop, so that an element gets them in another order.
    Sums are taken in the order of the elements, so they differ from NumPy's by rounding; those of ``float32`` in ``float64``.

    >>> from adxform.ir.text import read, show
    >>> print(show(form_loops(read('''
    ... def f(x: f64[x.0], m: f64):
    ...     t: f64[x.0] = operator.sub(x, m)
    ...     e: f64[x.0] = np.exp(t)
    ...     s: f64 = np.sum(e)
    ...     return s'''))))
    def f(x: f64[x.0], m: f64):
        n: int = intrinsics.dim(x, 0)
        s: f64 = for i: int in range(0, n, 1) with s.1: f64 = 0.0:
            tmp: f64 = operator.getitem(x, i)
            t.1: f64 = operator.sub(tmp, m)
            e.1: f64 = np.exp(t.1)
            s.2: f64 = runtime.add_up(s.1, e.1)
            yield s.2
        return s
    """

    known, whole = alias_classes(part_of or fn), part_of or fn

    def formed(part: Function) -> Block:
        own = known if part is fn else known.helpers.get(part.name, known)
        scope = BlockScope(own, Names.of(part), Doubts.of(whole if part is fn else part, own), takes, fastmath)
        for param in part.params:
            scope.array(param)
        return _block(part.body, scope)

    return each_body(fn, formed)


def _block(block: Block, scope: BlockScope) -> Block:
    for param in block.params:
        scope.array(param)
    units = unrolled(_live(Reader(scope).read(block), block.results, scope), block.results, scope)
    depend(units, scope.aliases)
    nests = fuse(units)
    changed = versioned(units, nests, scope) or units
    there = {var.name for unit in changed if unit.work is None for var in unit.outs}
    mine = {var.name for op in block.ops for var in outs(op)} - there
    units = _live([_restored(unit, mine, scope) for unit in changed], block.results, scope)
    depend(units, scope.aliases)
    nests = fuse(units)
    for _ in range(ROUNDS):
        more = recomputed(units, nests, block.results, scope)
        if more is None:
            break
        units = _live(more, block.results, scope)
        depend(units, scope.aliases)
        nests = fuse(units)

    def plain(unit: Unit, builder: Builder) -> None:
        builder.emit(_inside(unit.op, unit.scope, scope.measured) if isinstance(unit.scope, BlockScope) else unit.op)

    loops = [nest for nest in nests if nest.size is not None]
    marks = [unit.order for unit in units if callee(unit.op) is intrinsics.turning_point]
    crossed = any(nest.units[0].order < mark < nest.units[-1].order for mark in marks for nest in loops)
    if crossed:
        nests = [nest for nest in nests if callee(nest.units[0].op) is not intrinsics.turning_point]
    ops = NestWriter(scope, storage(nests, units, block.results), plain).write(nests)
    return Block(block.params, tuple(ops), block.results)


def _restored(unit: Unit, mine: Set[str], scope: BlockScope) -> Unit:
    """`unit`; what clears an array that others add to here and there is the call that it was, if that needs nothing of `mine`.

    `mine`: what loops make, and what nobody needs any more.
    """
    if not (is_cleared(unit) and unit.outs == outs(unit.op)) or any(var.name in mine for var in reads(unit.op)):
        return unit
    return unit_of(unit.op, scope, unit.order)


def _live(units: Sequence[Unit], results: Sequence[Operand], scope: BlockScope) -> list[Unit]:
    """`units` without those that only make values which nobody takes."""
    wanted = {var.name for var in variables_of(results)}
    live: list[Unit] = []
    named = scope.places, scope.flat, scope.indices, scope.listed
    for unit in reversed(units):
        removable = unit.outs and (unit.work is not None or any(unit.outs[0].name in known for known in named))
        if not removable or any(var.name in wanted for var in unit.outs):
            live.append(unit)
            wanted |= {var.name for var in unit.uses}
    return live[::-1]


def _inside(op: Op, outer: BlockScope, measured: Mapping[Size, Operand]) -> Op:
    """`op` with its blocks in loops; `outer` is the scope in which it was read."""

    def inner(block: Block) -> Block:
        return _block(block, outer.inner(measured))

    match op:
        case If(then=then, orelse=orelse):
            return replace(op, then=inner(then), orelse=inner(orelse))
        case For(body=body):
            if counts_from_zero(op, outer.from_zero):
                outer.from_zero.add(body.params[0].name)
            return replace(op, body=inner(body))
        case While(test=test, body=body):
            return replace(op, test=inner(test), body=inner(body))
        case _:
            return op
