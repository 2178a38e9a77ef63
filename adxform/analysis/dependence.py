"""What depends on some of a function's parameters: in value only, or in shape and control flow too.

Memory counts as one: what is written to with a dependent value depends from its allocation on, under all of its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import assert_never

from adxform.analysis.spread import is_constant
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, Function, If, Invoke, Op, Operand, Raise, Var, While
from adxform.ir.types import Stack, is_inexact
from adxform.ir.walk import outs, reads, variables
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of, functions, has_memory, positions
from adxform.primitives.record import Constant
from adxform.primitives.table import record_called


class Level(IntEnum):
    """How a variable depends on the chosen parameters: not at all, in its value, or in its shape as well."""

    NONE = 0
    VALUE = 1
    SHAPE = 2


Levels = tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A function whose parameters, and whose results in its caller, depend like this."""

    name: str
    params: Levels
    results: Levels


def find_dependence(fn: Function, wrt: Iterable[int]) -> Dependence:
    """How the variables of `fn` depend on its parameters `wrt`, and those of its helpers as they are called then."""
    aliases = alias_classes(fn)
    callees = {name: (callee, aliases.helpers.get(name, aliases)) for name, callee in functions(fn).items()}
    found = Dependence(fn, aliases, callees, {})
    found.raise_to(Level.VALUE, [fn.params[place] for place in wrt])
    settled = False
    while not settled:
        cases = list(found.cases.values())
        changed = [each.settle() for each in (found, *cases)]
        settled = not any(changed) and len(cases) == len(found.cases)
    return found


@dataclass(slots=True)
class Dependence:
    """How the variables of one function depend on what its parameters depend on.

    `callees` are the functions that it may call, `cases` those as they are called.
    """

    fn: Function
    aliases: Aliases
    callees: Mapping[str, tuple[Function, Aliases]]
    cases: dict[Case, Dependence]
    _own: dict[Var, Level] = field(default_factory=dict)
    _classes: dict[int, Level] = field(default_factory=dict)
    _changed: bool = False

    def level(self, *operands: Operand) -> Level:
        """How the most dependent variable in `operands` depends."""
        found = Level.NONE
        for operand in operands:
            for var in variables(operand):
                own = self._own.get(var, Level.NONE)
                found = max(found, own, self._classes.get(self.aliases.of(var), Level.NONE) if has_memory(var) else own)
        return found

    def levels(self, operands: Iterable[Operand]) -> Levels:
        """How each of `operands` depends."""
        return tuple(self.level(operand) for operand in operands)

    def case(self, op: Invoke) -> Case:
        """What `op` calls, and how."""
        return Case(op.callee, self.levels(op.args), self.levels(op.outs))

    def is_forked(self, op: Op) -> bool:
        """Whether the control flow of `op` depends."""
        match op:
            case If(cond=cond):
                return self.level(cond) > Level.NONE
            case For(source=source, body=body, breaks=breaks):
                return self.level(*source, *body.results[:breaks]) > Level.NONE
            case While(test=test):
                return self.level(*test.results) > Level.NONE
            case _:
                return False

    def raise_to(self, level: Level, found: Iterable[Var]) -> None:
        """Let `found` depend at least like that, and what shares memory with them if somebody writes it, and its stack."""
        if level == Level.NONE:
            return
        for var in found:
            if self._own.get(var, Level.NONE) < level:
                self._own[var] = level
                self._changed = True
            if not has_memory(var):
                continue
            class_ = self.aliases.of(var)
            self._raise_class(class_, level)
            for stack, element in self.aliases.elements.items():
                if class_ in (stack, element) and self._is_written(element):
                    self._raise_class(stack, level)
                    self._raise_class(element, level)

    def _raise_class(self, class_: int, level: Level) -> None:
        if self._is_written(class_) and self._classes.get(class_, Level.NONE) < level:
            self._classes[class_] = level
            self._changed = True

    def _is_written(self, class_: int) -> bool:
        return class_ in self.aliases.written or class_ in self.aliases.exposed

    def settle(self) -> bool:
        """Follow the dependences to the end; whether any was new."""
        before = dict(self._own), dict(self._classes)
        self._changed = True
        while self._changed:
            self._changed = False
            self._block(self.fn.body, False)
        return before != (self._own, self._classes)

    def _block(self, block: Block, forked: bool) -> None:
        for op in block.ops:
            self._op(op, forked or self.is_forked(op))

    def _op(self, op: Op, forked: bool) -> None:
        if forked:
            self.raise_to(Level.SHAPE, outs(op))
        match op:
            case Call():
                self._call(op, forked)
            case If(results, _, then, orelse):
                self._block(then, forked)
                self._block(orelse, forked)
                for out, one, other in zip(results, then.results, orelse.results, strict=True):
                    self.raise_to(self.level(one, other), (out,))
            case For(results, _, inits, body, breaks):
                self._loop(results, inits, body.params[1:], body.results[breaks:])
                self._block(body, forked)
                self._loop(results, inits, body.params[1:], body.results[breaks:])
            case While(results, inits, test, body):
                self._loop(results, inits, body.params, body.results)
                for param, carried in zip(test.params, body.params, strict=True):
                    self.raise_to(self.level(param, carried), (param, carried))
                self._block(test, forked)
                self._block(body, forked)
                self._loop(results, inits, body.params, body.results)
            case Invoke():
                self._invoke(op, forked)
            case Raise():
                pass
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR has no dependences")
            case _:
                assert_never(op)

    def _loop(self, results: Sequence[Var], inits: Sequence[Operand], params: Sequence[Var], carried: Sequence[Operand]) -> None:
        for out, init, param, result in zip(results, inits, params, carried, strict=True):
            self.raise_to(self.level(out, init, param, result), (out, param))

    def _call(self, op: Call, forked: bool) -> None:
        effect = effect_of(op)
        written = positions(op, effect.writes)
        level = Level.SHAPE if forked else self.level(*reads(op))
        if level == Level.VALUE and not effect.reads and not written:
            level = Level.NONE if is_constant(op) else self.level(*(var for var in reads(op) if not has_memory(var)))
        self.raise_to(level, written)
        for out in op.outs:
            self.raise_to(max(level, Level.SHAPE) if level and _may_choose(op, out) else level, (out,))

    def _invoke(self, op: Invoke, forked: bool) -> None:
        if forked:
            touched = (var for var in reads(op) if has_memory(var) and self._is_written(self.aliases.of(var)))
            self.raise_to(Level.SHAPE, touched)
            return
        case = self.case(op)
        if not any((*case.params, *case.results)):
            return
        callee = self.cases.get(case) or self._called(case)
        for operand, inside in zip((*op.args, *op.outs), (*callee.fn.params, *callee.fn.results), strict=True):
            self.raise_to(callee.level(inside), variables(operand))

    def _called(self, case: Case) -> Dependence:
        fn, aliases = self.callees[case.name]
        found = self.cases[case] = Dependence(fn, aliases, self.callees, self.cases)
        for level, operand in zip((*case.params, *case.results), (*fn.params, *fn.results), strict=True):
            found.raise_to(level, variables(operand))
        self._changed = True
        return found


def _may_choose(op: Call, out: Var) -> bool:
    """Whether the shape of `out`, or what is done next, may follow from the contents of what `op` reads."""
    record = record_called(op)
    derivative = None if record is None else record.derivative
    return not (is_inexact(out.type) or isinstance(out.type, Stack)) or derivative is None or isinstance(derivative, Constant)
