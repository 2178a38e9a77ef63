"""Helpers take and return only what somebody uses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

from adxform.ir.ops import Block, Call, Function, Invoke, Op, Operand
from adxform.ir.walk import all_ops, blocks, map_op, reads, variables_of

Place = tuple[str, int]
_T = TypeVar("_T")


def drop_unused_parameters(fn: Function) -> Function:
    """Drop the parameters of helpers that none reads, but to call helpers with them, and the results that no caller reads.

    >>> from adxform.ir.text import read, show
    >>> print(show(drop_unused_parameters(read('''
    ... def f(x: f64, y: f64):
    ...     a: f64, b: f64 = invoke g(x, y)
    ...     return a
    ...
    ... def g(x: f64, y: f64):
    ...     z: f64 = operator.mul(x, x)
    ...     c: f64, d: f64 = invoke g(z, y)
    ...     return c, d'''))))
    def f(x: f64, y: f64):
        a: f64 = invoke g(x)
        return a
    <BLANKLINE>
    def g(x: f64):
        z: f64 = operator.mul(x, x)
        c: f64 = invoke g(z)
        return c
    """
    if not fn.helpers or any(helper.helpers or helper.name == fn.name for helper in fn.helpers):
        return fn
    used = _Use(fn)
    full = all((helper.name, k) in used.params for helper in fn.helpers for k in range(len(helper.params)))
    if full and all((helper.name, k) in used.results for helper in fn.helpers for k in range(len(helper.results))):
        return fn
    helpers = tuple(
        replace(
            helper,
            body=replace(
                used.block(helper.body),
                params=used.kept(helper.name, helper.params, used.params),
                results=used.kept(helper.name, helper.results, used.results),
            ),
        )
        for helper in fn.helpers
    )
    return replace(fn, body=used.block(fn.body), helpers=helpers)


@dataclass(slots=True)
class _Use:
    """The places of helpers that are used; `read` are the variables of each function that something reads."""

    fn: Function
    params: set[Place] = field(default_factory=set)
    results: set[Place] = field(default_factory=set)
    read: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = (self.fn, *self.fn.helpers)
        self.read = {part.name: _read_by_itself(part.body) for part in parts}
        calls = {part.name: [op for op in all_ops(part.body) if isinstance(op, Invoke)] for part in parts}
        before = -1
        while before != (before := len(self.params) + len(self.results) + sum(map(len, self.read.values()))):
            self.look(self.fn, self.fn.results, calls[self.fn.name])
            for helper in self.fn.helpers:
                self.look(helper, self.kept(helper.name, helper.results, self.results), calls[helper.name])

    def look(self, fn: Function, results: tuple[Operand, ...], calls: list[Invoke]) -> None:
        """Note what `fn`, of which `results` are used, reads and gives to its `calls` that these use."""
        read = self.read[fn.name]
        read.update(var.name for var in variables_of(results))
        for op in calls:
            read.update(var.name for var in variables_of(self.kept(op.callee, op.args, self.params)))
        self.params.update((fn.name, k) for k, param in enumerate(fn.params) if param.name in read)
        for op in calls:
            self.results.update((op.callee, k) for k, out in enumerate(op.outs) if out.name in read)

    def kept(self, name: str, items: tuple[_T, ...], used: set[Place]) -> tuple[_T, ...]:
        """Those of `items` whose place is used."""
        return tuple(item for k, item in enumerate(items) if (name, k) in used)

    def block(self, block: Block) -> Block:
        """`block` with calls that give and take what is used."""
        return replace(block, ops=tuple(map(self.op, block.ops)))

    def op(self, op: Op) -> Op:
        if isinstance(op, Invoke):
            outs, args = self.kept(op.callee, op.outs, self.results), self.kept(op.callee, op.args, self.params)
            return replace(op, outs=outs, args=args)
        return map_op(op, lambda operand: operand, self.block)


def _read_by_itself(body: Block) -> set[str]:
    """The variables that the ops of `body`, but for calls of helpers, read, and its blocks yield."""
    found: set[str] = set()
    for op in all_ops(body):
        if not isinstance(op, Invoke):
            found.update(var.name for var in reads(op))
        for block in () if isinstance(op, Call) else blocks(op):
            found.update(var.name for var in variables_of(block.results))
    return found
