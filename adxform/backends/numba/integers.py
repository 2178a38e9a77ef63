"""How large Python's integers can get in a kernel, where they have 64 bits.

Integers from outside have at most 31 bits (`machine.entrance` refuses others), and so have lengths (a kernel that
multiplies checks its own), the item of a loop as many as its bounds. A sum has one more than its larger term, a product those
of both. What a loop carries either stays within bounds, or grows by small steps that the loop does not carry: fewer than 2^31
times, for a loop has no more iterations, and those of loops in loops are fewer than 2^47, which would take days.
"""

from __future__ import annotations

import operator

from adxform import runtime
from adxform.backends.numba.support import WHOLE
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Operand, Var, While
from adxform.ir.types import INT
from adxform.ir.walk import all_ops, defined_variables, outs, reads_with_blocks
from adxform.runtime import kernel_scalars

GIVEN = 31
MOST = 63
STEP = 14
COUNTED = 61
TOO_MANY = 10**6
SUMS = (operator.add, operator.sub, runtime.add_up)
FRONTS = (runtime.from_front, kernel_scalars.from_front)
COUNTS = (intrinsics.dim, len, runtime.trip_count, kernel_scalars.trip_count, *FRONTS)
"""What gives places in an array, and lengths."""


def multiplies(ops: tuple[Op, ...]) -> bool:
    """Whether `ops` multiply integers of Python's own."""
    calls = (op for op in all_ops(Block((), ops, ())) if isinstance(op, Call))
    return any(callee(op) in (operator.mul, operator.pow) and op.outs[0].type == INT for op in calls)


class Bits:
    """A bound on the bits of each integer of Python's own; those of NumPy wrap as they do in a kernel."""

    def __init__(self) -> None:
        self.known: dict[Var, int] = {}
        self.made: dict[Operand, Call] = {}

    def of(self, operand: Operand) -> int:
        """The bits of `operand`."""
        match operand:
            case Lit(int() as value):
                return value.bit_length()
            case Var(type=type_) if type_ == INT:
                return self.known.get(operand, GIVEN)
            case _:
                return 0

    def fit(self, op: Op) -> bool:
        """Whether all integers of `op`, and of its blocks, fit."""
        match op:
            case Call(outs=(out,)) if out.type == INT:
                self.made[out] = op
                self.known[out] = bits = self.call(op)
                return bits <= MOST
            case Call(args=(Var() as tape, *_, value)) if callee(op) in (intrinsics.push, operator.setitem) and self.of(value):
                self.known[tape] = max(self.known.get(tape, GIVEN), self.of(value))
            case If(outs=made, then=then, orelse=orelse):
                if not (self.block(then) and self.block(orelse)):
                    return False
                self.known |= {
                    out: max(self.of(a), self.of(b)) for out, a, b in zip(made, then.results, orelse.results, strict=True)
                }
            case For(source=(start, stop, _), body=body, breaks=breaks):
                self.known[body.params[0]] = max(self.of(start), self.of(stop))
                return self.loop((body.params[1:],), op.inits, (body,), body.results[breaks:], op.outs)
            case While(test=test, body=body):
                return self.loop((body.params, test.params), op.inits, (test, body), body.results, op.outs)
            case _:
                pass
        return True

    def block(self, block: Block) -> bool:
        """Whether the integers of `block` fit."""
        return all(self.fit(op) for op in block.ops)

    def loop(
        self,
        params: tuple[tuple[Var, ...], ...],
        inits: tuple[Operand, ...],
        bodies: tuple[Block, ...],
        results: tuple[Operand, ...],
        made: tuple[Var, ...],
    ) -> bool:
        """Whether the integers that a loop carries, and those in its `bodies`, fit."""
        carried = {var for group in params for var in group if var.type == INT}
        grown = Growth(bodies[-1], carried)
        for k, init in enumerate(inits):
            for group in params:
                if group[k] in carried:
                    start = max(self.of(init), GIVEN)
                    self.known[group[k]] = max(start + 1, min(start + STEP + 1, COUNTED))
        if not all(map(self.block, bodies)):
            return False
        for k, (result, out) in enumerate(zip(results, made, strict=True)):
            if out.type != INT:
                continue
            bound = self.known[params[0][k]]
            steps = grown.steps(result, params[0][k])
            if steps is None and self.of(result) > bound:
                return False
            if steps is not None and any(self.of(step) > STEP for step in steps):
                return False
            self.known[out] = bound
        return True

    def call(self, op: Call) -> int:
        """The bits of what `op` returns."""
        fn, given = callee(op), [self.of(arg) for arg in op.args]
        if fn in SUMS:
            return max(given) + 1
        if fn is operator.mul:
            return sum(given)
        if fn is operator.pow:
            exponent = op.args[1]
            return given[0] * exponent.value if isinstance(exponent, Lit) else TOO_MANY
        if fn is max and (whole := self.cut_off(op)) is not None:
            return self.of(whole)
        if fn in (operator.neg, operator.pos, operator.abs, abs, operator.floordiv, min, max):
            return max(given)
        if fn is operator.mod:
            return given[1]
        if fn in (operator.getitem, intrinsics.pop) and isinstance(op.args[0], Var):
            return self.known.get(op.args[0], GIVEN)
        if fn in WHOLE and isinstance(op.args[0], Var) and op.args[0].type == INT:
            return given[0]
        return GIVEN if fn in COUNTS or fn in WHOLE else TOO_MANY

    def cut_off(self, op: Call) -> Operand | None:
        """The length of an axis, where `op` gives that of a slice of it, cut off at its ends: it is no longer."""
        difference = self.made.get(op.args[0])
        if difference is None or callee(difference) is not operator.sub or op.args[1] != Lit(0):
            return None
        stop, start = map(self.made.get, difference.args)
        if stop is None or start is None or callee(stop) is not min or callee(start) not in FRONTS:
            return None
        whole = start.args[1]
        return whole if whole in stop.args else None


class Growth:
    """What becomes, in one iteration of the loop with this `body`, of the integers that it carries."""

    def __init__(self, body: Block, carried: set[Var]) -> None:
        self.made: dict[Var, Op] = {out: op for op in all_ops(body) for out in outs(op)}
        self.dependent = set(carried)
        for op in all_ops(body):
            if not self.dependent.isdisjoint(reads_with_blocks(op)):
                self.dependent.update(outs(op))
                for inner in () if isinstance(op, Call) else (op.body,) if isinstance(op, For | While) else ():
                    self.dependent.update(var for var in defined_variables(inner) if var.type == INT)

    def depends(self, operand: Operand) -> bool:
        """Whether `operand` is computed from what the loop carries."""
        return operand in self.dependent

    def steps(self, operand: Operand, param: Var) -> list[Operand] | None:
        """What has been added to `param` to give `operand`; ``None`` where that is not how it came about."""
        if operand == param:
            return []
        op = self.made.get(operand) if isinstance(operand, Var) else None
        match op:
            case Call(args=(a, b)) if callee(op) in SUMS and not self.depends(b):
                before = self.steps(a, param)
                return None if before is None else [*before, b]
            case Call(args=(a, b)) if callee(op) in (operator.add, runtime.add_up) and not self.depends(a):
                before = self.steps(b, param)
                return None if before is None else [*before, a]
            case If(outs=made, then=then, orelse=orelse):
                place = made.index(operand)
                ends = [self.steps(arm.results[place], param) for arm in (then, orelse)]
                return None if None in ends else [step for end in ends for step in end or ()]
            case For(outs=made, inits=inits, body=body, breaks=breaks):
                place = made.index(operand)
                before = self.steps(inits[place], param)
                inside = self.steps(body.results[breaks + place], body.params[1 + place])
                return None if before is None or inside is None else [*before, *inside]
            case _:
                return None
