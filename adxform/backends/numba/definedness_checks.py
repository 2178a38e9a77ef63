"""Compiled functions that read what a path did not define raise, and Python, which is asked then, says what is wrong.

There a number without a value is zero, and an array is empty. Where one may be read, a condition beside it tells whether it has
one::

    if n > 0:                       if n > 0:
        t = x[0]                        t = x[0]
    return 2.0 * t           ->     check_holds(n > 0)
                                    return 2.0 * t

What is only handed on, through branches, loops and tapes, is not read; what is defined under a condition may be read under it.
Beside a tape on which something may be undefined there is one that says of each value whether it is defined: the reverse sweep
may be alone in reading it.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from adxform.backends.numba.undefined_values import NO_VALUE
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import BOOL, Array, Scalar, Type
from adxform.ir.walk import TAPE, Names, all_ops, operands, reads, variables_of
from adxform.runtime import kernel_scalars

YES, NO = Lit(True), Lit(False)
MAKERS = (np.empty, intrinsics.new_stack)
"""What makes tapes."""


@dataclass(frozen=True, slots=True)
class When:
    """What a variable is defined under: `condition` is `holds`."""

    condition: Operand
    holds: bool = True


ALWAYS, NEVER = When(YES), When(NO)


def check_definitions(fn: Function) -> Function:
    """`fn` with a check ahead of each op that reads what may be undefined, and of its end if it returns that."""
    if not any(nothing in given for nothing in NO_VALUE for op in all_ops(fn.body) for given in _handed(op)):
        return fn
    unsure = frozenset[Var]()
    while True:
        checking = _Checking(Names.of(fn), {*unsure})
        body, known = checking.block(fn.body, frozenset())
        if unsure == checking.unsure:
            break
        unsure = frozenset(checking.unsure)
    builder = Builder(checking.names, fn.span)
    checking.check(variables_of(body.results), known, builder)
    return replace(fn, body=replace(body, ops=(*body.ops, *builder.ops))) if checking.found else fn


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
        case Call(args=(tape, *_)) if callee(op) is intrinsics.push or _is_taping(op):
            return variables_of(operands(op)[1:3] if _is_taping(op) else (tape,))
        case _:
            return reads(op)


def _is_taping(op: Call) -> bool:
    """Whether `op` stores a value on a tape that is an array, or its tangent or cotangent on that of the tape."""
    tape = op.args[0] if op.args else None
    return callee(op) is operator.setitem and isinstance(tape, Var) and TAPE in tape.base


@dataclass(slots=True)
class _Checking:
    """`when` holds what may be undefined, `found` whether any of it is read.

    `unsure` are the tapes that hold such values; those that were known to ahead have another one `beside` them.
    """

    names: Names
    unsure: set[Var] = field(default_factory=set)
    when: dict[Var, When] = field(default_factory=dict)
    beside: dict[Var, Var] = field(default_factory=dict)
    found: bool = False

    def block(self, block: Block, known: frozenset[When]) -> tuple[Block, frozenset[When]]:
        """`block` with its checks, and what is known at its end, `known` at its start."""
        builder = Builder(self.names)
        for op in block.ops:
            builder.span = op.span
            known = self.check(_taken(op), known, builder)
            builder.emit(self.inside(op, known, builder))
            if isinstance(op, Call):
                self.tape(op, known, builder)
        return replace(block, ops=tuple(builder.ops)), known

    def check(self, read: Collection[Var], known: frozenset[When], builder: Builder) -> frozenset[When]:
        """Have what is `read` checked; what is known then."""
        for var in read:
            if (when := self.of(var, known)) != ALWAYS:
                self.found = True
                builder.effect(kernel_scalars.check_holds, _condition(when, builder))
                known |= {when}
        return known

    def of(self, operand: Operand, known: frozenset[When]) -> When:
        """When `operand` is defined, as far as `known` does not say that it is."""
        if operand in NO_VALUE:
            return NEVER
        when = self.when.get(operand, ALWAYS) if isinstance(operand, Var) else ALWAYS
        return ALWAYS if when in known else when

    def inside(self, op: Op, known: frozenset[When], builder: Builder) -> Op:
        """`op` with checks in its blocks; what it takes beside it is made by `builder`. Notes when its outs are defined."""
        match op:
            case If():
                return self.branch(op, known)
            case For() | While():
                return self.loop(op, known, builder)
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

    def loop(self, op: For | While, known: frozenset[When], builder: Builder) -> For | While:
        """A loop with checks inside, which carries beside what may be undefined whether it is; that is found out ahead of it."""
        first, lead = (1, int(op.breaks)) if isinstance(op, For) else (0, 0)
        params, results = op.body.params[first:], op.body.results[lead:]
        at = [k for k, init in enumerate(op.inits) if self.of(init, known) != ALWAYS]
        while True:
            inside = self.made_for([params[k] for k in at])
            body, facts = self.block(op.body, known)
            after = [self.of(result, facts) for result in results]
            if all(k in at or when == ALWAYS for k, when in enumerate(after)):
                break
            at = [k for k, when in enumerate(after) if k in at or when != ALWAYS]
        body = self.saying(replace(body, params=(*body.params, *inside)), [after[k] for k in at])
        before = [_condition(self.of(op.inits[k], known), builder) for k in at]
        outs = (*op.outs, *self.made_for([op.outs[k] for k in at]))
        whole = replace(op, outs=outs, inits=(*op.inits, *before), body=body)
        if isinstance(whole, For):
            return whole
        tested = self.made_for([whole.test.params[k] for k in at])
        test, _ = self.block(replace(whole.test, params=(*whole.test.params, *tested)), known)
        return replace(whole, test=test)

    def tape(self, op: Call, known: frozenset[When], builder: Builder) -> None:
        """Do with what is beside a tape what `op` does with the tape."""
        fn = callee(op)
        match op:
            case Call(outs=(Var(type=type_) as tape,)) if fn in MAKERS and tape in self.unsure:
                self.beside[tape] = beside = builder.var(f"made{TAPE}", _of_truths(type_))
                kwargs = (("dtype", Lit(np.bool_)),) if isinstance(type_, Array) else ()
                builder.emit(replace(op, outs=(beside,), kwargs=kwargs))
            case Call(args=(Var() as tape, *place, value)) if fn is intrinsics.push or (_is_taping(op) and _is_number(value)):
                if (when := self.of(value, known)) != ALWAYS:
                    self.unsure.add(tape)
                if tape in self.beside:
                    builder.emit(replace(op, args=(self.beside[tape], *place, _condition(when, builder))))
            case Call(outs=(Var() as out,), args=(Var() as tape, *place)) if fn in (intrinsics.pop, operator.getitem):
                if out in self.unsure:
                    self.unsure.add(tape)
                if tape in self.beside:
                    row = fn is operator.getitem and not _is_number(out)
                    made = builder.var(f"made{TAPE}", _of_truths(out.type)) if row else self.made()
                    builder.emit(replace(op, outs=(made,), args=(self.beside[tape], *place)))
                    if row:
                        self.beside[out] = made
                    else:
                        self.when[out] = When(made)

    def saying(self, block: Block, found: list[When]) -> Block:
        """`block`, which also tells its end what holds of `found`."""
        builder = Builder(self.names)
        conditions = [_condition(when, builder) for when in found]
        return replace(block, ops=(*block.ops, *builder.ops), results=(*block.results, *conditions))

    def made_for(self, variables: Collection[Var]) -> list[Var]:
        """For each of `variables` one that tells whether it is defined."""
        made = [self.made() for _ in variables]
        self.when |= {var: When(one) for var, one in zip(variables, made, strict=True)}
        return made

    def made(self) -> Var:
        return Var(self.names.fresh("made"), BOOL)


def _condition(when: When, builder: Builder) -> Operand:
    return when.condition if when.holds else builder.call(operator.not_, when.condition, type=BOOL)


def _is_number(operand: Operand) -> bool:
    return not isinstance(operand, Var) or isinstance(operand.type, Scalar)


def _of_truths(type_: Type) -> Type:
    """The type of what is beside a tape of this type."""
    return Array("bool", type_.shape) if isinstance(type_, Array) else type_
