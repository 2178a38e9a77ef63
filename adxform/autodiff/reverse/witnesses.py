"""Under ``ADXFORM_DEBUG=1``: what the reverse sweep reads of the forward sweep is compared with what it was there.

    y = x * x                          y = x * x; x_1 = runtime.seen(x)
    …                                  …
    x_ct += y_ct * 2 * x               runtime.check_seen(x, x_1, …); x_ct += y_ct * 2 * x

What is seen is always kept, never recomputed; so whatever the reverse sweep does to have `x` again, put memory back, load it from
there, compute it anew or run an iteration again, is checked by what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Lit, Op, Var
from adxform.ir.spans import Span
from adxform.ir.text import show_op
from adxform.ir.types import Array, Scalar, Stack
from adxform.ir.walk import Names, all_ops, outs, reads
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import contents_read, writes
from adxform.runtime.beliefs import is_debugging

Ops = tuple[Op, ...]


def witnesses(op: Call, ops: list[Op], f: Builder, aliases: Aliases, companions: Iterable[Var]) -> list[Op]:
    """Checks to run ahead of `ops`, the reverse of `op`: what they read is what it is after the forward sweep `f` of `op`.

    What they put back themselves was another thing before, and is not looked at; nor are cotangents, such as `companions`.
    """
    if not is_debugging():
        return []
    inside = list(all_ops(Block((), tuple(ops), ())))
    restored = {aliases.of(var) for inner in inside for var in writes(inner) if aliases.knows(var)}
    there = _made(op, f.ops, companions)
    b = Builder(f.names, op.span)
    text = show_op(op).partition("\n")[0]
    for var in dict.fromkeys(var for inner in inside for var in contents_read(inner)):
        is_restored = aliases.knows(var) and aliases.of(var) in restored
        if var in there and isinstance(var.type, Scalar | Array) and not is_restored:
            before = f.call(runtime.seen, var, type=var.type, hint=var.base)
            b.effect(runtime.check_seen, var, before, Lit(f"{var.name}, which the reverse of {text} reads,"))
    return b.ops


def _made(op: Call, forward: list[Op], companions: Iterable[Var]) -> set[Var]:
    """The values that there are after `op`, whose forward sweep is `forward`: its own, and no cotangents."""
    cotangents = set(companions)
    there = {*reads(op), *op.outs}
    for done in forward:
        of_cotangents = not cotangents.isdisjoint((*outs(done), *reads(done)))
        (cotangents if of_cotangents else there).update(outs(done))
    return there


def restarts(state: Iterable[Var], names: Names, span: Span, f: Builder) -> tuple[tuple[Var, ...], Ops, Ops]:
    """Stacks, made in `f`; what puts the `state` on them as an iteration begins; and checks that it begins so again.

    Each iteration of the first run passes by the former once, and the reverse sweep by the latter, the last iteration first.
    """
    if not is_debugging():
        return (), (), ()
    first, again = Builder(names, span), Builder(names, span)
    stacks: list[Var] = []
    for var in state:
        stacks.append(stack := f.call(intrinsics.new_stack, type=Stack(), hint=var.base))
        first.effect(intrinsics.push, stack, first.call(runtime.seen, var, type=var.type, hint=var.base))
        before = again.call(intrinsics.pop, stack, type=var.type, hint=var.base)
        again.effect(runtime.check_seen, var, before, Lit(f"{var.name}, with which an iteration begins again,"))
    return tuple(stacks), tuple(first.ops), tuple(again.ops)
