"""Runs IR, typed or untyped, op by op with Python values: the oracle of everything that rewrites IR."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from adxform import runtime
from adxform.ir import intrinsics
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
    Pack,
    Raise,
    Var,
    While,
)
from adxform.ir.regions import is_call_of, left_at
from adxform.ir.walk import outs

Given = Sequence[tuple[Operand, Any]]
"""What an op gave: operands and their values."""


class UndefinedReadError(UnboundLocalError):
    """An operation took a value that no path has assigned."""


def interpret(
    fn: Function,
    *args: Any,
    free: Mapping[str, Any] | None = None,
    watch: Callable[[Op, Given], None] | None = None,
    failed: Callable[[Exception, Op], None] | None = None,
) -> Any:
    """Return the results of `fn` on `args`, one per parameter: a tuple, or the value where there is one result.

    `free` gives the values of `Free` names; builtins are found by themselves. `watch` is told of each op that has run, and
    `failed` of the one that raised.
    """
    machine = Machine({helper.name: helper for helper in (*fn.helpers, fn)}, free or {}, watch)
    try:
        results = machine.function(fn, args)
    except Exception as error:
        if failed is not None and machine.at is not None:
            failed(error, machine.at)
        raise
    return results[0] if len(results) == 1 else results


@dataclass(slots=True)
class Machine:
    """Runs functions that may invoke `helpers` and read what is `free`. The op `at` is the one that was begun last."""

    helpers: Mapping[str, Function]
    free: Mapping[str, Any]
    watch: Callable[[Op, Given], None] | None = None
    at: Op | None = None

    def function(self, fn: Function, args: Iterable[Any]) -> tuple[Any, ...]:
        """The results of `fn` on `args`."""
        env = dict(zip(fn.params, args, strict=True))
        self.run(fn.body, env)
        return tuple(self.read(result, env) for result in fn.results)

    def value(self, operand: Operand, env: dict[Var, Any]) -> Any:
        """The value of `operand`; `UNDEFINED` stands for itself (control flow may carry it)."""
        match operand:
            case Var():
                return env[operand]
            case Lit(value=value):
                return UNDEFINED if operand == UNDEFINED else value
            case Pack(kind=kind, items=items):
                return runtime.aggregate(kind, [self.read(item, env) for item in items])
            case _:
                assert_never(operand)

    def read(self, operand: Operand, env: dict[Var, Any]) -> Any:
        """The value of `operand`, which has to have one."""
        value = self.value(operand, env)
        if value is UNDEFINED:
            raise UndefinedReadError(operand)
        return value

    def run(self, block: Block, env: dict[Var, Any]) -> None:
        """Run the ops of `block`."""
        self.sequence(block.ops, env)

    def sequence(self, ops: Sequence[Op], env: dict[Var, Any]) -> None:
        """Run `ops` in order, those within a context manager in it."""
        for place, op in enumerate(ops):
            self.at = op
            if isinstance(op, Call) and is_call_of(op, runtime.entered):
                end = left_at(ops, place)
                with runtime.entered(self.read(op.args[0], env)) as env[op.outs[0]]:
                    self.sequence(ops[place + 1 : end], env)
                self.sequence(ops[end:], env)
                return
            self.step(op, env)
            if self.watch is not None:
                self.watch(op, self.values(op, env))

    def values(self, op: Op, env: dict[Var, Any]) -> Given:
        """The values of what `op` made; of a call that only writes, that of its first argument."""
        made: Sequence[Operand] = outs(op)
        if not made and isinstance(op, Call):
            made = op.args[:1]
        return [(operand, self.value(operand, env)) for operand in made]

    def results(self, block: Block, env: dict[Var, Any], args: Iterable[Any] = ()) -> list[Any]:
        """What `block` results in, given `args` for its parameters."""
        env.update(zip(block.params, args, strict=True))
        self.run(block, env)
        return [self.value(result, env) for result in block.results]

    def step(self, op: Op, env: dict[Var, Any]) -> None:
        """Run `op`: what it makes is in `env` then."""
        match op:
            case Call(outs=made, fn=fn, args=args, kwargs=kwargs):
                callee = self.read(fn, env)
                given = self.value if callee is intrinsics.push else self.read  # a tape holds what no path has assigned, too
                result = callee(*(given(arg, env) for arg in args), **{key: self.read(value, env) for key, value in kwargs})
                env.update(zip(made, result if len(made) > 1 else (result,), strict=False))
            case Free(out=out, name=name):
                if name not in self.free and not hasattr(builtins, name):
                    raise NameError(name)
                env[out] = self.free[name] if name in self.free else getattr(builtins, name)
            case Attribute(out=out, value=value, name=name):
                env[out] = getattr(self.read(value, env), name)
            case Closure():
                self.closure(op, env)
            case If(outs=made, cond=cond, then=then, orelse=orelse):
                env.update(zip(made, self.results(then if self.read(cond, env) else orelse, env), strict=True))
            case For():
                self.loop(op, env)
            case While(outs=made, inits=inits, test=test, body=body):
                carried = [self.value(init, env) for init in inits]
                while self.results(test, env, carried)[0]:
                    carried = self.results(body, env, carried)
                env.update(zip(made, carried, strict=True))
            case Invoke(outs=made, callee=name, args=args):
                results = self.function(self.helpers[name], [self.read(arg, env) for arg in args])
                env.update(zip(made, results, strict=True))
            case Raise(value=value):
                raise self.read(value, env)
            case _:
                assert_never(op)

    def loop(self, op: For, env: dict[Var, Any]) -> None:
        """Run a counted loop."""
        source = [self.read(part, env) for part in op.source]
        carried = [self.value(init, env) for init in op.inits]
        for item in source[0] if len(source) == 1 else range(*source):
            keep_going, *rest = [True] * (not op.breaks) + self.results(op.body, env, [item, *carried])
            carried = rest
            if not keep_going:
                break
        env.update(zip(op.outs, carried, strict=True))

    def closure(self, op: Closure, env: dict[Var, Any]) -> None:
        """Make a nested function."""
        captured = {name: value for name, value in op.captures if value != op.out}
        scope = {**self.free, **{name: self.read(value, env) for name, value in captured.items()}}
        defaults = {name: self.read(value, env) for name, value in op.defaults}
        names = [param.name for param in op.fn.params]
        kinds = [getattr(inspect.Parameter, kind) for kind in op.fn.kinds]
        signature = inspect.Signature(
            [
                inspect.Parameter(name, kind, default=defaults.get(name, inspect.Parameter.empty))
                for name, kind in zip(names, kinds, strict=True)
            ]
        )

        def call(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            results = replace(self, free=scope).function(op.fn, bound.arguments.values())
            return results[0]

        scope |= {name: call for name, value in op.captures if value == op.out}
        env[op.out] = call
