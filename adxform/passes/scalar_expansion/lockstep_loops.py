"""Which loops may run their iterations in lockstep, and what is the same in all of them."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, with_inner, yielded
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import all_ops, blocks, defined_variables, operands, outs, reads, reads_with_blocks, variables_of
from adxform.passes.loops.accesses import Accesses, ElementAccess, Loop, Subscript, adds
from adxform.passes.loops.zero_initialisation import Fills
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import is_removable
from adxform.runtime import kernel_scalars

Kind = Literal["sum", "own", "same", "private"]
CHECKS: frozenset[Any] = frozenset({*kernel_scalars.CHECKS, runtime.some})
NUMBERS = ("float64", "int64", "bool")
FEW = 16


@dataclass(frozen=True, slots=True)
class LockstepLoop:
    """A loop whose iterations may run in lockstep.

    `varying`: the names of what differs from iteration to iteration. `kinds`: by the name of an array that is written to, how. An
    iteration only adds to a ``sum``; it touches elements of its ``own`` alone; all store the ``same``; what is ``private`` each
    iteration fills before it looks. `owned`: by the name of an array, written or not, the axis on which all that is touched is
    the item.
    """

    op: For
    loop: Loop
    varying: frozenset[str]
    kinds: Mapping[str, Kind]
    owned: Mapping[str, int]

    def is_uniform(self, op: Op) -> bool:
        """Whether `op`, with its blocks, does the same in each iteration."""
        if isinstance(op, For):
            return all(map(self.is_uniform, op.body.ops)) and not self.vary((*op.source, *op.inits, *outs(op)))
        if adds(op) or self.vary(tuple(reads_with_blocks(op))) or self.vary(outs(op)):
            return False
        return not isinstance(op, Call) or callee(op) is not operator.setitem or self.is_same(op)

    def is_same(self, op: Call) -> bool:
        """Whether `op` stores to an array, no view, where all iterations store the same."""
        return isinstance(op.args[0], Var) and self.kinds.get(op.args[0].name) == "same"

    def vary(self, given: Collection[Operand]) -> bool:
        """Whether any of `given` differs from iteration to iteration."""
        return any(var.name in self.varying for var in variables_of(given))


class KernelReader:
    """Looks at the loops of one kernel, whose parameters at the places `no_alias` share no memory with others."""

    def __init__(self, kernel: Function, no_alias: Collection[int]) -> None:
        self.kernel = kernel
        self.aliases = alias_classes(kernel)
        self.accesses = Accesses(kernel)
        self.fills = Fills(kernel, self.aliases)
        given = [param for place, param in enumerate(kernel.params) if place not in no_alias]
        self.given = set(self.aliases.reached(given))

    def lockstep(self, op: For) -> LockstepLoop | None:
        """What there is to know of `op`; ``None`` where its iterations may not run in lockstep, or that does not pay."""
        loop = self.accesses.loop(op)
        if loop is None or op.snapshots or is_short(loop) or not pays(op) or not self.is_of_numbers(op):
            return None
        elements = [(inner, access) for inner in all_ops(op.body) if (access := self.accesses.of(inner)) is not None]
        changed = self.changed(elements)
        if changed is None:
            return None
        loads = {access.base.name for inner, access in elements if callee(inner) is operator.getitem}
        owned = {name: axis for name in loads | changed if (axis := self.own_axis(name, loop, elements)) is not None}
        private = {name for name in changed & loads if name not in owned}
        varying = self.varying(op, private)
        kinds: dict[str, Kind] = {}
        for name in changed:
            touching = [inner for inner, access in elements if access.base.name == name]
            kind = self.kind(op, touching, name, owned, varying)
            if kind is None:
                return None
            kinds[name] = kind
        found = LockstepLoop(op, loop, frozenset(varying), kinds, owned)
        return None if any(self.diverges(inner, found) for inner in all_ops(op.body)) else found

    def is_of_numbers(self, op: For) -> bool:
        """Whether iterations of `op` compute numbers of numbers and elements, and hand on nothing but sums."""
        inside = {var.name for var in defined_variables(op.body)}
        if not all(self.is_plain(inner, inside) for inner in all_ops(op.body)):
            return False
        return all(is_added_to(*carried, op.body) for carried in zip(op.body.params[1:], op.body.results, strict=True))

    def changed(self, elements: Collection[tuple[Op, ElementAccess]]) -> set[str] | None:
        """The names of the arrays that are written to; ``None`` where memory of one is known by another name too."""
        written = {self.aliases.of(access.base) for inner, access in elements if callee(inner) is not operator.getitem}
        bases: dict[int, set[str]] = {class_: set() for class_ in written}
        for _, access in elements:
            bases.get(self.aliases.of(access.base), set()).add(access.base.name)
        if written & self.given or any(len(names) > 1 for names in bases.values()):
            return None
        return {name for names in bases.values() for name in names}

    @staticmethod
    def diverges(op: Op, found: LockstepLoop) -> bool:
        """Whether iterations go through `op`, a loop, by different ranges, or it is a check of what differs."""
        if isinstance(op, For):
            return found.vary(op.source)
        return callee(op) in CHECKS and found.vary(reads(op))

    def is_plain(self, op: Op, inside: Collection[str]) -> bool:
        """Whether `op`, one of an iteration, is of numbers and of elements of arrays that were there before."""
        match op:
            case For():
                return is_counted(op) and all(map(has_number, op.outs))
            case If():
                return is_removable(op) and is_choice_of_numbers(op)
            case Call() if callee(op) in CHECKS:
                return not op.outs and all(isinstance(var.type, Scalar) for var in reads(op))
            case Call() if callee(op) is intrinsics.dim:
                return True
            case Call(outs=(Var(type=Array()) as view,)):
                return view.name in self.accesses.views and self.accesses.base(view).name not in inside
            case Call() if (access := self.accesses.of(op)) is not None:
                return is_held(access.base) and access.base.name not in inside and (not adds(op) or is_float(access.base))
            case Call():
                return is_removable(op) and len(op.outs) == 1 and all(map(has_number, (*op.outs, *reads(op))))
            case _:
                return False

    def own_axis(self, name: str, loop: Loop, elements: Collection[tuple[Op, ElementAccess]]) -> int | None:
        """The axis of the array of that `name` on which all that an iteration touches is its item, from the front."""
        found = [access for _, access in elements if access.base.name == name]
        for axis, place in enumerate(found[0].axes):
            low = self.accesses.lower(place)
            if place.root == loop.item and low is not None and low >= 0 and all(access.axes[axis] == place for access in found):
                return axis
        return None

    def varying(self, op: For, private: Collection[str]) -> set[str]:
        """The names of what differs from iteration to iteration of `op`."""
        found = {param.name for param in op.body.params}

        def vary(given: Collection[Operand]) -> bool:
            return any(var.name in found for var in variables_of(given))

        def mark(block: Block) -> None:
            for inner in block.ops:
                if isinstance(inner, For):
                    mark(inner.body)
                    given = zip(inner.outs, inner.body.params[1:], inner.inits, inner.body.results, strict=True)
                    for out, param, init, result in given:
                        if vary((param, init, result)):
                            found.update((out.name, param.name))
                elif isinstance(inner, If):
                    if vary(tuple(reads_with_blocks(inner))):
                        found.update(var.name for part in blocks(inner) for var in defined_variables(part))
                        found.update(out.name for out in inner.outs)
                elif callee(inner) is not intrinsics.dim:
                    access = self.accesses.of(inner)
                    if vary(operands(inner)) or (access is not None and access.base.name in private):
                        found.update(out.name for out in outs(inner))

        size = -1
        while size < len(found):
            size = len(found)
            mark(op.body)
        return found

    def kind(self, op: For, touching: list[Op], name: str, owned: Mapping[str, int], varying: Collection[str]) -> Kind | None:
        """How the iterations of `op` write to the array of that `name`; ``None`` if their order matters."""
        if all(map(adds, touching)):
            return "own" if name in owned else "sum"
        if name in owned:
            return "own"
        places = (place for inner in touching if (access := self.accesses.of(inner)) is not None for place in access.axes)
        if any(place.root is not None and place.root.name in varying for place in places):
            return None
        stored = [inner for inner in touching if callee(inner) is operator.setitem]
        if len(stored) == len(touching):
            values = variables_of([inner.args[2] for inner in stored if isinstance(inner, Call)])
            if not any(var.name in varying for var in values):
                return "same"
        return "private" if self.is_private(op, name) else None

    def is_private(self, op: For, name: str) -> bool:
        """Whether nothing but the iterations of `op` uses the array `name`, which is made here, and each fills it first."""
        array = self.accesses.named[name]
        made = [one for one in self.kernel.body.ops if isinstance(one, Call) and one.outs == (array,)]
        if array in variables_of(self.kernel.results) or not made or not is_float(array):
            return False
        if len(self.aliases.members(self.aliases.of(array))) > 1:
            return False
        around = [one for one in self.kernel.body.ops if one is not op and one is not made[0]]
        if any(array in names_of(one) and callee(one) is not intrinsics.dim for one in around):
            return False
        first = next((one for one in op.body.ops if array in names_of(one) and callee(one) is not intrinsics.dim), None)
        return first is not None and self.is_filled(first, array)

    def is_filled(self, op: Op, array: Var) -> bool:
        """Whether `op` stores to every element of `array`, and does nothing else with it."""
        loops: list[Loop] = []
        while isinstance(op, For):
            loop = self.accesses.loop(op)
            using = [inner for inner in op.body.ops if array in names_of(inner) and callee(inner) is not intrinsics.dim]
            if loop is None or len(using) != 1:
                return False
            loops.append(loop)
            op = using[0]
        target = self.accesses.of(op) if callee(op) is operator.setitem else None
        return target is not None and target.base == array and self.fills.covered(target, loops)

    def is_whole(self, loop: For, size: object) -> bool:
        """Whether `loop` goes through all places of an axis of that `size`."""
        found = self.accesses.loop(loop)
        if found is None or found.low != Subscript(None, 0):
            return False
        high = found.high
        return high.offset == size if high.root is None else not high.offset and self.fills.lengths.get(high.root.name) == size


def names_of(op: Op) -> set[Var]:
    """The variables that `op` takes, in its blocks too."""
    return {*reads_with_blocks(op)}


def is_counted(loop: For) -> bool:
    """Whether `loop` goes through a range by a known step, to its end, and keeps no states."""
    return not loop.breaks and loop.snapshots is None and len(loop.source) == 3 and isinstance(loop.source[2], Lit)


def is_choice_of_numbers(branch: If) -> bool:
    """Whether both sides of `branch` do nothing but calls on numbers, in branches of their own or not."""
    numbers = all(isinstance(var.type, Scalar) for var in (*branch.outs, *reads_with_blocks(branch)))
    return numbers and all(isinstance(one, Call | If) for one in with_inner(branch))


def has_number(var: Var) -> bool:
    """Whether `var` is a number that a kernel holds."""
    return isinstance(var.type, Scalar) and var.type.dtype in NUMBERS


def is_held(array: Var) -> bool:
    """Whether `array` holds numbers that a kernel does."""
    return isinstance(array.type, Array) and array.type.dtype in NUMBERS


def is_float(array: Var) -> bool:
    """Whether `array` holds numbers of ``float64``."""
    return isinstance(array.type, Array) and array.type.dtype == "float64"


def is_added_to(param: Var, result: Operand, body: Block) -> bool:
    """Whether an iteration only adds a number to `param`, which a loop carries, and yields that as `result`."""
    taken = Counter(var for op in all_ops(body) for var in (*reads(op), *yielded(op)))
    taken.update(variables_of(body.results))
    adding = next((op for op in body.ops if isinstance(op, Call) and callee(op) is runtime.add_up and op.args[0] == param), None)
    once = taken[param] == 1 and isinstance(result, Var) and taken[result] == 1
    return once and adding is not None and adding.outs == (result,) and is_number(param)


def is_number(var: Var) -> bool:
    """Whether `var` is a number of ``float64``."""
    return isinstance(var.type, Scalar) and var.type.dtype == "float64"


def is_short(loop: Loop) -> bool:
    """Whether `loop` surely has too few iterations."""
    return loop.low.root is None and loop.high.root is None and loop.high.offset - loop.low.offset < FEW


def pays(op: For) -> bool:
    """Whether iterations of `op` have loops in loops, of which the inner ones are as long as the outer ones say."""
    return any(uneven(inner) for inner in op.body.ops)


def uneven(op: Op) -> bool:
    """Whether the length of a loop in `op` is the item of another one around it."""
    if not isinstance(op, For):
        return False
    item = op.body.params[0]
    inner = [one for one in all_ops(op.body) if isinstance(one, For)]
    return any(item in variables_of(one.source) for one in inner) or any(map(uneven, op.body.ops))


def empty(shape: Operand, dtype: str, out: Var) -> Call:
    """What makes an array."""
    kwargs = () if dtype == "float64" else (("dtype", Lit(np.dtype(dtype).type)),)
    return Call((out,), Lit(np.empty), (shape,), kwargs)
