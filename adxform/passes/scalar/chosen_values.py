"""Which value a function with a definition gets, once nothing more is differentiated: its own, or that of the definition.

The front end writes ``own`` calls beside the statements of a definition, and ``valued`` for what has the value of the one and the
derivative of the other (`frontend.calls.own_values`). Python runs the function itself; kernels take the definition, where it
differs by no more than rounding, so that it becomes loops.

Until then what is ``valued`` counts as an array of its own. It is copied where it would not be one and that could be told: where
two such values come of one call, or a rule says of an array of the program that it moves otherwise, and either is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.walk import all_ops, names_read
from adxform.passes.scalar.rewriting import Rewriter, Sharing, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.definitions import IN_KERNELS, OWN_VALUES

UNSETTLED = (intrinsics.own, intrinsics.valued)


def has_values(fn: Function) -> bool:
    """Whether a value of `fn` is still to be chosen."""
    parts = (fn, *fn.helpers)
    return any(isinstance(op, Call) and callee(op) in UNSETTLED for part in parts for op in all_ops(part.body))


def own_values(fn: Function) -> Function:
    """`fn` with the own value of every function.

    >>> from adxform.ir.text import read, show
    >>> print(show(own_values(read('''
    ... def f(x: f64[3]):
    ...     a: f64 = intrinsics.own(np.median, x)
    ...     b: f64 = np.mean(x)
    ...     y: f64 = intrinsics.valued(a, b)
    ...     return y'''))))
    def f(x: f64[3]):
        a: f64 = np.median(x)
        b: f64 = np.mean(x)
        return a
    """
    return _chosen(fn, frozenset())


def kernel_values(fn: Function) -> Function:
    """`fn` with the values of definitions where kernels take these, and the own values of all other functions."""
    return _chosen(fn, IN_KERNELS)


def defined_values(fn: Function) -> Function:
    """`fn` with the values of definitions wherever something moves: it depends on its parameters as `fn` does."""
    return _chosen(fn, OWN_VALUES)


def _chosen(fn: Function, by_definition: Container[object]) -> Function:
    def settled(part: Function, aliases: Aliases) -> Block:
        return _Choosing(part, aliases, by_definition).block(part.body)

    return each_function(fn, settled) if has_values(fn) else fn


class _Choosing(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases, by_definition: Container[object]) -> None:
        super().__init__()
        self.sharing = Sharing(fn, aliases)
        self.uses = Counter(names_read(fn.body))
        self.by_definition = by_definition
        self.made: set[Operand] = set()  # by a function itself
        self.defined: set[Operand] = set()  # those for which the definition stands

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not isinstance(op, Call):
            ops.append(self.descend(op))
        elif callee(op) is intrinsics.own:
            fn, *args = op.args
            ops.append(replace(op, fn=fn, args=tuple(args)))
            self.made.update(op.outs)
            if isinstance(fn, Lit) and fn.value in self.by_definition:
                self.defined.update(op.outs)
        elif callee(op) is intrinsics.valued:
            value, movement = op.args
            (out,) = op.outs
            chosen = movement if value in self.defined else value
            if self.is_its_own(chosen) or not isinstance(chosen, Var) or self.sharing.unite(out, chosen):
                self.known[out.name] = chosen
            else:
                ops.append(replace(op, fn=Lit(np.copy), args=(chosen,)))
        else:
            ops.append(op)
            for found in (self.made, self.defined):  # an item of several results
                if op.args and op.args[0] in found:
                    found.update(op.outs)

    def is_its_own(self, value: Operand) -> bool:
        """Whether `value` was made by a function for one place alone."""
        return isinstance(value, Var) and value in self.made and self.uses[value.name] == 1
