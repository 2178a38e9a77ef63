"""Products of matrices in which a row or a column is repeated are formed with it alone."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

import numpy as np

from adxform import runtime
from adxform.ir.operand_facts import callee, float_axis_lengths
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array
from adxform.ir.walk import Names, all_ops
from adxform.passes.linalg.sums_of_products import MATMULS
from adxform.passes.scalar.rewriting import Rewriter, Sharing, each_function
from adxform.primitives.alias import Aliases

REPEATS = frozenset({runtime.broadcast_like})


@dataclass(frozen=True)
class _Matrix:
    """What names an array, and whether its last two axes are exchanged."""

    base: str
    turned: bool = False


@dataclass(frozen=True)
class _Repeated:
    """An array that `part` is repeated to, which has the shape of what `like` names; both turned if that is."""

    part: Var
    like: _Matrix


def multiply_once(fn: Function) -> Function:
    """Multiply what derivatives repeat along an axis once: the product repeats as well, or is one with a sum.

    The shape that a product repeats to is that of another one, as the function's own product is there beside its tangent.

    >>> from adxform.ir.text import read, show
    >>> print(show(multiply_once(read('''
    ... def f(x: f64[K, n, d], x_t: f64[K, 1, d], w: f64[K, d, m], ct: f64[K, n, m]):
    ...     all_t: f64[K, n, d] = runtime.broadcast_like(x_t, x)
    ...     z: f64[K, n, m] = operator.matmul(x, w)
    ...     z_t: f64[K, n, m] = operator.matmul(all_t, w)
    ...     turned: f64[K, d, n] = np.swapaxes(all_t, -1, -2)
    ...     w_ct: f64[K, d, m] = operator.matmul(turned, ct)
    ...     y_t: f64[K, n, m] = operator.mul(z, z_t)
    ...     return y_t, w_ct'''))))
    def f(x: f64[K, n, d], x_t: f64[K, 1, d], w: f64[K, d, m], ct: f64[K, n, m]):
        all_t: f64[K, n, d] = runtime.broadcast_like(x_t, x)
        z: f64[K, n, m] = operator.matmul(x, w)
        z_t.1: f64[K, 1, m] = operator.matmul(x_t, w)
        z_t: f64[K, n, m] = runtime.broadcast_like(z_t.1, z)
        turned: f64[K, d, n] = np.swapaxes(all_t, -1, -2)
        x_t.1: f64[K, d, 1] = np.swapaxes(x_t, -1, -2)
        ct.1: f64[K, 1, m] = np.sum(ct, axis=1, keepdims=True)
        w_ct: f64[K, d, m] = operator.mul(x_t.1, ct.1)
        y_t: f64[K, n, m] = operator.mul(z, z_t)
        return y_t, w_ct
    """

    def once(part: Function, aliases: Aliases) -> Block:
        has = {callee(op) for op in all_ops(part.body)}
        return _Once(part, aliases).block(part.body) if MATMULS & has and runtime.broadcast_like in has else part.body

    return each_function(fn, once)


class _Once(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.names = Names.of(fn)
        self.sharing = Sharing(fn, aliases)
        self.returned = set(aliases.classes(fn.results))
        self.matrices: dict[Operand, _Matrix] = {}
        self.repeated: dict[Operand, _Repeated] = {}
        self.products: dict[tuple[_Matrix, _Matrix], Var] = {}

    def block(self, block: Block) -> Block:
        """`block`, whose products are not to be seen outside of it."""
        outside = dict(self.products)
        try:
            return super().block(block)
        finally:
            self.products = outside

    def visit(self, op: Op, ops: list[Op]) -> None:
        match op:
            case Call((Var(type=Array("float64", tuple())) as out,), Lit(fn), (Var() as a, Var() as b), ()) if fn in MATMULS:
                ops += self.along(op, out, 0) or self.along(op, out, 1) or self.across(op, 0) or self.across(op, 1) or [op]
                self.products.setdefault((self.matrix(a), self.matrix(b)), out)
                return
            case Call((out,), Lit(runtime.broadcast_like), (Var() as part, Var() as like)) if self.sharing.is_constant(part):
                self.repeated[out] = _Repeated(part, self.matrix(like))
            case Call((out,), Lit(np.swapaxes), (Var() as x, Lit(-1), Lit(-2)), ()):
                turned = self.matrix(x)
                self.matrices[out] = replace(turned, turned=not turned.turned)
                if x in self.repeated and not self.repeated[x].like.turned:
                    found = self.repeated[x]
                    self.repeated[out] = replace(found, like=replace(found.like, turned=True))
        ops.append(self.descend(op))

    def matrix(self, var: Var) -> _Matrix:
        return self.matrices.get(var, _Matrix(var.name))

    def along(self, op: Call, out: Var, place: int) -> list[Op] | None:
        """`op` with one row of its left operand, or one column of its right one, and that repeated."""
        free, other = place - 2, op.args[1 - place]
        found = self.one(op, place, free)
        assert isinstance(other, Var)
        if found is None or not self.sharing.is_constant(out) or self.sharing.aliases.of(out) in self.returned:
            return None
        given = found.like, self.matrix(other)
        product = self.products.get(given if place == 0 else given[::-1])
        if product is None or product.type != out.type:
            return None
        ops, part = self.oriented(found)
        once = Var(self.names.fresh(out.base), _with_one(out, free if len(float_axis_lengths(other)) > 1 else -1))
        args = (part, other) if place == 0 else (other, part)
        spread = Call((out,), Lit(runtime.broadcast_like), (once, product), (), op.span)
        return [*ops, replace(op, outs=(once,), args=args), spread]

    def across(self, op: Call, place: int) -> list[Op] | None:
        """`op` as a product with the sum of its other operand, where what is added up is multiplied by the same."""
        other, axis = op.args[1 - place], -1 - place
        found = self.one(op, place, axis)
        if found is None or len(float_axis_lengths(other)) < 2:
            return None
        assert isinstance(other, Var)
        along = -2 if place == 0 else -1
        ops, part = self.oriented(found)
        total = Var(self.names.fresh(other.base), _with_one(other, along))
        keywords = (("axis", Lit(len(float_axis_lengths(other)) + along)), ("keepdims", Lit(True)))
        args = (part, total) if place == 0 else (total, part)
        added = Call((total,), Lit(np.sum), (other,), keywords, op.span)
        return [*ops, added, replace(op, fn=Lit(operator.mul), args=args)]

    def one(self, op: Call, place: int, axis: int) -> _Repeated | None:
        """What that operand of `op` repeats along `axis` alone, one of the last two."""
        found, shape = self.repeated.get(op.args[place]), float_axis_lengths(op.args[place])
        if found is None or len(shape) < 2 or shape[axis] == 1:
            return None
        part = float_axis_lengths(found.part)
        if found.like.turned:
            part = (*part[:-2], *part[:-3:-1])
        at = len(shape) + axis
        return found if part == (*shape[:at], 1, *shape[at + 1 :]) else None

    def oriented(self, found: _Repeated) -> tuple[list[Op], Var]:
        """What `found` repeats, turned if it is, and what turns it."""
        if not found.like.turned:
            return [], found.part
        shape = float_axis_lengths(found.part)
        part = Var(self.names.fresh(found.part.base), Array("float64", (*shape[:-2], *shape[:-3:-1])))
        return [Call((part,), Lit(np.swapaxes), (found.part, Lit(-1), Lit(-2)))], part


def _with_one(var: Var, axis: int) -> Array:
    shape = float_axis_lengths(var)
    at = len(shape) + axis
    return Array("float64", (*shape[:at], 1, *shape[at + 1 :]))
