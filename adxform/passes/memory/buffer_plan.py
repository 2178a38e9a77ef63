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
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Dim, Type, rank
from adxform.ir.walk import Names, all_ops, blocks, defined_variables, map_op, outs, reads, substitute, variables
from adxform.passes.memory.layout import ordered_arrays
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of, functions, has_memory
from adxform.primitives.facets import Contracts, Moves
from adxform.primitives.table import TABLE, record_of

WHOLE = Lit(...)
POWERS = {record.power: fn for fn, record in TABLE.items() if record.power is not None}
OF_MATRICES = frozenset({Contracts.MATMUL, Contracts.DOT})
LIBRARIES = ("adxform", "numpy", "scipy", "math", "operator", "_operator", "builtins")
GUARDED = frozenset([runtime.masked_product, runtime.power, runtime.quotient, runtime.ratio, runtime.rate, runtime.log_or_zero])


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


@dataclass(frozen=True, slots=True)
class _Slot:
    """An array that a loop, at the positions `start` to `end`, carries; `only`: none of its others may share memory with it."""

    param: Var
    out: Var
    init: Operand
    result: Operand
    start: int
    end: int
    only: bool


@dataclass(slots=True)
class _Facts:
    """What one walk over a function collects."""

    slots: dict[int, list[_Slot]] = field(default_factory=dict)
    loops: list[tuple[int, int]] = field(default_factory=list)
    defined: dict[Var, int] = field(default_factory=dict)
    used: dict[Var, list[int]] = field(default_factory=dict)
    pushed: dict[Var, list[int]] = field(default_factory=dict)
    popped: dict[Var, list[int]] = field(default_factory=dict)
    contents: dict[Var, list[Operand]] = field(default_factory=dict)
    stacks: dict[Var, int] = field(default_factory=dict)
    elsewhere: set[Var] = field(default_factory=set)


class _Reuse:
    def __init__(self, fn: Function, start: int) -> None:
        self.fn = fn
        self.start = start
        self.earlier = {out for op in fn.body.ops[:start] for out in outs(op)}
        self.names = Names.of(fn)
        self.classes: Aliases = alias_classes(fn)
        self.lengths = {
            size.base
            for param in fn.params
            if isinstance(param.type, Array) and param.type.shape is not None
            for size in param.type.shape
            if isinstance(size, Dim) and not size.offset
        }
        self.facts = _Facts()
        for param in fn.params:
            self.facts.defined[param] = -1
        self.end = self.collect(fn.body, 0, 0)
        for result in fn.results:
            self.use(result, self.end)
            self.facts.elsewhere.update(variables(result))
        followed = any(isinstance(op, Call) and op.fn == Lit(runtime.shares_memory) for op in all_ops(fn.body))
        self.ordered = ordered_arrays(fn, is_elementwise) if followed else None
        self.made = {out for op in all_ops(fn.body) if isinstance(op, Call) and makes(op) for out in op.outs}
        self.outside = self.classes.exposed | self.handed_over()
        self.tapes = {stack for stack in self.facts.stacks if self.is_tape(stack)}
        self.held = self.held_classes()
        self.homes: dict[Var, Var] = {}
        self.buffers: list[Var] = []
        self.stacked: list[Var] = []
        self.on_stacks = set(self.classes.elements.values())

    # What is known

    def collect(self, block: Block, at: int, top: int) -> int:
        """Number the ops of `block` from `at` on; `top` is the position of the outermost op around it (its own where none is)."""
        facts = self.facts
        for op in block.ops:
            start = at
            outermost = start if block is self.fn.body else top
            for var in reads(op):
                self.use(var, at)
            for out in outs(op):
                facts.defined[out] = at
            match op:
                case Call(fn=Lit(intrinsics.new_stack), outs=(stack,)) if block is self.fn.body:
                    facts.stacks[stack] = at
                case Call(fn=Lit(intrinsics.push), args=(Var() as stack, value)):
                    facts.pushed.setdefault(stack, []).append(outermost)
                    facts.contents.setdefault(stack, []).append(value)
                    facts.elsewhere.update(variables(value))
                case Call(fn=Lit(intrinsics.pop), args=(Var() as stack,)):
                    facts.popped.setdefault(stack, []).append(outermost)
                case _:
                    facts.elsewhere.update(reads(op))
            at += 1
            for inner in blocks(op):
                for param in inner.params:
                    facts.defined[param] = start
                at = self.collect(inner, at, outermost)
                for result in inner.results:
                    self.use(result, at)
                    facts.elsewhere.update(variables(result))
                at += 1
            if isinstance(op, For | While):
                facts.loops.append((start, at))
            match op:
                case For(outs=carried, inits=inits, body=body, breaks=breaks):
                    self.carry(carried, inits, body.params[1:], body.results[breaks:], start, at)
                case While(outs=carried, inits=inits, body=body):
                    self.carry(carried, inits, body.params, body.results, start, at)
                case _:
                    pass
        return at

    def use(self, operand: Operand, at: int) -> None:
        for var in variables(operand):
            self.facts.used.setdefault(var, []).append(at)

    def carry(
        self,
        carried: tuple[Var, ...],
        inits: tuple[Operand, ...],
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
        start: int,
        end: int,
    ) -> None:
        of = self.classes.of
        found = [of(param) for param in params if isinstance(param.type, Array)]
        for out, init, param, result in zip(carried, inits, params, results, strict=True):
            if isinstance(param.type, Array):
                slot = _Slot(param, out, init, result, start, end, found.count(of(param)) == 1)
                self.facts.slots.setdefault(of(param), []).append(slot)

    def handed_over(self) -> set[int]:
        """The classes of what a user's function with a rule receives, itself or through a helper: it may keep that."""
        given: list[Op] = [op for op in all_ops(self.fn.body) if isinstance(op, Call) and is_users(op.fn)]
        inside = (op for helper in functions(self.fn).values() for op in all_ops(helper.body))
        if given or any(isinstance(op, Call) and is_users(op.fn) for op in inside):
            given += [op for op in all_ops(self.fn.body) if isinstance(op, Invoke)]
        found = {self.classes.of(var) for op in given for var in (*reads(op), *outs(op)) if has_memory(var)}
        return found | {self.classes.elements[id_] for id_ in found if id_ in self.classes.elements}

    def is_tape(self, stack: Var) -> bool:
        """Whether `stack` is filled first and emptied then, holds arrays that nothing writes, and is handed to nobody."""
        facts, classes = self.facts, self.classes
        if stack in facts.elsewhere or stack in self.earlier:
            return False
        element = classes.elements.get(classes.of(stack))
        if element is None or element in classes.written or element in self.outside:
            return False
        if any(not isinstance(member.type, Array) for member in classes.members(element)):
            return False
        if not all(self.is_dense(value) for value in facts.contents.get(stack, [])):
            return False
        pushed, popped = facts.pushed.get(stack, []), facts.popped.get(stack, [])
        return bool(pushed) and (not popped or max(pushed) < min(popped))

    def held_classes(self) -> set[int]:
        """The classes of which something may keep an array from one iteration of a loop to the next."""
        classes, facts = self.classes, self.facts
        held = {id_ for id_, slots in facts.slots.items() if not all(self.has_home(slot) for slot in slots)}
        held |= {id_ for id_ in facts.slots if id_ in classes.written and not self.is_passed_on(id_)}
        for stack in facts.pushed:
            if stack not in self.tapes and (element := classes.elements.get(classes.of(stack))) is not None:
                held.add(element)
        return held

    def has_home(self, slot: _Slot) -> bool:
        """Whether what `slot` carries can be copied into one place at every iteration."""
        like = slot.param.type
        sides = (slot.init, slot.result, slot.out)
        same = all(isinstance(side, Var) and side.type == like for side in sides)
        return slot.only and same and self.is_known(slot.param) and self.is_dense(slot.init) and self.is_dense(slot.result)

    def is_passed_on(self, id_: int) -> bool:
        """Whether no name from before a loop that carries the class `id_` is used once the loop has begun."""
        facts = self.facts
        for slot in facts.slots[id_]:
            for var in self.classes.members(id_):
                born, used = facts.defined[var], facts.used.get(var, ())
                late = sum(slot.start <= at for at in used)
                if born < slot.start and late > (var == slot.init and used.count(slot.start)):
                    return False
            if isinstance(slot.init, Var) and any(
                facts.defined[slot.init] < start < slot.start < end for start, end in facts.loops
            ):
                return False
        return True

    def is_known(self, var: Var) -> bool:
        """Whether the lengths of `var` follow from those of the arguments."""
        match var.type:
            case Array(_, tuple() as shape) if shape:
                return all(isinstance(size, int) or size.base in self.lengths for size in shape)
            case _:
                return False

    def is_ordered(self, var: Var) -> bool:
        """Whether `var`, if it is made anew, comes out row by row, or that does not matter."""
        return self.ordered is None or rank(var.type) == 1 or var.name in self.ordered

    def is_dense(self, operand: Operand) -> bool:
        """Whether a copy of `operand` has the layout that it has itself, or that does not matter."""
        if self.ordered is None:
            return True
        return isinstance(operand, Var) and (operand in self.made or operand in self.fn.params) and self.is_ordered(operand)

    # The function

    def run(self) -> BufferPlan:
        """Rewrite the function."""
        fn = self.fn
        body = self.block(replace(fn.body, ops=fn.body.ops[self.start :]), {}, False)
        body = replace(body, ops=(*fn.body.ops[: self.start], *body.ops))
        buffers = (*self.buffers, *(stack for stack in self.facts.stacks if stack in self.tapes))
        taken = {var.name for var in defined_variables(Block((), body.ops, ()))}
        assert taken.isdisjoint(space.name for space in buffers)
        contiguous = self.ordered is not None and bool(buffers)
        planned = replace(fn, body=replace(body, params=(*fn.params, *buffers)))
        return BufferPlan(planned, buffers, tuple(self.stacked), contiguous)

    def block(self, block: Block, mapping: dict[Var, Operand], in_loop: bool, copied: Iterable[_Slot] = ()) -> Block:
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
            case Call(fn=Lit(intrinsics.new_stack), outs=(stack,)) if stack in self.tapes:
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
        found = {slot.param: slot for slots in self.facts.slots.values() for slot in slots}
        kept_apart = self.held | self.outside
        moved = [param for param in params if param in found and self.classes.of(param) not in kept_apart]
        kept = [i for i, param in enumerate(params) if param not in moved]
        for param in moved:
            slot = found[param]
            home = self.homes[param] = self.space(param.base, param.type)
            init = substitute(slot.init, mapping)
            b.effect(operator.setitem, home, WHOLE, init, span=op.span)
            mapping[param] = mapping[slot.out] = home
        slots = [found[param] for param in moved]
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

    def may_keep(self, op: Call) -> bool:
        """Whether the out of `op` is an array that may have a place for good."""
        if len(op.outs) != 1 or not isinstance(op.fn, Lit) or any(key in ("out", "where") for key, _ in op.kwargs):
            return False
        (out,) = op.outs
        if not isinstance(out.type, Array) or not out.type.shape:
            return False
        if op.fn.value in (runtime.private, runtime.laid_out) and not self.is_dense(op.args[-1]):
            return False
        return self.classes.of(out) not in self.outside and self.is_ordered(out)

    def place(self, op: Call, b: Builder, in_loop: bool) -> bool:
        """Emit `op` with a place for its out, if there is a form for that.

        What may be held from one iteration of a loop to the next has a buffer for each, if it lies on a stack anyway.
        """
        assert isinstance(op.fn, Lit)
        fn, (out,) = op.fn.value, op.outs
        assert isinstance(out.type, Array)
        id_ = self.classes.of(out)
        held = in_loop and id_ in self.held
        if held and id_ not in self.on_stacks:
            return False
        if fn is runtime.unbroadcast:
            if held:
                return False
            space = self.space(out.base, out.type) if self.is_known(out) else self.allocated(op, b, op.args[1:])
            b.emit(replace(op, kwargs=(*op.kwargs, ("out", space))))
            return True
        into = written_into(op)
        if into is None:
            return False
        if self.is_known(out) and not held:
            self.buffers.append(out)
        elif fn is not np.full and (record_of(fn).fresh is not None or _copies(fn)):
            self.allocated(op, b, op.args[:1], out, held)
        elif is_elementwise(fn):
            self.allocated(op, b, op.args, out, held)
        elif like := [arg for arg in op.args if isinstance(arg, Var) and same_lengths(arg, out)]:
            self.allocated(op, b, (like[0],), out, held)
        elif record_of(fn).contracts in OF_MATRICES and all(rank(arg.type) in (1, 2) for arg in op.args if isinstance(arg, Var)):
            self.allocated(op, b, op.args, out, held)
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


def makes(op: Call) -> bool:
    """Whether what `op` returns is an array that was not there before."""
    effect = effect_of(op)
    return not effect.views and not effect.opaque and not (isinstance(op.fn, Lit) and op.fn.value is intrinsics.pop)


def _copies(fn: Any) -> bool:
    return record_of(fn).moves is Moves.COPY or fn is np.ndarray.astype


def is_elementwise(fn: Any) -> bool:
    """Whether the result of `fn` has the shape that its operands broadcast to."""
    ufunc = record_of(fn).ufunc or fn
    return fn in GUARDED or fn is np.where or (isinstance(ufunc, np.ufunc) and ufunc.signature is None)


def is_users(fn: Operand) -> bool:
    """Whether `fn` is a function that is not of a library whose functions are known to keep nothing."""
    module = getattr(fn.value, "__module__", None) if isinstance(fn, Lit) else None
    return module is not None and module.partition(".")[0] not in LIBRARIES


def written_into(op: Call) -> tuple[Call, ...] | None:
    """Ops that leave in memory, the out of `op`, what `op` returns; ``None`` where there is no such form."""
    assert isinstance(op.fn, Lit)
    fn, (out,), kwargs = op.fn.value, op.outs, dict(op.kwargs)
    record = record_of(fn)
    if record.fresh is not None and kwargs.keys() <= {"dtype"}:
        if record.fresh.given:
            return (stored(op, op.args[1]),)
        return () if record.fresh.number is None else (stored(op, Lit(record.fresh.number)),)
    if _copies(fn) and not kwargs and len(op.args) == 1 + (fn is np.ndarray.astype):
        return (stored(op, op.args[0]),)
    if fn in (runtime.private, runtime.laid_out):
        return (stored(op, op.args[0]),)
    if fn is np.where and len(op.args) == 3:
        chosen = Call((), Lit(np.copyto), (out, op.args[1]), (("where", op.args[0]),), op.span)
        return stored(op, op.args[2]), chosen
    if fn is operator.pow and isinstance(op.args[1], Lit) and op.args[1].value in POWERS:
        return (with_out(op, POWERS[op.args[1].value], op.args[:1]),)
    if record.ufunc is not None:
        return (with_out(op, record.ufunc, op.args),)
    if isinstance(fn, np.ufunc) and fn.nout == 1 and len(op.args) == fn.nin:
        return (with_out(op, fn, op.args),)
    if record.moves is Moves.JOIN:  # what it writes to says the dtype
        op = replace(op, kwargs=tuple((key, arg) for key, arg in op.kwargs if key != "dtype"))
    if record.takes_out and (fn is not np.dot or all(isinstance(arg, Var) and same_dtype(arg, out) for arg in op.args)):
        return (with_out(op, fn, op.args),)
    return None


def stored(op: Call, value: Operand) -> Call:
    """The store of `value` into the whole of the out of `op`."""
    return Call((), Lit(operator.setitem), (op.outs[0], WHOLE, value), (), op.span)


def with_out(op: Call, fn: Any, args: tuple[Operand, ...]) -> Call:
    """``fn(*args, out=…)`` in place of `op`."""
    return replace(op, outs=(), fn=Lit(fn), args=args, kwargs=(*op.kwargs, ("out", op.outs[0])))


def same_lengths(a: Var, b: Var) -> bool:
    """Whether two arrays are known to have the same shape."""
    return isinstance(a.type, Array) and isinstance(b.type, Array) and a.type.shape is not None and a.type.shape == b.type.shape


def same_dtype(a: Var, b: Var) -> bool:
    """Whether two arrays have the same dtype."""
    return isinstance(a.type, Array) and isinstance(b.type, Array) and a.type.dtype == b.type.dtype
