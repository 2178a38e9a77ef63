"""What a function does with the arrays that it makes: how long each is needed, and what may hold on to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adxform import runtime
from adxform.analysis.layout_readers import reads_layout
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Dim, rank
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import all_ops, blocks, defined_variables, outs, reads, variables
from adxform.passes.memory.layout import ordered_arrays
from adxform.passes.memory.out_forms import is_elementwise
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of, functions, has_memory
from adxform.primitives.facets import Moves
from adxform.primitives.table import record_of

LIBRARIES = ("adxform", "numpy", "scipy", "math", "operator", "_operator", "builtins")


@dataclass(frozen=True, slots=True)
class CarriedArray:
    """An array that a loop, at the positions `start` to `end`, carries; `only`: none of its others may share memory with it."""

    param: Var
    out: Var
    init: Operand
    result: Operand
    start: int
    end: int
    only: bool


class StorageFacts:
    """What `fn`, of which the first `start` ops stay, does with the arrays that it makes.

    Positions are numbers of ops, in blocks and around them, from the first to the last. By alias class, `slots` are what loops
    carry. `tapes` are stacks that keep their memory; of the classes `held` something may keep an array from one iteration of a
    loop to the next, of those `outside` beyond the call.
    """

    def __init__(self, fn: Function, start: int) -> None:
        self.fn = fn
        self.earlier = {out for op in fn.body.ops[:start] for out in outs(op)}
        self.classes: Aliases = alias_classes(fn)
        self.undefined = maybe_undefined(fn.body)
        self.lengths = {
            size.base
            for param in fn.params
            if isinstance(param.type, Array) and param.type.shape is not None
            for size in param.type.shape
            if isinstance(size, Dim) and not size.offset
        }
        self.slots: dict[int, list[CarriedArray]] = {}
        self.loops: list[tuple[int, int]] = []
        self.defined: dict[Var, int] = dict.fromkeys(fn.params, -1)
        self.used: dict[Var, list[int]] = {}
        self.pushed: dict[Var, list[int]] = {}
        self.popped: dict[Var, list[int]] = {}
        self.contents: dict[Var, list[Operand]] = {}
        self.stacks: dict[Var, int] = {}
        self.elsewhere: set[Var] = set()
        end = self.collect(fn.body, 0, 0)
        for result in fn.results:
            self.use(result, end)
            self.elsewhere.update(variables(result))
        followed = any(isinstance(op, Call) and op.fn == Lit(runtime.shares_memory) for op in all_ops(fn.body))
        self.ordered = ordered_arrays(fn, is_elementwise) if followed or reads_layout(fn) else None
        self.made = {out for op in all_ops(fn.body) if isinstance(op, Call) and makes(op) for out in op.outs}
        self.outside = self.classes.exposed | handed_over(fn, self.classes)
        self.tapes = {stack for stack in self.stacks if self.is_tape(stack)}
        self.held = self.held_classes()

    def collect(self, block: Block, at: int, top: int) -> int:
        """Number the ops of `block` from `at` on; `top` is the position of the outermost op around it (its own where none is)."""
        for op in block.ops:
            start = at
            outermost = start if block is self.fn.body else top
            for var in reads(op):
                self.use(var, at)
            for out in outs(op):
                self.defined[out] = at
            match op:
                case Call(fn=Lit(intrinsics.new_stack), outs=(stack,)) if block is self.fn.body:
                    self.stacks[stack] = at
                case Call(fn=Lit(intrinsics.push), args=(Var() as stack, value)):
                    self.pushed.setdefault(stack, []).append(outermost)
                    self.contents.setdefault(stack, []).append(value)
                    self.elsewhere.update(variables(value))
                case Call(fn=Lit(intrinsics.pop), args=(Var() as stack,)):
                    self.popped.setdefault(stack, []).append(outermost)
                case _:
                    self.elsewhere.update(reads(op))
            at += 1
            for inner in blocks(op):
                for param in inner.params:
                    self.defined[param] = start
                at = self.collect(inner, at, outermost)
                for result in inner.results:
                    self.use(result, at)
                    self.elsewhere.update(variables(result))
                at += 1
            if isinstance(op, For | While):
                self.loops.append((start, at))
            match op:
                case For(outs=carried, inits=inits, body=body, breaks=breaks):
                    self.carry(carried, inits, body.params[1:], body.results[breaks:], start, at)
                case While(outs=carried, inits=inits, body=body):
                    self.carry(carried, inits, body.params, body.results, start, at)
                case _:
                    pass
        return at

    def use(self, operand: Operand, at: int) -> None:
        """Note that the op at position `at` takes `operand`."""
        for var in variables(operand):
            self.used.setdefault(var, []).append(at)

    def carry(
        self,
        carried: tuple[Var, ...],
        inits: tuple[Operand, ...],
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
        start: int,
        end: int,
    ) -> None:
        """Note the arrays that a loop, at the positions `start` to `end`, carries."""
        of = self.classes.of
        found = [of(param) for param in params if isinstance(param.type, Array)]
        for out, init, param, result in zip(carried, inits, params, results, strict=True):
            if isinstance(param.type, Array):
                slot = CarriedArray(param, out, init, result, start, end, found.count(of(param)) == 1)
                self.slots.setdefault(of(param), []).append(slot)

    def is_tape(self, stack: Var) -> bool:
        """Whether `stack` is filled first and emptied then, holds arrays that nothing writes, and is handed to nobody."""
        classes = self.classes
        if stack in self.elsewhere or stack in self.earlier:
            return False
        element = classes.elements.get(classes.of(stack))
        if element is None or element in classes.written or element in self.outside:
            return False
        if any(not isinstance(member.type, Array) for member in classes.members(element)):
            return False
        if not all(self.is_dense(value) for value in self.contents.get(stack, [])):
            return False
        pushed, popped = self.pushed.get(stack, []), self.popped.get(stack, [])
        return bool(pushed) and (not popped or max(pushed) < min(popped))

    def held_classes(self) -> set[int]:
        """The classes of which something may keep an array from one iteration of a loop to the next."""
        classes = self.classes
        held = {id_ for id_, slots in self.slots.items() if not all(self.has_home(slot) for slot in slots)}
        held |= {id_ for id_ in self.slots if id_ in classes.written and not self.is_passed_on(id_)}
        for stack in self.pushed:
            if stack not in self.tapes and (element := classes.elements.get(classes.of(stack))) is not None:
                held.add(element)
        return held

    def has_home(self, slot: CarriedArray) -> bool:
        """Whether what `slot` carries can be copied into one place at every iteration."""
        like = slot.param.type
        sides = (slot.init, slot.result, slot.out)
        same = all(isinstance(side, Var) and side.type == like and side not in self.undefined for side in sides)
        return slot.only and same and self.is_known(slot.param) and self.is_dense(slot.init) and self.is_dense(slot.result)

    def is_passed_on(self, id_: int) -> bool:
        """Whether no name from before a loop that carries the class `id_` is used once the loop has begun."""
        for slot in self.slots[id_]:
            for var in self.classes.members(id_):
                born, used = self.defined[var], self.used.get(var, ())
                late = sum(slot.start <= at for at in used)
                if born < slot.start and late > (var == slot.init and used.count(slot.start)):
                    return False
            if isinstance(slot.init, Var) and any(
                self.defined[slot.init] < start < slot.start < end for start, end in self.loops
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


def makes(op: Call) -> bool:
    """Whether what `op` returns is an array that was not there before."""
    effect = effect_of(op)
    return not effect.views and not effect.opaque and not (isinstance(op.fn, Lit) and op.fn.value is intrinsics.pop)


def is_new(op: Call) -> bool:
    """Whether `op` makes an array that nobody else has: a function with a rule may keep what it gives, a library give a part."""
    fn = callee(op)
    record = record_of(fn)
    surely = record.fresh is not None or record.moves is Moves.COPY or isinstance(record.ufunc or fn, np.ufunc)
    return surely and makes(op) and not effect_of(op).writes


def handed_over(fn: Function, aliases: Aliases) -> set[int]:
    """The classes of what a user's function with a rule receives or gives, itself or through a helper: it may keep that."""
    given: list[Op] = [op for op in all_ops(fn.body) if isinstance(op, Call) and is_users(op.fn)]
    inside = (op for helper in functions(fn).values() for op in all_ops(helper.body))
    if given or any(isinstance(op, Call) and is_users(op.fn) for op in inside):
        given += [op for op in all_ops(fn.body) if isinstance(op, Invoke)]
    found = {aliases.of(var) for op in given for var in (*reads(op), *outs(op)) if has_memory(var)}
    return found | {aliases.elements[id_] for id_ in found if id_ in aliases.elements}


def outliving(fn: Function, aliases: Aliases) -> set[int]:
    """The classes of what others have, or may have, behind a run of `fn`: its caller, stacks, functions that may keep things."""
    own = (*aliases.exposed, *aliases.elements.values(), *aliases.reached((*fn.params, *fn.results)))
    return {*own, *handed_over(fn, aliases)}


def own_classes(block: Block, aliases: Aliases) -> set[int]:
    """The classes all of whose variables `block` defines itself, or what is inside it."""
    own = set(defined_variables(block)) - set(block.params)
    found = {aliases.of(var) for var in own if has_memory(var)}
    return {class_ for class_ in found if own.issuperset(aliases.members(class_))}


def made_in(fn: Function) -> set[str]:
    """The names of the arrays that ops of `fn` make, which lie without gaps and forwards."""
    made = (op for op in all_ops(fn.body) if isinstance(op, Call) and makes(op))
    return {out.name for op in made for out in op.outs}


def is_users(fn: Operand) -> bool:
    """Whether `fn` is a function that is not of a library whose functions are known to keep nothing."""
    module = getattr(fn.value, "__module__", None) if isinstance(fn, Lit) else None
    return module is not None and module.partition(".")[0] not in LIBRARIES
