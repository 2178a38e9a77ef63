"""Several vectors in one sweep: what depends on the seeds of a derivative stands there once for each vector, all else once.

    def f_jvp(x, x_t):                     def f_jvp_2(x, x_t0, x_t1):
        y = np.sin(x)                          y = np.sin(x)
        tmp = np.cos(x)                        tmp = np.cos(x)
        y_t = x_t * tmp                        y_t0 = x_t0 * tmp
        return y, y_t                          y_t1 = x_t1 * tmp
                                               return y, y_t0, y_t1

A derivative is linear in its seeds: its control flow and its partial derivatives do not depend on them, and stay shared. Nothing
here needs that to be so: control flow that does depend on a seed is there once for each vector, as a whole. Every vector meets
the very operations that it meets alone, in the same order, and comes to the same bits where the engine keeps that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from adxform.analysis.dependence import Case, Dependence, Level, find_dependence
from adxform.ir import intrinsics
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, Function, If, Invoke, Lit, Op, Operand, Raise, Var, While
from adxform.ir.types import Array, Dim, Size, Type
from adxform.ir.walk import Names, map_op, reads, substitute
from adxform.primitives.effects import effect_of, functions, is_removable, positions


def batch(fn: Function, inputs: int, shared: int, directions: int) -> Function | None:
    """`fn` for `directions` values of its seeds at once: the parameters after the first `inputs`.

    It takes a group of seeds for each, and returns the first `shared` results, then a group of the others for each. ``None``
    where something that the caller hands in beside them is written to with what depends on a seed: there is only one of it.
    """
    dependence = find_dependence(fn, range(inputs, len(fn.params)))
    if dependence.level(*fn.params[:inputs]):
        return None
    callees = _Callees(directions, functions(fn), dependence.cases)
    copier = _Copier(fn, dependence, callees)
    seeds = tuple(copier.copy(seed, j) for j in range(directions) for seed in fn.params[inputs:])
    ops = copier.ops(fn.body.ops)
    common = tuple(copier.at(0, result) for result in fn.results[:shared])
    own = tuple(copier.at(j, result) for j in range(directions) for result in fn.results[shared:])
    body = Block((*fn.params[:inputs], *seeds), ops, (*common, *own))
    helpers = tuple(replace(helper, helpers=()) for helper in callees.known.values())
    return replace(fn, name=f"{fn.name}_{directions}", body=body, helpers=(*helpers, *callees.made()))


@dataclass(slots=True)
class _Callees:
    """The helpers of a function, those that are `known` and those that are copied, for each case that is called."""

    directions: int
    known: Mapping[str, Function]
    cases: Mapping[Case, Dependence]
    names: dict[Case, str] = field(default_factory=dict)
    copied: dict[str, Function] = field(default_factory=dict)

    def name(self, case: Case) -> str:
        """The name of the copied helper for `case`."""
        if case not in self.names:
            fresh = Names(Var(name) for name in (*self.known, *self.names.values()))
            self.names[case] = name = fresh.fresh(f"{case.name}_{self.directions}").replace(".", "_")
            copier = _Copier(self.cases[case].fn, self.cases[case], self)
            self.copied[name] = copier.helper(case, name)
        return self.names[case]

    def made(self) -> tuple[Function, ...]:
        """The copied helpers."""
        return tuple(self.copied.values())

    def spread(self, case: Case) -> tuple[list[bool], list[bool]]:
        """Which parameters and results of the copied helper for `case` are there once for each direction."""
        callee = self.cases[case]
        params = zip(case.params, callee.levels(callee.fn.params), strict=True)
        results = zip(case.results, callee.levels(callee.fn.results), strict=True)
        return [any(levels) for levels in params], [any(levels) for levels in results]


class _Copier:
    """Copies what depends in one function."""

    def __init__(self, fn: Function, dependence: Dependence, callees: _Callees) -> None:
        self.fn = fn
        self.dependence = dependence
        self.callees = callees
        self.names = Names.of(fn)
        self.copies: list[dict[Var, Operand]] = [{} for _ in range(callees.directions)]
        self.lengths: list[dict[str, str]] = [{} for _ in range(callees.directions)]

    def helper(self, case: Case, name: str) -> Function:
        """The helper for `case`."""
        fn = self.fn
        params, results = self.callees.spread(case)
        taken = self.defined(fn.params, params)
        ops = self.ops(fn.body.ops)
        return replace(fn, name=name, body=Block(taken, ops, self.spread(fn.results, results)), helpers=())

    def copy(self, var: Var, j: int) -> Var:
        """The variable that stands for `var` in direction `j`, made now."""
        hint = f"{var.base}{j}" if var.base.endswith(("_t", "_ct")) else var.base
        type_ = self.own_lengths(var.type, j) if self.dependence.level(var) == Level.SHAPE else var.type
        new = self.copies[j][var] = Var(self.names.fresh(hint), type_)
        return new

    def own_lengths(self, type_: Type, j: int) -> Type:
        """`type_` with unknown lengths of its own: those of another direction may be others."""

        def renamed(size: Size) -> Size:
            if not isinstance(size, Dim) or not size.base.startswith("?"):
                return size
            if size.base not in self.lengths[j]:
                self.lengths[j][size.base] = self.names.fresh(size.base)
            return Dim(self.lengths[j][size.base], size.offset)

        if not isinstance(type_, Array) or type_.shape is None:
            return type_
        return Array(type_.dtype, tuple(map(renamed, type_.shape)))

    def at(self, j: int, operand: Operand) -> Operand:
        """What stands for `operand` in direction `j`."""
        return substitute(operand, self.copies[j])

    def defined(self, found: Iterable[Var], depends: Iterable[bool]) -> tuple[Var, ...]:
        """`found`, each that depends once for each direction."""
        directions = range(self.callees.directions)
        return tuple(
            new
            for var, copied in zip(found, depends, strict=True)
            for new in ((self.copy(var, j) for j in directions) if copied else (var,))
        )

    def spread(self, found: Iterable[Operand], depends: Iterable[bool]) -> tuple[Operand, ...]:
        """`found` as operands, each that depends once for each direction."""
        counts = (range(self.callees.directions if copied else 1) for copied in depends)
        return tuple(self.at(j, operand) for operand, directions in zip(found, counts, strict=True) for j in directions)

    def depend(self, found: Iterable[Var]) -> list[bool]:
        """Which of `found` depend."""
        return [self.dependence.level(var) > Level.NONE for var in found]

    def ops(self, found: tuple[Op, ...]) -> tuple[Op, ...]:
        """`found`, each that depends once for each direction, control flow once.

        What one direction does stays together as far as nothing comes between that writes to what it may read.
        """
        made: list[Op] = []
        waiting: list[Op] = []
        for op in found:
            if self.is_copied(op):
                waiting.append(op)
                continue
            if not self.may_go_ahead(op):
                made += self.each(waiting)
                waiting = []
            made.append(self.op(op))
        return (*made, *self.each(waiting))

    def each(self, found: list[Op]) -> list[Op]:
        """A copy of `found` for each direction."""
        return [self.whole(op, j) for j in range(self.callees.directions) for op in found]

    def is_copied(self, op: Op) -> bool:
        """Whether `op` is there once for each direction, as a whole."""
        if not isinstance(op, Call):
            return self.dependence.is_forked(op)
        touched = (*op.outs, *positions(op, effect_of(op).writes))
        return self.dependence.level(*touched) > Level.NONE or (not op.outs and self.dependence.level(*reads(op)) > Level.NONE)

    def may_go_ahead(self, op: Op) -> bool:
        """Whether `op`, which is not copied, may go ahead of what is."""
        return is_mark(op) or (isinstance(op, Call) and is_removable(op) and not self.dependence.level(*reads(op)))

    def op(self, op: Op) -> Op:
        """What stands for `op`, which is not copied."""
        match op:
            case Call() | Raise():
                return self.once(op)
            case If(outs, cond, then, orelse):
                depends = self.depend(outs)
                branches = [self.block((), block, (), block.results, depends) for block in (then, orelse)]
                return replace(op, cond=self.at(0, cond), then=branches[0], orelse=branches[1], outs=self.defined(outs, depends))
            case For(outs, source, inits, body, breaks):
                depends = self.depend(outs)
                source = tuple(self.at(0, operand) for operand in source)
                inits = self.spread(inits, depends)
                params = (body.params[0], *self.defined(body.params[1:], depends))
                body = self.block(params, body, body.results[:breaks], body.results[breaks:], depends)
                return replace(op, source=source, inits=inits, body=body, outs=self.defined(outs, depends))
            case While(outs, inits, test, body):
                depends = self.depend(outs)
                inits = self.spread(inits, depends)
                test = self.block(self.defined(test.params, depends), test, test.results, (), ())
                body = self.block(self.defined(body.params, depends), body, (), body.results, depends)
                return replace(op, inits=inits, test=test, body=body, outs=self.defined(outs, depends))
            case Invoke():
                return self.invoke(op)
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR is not copied")
            case _:
                assert_never(op)

    def block(
        self,
        params: tuple[Var, ...],
        block: Block,
        first: tuple[Operand, ...],
        rest: tuple[Operand, ...],
        depends: Iterable[bool],
    ) -> Block:
        """`block` with these parameters, its results the `first` once, and those of the `rest` that depend in each direction."""
        ops = self.ops(block.ops)
        return Block(params, ops, (*(self.at(0, result) for result in first), *self.spread(rest, depends)))

    def once(self, op: Op) -> Op:
        """`op`, which does not depend but on shapes, those of the first direction."""
        return map_op(op, lambda operand: self.at(0, operand), lambda block: block)

    def whole(self, op: Op, j: int) -> Op:
        """`op` with all that is inside it for direction `j`."""

        def inner(block: Block) -> Block:
            params = tuple([self.copy(param, j) for param in block.params])
            ops = tuple([self.whole(op, j) for op in block.ops])
            return Block(params, ops, tuple([self.at(j, result) for result in block.results]))

        return map_op(op, lambda operand: self.at(j, operand), inner, lambda var: self.copy(var, j))

    def invoke(self, op: Invoke) -> Invoke:
        """A call of the copied helper, or of the helper itself where nothing depends."""
        case = self.dependence.case(op)
        if case not in self.callees.cases:
            return replace(op, args=tuple(self.at(0, arg) for arg in op.args))
        params, results = self.callees.spread(case)
        return replace(op, callee=self.callees.name(case), args=self.spread(op.args, params), outs=self.defined(op.outs, results))


def is_mark(op: Op) -> bool:
    """Whether `op` marks the turning point, and does nothing."""
    return isinstance(op, Call) and op.fn == Lit(intrinsics.turning_point)
