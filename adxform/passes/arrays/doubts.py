"""What forbids loops: arrays that may be numbers, lengths that change under their name, an order in memory that decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Function, If, Invoke, Op, Operand, Var, While
from adxform.ir.types import UNSPREAD, Array, Dim, Scalar
from adxform.ir.walk import TAPE, all_ops, outs, reads
from adxform.passes.scalar.rewriting import is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, positions


@dataclass(frozen=True, slots=True)
class Doubts:
    """`numbers`: variables with the type of an array that a path leaves as a number, or without a value.

    `lengths`: names of unknown lengths that stand for others in other iterations of a loop, or on other paths.
    `ordered`: alias classes that are written and hold what may be a view or a copy, whichever the order in memory makes it, and
    those of the arrays that such an array is computed from, whose order it takes (``np.where(A > 0.0, A, 0.5).T.ravel()``).
    """

    numbers: frozenset[str]
    lengths: frozenset[str]
    ordered: frozenset[int]

    @classmethod
    def of(cls, fn: Function, aliases: Aliases) -> Doubts:
        """Those of `fn`."""
        ops = tuple(all_ops(fn.body))
        numbers: set[str] = set()
        count = -1
        while count != (count := len(numbers)):
            for op in ops:
                for out, sources in _joins(op):
                    if isinstance(out.type, Array) and any(_may_be_number(source, numbers) for source in sources):
                        numbers.add(out.name)
                if isinstance(op, Call) and any(var.name in numbers for var in reads(op)):
                    numbers |= {out.name for out in op.outs if isinstance(out.type, Array)}
        touched = aliases.written | aliases.exposed
        ordered = {aliases.of(var) for op in ops if isinstance(op, Call) for var in _in_doubt(op)}
        return cls(frozenset(numbers), frozenset(_changing(ops)), _with_origins(ordered & touched, ops, aliases))

    def about(self, var: Var) -> bool:
        """Whether `var` is not surely the array that its type says."""
        if not isinstance(var.type, Array):
            return False
        return var.name in self.numbers or any(
            isinstance(size, Dim) and size.base in self.lengths for size in var.type.shape or ()
        )


def _with_origins(ordered: set[int], ops: Sequence[Op], aliases: Aliases) -> frozenset[int]:
    """The alias classes `ordered`, and those of the arrays of several axes from which calls make theirs."""
    known = -1
    while ordered and known != (known := len(ordered)):
        for op in ops:
            if isinstance(op, Call) and any(isinstance(out.type, Array) and aliases.of(out) in ordered for out in op.outs):
                ordered |= {
                    aliases.of(var) for var in reads(op) if isinstance(var.type, Array) and len(var.type.shape or (0, 0)) > 1
                }
    return frozenset(ordered)


def _changing(ops: Sequence[Op]) -> Iterator[str]:
    """The lengths of what joins values of other lengths, and of what comes from a stack."""
    for op in ops:
        for out, sources in _joins(op):
            for axis, size in enumerate(_unknown(out)):
                if any(_unknown(source)[axis : axis + 1] != (size,) for source in sources if isinstance(source, Var)):
                    yield size.base
        if callee(op) is intrinsics.pop or isinstance(op, Invoke):
            tape = next(iter(reads(op)), None) if callee(op) is intrinsics.pop else None
            for out in outs(op):
                told = tape is not None and TAPE in tape.base  # what was put on it in the iteration that is gone back to
                yield from (size.base for size in _unknown(out) if not told or not size.base.startswith(UNSPREAD))


def _unknown(var: Var) -> tuple[Dim, ...]:
    sizes = var.type.shape or () if isinstance(var.type, Array) else ()
    return tuple(size for size in sizes if isinstance(size, Dim) and size.base.startswith("?"))


def _may_be_number(source: Operand, numbers: set[str]) -> bool:
    if isinstance(source, Var):
        return isinstance(source.type, Scalar) or source.name in numbers
    return True


def _joins(op: Op) -> Iterator[tuple[Var, tuple[Operand, ...]]]:
    """The variables that stand for one of several values, with those."""
    match op:
        case If(outs=outs, then=then, orelse=orelse):
            for out, *sources in zip(outs, then.results, orelse.results, strict=True):
                yield out, tuple(sources)
        case For(outs=outs, inits=inits, body=body, breaks=breaks):
            yield from _carried(outs, inits, body.params[1:], body.results[breaks:])
        case While(outs=outs, inits=inits, test=test, body=body):
            yield from _carried(outs, inits, body.params, body.results)
            for param, init, result in zip(test.params, inits, body.results, strict=True):
                yield param, (init, result)
        case _:
            return


def _carried(
    outs: tuple[Var, ...], inits: tuple[Operand, ...], params: tuple[Var, ...], results: tuple[Operand, ...]
) -> Iterator[tuple[Var, tuple[Operand, ...]]]:
    for out, init, param, result in zip(outs, inits, params, results, strict=True):
        yield out, (init, result)
        yield param, (init, result)


def _in_doubt(op: Call) -> tuple[Var, ...]:
    """The out of a call that may or may not be a view of an array, by the order of that in memory."""
    effect = effect_of(op)
    views = [var for var in positions(op, effect.views) if isinstance(var.type, Array) and var.type.shape != ()]
    if not views or not op.outs or effect.opaque or is_certain_view(op, effect):
        return ()
    return op.outs
