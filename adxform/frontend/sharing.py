"""Refuses programs in which arrays share memory in a way that cannot be mirrored, or that change what is not theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adxform.errors import AliasError, GlobalMutationError, UnsupportedOperationError
from adxform.ir.ops import Block, Call, For, Function, If, Op, Operand, Var, While
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, defined_variables, reads_with_blocks, variables
from adxform.rules.alias import alias_classes
from adxform.rules.effects import effect_of, positions, writes
from adxform.source import Span

Apart = tuple[Var, Var, Span]
"""An array that an inner function or a loop writes to, one that must stay as it is meanwhile, and where that is."""


def refuse_shared_items(function: Function, collected: Sequence[tuple[Var, Span, bool]]) -> None:
    """Raise where an array that was put in or taken from a list held as an array is written to: the list holds a copy of it."""
    for fn in (function, *function.helpers) if collected else ():
        classes = alias_classes(fn)
        own = {var.name for var in defined_variables(fn.body)}
        for var, span, loaded in collected:
            if var.name in own and (_written_through(fn, var) if loaded else classes.of(var) in classes.written):
                message = f"the array `{var.base}`, an item of a list whose length only a run can tell, is changed in place"
                raise UnsupportedOperationError(message, span=span, help="append or change a copy: `x.copy()`")


def _written_through(fn: Function, var: Var) -> bool:
    """Whether `fn` writes to `var` or to a view of it."""
    views, ops, count = {var}, list(all_ops(fn.body)), 0
    while count != len(views):
        count = len(views)
        for op in ops:
            match op:
                case Call(outs=outs):
                    if views.intersection(positions(op, effect_of(op).views)):
                        views.update(outs)
                case If(outs=outs, then=then, orelse=orelse):
                    views.update(out for out, *ends in zip(outs, then.results, orelse.results, strict=True) if views & set(ends))
                case For(outs=outs, inits=inits, body=body, breaks=breaks):
                    _spread(views, outs, inits, body.params[1:], body.results[breaks:])
                case While(outs=outs, inits=inits, body=body):
                    _spread(views, outs, inits, body.params, body.results)
                case _:
                    pass
    return any(views.intersection(writes(op)) for op in ops)


def _spread(
    views: set[Var], outs: Sequence[Var], inits: Sequence[Operand], params: Sequence[Var], results: Sequence[Operand]
) -> None:
    for out, init, param, result in zip(outs, inits, params, results, strict=True):
        if views & {init, param, result}:
            views.update((out, param))


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


def refuse_shared_arguments(function: Function, pairs: Sequence[Apart]) -> None:
    """Raise where arrays that must not share memory may do so.

    The derivative of an inner function works on a copy of each argument that the function writes to.
    """
    if not pairs:
        return
    classes = alias_classes(function)
    for one, other, span in pairs:
        if classes.knows(one) and classes.knows(other) and classes.may_alias(one, other):
            reason = "is still to be read here" if one.base == other.base else f"shares memory with `{other.base}`"
            message = f"this may write to `{one.base}`, which {reason}"
            raise AliasError(message, span=span, help="use a copy of one of them")


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
