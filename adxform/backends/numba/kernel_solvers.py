"""Solvers and factorisations in kernels: what ``np.linalg.solve`` and its kin become there.

    x = np.linalg.solve(a, b)

becomes

    lu = np.empty((a.shape[0] + 1, a.shape[1]))
    factor(a, lu)
    x = np.empty(b.shape[0])
    solve(lu, b, x)

and what comes later with the same matrix, or with its transpose, uses the same factors. Kernels compile these as
`adxform.backends.numba.machine.solvers` says, as calls of LAPACK, and give up where NumPy raises.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee, float_rank
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar
from adxform.ir.walk import Names, all_ops, defined_variables, map_op
from adxform.passes.linalg.kernel_products import order_of_axes, routines_of
from adxform.passes.scalar.rewriting import classes_written
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import has_memory


def factor(a: Any, lu: Any) -> None:
    """Store what is known of `a` once it is factored; in Python, that is `a`, column by column, and a row without meaning."""
    lu[:-1], lu[-1] = a.T, 0.0


def solve(lu: Any, b: Any, out: Any) -> None:
    """Store `x` such that ``a @ x == b``, where `lu` is of `a`."""
    out[...] = np.linalg.solve(lu[:-1].T, b)


def solve_transposed(lu: Any, b: Any, out: Any) -> None:
    """Store `x` such that ``a.T @ x == b``, where `lu` is of `a`."""
    out[...] = np.linalg.solve(lu[:-1], b)


def invert(lu: Any, out: Any) -> None:
    """Store the inverse of `a`, where `lu` is of `a`."""
    out[...] = np.linalg.inv(lu[:-1].T)


def cofactors(lu: Any, out: Any) -> None:
    """Store the gradient of the determinant of `a`, where `lu` is of `a`."""
    out[...] = runtime.cofactors(lu[:-1].T)


def determinant(lu: Any) -> Any:
    """The determinant of `a`, where `lu` is of `a`."""
    return np.linalg.det(lu[:-1].T)


def sign_of_determinant(lu: Any) -> Any:
    """The sign of that determinant, or zero."""
    return np.linalg.slogdet(lu[:-1].T)[0]


def log_of_determinant(lu: Any) -> Any:
    """The logarithm of its size."""
    return np.linalg.slogdet(lu[:-1].T)[1]


def cholesky(a: Any, out: Any) -> None:
    """Store the lower triangular matrix that, times its transpose, is `a`."""
    out[...] = np.linalg.cholesky(a)


def cholesky_cotangent(factor: Any, ct: Any, out: Any) -> None:
    """Store the cotangent of the matrix that was factored."""
    out[...] = runtime.cholesky_cotangent(factor, ct)


FORMS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        np.linalg.cholesky: cholesky,
        runtime.cholesky_cotangent: cholesky_cotangent,
        np.linalg.solve: solve,
        np.linalg.inv: invert,
        runtime.inverse: invert,
        runtime.cofactors: cofactors,
    }
)
NUMBERS: Mapping[Callable[..., Any], tuple[Callable[..., Any], ...]] = MappingProxyType(
    {np.linalg.det: (determinant,), np.linalg.slogdet: (sign_of_determinant, log_of_determinant)}
)
"""What gives numbers, and the form of each."""
RANKS: Mapping[Any, Any] = MappingProxyType({np.linalg.solve: ([2, 1], [2, 2]), runtime.cholesky_cotangent: ([2, 2],)})
"""Those of the arguments, where it is not one matrix."""
WITHOUT = frozenset({np.linalg.cholesky, runtime.cholesky_cotangent})
"""What needs no factors of its argument."""
SOLVERS = frozenset({factor, solve_transposed, *FORMS.values(), *(form for forms in NUMBERS.values() for form in forms)})
"""What stands in kernels."""


@cache
def has_lapack() -> bool:
    """Whether SciPy is installed, through which kernels reach LAPACK, with lengths of 32 bits as LAPACK usually has them."""
    return "void (int *, int *, " in repr(routines_of("cython_lapack").get("dgetrf"))


def is_solver(op: Call) -> bool:
    """Whether `op` solves or factors with one matrix of ``float64`` as a kernel can."""
    fn, ranks = callee(op), [float_rank(arg) for arg in op.args]
    if op.kwargs or ranks not in RANKS.get(fn, ([2],)):
        return False
    if fn in NUMBERS:
        return all(out.type == Scalar("float64") for out in op.outs) and has_lapack()
    match op.outs:
        case (Var(type=Array("float64", tuple() as shape)),):
            return fn in FORMS and len(shape) == ranks[-1] and has_lapack()
        case _:
            return False


def share_factors(kernel: Function, no_alias: frozenset[int] = frozenset()) -> Function:
    """`kernel` with what its solvers and factorisations become: each matrix is factored once, until it is written.

    The parameters at the places `no_alias` share no memory with others.
    """
    if not any(isinstance(op, Call) and is_solver(op) for op in all_ops(kernel.body)):
        return kernel
    return replace(kernel, body=_Factoring(kernel, no_alias).block(kernel.body, {}))


class _Factoring:
    """`turned` are the variables that are transposed matrices, and those matrices; `known` are factors that are there."""

    def __init__(self, kernel: Function, no_alias: frozenset[int]) -> None:
        self.names = Names.of(kernel)
        self.aliases = alias_classes(kernel)
        turns = [op for op in all_ops(kernel.body) if isinstance(op, Call) and order_of_axes(op) == (1, 0)]
        self.turned: dict[Var, Var] = {op.outs[0]: arg for op in turns for arg in op.args[:1] if isinstance(arg, Var)}
        params = [param for place, param in enumerate(kernel.params) if place not in no_alias and has_memory(param)]
        self.together = frozenset(map(self.aliases.of, params))

    def block(self, block: Block, known: Mapping[Var, Var]) -> Block:
        """`block`, where `known` are there before it."""
        builder, known = Builder(self.names), dict(known)
        for op in block.ops:
            written = self.written(op)
            for matrix in [matrix for matrix in known if self.aliases.of(matrix) in written]:
                del known[matrix]
            match op:
                case Call() if is_solver(op):
                    self.call(op, builder, known)
                case Call():
                    builder.emit(op)
                case For(body=body):
                    for inner in body.ops:
                        if isinstance(inner, Call) and is_solver(inner) and callee(inner) not in WITHOUT:
                            self.ahead(inner, body, written, builder, known)
                    builder.emit(self.inside(op, known))
                case _:
                    builder.emit(self.inside(op, known))
        return replace(block, ops=tuple(builder.ops))

    def inside(self, op: Op, known: Mapping[Var, Var]) -> Op:
        """`op` with its blocks seen to."""
        return map_op(op, lambda operand: operand, lambda inner: self.block(inner, known))

    def written(self, op: Op) -> frozenset[int]:
        """The classes that `op` may write: of parameters that may share memory, all or none."""
        found = frozenset(classes_written(op, self.aliases))
        return found | self.together if found & self.together else found

    def ahead(self, op: Call, body: Block, written: frozenset[int], builder: Builder, known: dict[Var, Var]) -> None:
        """Factor the matrix of `op`, in the `body` of a loop, ahead of the loop, if it is there and no iteration writes it."""
        matrix, _ = self.origin(op)
        if matrix not in set(defined_variables(body)) and self.aliases.of(matrix) not in written:
            builder.span = op.span
            self.factored(matrix, builder, known)

    def origin(self, op: Call) -> tuple[Var, bool]:
        """The matrix that is factored for `op`, and whether `op` solves with that transposed."""
        matrix, turned = op.args[0], False
        assert isinstance(matrix, Var)
        while callee(op) is np.linalg.solve and matrix in self.turned:
            matrix, turned = self.turned[matrix], not turned
        return matrix, turned

    def factored(self, matrix: Var, builder: Builder, known: dict[Var, Var]) -> Var:
        """The factors of `matrix`."""
        if matrix not in known:
            rows, columns = lengths(matrix, builder)
            more = builder.call(operator.add, rows, Lit(1), type=INT, hint="n")
            lu = builder.var("lu", Array("float64", (Dim(self.names.fresh("?lu")), Dim(self.names.fresh("?lu")))))
            builder.effect(factor, matrix, made(lu, (more, columns), builder))
            known[matrix] = lu
        return known[matrix]

    def call(self, op: Call, builder: Builder, known: dict[Var, Var]) -> None:
        """Write what becomes of the solver `op`."""
        fn, builder.span = callee(op), op.span
        if fn in WITHOUT:
            builder.effect(FORMS[fn], *op.args, made(op.outs[0], lengths(op.args[0], builder), builder))
            return
        matrix, turned = self.origin(op)
        lu = self.factored(matrix, builder, known)
        if fn in NUMBERS:
            for out, form in zip(op.outs, NUMBERS[fn], strict=True):
                builder.emit(Call((out,), Lit(form), (lu,), (), op.span))
            return
        into = made(op.outs[0], lengths(op.args[-1], builder), builder)
        builder.effect(solve_transposed if turned else FORMS[fn], lu, *op.args[1:], into)


def lengths(array: Operand, builder: Builder) -> tuple[Var, ...]:
    """The lengths of `array`."""
    return tuple([builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n") for axis in range(float_rank(array))])


def made(out: Var, shape: tuple[Var, ...], builder: Builder) -> Var:
    """`out`, allocated with these lengths."""
    builder.emit(Call((out,), Lit(np.empty), (Pack("tuple", shape) if len(shape) > 1 else shape[0],), (), builder.span))
    return out
