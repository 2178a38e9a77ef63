"""Nests of loops that multiply matrices, or add a product of matrices to another one: the product is that of BLAS."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Scalar, Size
from adxform.ir.walk import Names
from adxform.passes.arrays.small_axes import FEW
from adxform.passes.linalg.kernel_products import has_blas
from adxform.passes.loops.accesses import Accesses, Nest, Subscript, adds
from adxform.passes.loops.interchange import is_free, zeros_added_to
from adxform.passes.loops.zero_initialisation import Fills, emptied
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.rewriting import Rewriter, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.table import spelled
from adxform.runtime.kernel_scalars import check_places


def multiply(fn: Function) -> Function:
    """`fn` with a call for what a nest of three loops adds to the elements of a matrix, if that is the product of two others.

    The loops go over rows and columns from the first on, of which it is not known that they are few. The sums are the same to
    rounding.

    >>> from adxform.ir.text import read, show
    >>> print(show(multiply(read('''
    ... def f(a: f64[n, m], b: f64[k, m]):
    ...     n: int = intrinsics.dim(a, 0)
    ...     k: int = intrinsics.dim(b, 0)
    ...     m: int = intrinsics.dim(a, 1)
    ...     c: f64[n, k] = np.zeros((n, k))
    ...     for i: int in range(0, n, 1):
    ...         for j: int in range(0, k, 1):
    ...             for p: int in range(0, m, 1):
    ...                 v: f64 = operator.getitem(a, (i, p))
    ...                 u: f64 = operator.getitem(b, (j, p))
    ...                 t: f64 = operator.mul(v, u)
    ...                 intrinsics.accumulate(c, (i, j), t)
    ...     return c'''))))
    def f(a: f64[n, m], b: f64[k, m]):
        n: int = intrinsics.dim(a, 0)
        k: int = intrinsics.dim(b, 0)
        c: f64[n, k] = np.empty((n, k))
        b.1: f64[m, k] = np.transpose(b)
        np.matmul(a, b.1, out=c)
        return c
    """
    if not has_blas():
        return fn
    changed = each_function(fn, lambda part, aliases: _Multiplying(part, aliases).block(part.body))
    return fn if changed is fn else eliminate_dead_code(changed)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A matrix, the items of the loops along its axes, and by axis the length to which it is cut, if it may be longer."""

    array: Var
    items: tuple[Var, ...]
    cuts: tuple[Var | None, ...]


@dataclass(frozen=True, slots=True)
class _Product:
    """What `op` adds to `target`: `left` times `right`."""

    op: Call
    target: _Matrix
    left: _Matrix
    right: _Matrix


class _Multiplying(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.fills = Fills(fn, aliases)
        self.names = Names.of(fn)

    def block(self, block: Block) -> Block:
        """`block` with the products of its nests. What is zeros ahead of a nest is asked of `block` as it was."""
        changed = [[self.descend(op)] for op in block.ops]
        for at, op in enumerate(block.ops):
            nest = self.accesses.nest(op) if isinstance(op, For) else None
            if not isinstance(op, For) or nest is None or len(nest.loops) != 3:
                continue
            found = [self.product(add, nest) for add in nest.body.ops if adds(add)]
            products = [product for product in found if product is not None]
            if not products or not is_free(nest, self.accesses, self.aliases):
                continue
            zeros = zeros_added_to(nest, block.ops[:at], self.accesses, self.fills)
            builder = Builder(self.names)
            for product in products:
                builder.span = product.op.span
                position = zeros.get(product.target.array.name)
                if position is None or callee(product.op) is not intrinsics.accumulate:
                    self.add(product, builder)
                    continue
                if not any(product.target.cuts):
                    changed[position] = [emptied(block.ops[position])]
                out = (("out", self.cut(product.target, builder)),)
                builder.emit(Call((), Lit(np.matmul), self.factors(product, builder), out, product.op.span))
            left = [] if len(products) == len(found) else [_without([product.op for product in products], op)]
            changed[at] = [*left, *builder.ops]
        ops = tuple(itertools.chain.from_iterable(changed))
        same = len(ops) == len(block.ops) and all(map(operator.is_, ops, block.ops))
        return block if same else replace(block, ops=ops)

    def product(self, op: Op, nest: Nest) -> _Product | None:
        """What `op` adds in the iterations of `nest`, as a product of matrices."""
        assert isinstance(op, Call)
        target, value = self.matrix(op, nest), op.args[2]
        made = nest.definitions.get(value.name) if isinstance(value, Var) else None
        if target is None or not isinstance(made, Call) or spelled(callee(made)) is not operator.mul:
            return None
        factors = [self.matrix(nest.definitions.get(arg.name), nest) for arg in made.args if isinstance(arg, Var)]
        inner = {loop.item for loop in nest.loops} - {*target.items}
        left, right = (
            [factor for factor in factors if factor is not None and {*factor.items} == {item, *inner}] for item in target.items
        )
        return _Product(op, target, left[0], right[0]) if left and right else None

    def matrix(self, op: Op | None, nest: Nest) -> _Matrix | None:
        """The matrix of which `op` takes, or to which it adds, the elements that two loops of `nest` come to, and how."""
        access = self.accesses.of(op) if isinstance(op, Call) else None
        if access is None or access.base.name in nest.homes or len(access.axes) != 2 or not _may_be_large(access.base):
            return None
        cuts: list[Var | None] = []
        loops = [
            loop
            for place in access.axes
            for loop in nest.loops
            if place == Subscript(loop.item, 0) and loop.low == Subscript(None, 0)
        ]
        if len({loop.item for loop in loops}) != 2:
            return None
        for size, loop in zip(_shape(access.base), loops, strict=True):
            if self.fills.end(size, loop) == loop.high:
                cuts.append(None)
            elif loop.high.root is not None and loop.high.root.name in self.fills.lengths and not loop.high.offset:
                cuts.append(loop.high.root)
            else:
                return None
        return _Matrix(access.base, tuple([loop.item for loop in loops]), tuple(cuts))

    def factors(self, product: _Product, builder: Builder) -> tuple[Operand, ...]:
        """The matrices that are multiplied: rows times columns."""
        row, column = product.target.items
        left, right = (self.cut(matrix, builder) for matrix in (product.left, product.right))
        return (
            left if product.left.items[0] == row else _turned(left, builder),
            right if product.right.items[1] == column else _turned(right, builder),
        )

    def cut(self, matrix: _Matrix, builder: Builder) -> Var:
        """The part of `matrix` that the loops come to, which is checked to be there."""
        if not any(matrix.cuts):
            return matrix.array
        for axis, length in enumerate(matrix.cuts):
            if length is not None:
                last = builder.call(operator.sub, length, Lit(1), type=INT, hint="last")
                n = builder.call(intrinsics.dim, matrix.array, Lit(axis), type=INT, hint="n")
                builder.effect(check_places, Lit(0), last, n)
        index = Pack("tuple", tuple([Pack("slice", (Lit(None), length or Lit(None), Lit(None))) for length in matrix.cuts]))
        sizes = zip(_shape(matrix.array), matrix.cuts, strict=True)
        shape = tuple([size if length is None else self.fills.lengths[length.name] for size, length in sizes])
        return builder.call(operator.getitem, matrix.array, index, type=Array("float64", shape), hint=matrix.array.base)

    def add(self, product: _Product, builder: Builder) -> None:
        """`product` as a matrix of its own, which is added to the target element by element."""
        target = self.cut(product.target, builder)
        made = builder.call(operator.matmul, *self.factors(product, builder), type=target.type)
        lengths = [builder.call(intrinsics.dim, made, Lit(axis), type=INT, hint="n") for axis in range(2)]
        items = [builder.var(hint, INT) for hint in "ij"]
        index = Pack("tuple", tuple(items))
        body = builder.nested()
        value = body.call(operator.getitem, made, index, type=Scalar("float64"))
        body.emit(replace(product.op, args=(target, index, value)))
        for item, length in zip(reversed(items), reversed(lengths), strict=True):
            loop = For((), (Lit(0), length, Lit(1)), (), Block((item,), tuple(body.ops), ()), span=product.op.span)
            body = builder.nested()
            body.emit(loop)
        builder.ops += body.ops


def _may_be_large(matrix: Var) -> bool:
    """Whether `matrix` holds numbers, and none of its lengths is known to be small."""
    match matrix.type:
        case Array("float64", tuple() as shape):
            return not any(isinstance(size, int) and size <= FEW for size in shape)
        case _:
            return False


def _shape(array: Var) -> tuple[Size, ...]:
    assert isinstance(array.type, Array)
    return array.type.shape or ()


def _turned(array: Var, builder: Builder) -> Var:
    return builder.call(np.transpose, array, type=Array("float64", _shape(array)[::-1]), hint=array.base)


def _without(gone: Sequence[Op], op: For) -> For:
    """The nest `op` without the ops `gone` of its innermost loop."""
    left = [_without(gone, inner) if isinstance(inner, For) else inner for inner in op.body.ops]
    return replace(op, body=replace(op.body, ops=tuple([inner for inner in left if not any(inner is one for one in gone)])))
