"""Gives every array that a function makes a place that outlives the call, so that calling it again allocates nothing.

    y = np.sin(x) * 2.0            np.sin(x, out=tmp)
                                   np.multiply(tmp, 2.0, out=y)

The places are further parameters: arrays whose lengths follow from those of the arguments, `adxform.runtime.GrowingBuffer` where
a length is known only on the way, `adxform.runtime.Tape` for a stack. What a loop carries gets a place of its own, into which
each iteration copies. An array that something else may hold on to, from one iteration of a loop to the next or beyond the call,
is left as it is. Run last: what comes out is emitted, not transformed.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import Array, Type, rank
from adxform.ir.walk import Names, blocks, defined_variables, map_op, substitute
from adxform.passes.memory.out_forms import copies, is_elementwise, same_lengths, written_into
from adxform.passes.memory.storage_facts import CarriedArray, StorageFacts
from adxform.primitives.facets import Contracts
from adxform.primitives.table import record_of

WHOLE = Lit(...)
OF_MATRICES = frozenset({Contracts.MATMUL, Contracts.DOT})


@dataclass(frozen=True, slots=True)
class BufferPlan:
    """A function that takes after its own parameters the places of its arrays, `buffers`: arrays, growing buffers and tapes.

    Those of `stacked` are stacks of buffers, `adxform.runtime.BufferStack`. `contiguous`: its arguments have to be.
    """

    function: Function
    buffers: tuple[Var, ...]
    stacked: tuple[Var, ...]
    contiguous: bool


def plan_buffers(fn: Function, start: int = 0) -> BufferPlan:
    """`fn` with a place given for every array that it makes, as far as that is known to be safe. Its first `start` ops stay.

    Where a reshape that may copy is followed at run time, the layout of arrays matters. Then only those get a place that come out
    row by row anyway, which takes arguments that are `contiguous`.
    """
    return _Reuse(fn, start).run()


class _Reuse:
    def __init__(self, fn: Function, start: int) -> None:
        self.fn = fn
        self.start = start
        self.names = Names.of(fn)
        self.facts = StorageFacts(fn, start)
        self.homes: dict[Var, Var] = {}
        self.buffers: list[Var] = []
        self.stacked: list[Var] = []
        self.on_stacks = set(self.facts.classes.elements.values())

    def run(self) -> BufferPlan:
        """Rewrite the function."""
        fn = self.fn
        body = self.block(replace(fn.body, ops=fn.body.ops[self.start :]), {}, False)
        body = replace(body, ops=(*fn.body.ops[: self.start], *body.ops))
        buffers = (*self.buffers, *(stack for stack in self.facts.stacks if stack in self.facts.tapes))
        taken = {var.name for var in defined_variables(Block((), body.ops, ()))}
        assert taken.isdisjoint(space.name for space in buffers)
        contiguous = self.facts.ordered is not None and bool(buffers)
        planned = replace(fn, body=replace(body, params=(*fn.params, *buffers)))
        return BufferPlan(planned, buffers, tuple(self.stacked), contiguous)

    def block(self, block: Block, mapping: dict[Var, Operand], in_loop: bool, copied: Iterable[CarriedArray] = ()) -> Block:
        """`block` with places given; at its end the arrays of `copied` go home."""
        b = Builder(self.names)
        for op in block.ops:
            b.span = op.span
            self.op(op, b, mapping, in_loop)
        for slot in copied:
            result = substitute(slot.result, mapping)
            if result != self.homes[slot.param]:
                b.effect(operator.setitem, self.homes[slot.param], WHOLE, result)
        return Block(block.params, tuple(b.ops), tuple(substitute(result, mapping) for result in block.results))

    def op(self, op: Op, b: Builder, mapping: dict[Var, Operand], in_loop: bool) -> None:
        match op:
            case Call(fn=Lit(intrinsics.new_stack), outs=(stack,)) if stack in self.facts.tapes:
                return
            case Call():
                op = map_op(op, lambda operand: substitute(operand, mapping), lambda block: block)
                assert isinstance(op, Call)
                if not (self.may_keep(op) and self.place(op, b, in_loop)):
                    b.emit(op)
            case For() | While():
                self.loop(op, b, mapping)
            case _:
                inner = {id(block): self.block(block, mapping, in_loop) for block in blocks(op)}
                b.emit(map_op(op, lambda operand: substitute(operand, mapping), lambda block: inner[id(block)]))

    def loop(self, op: For | While, b: Builder, mapping: dict[Var, Operand]) -> None:
        """A loop whose arrays go home at the end of each iteration instead of being carried."""
        params = op.body.params[1:] if isinstance(op, For) else op.body.params
        slots = self.settled(params, op.span, b, mapping)
        moved = {slot.param for slot in slots}
        kept = [i for i, param in enumerate(params) if param not in moved]
        match op:
            case For(source=source, inits=inits, body=body, breaks=breaks):
                body = self.block(body, mapping, True, slots)
                flags, rest = body.results[:breaks], body.results[breaks:]
                body = replace(
                    body, params=(body.params[0], *(params[i] for i in kept)), results=(*flags, *(rest[i] for i in kept))
                )
                source = tuple(substitute(operand, mapping) for operand in source)
            case While(inits=inits, test=test, body=body):
                mapping |= {test.params[i]: mapping[param] for i, param in enumerate(params) if param in moved}
                test = self.block(test, mapping, True)
                test = replace(test, params=tuple(test.params[i] for i in kept))
                body = self.block(body, mapping, True, slots)
                body = replace(body, params=tuple(params[i] for i in kept), results=tuple(body.results[i] for i in kept))
        inits = tuple(substitute(inits[i], mapping) for i in kept)
        carried = tuple(op.outs[i] for i in kept)
        if isinstance(op, For):
            b.emit(replace(op, source=source, inits=inits, body=body, outs=carried))
        else:
            b.emit(replace(op, inits=inits, test=test, body=body, outs=carried))

    def settled(self, params: tuple[Var, ...], span: Span, b: Builder, mapping: dict[Var, Operand]) -> list[CarriedArray]:
        """The slots of those of `params` that get a home; what they begin with is put there."""
        found = {slot.param: slot for slots in self.facts.slots.values() for slot in slots}
        kept_apart = self.facts.held | self.facts.outside
        slots = [found[param] for param in params if param in found and self.facts.classes.of(param) not in kept_apart]
        for slot in slots:
            home = self.homes[slot.param] = self.space(slot.param.base, slot.param.type)
            b.effect(operator.setitem, home, WHOLE, substitute(slot.init, mapping), span=span)
            mapping[slot.param] = mapping[slot.out] = home
        return slots

    def may_keep(self, op: Call) -> bool:
        """Whether the out of `op` is an array that may have a place for good."""
        if len(op.outs) != 1 or not isinstance(op.fn, Lit) or any(key in ("out", "where") for key, _ in op.kwargs):
            return False
        (out,) = op.outs
        if not isinstance(out.type, Array) or not out.type.shape:
            return False
        if op.fn.value in (runtime.private, runtime.laid_out) and not self.facts.is_dense(op.args[-1]):
            return False
        return self.facts.classes.of(out) not in self.facts.outside and self.facts.is_ordered(out)

    def place(self, op: Call, b: Builder, in_loop: bool) -> bool:
        """Emit `op` with a place for its out, if there is a form for that.

        What may be held from one iteration of a loop to the next has a buffer for each, if it lies on a stack anyway.
        """
        assert isinstance(op.fn, Lit)
        fn, (out,) = op.fn.value, op.outs
        assert isinstance(out.type, Array)
        id_ = self.facts.classes.of(out)
        held = in_loop and id_ in self.facts.held
        if held and id_ not in self.on_stacks:
            return False
        if fn is runtime.unbroadcast:
            if held:
                return False
            space = self.space(out.base, out.type) if self.facts.is_known(out) else self.allocated(op, b, op.args[1:])
            b.emit(replace(op, kwargs=(*op.kwargs, ("out", space))))
            return True
        into = written_into(op)
        if into is None:
            return False
        like = _shaped_by(op)
        if self.facts.is_known(out) and not held:
            self.buffers.append(out)
        elif like is not None:
            self.allocated(op, b, like, out, held)
        else:
            return False
        for step in into:
            b.emit(step)
        return True

    def allocated(self, op: Call, b: Builder, like: tuple[Operand, ...], out: Var | None = None, held: bool = False) -> Var:
        """An array as the out of `op`, named `out`, in a buffer: of the shape that `like` broadcast to, or of the shape `like`.

        Where it is `held`, in one of its own for each iteration.
        """
        (made,) = op.outs
        assert isinstance(made.type, Array)
        assert isinstance(op.fn, Lit)
        buffer = self.space(f"{made.base}_{'buffers' if held else 'buffer'}", Array(made.type.dtype, None))
        if held:
            self.stacked.append(buffer)
        fn = runtime.allocate_like
        fresh = record_of(op.fn.value).fresh
        if fresh is not None and not fresh.like:
            fn = runtime.allocate
        elif record_of(op.fn.value).contracts in OF_MATRICES and len(like) == len(op.args):
            fn = runtime.allocate_product
        out = out or Var(self.names.fresh(f"{made.base}_out"), made.type)
        b.emit(Call((out,), Lit(fn), (buffer, *like), (), op.span))
        return out

    def space(self, hint: str, type_: Type) -> Var:
        """A new place."""
        var = Var(self.names.fresh(hint), type_)
        self.buffers.append(var)
        return var


def _shaped_by(op: Call) -> tuple[Operand, ...] | None:
    """What the shape of the out of `op` follows from: a shape, or operands that broadcast or are multiplied, if known."""
    assert isinstance(op.fn, Lit)
    fn, (out,) = op.fn.value, op.outs
    if fn is not np.full and (record_of(fn).fresh is not None or copies(fn)):
        return op.args[:1]
    if is_elementwise(fn):
        return op.args
    like = next((arg for arg in op.args if isinstance(arg, Var) and same_lengths(arg, out)), None)
    if like is not None:
        return (like,)
    multiplied = record_of(fn).contracts in OF_MATRICES and all(
        rank(arg.type) in (1, 2) for arg in op.args if isinstance(arg, Var)
    )
    return op.args if multiplied else None
