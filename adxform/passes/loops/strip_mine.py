"""Loops with long bodies over rows of several arrays, in blocks: rows are packed into columns, which are computed in lanes."""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import FLOAT, INT, Array, Scalar
from adxform.ir.walk import Names, reads, rename_block, variables, variables_of
from adxform.passes.loops.vector_forms import has_vector_form
from adxform.passes.scalar.rewriting import Rewriter
from adxform.primitives.alias import alias_classes
from adxform.primitives.facets import Kernel
from adxform.primitives.memory import STORES
from adxform.primitives.table import meaning_of, record_of

BLOCK = 32
COLUMNS = 96
APART = 8
NUMBERS, INTEGERS = (FLOAT, Scalar("float64")), (INT, Scalar("int64"))


def strip_mine_loops(kernel: Function, apart: Collection[int] = ()) -> Function:
    """`kernel` with loops in blocks of iterations: what a block reads is packed, what it makes is stored when all of it is made.

    Its parameters at the places `apart` share no memory with others.

    A compiler takes several iterations of a loop at once if it can see to it that what one stores is not what another reads. It
    compares the arrays, but no more than a few, and elements of rows are far apart. The columns of a block are two arrays.

    for i in range(n):                      given, made = np.empty((…, 32)), np.empty((…, 32))
        a[i, 0] = f(x[i, 1], y[i])          for start in range(0, n, 32):
        a[i, 1] = g(x[i, 1], y[i])    =>        for i in range(start, min(start + 32, n)):
                                                    given[0, i - start] = x[i, 1] …
                                                for i in …:
                                                    made[0, i - start] = f(given[0, i - start], given[1, i - start]) …
                                                for i in …:
                                                    a[i, 0] = made[0, i - start] …

    Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures (2001), section 5.4, strip mining.
    """
    packing = _Packing(kernel, apart)
    body = packing.block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=replace(body, ops=(*packing.top.ops, *body.ops)))


@dataclass(frozen=True, slots=True)
class Iteration:
    """What an iteration of a loop does, in order: loads, the integers that say where, what it computes of numbers, stores."""

    loads: tuple[Call, ...]
    places: tuple[Call, ...]
    work: tuple[Call, ...]
    stores: tuple[Call, ...]


class _Packing(Rewriter):
    def __init__(self, kernel: Function, apart: Collection[int]) -> None:
        super().__init__()
        self.aliases = alias_classes(kernel)
        self.names = Names.of(kernel)
        given = [param for place, param in enumerate(kernel.params) if place not in apart]
        self.given = set(self.aliases.reached(given))
        self.top = Builder(self.names, kernel.span)

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`; a loop in blocks where that pays."""
        iteration = read(op) if isinstance(op, For) else None
        if isinstance(op, For) and iteration is not None and pays(iteration) and self.in_any_order(iteration):
            ops.append(self.in_blocks(op, iteration))
        else:
            ops.append(self.descend(op))

    def in_any_order(self, iteration: Iteration) -> bool:
        """Whether no iteration reads what another stores: arrays that are made here, or lie apart, of which none is read."""
        stored = {self.aliases.of(base(op)) for op in iteration.stores}
        read = {self.aliases.of(base(op)) for op in (*iteration.loads, *filter(is_load, iteration.places))}
        return not stored & (read | self.given)

    def in_blocks(self, loop: For, iteration: Iteration) -> For:
        """`loop`, in blocks."""
        lower, upper, _ = loop.source
        columns = iteration.loads
        computed = {out.name for op in (*iteration.work, *columns) for out in op.outs}
        kept = [op for op in iteration.stores if isinstance(op.args[2], Var) and op.args[2].name in computed]
        given, made = self.scratch("given", len(columns)), self.scratch("made", len(kept))
        outer = Builder(self.names, loop.span)
        start = outer.var("start", INT)
        ahead = outer.call(operator.add, start, Lit(BLOCK), type=INT)
        end = outer.call(min, ahead, upper, type=INT, hint="end")

        def inner(ops: Sequence[Op]) -> None:
            """A loop over the block, in which `ops`, in terms of `loop` and of `at`, have names of their own."""
            item = loop.body.params[0]
            distance = Call((at,), Lit(operator.sub), (item, start), (), loop.span)
            body = rename_block(Block((item,), (distance, *ops), ()), {}, lambda var: Var(self.names.fresh(var.base), var.type))
            outer.emit(For((), (start, end, Lit(1)), (), body, span=loop.span))

        at = outer.var("at", INT)

        def column(array: Var, number: int) -> tuple[Operand, Operand]:
            return array, Pack("tuple", (Lit(number), at))

        def stored(op: Call, array: Var, number: int, value: Operand) -> Call:
            return Call((), Lit(operator.setitem), (*column(array, number), value), (), op.span)

        def loaded(var: Var, op: Call, array: Var, number: int) -> Call:
            return Call((var,), Lit(operator.getitem), column(array, number), (), op.span)

        inner([*iteration.places, *(new for k, op in enumerate(columns) for new in (op, stored(op, given, k, op.outs[0])))])
        taken = [loaded(op.outs[0], op, given, k) for k, op in enumerate(columns)]
        inner([*taken, *iteration.work, *(stored(op, made, k, op.args[2]) for k, op in enumerate(kept))])
        results = {id(op): k for k, op in enumerate(kept)}
        last: list[Op] = []
        for op in iteration.stores:
            if id(op) in results:
                value = outer.var("tmp", op.args[2].type if isinstance(op.args[2], Var) else FLOAT)
                last += [loaded(value, op, made, results[id(op)]), replace(op, args=(*op.args[:2], value))]
            else:
                last.append(op)
        inner(last)
        return For((), (lower, upper, Lit(BLOCK)), (), outer.block((start,), ()), span=loop.span)

    def scratch(self, hint: str, count: int) -> Var:
        """An array of `count` columns, made once."""
        shape = Pack("tuple", (Lit(count), Lit(BLOCK)))
        return self.top.call(np.empty, shape, type=Array("float64", (count, BLOCK)), hint=hint)


def read(loop: For) -> Iteration | None:
    """What the iterations of `loop` do, if it is one of loads, of work that lanes can do, and of stores."""
    if loop.outs or loop.inits or loop.breaks or loop.snapshots or len(loop.source) != 3 or loop.source[2] != Lit(1):
        return None
    ops = [op for op in loop.body.ops if isinstance(op, Call)]
    if len(ops) < len(loop.body.ops):
        return None
    iteration = by_role(ops)
    return iteration if fits_lanes(iteration, loop.body.params[0]) else None


def by_role(ops: Sequence[Call]) -> Iteration:
    """The `ops` of an iteration by what they do there; what subscripts are made of says where, a load of an integer too."""
    where = {var.name for op in ops if is_store(op) or is_load(op) for var in variables(op.args[1])}
    for op in reversed(ops):
        if _makes(op, where):
            where |= {var.name for var in reads(op)}
    places = [op for op in ops if _makes(op, where)]
    rest = [op for op in ops if not is_store(op) and not _makes(op, where)]
    loads, work = filter(is_load, rest), (op for op in rest if not is_load(op))
    return Iteration(tuple(loads), tuple(places), tuple(work), tuple(filter(is_store, ops)))


def _makes(op: Call, names: Collection[str]) -> bool:
    """Whether what `op` makes is called one of `names`."""
    return any(out.name in names for out in op.outs)


def fits_lanes(iteration: Iteration, index: Var) -> bool:
    """Whether lanes can do the work: on floats alone, and where they are stored does not depend on what the iteration makes."""
    subscripts = variables_of(tuple(op.args[1] for op in iteration.stores))
    operands = (*(var for op in iteration.work for var in reads(op)), *variables_of(tuple(op.args[2] for op in iteration.stores)))
    integers = {out for op in iteration.places for out in op.outs}
    made = {out.name for op in (*iteration.loads, *iteration.places, *iteration.work) for out in op.outs}
    return (
        all(is_float_array(op.args[0]) for op in iteration.loads)
        and all(map(in_lanes, iteration.work))
        and all(out.type in INTEGERS for out in integers)
        and {var.name for var in operands}.isdisjoint({index.name, *(out.name for out in integers)})
        and made.isdisjoint(var.name for var in subscripts)
    )


def is_store(op: Call) -> bool:
    """Whether `op` puts a number into an array of ``float64``."""
    value = op.args[2] if callee(op) in STORES else None
    return (
        value is not None and is_float_array(op.args[0]) and (isinstance(value, Lit) or getattr(value, "type", None) in NUMBERS)
    )


def is_load(op: Call) -> bool:
    """Whether `op` takes an element of an array."""
    return callee(op) is operator.getitem and len(op.outs) == 1 and isinstance(op.outs[0].type, Scalar)


def is_float_array(operand: Operand) -> bool:
    """Whether `operand` is an array of ``float64``."""
    return isinstance(operand, Var) and isinstance(operand.type, Array) and operand.type.dtype == "float64"


def base(op: Call) -> Var:
    """The array that a load or a store touches."""
    x = op.args[0]
    assert isinstance(x, Var)
    return x


def in_lanes(op: Call) -> bool:
    """Whether several of `op`, one of numbers, are done at once."""
    fn: Any = callee(op)
    if op.kwargs or len(op.outs) != 1 or op.outs[0].type not in NUMBERS:
        return False
    record = record_of(fn)
    formed = record.form is not None and record.kernel is not Kernel.ORDER
    return meaning_of(fn).in_lanes or formed or has_vector_form(fn)


def pays(iteration: Iteration) -> bool:
    """Whether a compiler would compare more arrays than it does, and there is enough work for what packing costs."""
    stored, loaded = {base(op).name for op in iteration.stores}, {base(op).name for op in iteration.loads}
    pairs = len(stored) * (len(stored) - 1) // 2 + len(stored) * len(loaded)
    moved = len(iteration.loads) + len(iteration.stores)
    return pairs > APART and 2 * moved <= len(iteration.work) and moved <= COLUMNS
