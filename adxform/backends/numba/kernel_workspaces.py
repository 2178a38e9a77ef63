"""Arrays that only a kernel works in are made ahead of it, by a function of their lengths, so that its caller may keep them.

    heat_kernel(u, steps, u_ct)

becomes

    tmp, tmp_ct = heat_kernel_workspace(u.shape[0])
    heat_kernel(u, steps, u_ct, tmp, tmp_ct)

A prepared derivative calls that function anew where a length is another one than before. Nothing else sees those arrays.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace

import numpy as np

from adxform.backends.numba.caller_allocation import filled
from adxform.backends.numba.kernel_extraction import Outlined
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array
from adxform.ir.walk import Names, reads, substitute, variables, variables_of
from adxform.passes.linalg.kernel_products import as_numpy, as_numpy_call, order_of_axes
from adxform.passes.loops.array_elimination import LENGTHS
from adxform.passes.loops.zero_initialisation import is_zeros
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.primitives.alias import alias_classes
from adxform.primitives.table import record_of
from adxform.runtime.kernel_arrays import swapped

INTEGERS = LENGTHS | {operator.mul}
"""What lengths are computed with."""


def with_workspaces(found: Outlined) -> Outlined:
    """The same with arrays that kernels work in made ahead of them, as far as their lengths are known there."""
    fn, names = found.function, Names.of(found.function)
    kernels = {kernel.name: kernel for kernel in fn.helpers if kernel.name in found.kernels}
    made: dict[str, LiftedKernel] = {}
    ops: list[Op] = []
    for op in fn.body.ops:
        workspace = lifted(kernels[op.callee]) if isinstance(op, Invoke) and op.callee in kernels else None
        if workspace is None or workspace.maker.name in kernels or not isinstance(op, Invoke):
            ops.append(op)
            continue
        made[op.callee] = workspace
        builder = Builder(names, op.span)
        given = {param.name: arg for param, arg in zip(kernels[op.callee].params, op.args, strict=True)}
        lengths = [
            given[param.name] if axis is None else builder.call(intrinsics.dim, given[param.name], Lit(axis), type=INT, hint="n")
            for param, axis in workspace.lengths
        ]
        arrays = tuple([Var(names.fresh(array.base), array.type) for array in workspace.maker.results if isinstance(array, Var)])
        ops += [*builder.ops, Invoke(arrays, workspace.maker.name, tuple(lengths), op.span)]
        ops.append(replace(op, args=(*op.args, *arrays)))
    if not made:
        return found
    helpers = [made[helper.name].kernel if helper.name in made else helper for helper in fn.helpers]
    makers = [workspace.maker for workspace in made.values()]
    function = replace(fn, body=replace(fn.body, ops=tuple(ops)), helpers=(*helpers, *makers))
    return replace(found, function=function, workspaces=frozenset(maker.name for maker in makers))


@dataclass(frozen=True, slots=True)
class LiftedKernel:
    """A `kernel` that takes the arrays that it works in, and what makes them of `lengths`: parameters of it, and axes of some."""

    kernel: Function
    maker: Function
    lengths: tuple[tuple[Var, int | None], ...]


def lifted(kernel: Function) -> LiftedKernel | None:
    """`kernel` without what makes arrays of lengths that follow from its parameters; ``None`` where it makes none."""
    aliases = alias_classes(as_numpy(kernel))
    seen = set(aliases.reached((*kernel.params, *kernel.body.results))) | aliases.exposed | set(aliases.elements.values())
    lifting = _Lifting(kernel)
    left: list[Op] = []
    for op in kernel.body.ops:
        match op:
            case Call(outs=(Var(type=Array()) as out,)) if record_of(callee(op)).blank and aliases.of(out) not in seen:
                left += lifting.array(op, out)
            case Call(outs=(Var() as out,)) if out.type == INT and callee(op) in INTEGERS and not op.kwargs:
                lifting.length(op, out)
                left.append(op)
            case Call(outs=(Var() as out,)) if callee(op) in (np.transpose, swapped):
                lifting.turned(op, out)
                left.append(op)
            case _:
                left.append(op)
    if not lifting.arrays:
        return None
    results = tuple(lifting.arrays.values())
    body = eliminate_dead_code(Function("maker", Block(tuple(lifting.params.values()), tuple(lifting.builder.ops), results))).body
    used = {var for op in body.ops for var in reads(op)}
    params = {source: param for source, param in lifting.params.items() if param in used}
    maker = Function(f"{kernel.name}_workspace", replace(body, params=tuple(params.values())), span=kernel.span)
    whole = replace(kernel.body, params=(*kernel.params, *lifting.arrays), ops=tuple(left))
    return LiftedKernel(eliminate_dead_code(replace(kernel, body=whole)), maker, tuple(params))


@dataclass(slots=True)
class _Lifting:
    """`known` are the lengths in `kernel` as those of the function that makes its `arrays`, whose `params` say what they are."""

    kernel: Function
    builder: Builder = field(default_factory=lambda: Builder(Names()))
    params: dict[tuple[Var, int | None], Var] = field(default_factory=dict)
    known: dict[Var, Operand] = field(default_factory=dict)
    shapes: dict[Var, tuple[Operand, ...]] = field(default_factory=dict)
    arrays: dict[Var, Var] = field(default_factory=dict)
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        self.names = Names.of(self.kernel)
        for param in self.kernel.params:
            if param.type == INT:
                self.known[param] = self.param(param, None)

    def param(self, source: Var, axis: int | None) -> Var:
        """The parameter for `source`, or for one of its lengths."""
        hint = source.base if axis is None else "n"
        return self.params.setdefault((source, axis), self.builder.var(hint, INT))

    def length(self, op: Call, out: Var) -> None:
        """Note the length `out`, if it is known."""
        match op.args:
            case (Var(type=Array()) as array, *rest) if callee(op) in (intrinsics.dim, len):
                found = self.axis(array, rest[0].value if rest and isinstance(rest[0], Lit) else 0)
                if found is not None:
                    self.known[out] = found
            case args if callee(op) not in (intrinsics.dim, len) and self.are_known(args):
                given = tuple([substitute(arg, self.known) for arg in args])
                self.known[out] = copy = self.builder.var(out.base, INT)
                self.builder.emit(Call((copy,), op.fn, given, (), op.span))

    def turned(self, op: Call, out: Var) -> None:
        """Note the lengths of `out`, an array with its axes exchanged, if they are known."""
        (base, *_), order = op.args, order_of_axes(as_numpy_call(op))
        sizes = [self.axis(base, axis) for axis in order or () if isinstance(base, Var)]
        known = tuple([size for size in sizes if size is not None])
        if known and len(known) == len(sizes):
            self.shapes[out] = known

    def are_known(self, operands: tuple[Operand, ...]) -> bool:
        """Whether all lengths in `operands` are."""
        return all(var in self.known for var in variables_of(operands))

    def axis(self, array: Var, axis: int) -> Operand | None:
        """A length of `array`, if it is known."""
        if array in self.shapes:
            return self.shapes[array][axis]
        return self.param(array, axis) if array in self.kernel.params else None

    def array(self, op: Call, out: Var) -> list[Op]:
        """What is left of `op`, which makes the array `out`."""
        shape = self.shape(op, out)
        if shape is None or not any(variables(size) for size in shape):
            return [op]
        assert isinstance(out.type, Array)
        plain = len(op.args) == 1 and not op.kwargs and out.type.dtype == "float64"
        if callee(op) is not np.empty and not plain:
            return [op]
        self.shapes[out] = shape
        lengths = shape[0] if len(shape) == 1 else Pack("tuple", shape)
        self.arrays[out] = made = self.builder.var(out.base, out.type)
        self.builder.emit(Call((made,), Lit(np.empty), (lengths, *op.args[1:]), op.kwargs, op.span))
        return filled(out, Lit(0.0), self.names, op.span) if is_zeros(callee(op)) else []

    def shape(self, op: Call, out: Var) -> tuple[Operand, ...] | None:
        """The lengths of `out`, if they are known."""
        assert isinstance(out.type, Array)
        (given, *_) = op.args
        rank = len(out.type.shape or ())
        if (fresh := record_of(callee(op)).fresh) is not None and fresh.like:
            if not isinstance(given, Var) or not isinstance(given.type, Array) or given.type.dtype != out.type.dtype:
                return None
            sizes = [self.axis(given, axis) for axis in range(rank)]
            return tuple([size for size in sizes if size is not None]) if None not in sizes else None
        items = given.items if isinstance(given, Pack) else (given,)
        if not rank or len(items) != rank or not self.are_known(items):
            return None
        return tuple([substitute(item, self.known) for item in items])
