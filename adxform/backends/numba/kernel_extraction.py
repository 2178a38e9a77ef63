"""Cuts a function into kernels and the Python around them.

A kernel is a run of ops, all of which Numba can take, with a loop or enough arithmetic among them. It is a helper of the
function, which invokes it. What a kernel returns is a number of Python's own, so NumPy's numbers are made of it again.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from adxform import runtime
from adxform.analysis.layout_readers import reads_layout
from adxform.backends.numba.caller_allocation import is_laid_as_first, made_ahead
from adxform.backends.numba.caller_views import view_ahead
from adxform.backends.numba.integers import Bits
from adxform.backends.numba.kernel_pipeline import CUT, KERNEL, KernelSetting
from adxform.backends.numba.kernel_solvers import is_solver
from adxform.backends.numba.support import MARKS, is_taken, kept_stacks, stack_uses
from adxform.backends.numba.undefined_values import give_undefined_arrays, undefined_arrays
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, all_ops, blocks, defined_variables, free_variables, map_op, outs, reads, variables_of
from adxform.passes.driver import through
from adxform.passes.linalg.kernel_products import is_product
from adxform.primitives.alias import alias_classes
from adxform.primitives.comparisons import asks_which_object
from adxform.runtime.kernel_scalars import DTYPES

NUMPY = {dtype: np.dtype(dtype).type for dtype in DTYPES}
ENOUGH = 8
MOST_OPS = 1000
MOST_KERNELS = 32
"""Of what size, and how many, kernels without a loop may be: an op takes a millisecond to compile, to save 0.1 microseconds."""


@dataclass(frozen=True, slots=True)
class Outlined:
    """A function and the names of those of its helpers that are kernels; and whether their indices count from the front.

    Of its other helpers, `workspaces` only make arrays that a kernel works in.
    """

    function: Function
    kernels: Mapping[str, bool]
    workspaces: frozenset[str] = frozenset()


def outline(fn: Function, skipped: int = 0, *, fastmath: bool = True) -> Outlined:
    """`fn` without its first results, those `skipped`, and with kernels, of which there may be none.

    With `fastmath`, sums may be taken in any order, loops are packed, and functions are forms that vectorise.
    A kernel holds all uses of a stack or none: a stack that would cross from one to another stays in Python, with what uses it.
    """
    fn = through("cut", CUT, fn, skipped)
    body, found = _parts(fn)
    undefined = undefined_arrays(body)
    made = [finished(kernel, alone(kernel, fn), fastmath=fastmath) for kernel in found]
    kernels = {kernel.name: from_the_front for kernel, from_the_front in made}
    if undefined:
        body = give_undefined_arrays(body, undefined, Names.of(replace(fn, body=body)))
    return Outlined(replace(fn, body=body, helpers=(*fn.helpers, *(kernel for kernel, _ in made))), kernels)


def used_in_python(fn: Function, arrays: Collection[Var]) -> frozenset[Var]:
    """Those of `arrays` that loops in Python use, or anything outside of kernels but what makes them."""
    if not arrays:
        return frozenset()
    found: set[Var] = set()
    waiting = [(_parts(fn)[0], False)]
    while waiting:
        block, repeated = waiting.pop()
        for op in block.ops:
            if repeated or not isinstance(op, Invoke):
                found.update(var for var in reads(op) if var in arrays)
            waiting += [(inner, repeated or isinstance(op, For | While)) for inner in blocks(op)]
    return frozenset(found)


def _parts(fn: Function) -> tuple[Block, list[Function]]:
    """The body of `fn` with kernels invoked, and the kernels as they are cut out: none where it asks which object one is.

    What a kernel gives is another object than what it was given, or the same, as it happens.
    """
    if asks_which_object(fn.body):
        return fn.body, []
    uses = stack_uses(fn.body)
    kept = kept_stacks(fn.body)
    loops_only = False
    as_laid_out = reads_layout(fn)
    while True:
        outlining = _Outlining(fn, uses, kept, loops_only, as_laid_out)
        body = outlining.block(fn.body, fn.body.results)
        many = sum(not _loops(kernel.body.ops) for kernel in outlining.kernels) > MOST_KERNELS
        if not outlining.crossing and not many:
            return body, outlining.kernels
        kept |= outlining.crossing
        loops_only |= many


@dataclass(slots=True)
class _Outlining:
    """`uses` counts those of each stack; stacks and arrays `kept` are made in Python, and those found `crossing` should be.

    With `loops_only`, what does not loop stays in Python; with `as_laid_out` it matters how arrays that leave a kernel lie.
    """

    fn: Function
    uses: Counter[Var]
    kept: frozenset[Var]
    loops_only: bool
    as_laid_out: bool
    crossing: frozenset[Var] = frozenset()
    names: Names = field(init=False)
    titles: set[str] = field(init=False)
    kernels: list[Function] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = Names.of(self.fn)
        self.titles = {self.fn.name, *(helper.name for helper in self.fn.helpers)}

    def block(self, block: Block, results: Iterable[Operand]) -> Block:
        """`block` with its kernels; `results` are read after it."""
        ops: list[Op] = []
        pending: list[Op] = []
        fit = Bits()
        last = _last_reads(block.ops, results)
        for position, op in enumerate(block.ops):
            taken = self.takes(op)
            if taken and fit.fit(op):
                pending.append(op)
                continue
            if not taken and (found := view_ahead(op, pending, self.names, as_laid_out=self.as_laid_out)) is not None:
                ahead, pending = found
                ops += ahead
                continue
            ops += self.closed(pending, _Later(last, position))
            pending, fit = [], Bits()
            if taken and fit.fit(op):
                pending.append(op)
            else:
                fit = Bits()
                ops.append(self.inside(op))
        ops += self.closed(pending, _Later(last, len(block.ops)))
        return replace(block, ops=tuple(ops))

    def takes(self, op: Op) -> bool:
        """Whether a kernel may hold `op`."""
        alone = Block((), (op,), ())
        return is_taken(op) and self.kept.isdisjoint(stack_uses(alone)) and self.kept.isdisjoint(defined_variables(alone))

    def inside(self, op: Op) -> Op:
        """`op`, which stays in Python, with kernels in its blocks."""
        return map_op(op, lambda operand: operand, lambda inner: self.block(inner, inner.results))

    def closed(self, ops: list[Op], later: Container[Var]) -> list[Op]:
        """`ops`, or the kernel that they become."""
        head = 0
        while head < len(ops) and not _is_work(ops[head]):
            head += 1
        ahead, ops = ops[:head], ops[head:]
        if not is_worth(ops) or (self.loops_only and not _loops(ops)):
            return [*ahead, *map(self.inside, ops)]
        own = stack_uses(Block((), tuple(ops), ()))
        crossing = frozenset(stack for stack, count in own.items() if count < self.uses[stack])
        self.crossing |= crossing
        return [*ahead, *ops] if crossing else [*ahead, *self.kernel(tuple(ops), later)]

    def kernel(self, ops: tuple[Op, ...], later: Container[Var]) -> list[Op]:
        """The invocation of a new kernel that does `ops`, of which variables in `later` are read."""
        arrays, left = made_ahead(ops, later, self.names, as_laid_out=self.as_laid_out)
        body = Block((), tuple(left), ())
        made = {var for op in arrays for var in outs(op)}
        params = tuple(sorted(free_variables(body), key=made.__contains__))
        results = tuple(var for op in left for var in outs(op) if var in later)
        title, count = f"{self.fn.name}_kernel", 1
        while title in self.titles:
            count += 1
            title = f"{self.fn.name}_kernel_{count}"
        self.titles.add(title)
        if self.as_laid_out:
            self.crossing |= _laid_out_by_numba(body, params, results)
        self.kernels.append(Function(title, Block(params, tuple(left), results), span=self.fn.span))
        taken = [_bare(var, self.names) for var in results]
        wrapped = [
            Call((var,), Lit(NUMPY[var.type.dtype]), (bare,), (), self.fn.span)
            for var, bare in zip(results, taken, strict=True)
            if isinstance(var.type, Scalar) and var is not bare
        ]
        return [*arrays, Invoke(tuple(taken), title, params, self.fn.span), *wrapped]


def _laid_out_by_numba(body: Block, params: tuple[Var, ...], results: tuple[Var, ...]) -> frozenset[Var]:
    """The arrays made in `body`, and seen outside, that are to lie in memory as others do: Numba may lay them out otherwise."""
    made = [op.outs[0] for op in all_ops(body) if isinstance(op, Call) and is_laid_as_first(op)]
    if not made:
        return frozenset()
    aliases = alias_classes(Function("kernel", replace(body, params=params, results=results)))
    seen = set(aliases.reached(results))
    return frozenset(array for array in made if aliases.of(array) in seen)


def alone(kernel: Function, fn: Function) -> frozenset[int]:
    """The places of parameters of `kernel`, cut out of `fn`, that share memory neither with others nor with those of `fn`."""
    aliases = alias_classes(fn)
    arrays = {place: aliases.of(param) for place, param in enumerate(kernel.params) if isinstance(param.type, Array)}
    shared = {class_ for class_, count in Counter(arrays.values()).items() if count > 1} | set(aliases.reached(fn.params))
    return frozenset(place for place, class_ in arrays.items() if class_ not in shared)


def finished(kernel: Function, no_alias: frozenset[int] = frozenset(), *, fastmath: bool = True) -> tuple[Function, bool]:
    """`kernel` made safe and fast, after `kernel_pipeline.KERNEL`; and whether its indices count from the front.

    The parameters at the places `no_alias` share no memory with others.
    """
    setting = KernelSetting(fastmath, no_alias)
    return through("kernel", KERNEL, kernel, setting), setting.from_the_front


def _bare(var: Var, names: Names) -> Var:
    """`var`, or for a number of NumPy's a variable for the same number of Python's."""
    if not isinstance(var.type, Scalar) or var.type.weak:
        return var
    dtype = "float64" if var.type.dtype == "float32" else var.type.dtype
    return Var(names.fresh(var.base), Scalar(dtype, weak=True))


def _work(op: Op) -> int:
    """What `op` costs in Python: that on numbers of NumPy's takes longer."""
    match op:
        case Call(outs=(Var(type=Scalar("float64" | "float32" | "complex128", weak)),)) if callee(op) is not operator.getitem:
            return 1 if weak else 3
        case Call() if is_product(op) or is_solver(op):
            return ENOUGH // 2
        case _:
            return 0


def is_worth(ops: Sequence[Op]) -> bool:
    """Whether `ops` are worth a kernel: they loop, or compute much and are not too many to be compiled."""
    return _loops(ops) or (len(ops) <= MOST_OPS and sum(map(_work, all_ops(Block((), tuple(ops), ())))) >= ENOUGH)


def _loops(ops: Sequence[Op]) -> bool:
    return any(isinstance(op, For | While) for op in all_ops(Block((), tuple(ops), ())))


def _is_work(op: Op) -> bool:
    """Whether a kernel may begin with `op`: marks and copies of arguments stay ahead of it."""
    return not (isinstance(op, Call) and (callee(op) in MARKS or callee(op) is runtime.private))


@dataclass(frozen=True, slots=True)
class _Later:
    """The variables that the ops from `position` on, or the results, read; `last` tells where each is read for the last time."""

    last: Mapping[Var, int]
    position: int

    def __contains__(self, var: object) -> bool:
        return self.last.get(var, -1) >= self.position  # type: ignore[call-overload, no-any-return]


def _last_reads(ops: tuple[Op, ...], results: Iterable[Operand]) -> dict[Var, int]:
    """At which position in `ops` each variable is read for the last time; the `results` come after them all."""
    last = {var: position for position, op in enumerate(ops) for var in free_variables(Block((), (op,), ()))}
    return last | dict.fromkeys(variables_of(tuple(results)), len(ops))
