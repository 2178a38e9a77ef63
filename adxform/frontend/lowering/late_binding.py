"""Refuses nested functions, and generators, that outlive the iteration of a loop whose variables they capture.

Python would show them the variables of the last iteration; a capture by value shows those of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from adxform.errors import UnsupportedSyntaxError
from adxform.ir import intrinsics
from adxform.ir.ops import Attribute, Block, Call, Closure, For, Function, If, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import Span
from adxform.ir.walk import variables

OUTLIVES = (
    "a nested function outlives the iteration of the loop whose variables it uses",
    "bind the values as defaults, `lambda x, a=a: …`, or call it in the same iteration",
)
"""What is wrong with such a function, and what to do."""
_KEEPERS = frozenset({"append", "appendleft", "extend", "insert", "add", "setdefault", "update"})
_NEW = Lit(intrinsics.new_generator)
_STORES = (operator.setitem, setattr)


def refuse_late_binding(fn: Function, brief: Iterable[Var]) -> None:
    """Raise `UnsupportedSyntaxError` where one of the functions `brief` may be called in a later iteration of its loop."""
    _Check(brief).block(fn.body)


class _Check:
    def __init__(self, brief: Iterable[Var]) -> None:
        self.brief = set(brief)
        self.spans: dict[Var, Span] = {}
        self.keepers: set[Var] = set()
        self.makers: set[Operand] = set()

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        match op:
            case Closure(out=out, captures=captures, span=span):
                if out in self.brief or self.holds([value for _, value in captures]):
                    self.brief.add(out)
                    self.spans[out] = span
                    if any(isinstance(one, Call) and one.fn == _NEW for one in op.fn.body.ops):
                        self.makers.add(out)
            case Attribute(out=out, name=name) if name in _KEEPERS:
                self.keepers.add(out)
            case Call():
                self.call(op)
            case If(outs=outs, then=then, orelse=orelse):
                self.block(then)
                self.block(orelse)
                for out, *values in zip(outs, then.results, orelse.results, strict=True):
                    self.pass_on(out, values)
            case For(body=body) | While(body=body):
                self.block(body)
                self.refuse(body.results)
            case _:
                pass

    def call(self, op: Call) -> None:
        """What a call returns and keeps."""
        for out in op.outs:
            self.pass_on(out, op.args if op.fn == _NEW else [op.fn] if op.fn in self.makers else [])
        packed = [value for value in op.args if isinstance(value, Pack)]
        keeps = op.fn in self.keepers or (isinstance(op.fn, Lit) and op.fn.value in _STORES)
        unpacks = isinstance(op.fn, Lit) and op.fn.value is intrinsics.apply
        self.refuse(list(op.args) if keeps else [] if unpacks else packed)
        self.refuse([value for _, value in op.kwargs if isinstance(value, Pack)])

    def pass_on(self, out: Var, values: Iterable[Operand]) -> None:
        """Note that `out`, which is one of `values`, is such a function if one of them is."""
        found = next((self.spans[var] for value in values for var in variables(value) if var in self.spans), None)
        if found is not None:
            self.brief.add(out)
            self.spans[out] = found

    def holds(self, operands: Iterable[Operand]) -> bool:
        return any(var in self.spans for operand in operands for var in variables(operand))

    def refuse(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            for var in variables(operand):
                if var in self.spans:
                    message, help_ = OUTLIVES
                    raise UnsupportedSyntaxError(message, span=self.spans[var], help=help_)
