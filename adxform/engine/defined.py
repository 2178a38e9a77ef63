"""Kernels that read what a path did not define raise, and Python, which is asked then, says what is wrong.

In machine code a variable without a value is zero. Where one may be read, a condition beside it tells whether it has one::

    if n > 0:                       if n > 0:
        t = x[0]                        t = x[0]
    return 2.0 * t           ->     check_holds(n > 0)
                                    return 2.0 * t

What is only handed on, through branches, loops and tapes, is not read; what is defined under a condition may be read under it.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from adxform.engine import scalars
from adxform.engine.absent import ABSENT
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import BOOL
from adxform.ir.walk import Names, all_ops, operands, reads, variables_of
from adxform.opt.rewriting import callee

YES, NO = Lit(True), Lit(False)


@dataclass(frozen=True, slots=True)
class When:
    """What a variable is defined under: `condition` is `holds`."""

    condition: Operand
    holds: bool = True


ALWAYS, NEVER = When(YES), When(NO)


def check_definitions(kernel: Function, absent: Collection[int] = ()) -> Function:
    """`kernel` with a check ahead of each op that reads what may be undefined, as parameters at the positions `absent` may."""
    if not absent and not any(nothing in given for nothing in ABSENT for op in all_ops(kernel.body) for given in _handed(op)):
        return kernel
    checking = _Checking(Names.of(kernel))
    builder = Builder(checking.names, kernel.span)
    for position in sorted(absent):
        made = builder.call(scalars.is_made, kernel.params[position], type=BOOL, hint="made")
        checking.when[kernel.params[position]] = When(made)
    body, _ = checking.block(kernel.body, frozenset())
    return replace(kernel, body=replace(body, ops=(*builder.ops, *body.ops))) if checking.found else kernel


def _handed(op: Op) -> tuple[tuple[Operand, ...], ...]:
    match op:
        case If(then=then, orelse=orelse):
            return then.results, orelse.results
        case For(inits=inits, body=body) | While(inits=inits, body=body):
            return inits, body.results
        case _:
            return ()


def _taken(op: Op) -> tuple[Var, ...]:
    """The variables that `op` itself reads, and does not only hand on."""
    match op:
        case For(source=source):
            return variables_of(source)
        case While():
            return ()
        case Call(args=(tape, *_)) if callee(op) is intrinsics.push or _keeps(op):
            return variables_of(operands(op)[1:3] if _keeps(op) else (tape,))
        case _:
            return reads(op)


def _keeps(op: Call) -> bool:
    tape = op.args[0] if op.args else None
    return callee(op) is operator.setitem and isinstance(tape, Var) and tape.base.endswith("_tape")


@dataclass(slots=True)
class _Checking:
    """`when` holds what may be undefined, `found` whether any of it is read."""

    names: Names
    when: dict[Var, When] = field(default_factory=dict)
    found: bool = False

    def block(self, block: Block, known: frozenset[When]) -> tuple[Block, frozenset[When]]:
        """`block` with its checks, and what is known at its end, `known` at its start."""
        builder = Builder(self.names)
        for op in block.ops:
            builder.span = op.span
            for var in _taken(op):
                if (when := self.of(var, known)) != ALWAYS:
                    self.found = True
                    builder.effect(scalars.check_holds, _condition(when, builder))
                    known |= {when}
            builder.emit(self.inside(op, known, builder))
        return replace(block, ops=tuple(builder.ops)), known

    def of(self, operand: Operand, known: frozenset[When]) -> When:
        """When `operand` is defined, as far as `known` does not say that it is."""
        if operand in ABSENT:
            return NEVER
        when = self.when.get(operand, ALWAYS) if isinstance(operand, Var) else ALWAYS
        return ALWAYS if when in known else when

    def inside(self, op: Op, known: frozenset[When], builder: Builder) -> Op:
        """`op` with checks in its blocks; what it takes beside it is made by `builder`. Notes when its outs are defined."""
        match op:
            case If():
                return self.branch(op, known)
            case For(inits=inits, body=body):
                lead = int(op.breaks)
                at, body, params, before, outs = self.carried(inits, op.outs, body.params[1:], body, lead, known, builder)
                body = replace(body, params=(*body.params, *params))
                return replace(op, outs=(*op.outs, *outs), inits=(*inits, *before), body=body)
            case While(inits=inits, test=test, body=body):
                at, body, params, before, outs = self.carried(inits, op.outs, body.params, body, 0, known, builder)
                tested = [self.made() for _ in at]
                self.when |= {test.params[k]: When(made) for k, made in zip(at, tested, strict=True)}
                test, _ = self.block(replace(test, params=(*test.params, *tested)), known)
                body = replace(body, params=(*body.params, *params))
                return replace(op, outs=(*op.outs, *outs), inits=(*inits, *before), test=test, body=body)
            case _:
                return op

    def branch(self, op: If, known: frozenset[When]) -> If:
        """A branch with checks in its arms; where it does not follow from the condition what it defines, it says so."""
        arms = [self.block(op.then, known | {When(op.cond)}), self.block(op.orelse, known | {When(op.cond, False)})]
        added: list[tuple[When, ...]] = []
        outs = list(op.outs)
        for out, *results in zip(op.outs, op.then.results, op.orelse.results, strict=True):
            found = tuple(self.of(result, facts) for result, (_, facts) in zip(results, arms, strict=True))
            if found == (ALWAYS, NEVER):
                self.when[out] = When(op.cond)
            elif found == (NEVER, ALWAYS):
                self.when[out] = When(op.cond, False)
            elif found != (ALWAYS, ALWAYS):
                outs.append(self.made())
                self.when[out] = When(outs[-1])
                added.append(found)
        then, orelse = (self.saying(arm, [found[k] for found in added]) for k, (arm, _) in enumerate(arms))
        return replace(op, outs=tuple(outs), then=then, orelse=orelse)

    def carried(
        self,
        inits: tuple[Operand, ...],
        outs: tuple[Var, ...],
        params: tuple[Var, ...],
        body: Block,
        lead: int,
        known: frozenset[When],
        builder: Builder,
    ) -> tuple[list[int], Block, list[Var], list[Operand], list[Var]]:
        """Which of what a loop carries may be undefined, its body with checks, and what it carries beside: in, ahead, after."""
        at = [k for k, init in enumerate(inits) if self.of(init, known) != ALWAYS]
        while True:
            inside = [self.made() for _ in at]
            self.when |= {params[k]: When(made) for k, made in zip(at, inside, strict=True)}
            checked, facts = self.block(body, known)
            after = [self.of(result, facts) for result in body.results[lead:]]
            if all(k in at or when == ALWAYS for k, when in enumerate(after)):
                break
            at = [k for k, when in enumerate(after) if k in at or when != ALWAYS]
        left = [self.made() for _ in at]
        self.when |= {outs[k]: When(made) for k, made in zip(at, left, strict=True)}
        before = [_condition(self.of(inits[k], known), builder) for k in at]
        return at, self.saying(checked, [after[k] for k in at]), inside, before, left

    def saying(self, block: Block, found: list[When]) -> Block:
        """`block`, which also tells its end what holds of `found`."""
        builder = Builder(self.names)
        conditions = [_condition(when, builder) for when in found]
        return replace(block, ops=(*block.ops, *builder.ops), results=(*block.results, *conditions))

    def made(self) -> Var:
        return Var(self.names.fresh("made"), BOOL)


def _condition(when: When, builder: Builder) -> Operand:
    return when.condition if when.holds else builder.call(operator.not_, when.condition, type=BOOL)
