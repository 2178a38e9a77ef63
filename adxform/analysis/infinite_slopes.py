"""Where an infinite slope can meet a zero one, so that their product has to be masked (docs/rules.md tells what it is then).

A product of slopes along a chain of calls must not depend on the end at which it is begun. Forward mode has the slope of
``x ** 2`` at zero, which is zero, when it comes to the infinite one of ``sqrt``; reverse mode begins with the infinite one. So
both ask here, of the variables of a function, whether a tangent (cotangent) can be infinite and whether a cotangent can be zero,
and multiply by `adxform.runtime.masked_product` where both may meet, and nowhere else.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adxform import runtime
from adxform.analysis.choices import chooses, left_out
from adxform.analysis.signs import find_signs, sign_of
from adxform.analysis.spread import Spread, moving, spread_to_arguments, spread_to_results
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Scalar, is_inexact
from adxform.ir.walk import all_ops, blocks, free_variables, variables_of
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import functions
from adxform.primitives.facets import ADDITIVE, Sign
from adxform.primitives.left_out_lanes import leaves_lanes_out
from adxform.primitives.record import General, Linear, Partials
from adxform.primitives.table import derivative_of, meaning_of, record_of, spelled

Keeps = Callable[[Call, Operand], bool]


@dataclass(frozen=True, slots=True)
class Slopes:
    """What is known of the slopes of one function, in one mode.

    `steep`: whether the partials of a call can be infinite or NaN. `infinite`: whose tangents (in reverse mode, cotangents) can
    be. `vanishing`: whose tangents (cotangents) can be zero in a lane. `keeps`: whether the slope of a call by an argument is
    never zero. `leaves_out`: whether a slope of a call (in reverse mode the cotangent of its result) is zero where it leaves a
    variable out (where that is left out), and the other factor may have overflowed there.
    """

    steep: Callable[[Call], bool]
    infinite: Spread
    vanishing: Callable[[Var], bool]
    keeps: Callable[[Call, Operand], bool]
    leaves_out: Callable[[Call, Var, Operand], bool]

    def masks(self, call: Call, moved: Operand, leaf: Operand, partial: Operand) -> bool:
        """Whether the tangent or cotangent of `moved` times `partial`, the slope of `call` by `leaf`, can be 0 times infinity."""
        if is_nonzero(partial) or not isinstance(moved, Var):
            return False
        if moved in self.infinite and not self.keeps(call, leaf):
            return True
        if self.vanishing(moved) and self.steep(call):
            return True
        return self.leaves_out(call, moved, partial)

    def masks_rule(self, call: Call, moved: Operand) -> bool:
        """Whether products with the tangent or cotangent of `moved` in the rule of `call` can be 0 times infinity."""
        if not isinstance(moved, Var):
            return False
        if moved in self.infinite or (_states_slopes(call) and self.vanishing(moved) and self.steep(call)):
            return True
        return self.leaves_out(call, moved, moved)


def slopes_of_tangents(fn: Function, active: frozenset[Var], aliases: Aliases, program: Function) -> Slopes:
    """What forward mode has to know of `fn`, part of `program`: callers give zero tangents, so any can be zero."""
    found = _Steepness(fn, active, program, aliases)
    infinite = Spread(aliases)
    for var in (*found.outs, *(fn.params if found.is_helper else ())):
        if var in active:
            infinite.add(var)
    if infinite.vars:
        infinite.run(spread_to_results, fn.body)
    left = left_out(fn, aliases)
    overflowing = Spread(aliases)
    for op in all_ops(fn.body) if left else ():
        if isinstance(op, Call) and (_multiplies(op) or _sums_products(op)) and not chooses(op):
            for out in active.intersection(op.outs):
                overflowing.add(out)
    overflowing.run(spread_to_results, fn.body)

    def leaves_out(call: Call, moved: Var, partial: Operand) -> bool:
        return chooses(call) and moved in left and moved in overflowing

    return Slopes(found.steep, infinite, lambda var: True, found.keeps, leaves_out)


def slopes_of_cotangents(fn: Function, active: frozenset[Var], aliases: Aliases, program: Function) -> Slopes:
    """What reverse mode has to know of `fn`, part of `program`."""
    # Callers ask for some elements of an array: what is infinite or NaN in the others need not move.
    found = _Steepness(fn, active, program, aliases, wholly=any(isinstance(var.type, Array) for var in variables_of(fn.results)))
    infinite = Spread(aliases)
    for var in (*found.args, *(variables_of(fn.results) if found.is_helper else ())):
        if var in active:
            infinite.add(var)
    if infinite.vars:
        infinite.run(spread_to_arguments, fn.body)
    vanishing = _vanishing(fn, aliases, fn is not program, found.keeps) if found.any else Spread(aliases)
    left = left_out(fn, aliases)
    return Slopes(
        found.steep,
        infinite,
        vanishing.__contains__,
        found.keeps,
        lambda _, moved, partial: moved in left and can_overflow(partial),
    )


def _vanishing(fn: Function, aliases: Aliases, is_helper: bool, keeps: Keeps) -> Spread:
    """The variables of which a lane of the cotangent can be zero, the cotangent of a single number that `fn` returns being none.

    What enters a branch or a loop may not be used there; of several results, or elements of one, a caller may want only some.
    """
    found = Spread(aliases)
    results = [var for var in variables_of(fn.results) if is_inexact(var.type)]
    if is_helper or len(results) > 1 or any(isinstance(var.type, Array) for var in results):
        for var in results:
            found.add(var)
    for op in all_ops(fn.body):
        for var in (*variables_of(_at_risk(op, keeps)), *(var for block in blocks(op) for var in free_variables(block))):
            found.add(var)
    found.run(spread_to_arguments, fn.body)
    return found


def _at_risk(op: Op, keeps: Keeps) -> tuple[Operand, ...]:
    """The operands of `op` whose cotangents it may make zero."""
    match op:
        case Call():
            return () if _is_faithful(op) else tuple(arg for arg in op.args if not keeps(op, arg))
        case For(inits=inits, body=body, breaks=breaks):
            return _dropped(inits, body.params[1:], body, body.results[breaks:], keeps)
        case While(inits=inits, body=body):
            return _dropped(inits, body.params, body, body.results, keeps)
        case _:
            return ()


def _dropped(
    inits: tuple[Operand, ...], params: tuple[Var, ...], body: Block, results: tuple[Operand, ...], keeps: Keeps
) -> tuple[Operand, ...]:
    """The `inits` of a loop that its iterations may replace, not only add to."""
    return tuple(
        init
        for init, param, end in zip(inits, params, results, strict=True)
        if init != end and end not in _kept(body, param, keeps)
    )


def _kept(body: Block, param: Var, keeps: Keeps) -> set[Operand]:
    """What `param` is an addend of, after the ops of `body`."""
    kept: set[Operand] = {param}
    for op in body.ops:
        match op:
            case Call(outs=outs) if _is_faithful(op) and not kept.isdisjoint(op.args):
                kept.update(outs)
            case For(outs=outs, inits=inits) | While(outs=outs, inits=inits):
                dropped = _at_risk(op, keeps)
                kept.update(out for out, init in zip(outs, inits, strict=True) if init in kept and init not in dropped)
            case _:
                pass
    return kept


def is_nonzero(operand: Operand) -> bool:
    """Whether `operand` is a finite number other than zero."""
    return isinstance(operand, Lit) and isinstance(operand.value, int | float) and 0 < abs(operand.value) < math.inf


class _Steepness:
    """Which calls of a function, part of a program, can have infinite slopes, and where infinite tangents begin.

    `wholly`: poles of what does not move count as well.
    """

    def __init__(
        self, fn: Function, active: frozenset[Var], program: Function, aliases: Aliases, *, wholly: bool = False
    ) -> None:
        ops = list(all_ops(fn.body))
        called = [op for op in ops if isinstance(op, Call)]
        steep = [call for call in called if call.outs and _may_be_steep(call)]
        bounded = _bounded(fn, steep)
        # A lane that is left out may hold NaN, which has no sign.
        self.bounded = frozenset(() if bounded and leaves_lanes_out(fn) else bounded)
        helpers = [op for op in ops if isinstance(op, Invoke)]
        beyond = (fn is not program or bool(helpers)) and _has_steep(program)
        self.is_helper = fn is not program and beyond
        met: list[Call | Invoke] = [*(helpers if beyond else ()), *(call for call in steep if call.outs[0] not in bounded)]
        self.poles = _poles(met, fn, None if wholly else active, aliases)
        met += self._multiplying(called)
        self.outs = [out for op in met for out in op.outs]
        self.args = [var for op in met for var in variables_of(op.args)]
        self.any = bool(steep) or bool(met)

    def _multiplying(self, called: Sequence[Call]) -> list[Call]:
        """Those of `called` whose slopes are factors that can be infinite, or NaN in a lane that is left out."""
        poles = [call for call in called if self.has_pole(call) and _multiplies(call)] if self.poles.vars else []
        return poles + [call for call in called if _is_masked(call)]

    def steep(self, call: Call) -> bool:
        """Whether the slopes of `call` can be infinite, or NaN in a lane that is left out."""
        if _may_be_steep(call):
            return not (call.outs and call.outs[0] in self.bounded)
        if _is_masked(call):
            return True
        return self.has_pole(call) and _multiplies(call)

    def keeps(self, call: Call, leaf: Operand) -> bool:
        """Whether the slope of `call` by `leaf` is not zero where the arguments are finite, as ``1 / b`` of ``a / b``."""
        if not isinstance(call.fn, Lit):
            return False
        if call.fn.value in QUOTIENTS and call.args[0] == leaf != call.args[1]:
            return not any(var in self.poles for var in variables_of(call.args[1:]))
        return record_of(call.fn.value).nowhere_flat and not self.has_pole(call)

    def has_pole(self, call: Call) -> bool:
        """Whether an argument of `call` can be infinite or NaN though the arguments of the function are not."""
        return any(var in self.poles for var in variables_of(call.args))


def _poles(met: Sequence[Call | Invoke], fn: Function, active: frozenset[Var] | None, aliases: Aliases) -> Spread:
    """What moves without bound in `fn` where `met` have infinite slopes: of their results the `active` ones, or all that move."""
    poles = Spread(aliases)
    for op in met:
        moved = moving(op) if isinstance(op, Call) else op.outs
        for out in moved if active is None else active.intersection(moved):
            poles.add(out)
    if poles.vars:
        poles.run(spread_to_results, fn.body)
    return poles


def _bounded(fn: Function, calls: Sequence[Call]) -> set[Var]:
    """The results of those of `calls` whose arguments have signs that keep their slopes finite."""
    known = find_signs(fn) if calls else {}
    return {call.outs[0] for call in calls if _is_bounded(call, known)}


QUOTIENTS = frozenset({operator.truediv, np.divide, runtime.quotient})


def can_overflow(partial: Operand) -> bool:
    """Whether a slope is no literal, truth value or integer, which are finite."""
    match partial:
        case Var(type=Scalar(dtype) | Array(dtype)):
            return is_inexact(partial.type) or dtype.startswith(("complex", "clong"))
        case _:
            return isinstance(partial, Var)


def _multiplies(call: Call) -> bool:
    """Whether the slopes of `call` are values that it is given or computes."""
    return (isinstance(derivative_of(call), Partials) or is_elementwise_rule(call)) and not _is_faithful(call)


def _sums_products(call: Call) -> bool:
    """Whether `call` multiplies its operands and adds up, as products of matrices, lengths and solutions do."""
    derivative = derivative_of(call)
    return isinstance(derivative, General) or (isinstance(derivative, Linear) and len(derivative.transposes) > 1)


def is_elementwise_rule(call: Call) -> bool:
    """Whether `call` calls an elementwise primitive that has a pullback in the place of partial derivatives."""
    derivative = derivative_of(call)
    return isinstance(derivative, General) and derivative.elementwise


def _states_slopes(call: Call) -> bool:
    """Whether the rule of `call`, a pullback or transposes, says enough of its slopes to tell which can be infinite.

    Of all other products of matrices and their kin no element is known to be infinite where the value is used.
    """
    return is_elementwise_rule(call) or _is_masked(call) or _may_be_steep(call)


def _is_masked(call: Call) -> bool:
    """Whether `call` is a product, or a sum of products, of which one factor may be zero where another is infinite or missing."""
    return isinstance(call.fn, Lit) and record_of(call.fn.value).masks is not None


def _may_be_steep(call: Call) -> bool:
    derivative = derivative_of(call)
    if isinstance(derivative, General):
        return derivative.singular
    return isinstance(derivative, Partials) and derivative.masked(call.args)


def _is_bounded(call: Call, known: Mapping[Var, Sign]) -> bool:
    assert isinstance(call.fn, Lit)
    guard = meaning_of(call.fn.value).finite_from
    if guard is None:
        return False
    place, least = guard
    return sign_of(call.args[place], known) >= least


def _has_steep(program: Function) -> bool:
    ops = (op for helper in functions(program).values() for op in all_ops(helper.body))
    return any(isinstance(op, Call) and _may_be_steep(op) for op in ops)


def _is_faithful(call: Call) -> bool:
    """Whether a cotangent that is not zero stays so: `call` adds up, repeats, or multiplies by a number."""
    if not isinstance(call.fn, Lit):
        return False
    fn = call.fn.value
    if spelled(fn) in (operator.mul, operator.truediv):
        return is_nonzero(call.args[1]) or (spelled(fn) is operator.mul and is_nonzero(call.args[0]))
    return record_of(fn).faithful or meaning_of(fn).algebra in ADDITIVE
