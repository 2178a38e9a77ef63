"""Forward mode: a function that computes values and tangents side by side.

Every active variable ``x`` gets a tangent ``x_t`` right after it. Arrays that are written have tangent arrays that mirror
their memory: a view of ``x`` has the same view of ``x_t``, a store into ``x`` stores the tangent into ``x_t``, a tape has a
tape of tangents. So aliases need no special case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from adxform.analysis.activity import find_activity
from adxform.autodiff.boundary import outlined, restored
from adxform.autodiff.call_tangents import CallTangents, is_stack, moves
from adxform.autodiff.expand import (
    Expander,
    is_result,
)
from adxform.autodiff.fitting import precise, zeros
from adxform.autodiff.reverse.callees import Adopting, Callees
from adxform.ir.build import Builder
from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    Var,
    While,
)
from adxform.ir.types import Array
from adxform.primitives.alias import alias_classes


def forward(fn: Function, wrt: Sequence[int], expander: Expander) -> Function:
    """Return the function of ``fn.params`` and a tangent per `wrt` that returns ``fn.results`` and a tangent per float result.

    Raises:
        MissingRuleError: a function without a rule lies between the inputs and the results.

    Source: Griewank and Walther, Evaluating Derivatives (2008), section 3.1.
    """
    fn = outlined(fn)
    activity = find_activity(fn, wrt)
    callees = Callees(fn, alias_classes(fn))
    entry = _Forward(fn, activity, Adopting(expander, callees), callees, callees.aliases).function(wrt)
    more = tuple(helper for helper in callees.derived.values() if helper is not None)
    return restored(replace(entry, helpers=fn.helpers + more))


class _Forward(CallTangents):
    def function(self, wrt: Sequence[int]) -> Function:
        fn = self.fn
        tangents = tuple(self.declare(fn.params[index]) for index in wrt)
        body = self.block(fn.body, Builder(self.names), fn.params + tangents, is_entry=True)
        return replace(fn, name=f"{fn.name}_jvp", body=body)

    def block(self, block: Block, b: Builder, params: tuple[Var, ...], *, is_entry: bool = False) -> Block:
        if is_entry:
            for param in block.params:
                if param in self.active and param not in self.tangents:
                    self.tangents[param] = zeros(b, param, f"{param.base}_t")
        for op in block.ops:
            b.span = op.span
            self.op(op, b)
        results = tuple(self.value(result) for result in block.results)
        if is_entry:
            moving = [result for result in block.results if isinstance(result, Var) and is_result(result)]
            results += tuple(precise(b, self.tangent(b, result), result) for result in moving)
        return b.block(params, results)

    def op(self, op: Op, b: Builder) -> None:
        match op:
            case Call():
                self.call(op, b)
            case If():
                self.branch(op, b)
            case For():
                self.loop(op, b)
            case While():
                self.while_(op, b)
            case Raise():
                b.emit(replace(op, value=self.value(op.value)))
            case Invoke():
                self.invoke(op, b)
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR reached the forward transform")
            case _:
                assert_never(op)

    def invoke(self, op: Invoke, b: Builder) -> None:
        op = replace(op, args=tuple(self.value(arg) for arg in op.args))
        if not any(out in self.active for out in op.outs) and not any(self.is_active(arg) for arg in op.args):
            b.emit(op)
            return
        callee = self.callees.function(op.callee)
        places = enumerate(zip(op.args, callee.params, strict=True))
        wrt = tuple(k for k, (arg, param) in places if is_stack(param) or (moves(param) and self.is_active(arg)))
        tangents = tuple(self.tangent(b, op.args[place]) for place in wrt)
        outs = tuple(self.declare(out) for out, result in zip(op.outs, callee.results, strict=True) if is_result(result))
        b.emit(Invoke(op.outs + outs, self.derive_helper(callee, wrt), op.args + tangents, op.span))

    def derive_helper(self, callee: Function, wrt: tuple[int, ...]) -> str:
        """The name of the forward derivative of `callee` with respect to its parameters `wrt`, derived once."""
        name = self.callees.name(callee.name, "jvp", wrt)
        derived = self.callees.derived
        if name not in derived:
            derived[name] = None
            seen = (*callee.results, *(callee.params[place] for place in wrt))
            aliases = self.callees.classes(callee.name)
            entered = [callee.results[place] for place in self.callees.shared(callee.name).results]
            activity = find_activity(callee, wrt, seen, aliases, entered)
            pass_ = _Forward(callee, activity, self.expander, self.callees, aliases)
            derived[name] = replace(pass_.function(wrt), name=name, helpers=())
        return name

    # Control flow

    def branch(self, op: If, b: Builder) -> None:
        moving = [out in self.active for out in op.outs]
        outs = op.outs + tuple(self.declare(out) for out in op.outs if out in self.active)
        then, orelse = (self.inner(block, (), _undefined(block.results, op.outs), moving, b) for block in (op.then, op.orelse))
        b.emit(replace(op, cond=self.value(op.cond), then=then, orelse=orelse, outs=outs))

    def inner(self, block: Block, params: tuple[Var, ...], carried: tuple[Operand, ...], moving: list[bool], b: Builder) -> Block:
        """A nested block whose results are followed by the tangents of those of `carried` that move."""
        nested = b.nested()
        inner = self.block(block, nested, params)
        tangents = tuple(self.tangent(nested, result) for result, moves in zip(carried, moving, strict=True) if moves)
        return nested.block(params, inner.results + tangents)

    def loop(self, op: For, b: Builder) -> None:
        params = op.body.params[1:]
        moving = [param in self.active or out in self.active for param, out in zip(params, op.outs, strict=True)]
        inits = tuple(self.value(init) for init in op.inits) + self.moving_tangents(op.inits, moving, b)
        inner_params = op.body.params + self.declare_moving(params, moving)
        body = self.inner(op.body, inner_params, op.body.results[op.breaks :], moving, b)
        outs = op.outs + self.declare_moving(op.outs, moving)
        source = tuple(self.value(operand) for operand in op.source)
        b.emit(replace(op, source=source, inits=inits, body=body, outs=outs))

    def while_(self, op: While, b: Builder) -> None:
        params = op.body.params
        moving = [param in self.active or out in self.active for param, out in zip(params, op.outs, strict=True)]
        inits = tuple(self.value(init) for init in op.inits) + self.moving_tangents(op.inits, moving, b)
        test_params = op.test.params + self.declare_moving(op.test.params, moving)
        test = self.block(op.test, b.nested(), test_params)
        body = self.inner(op.body, params + self.declare_moving(params, moving), op.body.results, moving, b)
        b.emit(replace(op, inits=inits, test=test, body=body, outs=op.outs + self.declare_moving(op.outs, moving)))

    def declare_moving(self, vars_: tuple[Var, ...], moving: list[bool]) -> tuple[Var, ...]:
        return tuple(self.declare(var) for var, moves in zip(vars_, moving, strict=True) if moves)

    def moving_tangents(self, operands: tuple[Operand, ...], moving: list[bool], b: Builder) -> tuple[Operand, ...]:
        return tuple(self.tangent(b, operand) for operand, moves in zip(operands, moving, strict=True) if moves)


def _undefined(operands: tuple[Operand, ...], outs: tuple[Var, ...]) -> tuple[Operand, ...]:
    """`operands`, to be `outs`, with those undefined that say that there is no array: it has no tangent either."""
    pairs = zip(operands, outs, strict=True)
    return tuple(UNDEFINED if operand == Lit(None) and isinstance(out.type, Array) else operand for operand, out in pairs)
