"""Refuses programs in which arrays share memory in a way that cannot be mirrored, or that change what is not theirs."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from adxform.errors import AliasError, GlobalMutationError
from adxform.frontend.checks.handed_over import HandedArray
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import Array, Object
from adxform.ir.walk import all_ops, joins, outs, reads_with_blocks, variables, variables_of
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import IN_PLACE_OPERATORS, effect_of, is_read_only, memory, positions, writes

Apart = tuple[Var, Var, Span]
"""An array that an inner function or a loop writes to, one that must stay as it is meanwhile, and where that is."""
ADD_AT = Lit(np.add.at)
_ARRAY_MODULES = ("numpy", "numpy._core.multiarray", "numpy._core.numeric")


def refuse_outside_writes(function: Function, hidden: tuple[Var, ...]) -> None:
    """Raise where `function` writes to an array that it found outside of its arguments."""
    arrays = [var for var in hidden if isinstance(var.type, Array)]
    if not arrays:
        return
    classes = alias_classes(function)
    owners = {classes.of(var): var for var in arrays if classes.of(var) in classes.written}
    if not owners:
        return
    for op in all_ops(function.body):
        if isinstance(op, Call):
            for place in effect_of(op).writes:
                for var in variables(op.args[place]):
                    if classes.of(var) in owners:
                        message = f"the array `{owners[classes.of(var)].base}` from outside the function is changed"
                        raise GlobalMutationError(message, span=op.span, help="pass it as an argument, or work on a copy")
    (name, *_) = owners.values()
    raise GlobalMutationError(f"the array `{name.base}` from outside the function is changed", help="pass it as an argument")


def refuse_writes_to_kept(function: Function, kept: Iterable[tuple[Var, Span]]) -> None:
    """Raise where an array is written to that a cache keeps, or of which it keeps what was computed."""
    for var, span in kept:
        classes = alias_classes(function)
        if not classes.knows(var) or classes.of(var) in classes.written:
            message = f"the array `{var.base}` is written to, which a function under `lru_cache` gives or reads"
            raise AliasError(message, span=span, help="write to a copy, `.copy()`, or leave the cache away")


def refuse_additions_to_read_only(function: Function) -> None:
    """Raise where `np.add.at` is given a view that NumPy makes read-only: before 2.5 it writes there all the same."""
    added = [op for op in all_ops(function.body) if isinstance(op, Call) and op.fn == ADD_AT]
    views = (
        {out: op for op in all_ops(function.body) if isinstance(op, Call) and effect_of(op).views for out in op.outs}
        if added
        else {}
    )
    for op in added:
        view = views.get(op.args[0]) if isinstance(op.args[0], Var) else None
        while view is not None and not is_read_only(view):
            view = views.get(view.args[0]) if isinstance(view.args[0], Var) else None
        if view is not None:
            message = "this adds to a view that NumPy makes read-only, which NumPy before 2.5 writes to by mistake"
            raise AliasError(message, span=op.span, help="add to a copy, `.copy()`, or to the array itself")


def refuse_writes_to_read_only(function: Function, views: Collection[Var]) -> None:
    """Raise where `function`, or a helper, may write to one of these `views`: NumPy raises, or warns that one day it will."""
    for fn in (function, *function.helpers) if views else ():
        ops = list(all_ops(fn.body))
        reached = _reached(ops, views)
        for op in ops:
            if not reached.isdisjoint(_may_write(op)):
                message = "this may write to a view that NumPy makes to be read only"
                raise AliasError(message, span=op.span, help="write to a copy, `.copy()`, or to the array itself")


def _reached(ops: Sequence[Op], views: Collection[Var]) -> set[Var]:
    """The variables that may be one of these `views`, or a view of one."""
    sources = [(out, positions(op, effect_of(op).views)) for op in ops if isinstance(op, Call) for out in op.outs]
    sources += [(var, memory(given)) for op in ops for var, given in joins(op)]
    sources += [
        (out, (param,)) for op in ops if isinstance(op, For) for out, param in zip(op.outs, op.body.params[1:], strict=True)
    ]
    sources += [
        (out, (param,)) for op in ops if isinstance(op, While) for out, param in zip(op.outs, op.body.params, strict=True)
    ]
    reached, known = set(views), -1
    while len(reached) > known:
        known = len(reached)
        reached.update(var for var, given in sources if not reached.isdisjoint(given))
    return reached


def _may_write(op: Op) -> tuple[Var, ...]:
    """The variables whose memory `op` itself writes, or a function that it calls may."""
    if isinstance(op, Invoke):
        return memory(Pack("tuple", op.args))
    return positions(op, effect_of(op).writes) if isinstance(op, Call) else ()


def refuse_changes_of_held_arrays(function: Function) -> None:
    """Raise where what an array of objects holds, which may be an array that has another name, is changed in place.

    Of the items of such an array (`np.array([A, None], dtype=object)`) nothing is known, so neither whose memory they have.
    """
    holding = {param for param in function.params if isinstance(param.type, Object)}
    items: set[Var] = set()
    for op in all_ops(function.body):
        if not isinstance(op, Call) or not isinstance(op.fn, Lit):
            continue
        given = variables_of((*op.args, *(value for _, value in op.kwargs)))
        changed = op.args[0] if op.args and (op.fn.value in IN_PLACE_OPERATORS or op.fn.value is operator.setitem) else None
        if changed in items:
            message = "what an array of objects holds is changed, which may be an array that has another name"
            raise GlobalMutationError(
                message, span=op.span, help="change the array by its own name, or keep copies in the other one"
            )
        unknown = [out for out in op.outs if isinstance(out.type, Object)]
        if not holding.isdisjoint(given) or not items.isdisjoint(given):
            items.update(unknown)
            holding.update(unknown)
        elif getattr(op.fn.value, "__module__", None) in _ARRAY_MODULES and any(isinstance(var.type, Array) for var in given):
            holding.update(unknown)


def refuse_outside_arrays_given(function: Function, hidden: Iterable[Var], handed: Sequence[HandedArray]) -> None:
    """Raise where an array that `function` found outside of its arguments was `handed` to code that may change it.

    A derivative would hand over a copy, and the change would be lost.
    """
    if not handed:
        return
    classes = alias_classes(function)
    outside = {classes.of(var): var for var in hidden if isinstance(var.type, Array) and classes.knows(var)}
    for one in handed:
        if classes.knows(one.var) and classes.of(one.var) in outside:
            name = outside[classes.of(one.var)].base
            message = f"the array `{name}` from outside the function is passed to `{one.to}`, which may change it"
            raise GlobalMutationError(message, span=one.span, help="pass a copy: `.copy()`")


def parameters_written(function: Function, written: Sequence[Var]) -> tuple[int, ...]:
    """The positions of the array parameters of `function` that share memory with one of the arrays `written`."""
    defined = {*function.params, *(out for op in all_ops(function.body) for out in outs(op))}
    here = [var for var in written if var in defined]
    if not here:
        return ()
    classes = alias_classes(function)
    found = {classes.of(var) for var in here}
    return tuple(i for i, param in enumerate(function.params) if isinstance(param.type, Array) and classes.of(param) in found)


def refuse_shared_arguments(function: Function, pairs: Sequence[Apart]) -> None:
    """Raise where arrays that must not share memory may do so.

    The derivative of an inner function works on a copy of each argument that the function writes to.
    """
    if not pairs:
        return
    classes = alias_classes(function)
    everywhere = (classes, *classes.helpers.values())
    for one, other, span in pairs:
        if any(part.knows(one) and part.knows(other) and part.may_alias(one, other) for part in everywhere):
            name = "what it reads meanwhile" if other.base == "tmp" else f"`{other.base}`"
            reason = "is still to be read here" if one.base == other.base else f"shares memory with {name}"
            message = f"this may write to `{one.base}`, which {reason}"
            raise AliasError(message, span=span, help="use a copy of one of them")


def read_meanwhile(written: object, others: Iterable[object], span: Span) -> Iterator[Apart]:
    """What must not share memory where NumPy reads arrays among `others` while it writes to `written`, an element at a time."""
    for other in others:
        if isinstance(written, Var) and isinstance(other, Var) and isinstance(other.type, Array):
            yield written, other, span


def changed_sources(before: Sequence[Op], loop: Sequence[Op], span: Span) -> Iterator[Apart]:
    """What must not share memory where `before` looks at all that an iterator goes through, and then `loop` walks over it."""
    read = dict.fromkeys(var for op in before for var in reads_with_blocks(op) if isinstance(var.type, Array))
    written = dict.fromkeys(var for op in all_ops(Block((), tuple(loop), ())) for var in writes(op)) if read else ()
    return ((one, other, span) for one in written for other in read)


def inner_pairs(function: Function, operands: Sequence[Operand], pairs: Sequence[Apart], span: Span) -> Iterator[Apart]:
    """What must not share memory where `function`, an inner one, is called with `operands`: by itself, and by `pairs` in it."""
    arrays = [i for i, param in enumerate(function.params) if isinstance(param.type, Array)]
    classes = alias_classes(function)
    groups = [classes.of(function.params[i]) for i in arrays]
    wanted = [(group, other, span) for group in dict.fromkeys(groups) if group in classes.written for other in groups]
    wanted += [
        (classes.of(one), classes.of(other), place) for one, other, place in pairs if classes.knows(one) and classes.knows(other)
    ]
    for group, other, place in wanted:
        for i in arrays:
            for j in arrays:
                one, two = operands[i], operands[j]
                matches = classes.of(function.params[i]) == group and classes.of(function.params[j]) == other
                if i != j and matches and isinstance(one, Var) and isinstance(two, Var):
                    yield one, two, place
