"""Whether it matters how arrays lie in memory: a reshape is a view or a copy by that, which shows where one side is written."""

from __future__ import annotations

from collections.abc import Iterator

from adxform import runtime
from adxform.ir.ops import Block, Call, For, Function, Invoke, Lit, Op, While
from adxform.ir.types import rank
from adxform.ir.walk import all_ops, blocks, outs, reads, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import by_layout, effect_of, positions

MIRRORED = (Lit(runtime.cotangent_view), Lit(runtime.tangent_view))
"""What gives a view or a copy, whichever the user's array has."""
Placed = tuple[Op, frozenset[int]]
"""An op, and the loops around it, by identity."""


def reads_layout(fn: Function) -> bool:
    """Whether a run of `fn` may tell how an array with several axes lies in memory. Of helpers, each reshape is taken to.

    >>> from adxform.ir.text import read
    >>> def given(written, taken):
    ...     return reads_layout(read(f'''
    ... def f(x: f64[m, n], v: f64):
    ...     y: f64[m, n] = np.zeros_like(x)
    ...     z: f64[k] = np.ravel(y)
    ...     operator.setitem({written}, 0, v)
    ...     s: f64 = np.sum({taken})
    ...     return s'''))
    >>> given("z", "y"), given("y", "z"), given("y", "y")
    (True, True, False)
    """
    if any(_is_asking(op) for helper in fn.helpers for op in all_ops(helper.body)):
        return True
    placed = list(_walk(fn.body, frozenset()))
    asking = [(place, op) for place, (op, _) in enumerate(placed) if isinstance(op, Call) and _is_asking(op)]
    if not asking:
        return False
    aliases = alias_classes(fn)
    return any(op.fn == Lit(runtime.by_rows) or _is_told(fn, placed, place, op, aliases) for place, op in asking)


def _is_asking(op: Op) -> bool:
    """Whether the result of `op` is by layout; arrays of one axis have one."""
    if not isinstance(op, Call) or not op.args:
        return False
    several = any(rank(var.type) not in (0, 1) for var in variables_of(op.args[:1]))
    return op.fn == Lit(runtime.by_rows) or (several and by_layout(op))


def _walk(block: Block, loops: frozenset[int]) -> Iterator[Placed]:
    """The ops of `block` and of the blocks inside it, in order; `loops` are around them."""
    for op in block.ops:
        yield op, loops
        for inner in blocks(op):
            yield from _walk(inner, loops | {id(op)} if isinstance(op, For | While) else loops)


def _is_told(fn: Function, placed: list[Placed], place: int, call: Call, aliases: Aliases) -> bool:
    """Whether what comes after the reshape `call`, at `place`, can tell a view from a copy.

    It can where the result is written, or is read after something else that may share its memory was.
    """
    loops = placed[place][1]
    result = set(call.outs)
    classes = set(aliases.classes(call.outs))
    changed = False
    for op in [op for later, (op, around) in enumerate(placed) if later > place or around & loops]:
        given = reads(op)
        if isinstance(op, Invoke):
            if not result.isdisjoint(given):
                return True
            changed |= not classes.isdisjoint(aliases.reached(given))
        elif isinstance(op, Call):
            effect = effect_of(op)
            written = positions(op, effect.writes)
            if not result.isdisjoint(written) or (changed and effect.reads and not result.isdisjoint(given)):
                return True
            changed |= not classes.isdisjoint(aliases.classes(written))
            if effect.views and op.fn not in MIRRORED and not result.isdisjoint(given):
                result.update(op.outs)
        else:
            joined = (*outs(op), *(param for block in blocks(op) for param in block.params))
            result.update(var for var in joined if not classes.isdisjoint(aliases.classes((var,))))
    return changed and not result.isdisjoint(variables_of(fn.results))
