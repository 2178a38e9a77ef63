"""Arrays that each iteration of a loop fills first are made in each: none of what they held has to be put back."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array
from adxform.ir.walk import contents, variables_of
from adxform.passes.loops.accesses import Accesses, Loop
from adxform.passes.loops.zero_initialisation import Fills, emptied
from adxform.passes.scalar.rewriting import Rewriter, classes_touched, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.table import record_of


def privatise_arrays(fn: Function) -> Function:
    """`fn` with arrays made in the iterations of the loop that is all that uses them, where each iteration first fills them.

    >>> from adxform.ir.text import read, show
    >>> print(show(privatise_arrays(read('''
    ... def f(x: f64[x.0], y: f64[y.0]):
    ...     n: int = intrinsics.dim(x, 0)
    ...     m: int = intrinsics.dim(y, 0)
    ...     a: f64[x.0] = np.zeros(n)
    ...     for i: int in range(0, m, 1):
    ...         for j: int in range(0, n, 1):
    ...             operator.setitem(a, j, 1.0)
    ...         s: f64 = np.sum(a)
    ...         operator.setitem(y, i, s)
    ...     return y'''))))
    def f(x: f64[x.0], y: f64[y.0]):
        n: int = intrinsics.dim(x, 0)
        m: int = intrinsics.dim(y, 0)
        for i: int in range(0, m, 1):
            a: f64[x.0] = np.empty(n)
            for j: int in range(0, n, 1):
                operator.setitem(a, j, 1.0)
            s: f64 = np.sum(a)
            operator.setitem(y, i, s)
        return y
    """
    if For not in contents(fn):
        return fn
    return each_function(fn, lambda part, aliases: _Moving(part, aliases).block(part.body))


class _Moving(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.fills = Fills(fn, aliases)
        self.lasting = aliases.exposed | set(aliases.elements.values()) | set(aliases.reached((*fn.params, *fn.results)))
        self.moved: dict[int, list[Op]] = {}
        """By the identity of the body of a loop: what makes arrays there."""

    def block(self, block: Block) -> Block:
        """`block` without what is made in loops inside, and with what is made in its own iterations."""
        ops = list(block.ops)
        for op in block.ops:
            if (body := self.place(op, block)) is not None:
                self.moved.setdefault(id(body), []).append(emptied(op) if callee(op) in (np.zeros, np.zeros_like) else op)
                ops.remove(op)
        made = self.moved.get(id(block), [])
        inner = super().block(block if len(ops) == len(block.ops) else replace(block, ops=tuple(ops)))
        return replace(inner, ops=(*made, *inner.ops)) if made else inner

    def place(self, op: Op, block: Block) -> Block | None:
        """The body of the loop in whose iterations `op`, of `block`, may make its array; ``None`` if there is none."""
        if not isinstance(op, Call) or not record_of(callee(op)).blank or not op.outs or not self.is_plain(op):
            return None
        class_ = self.aliases.of(op.outs[0])
        if class_ in self.lasting or len(self.aliases.members(class_)) > 1:
            return None
        here = block
        while True:
            if any(self.mentions((result,), class_) for result in here.results):
                return None
            using = [other for other in here.ops if other is not op and self.touches(other, class_)]
            if here is not block and using and self.is_filled(using[0], op.outs[0], class_):
                return here
            if len(using) != 1 or not isinstance(using[0], For) or self.mentions(using[0].inits, class_):
                return None
            here = using[0].body

    def is_plain(self, op: Call) -> bool:
        """Whether `op` makes an array of ``float64`` of lengths that are those of other arrays, so that it cannot raise."""
        type_ = op.outs[0].type
        if not isinstance(type_, Array) or type_.dtype != "float64" or not type_.shape:
            return False
        if callee(op) in (np.empty_like, np.zeros_like):
            return len(op.args) == 1 and not op.kwargs
        sizes = op.args[0].items if isinstance(op.args[0], Pack) else (op.args[0],)
        lengths = (isinstance(size, Var) and size.name in self.fills.lengths for size in sizes)
        known = (isinstance(size, Lit) and isinstance(size.value, int) and size.value >= 0 for size in sizes)
        return len(op.args) == 1 and not op.kwargs and all(map(operator.or_, lengths, known))

    def mentions(self, given: Sequence[Operand], class_: int) -> bool:
        return any(isinstance(var.type, Array) and self.aliases.of(var) == class_ for var in variables_of(given))

    def touches(self, op: Op, class_: int) -> bool:
        return class_ in classes_touched(op, self.aliases)

    def is_filled(self, op: Op, array: Var, class_: int) -> bool:
        """Whether `op` stores to every element of `array`, and does nothing else with it."""
        loops: list[Loop] = []
        while isinstance(op, For):
            loop = self.accesses.loop(op)
            using = [inner for inner in op.body.ops if self.touches(inner, class_)]
            if loop is None or len(using) != 1 or self.mentions((*op.inits, *op.body.results), class_):
                return False
            loops.append(loop)
            op = using[0]
        target = self.accesses.of(op)
        store = isinstance(op, Call) and callee(op) is operator.setitem and array not in variables_of(op.args[1:])
        return store and target is not None and target.base == array and self.fills.covered(target, loops)
