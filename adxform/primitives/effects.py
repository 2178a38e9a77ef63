"""What an op does beside defining its outs, asked of the rule table: the one place where passes learn about effects."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, For, Function, If, Invoke, Lit, Op, Operand, Raise, Var, While
from adxform.ir.types import Scalar
from adxform.ir.walk import blocks, operands, variables, variables_of
from adxform.primitives import definitions
from adxform.primitives.facets import Moves, Views
from adxform.primitives.memory import reshapes_vector
from adxform.primitives.record import OPAQUE, Effect
from adxform.primitives.table import record_called, record_of, refusal

IN_PLACE = Effect(writes=(0,), views=(0,), opaque=True)
IN_PLACE_OPERATORS = (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
                      operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor, operator.ilshift,
                      operator.irshift, operator.iconcat)  # fmt: skip


def effect_of(call: Call) -> Effect:
    """The effects of `call`; a callable without a record is `OPAQUE`, an in-place operator writes, too."""
    try:
        found: Effect = call.effect
    except AttributeError:
        object.__setattr__(call, "effect", found := _found_effect(call))
    return found


def _found_effect(call: Call) -> Effect:
    fn = call.fn
    if not isinstance(fn, Lit):
        return OPAQUE
    record = record_called(call)
    if record is None:
        return IN_PLACE if fn.value in IN_PLACE_OPERATORS else OPAQUE
    effect = record.effect
    found = effect if isinstance(effect, Effect) else effect(call)
    return _by_options(call, found) if call.kwargs else found


def _by_options(call: Call, effect: Effect) -> Effect:
    """`effect` of `call` with that of its keywords: it writes to ``out``, and somehow to what ``overwrite_input`` is true of."""
    given = dict(call.kwargs).get("overwrite_input", Lit(False))
    return writing_out(call, effect) if given in (Lit(False), Lit(None)) else OPAQUE


def writing_out(call: Call, effect: Effect) -> Effect:
    """`effect` of `call` with that of its keyword ``out``, which it writes and returns."""
    places = tuple(place for place, (key, _) in enumerate(call.kwargs, len(call.args)) if key == "out")
    return replace(effect, writes=effect.writes + places, views=effect.views + places) if places else effect


_NEW_VIEWS = (operator.getitem, np.reshape, np.ndarray.reshape, np.transpose, np.ndarray.transpose, np.swapaxes, np.ravel)


def is_new_view(call: Call) -> bool:
    """Whether the result of `call`, which shares memory with its argument, is another object for Python, whatever that is."""
    return isinstance(call.fn, Lit) and call.fn.value in _NEW_VIEWS


def by_layout(call: Call) -> bool:
    """Whether the result of `call` is a view of its first argument or a copy, as the layout in memory has it."""
    return isinstance(call.fn, Lit) and record_of(call.fn.value).view is Views.BY_LAYOUT and not reshapes_vector(call)


def is_read_only(call: Call | None) -> bool:
    """Whether the result of `call` is a view that cannot be written to."""
    return call is not None and isinstance(call.fn, Lit) and (overlaps(call.fn.value) or is_diagonal(call.fn.value))


def overlaps(fn: object) -> bool:
    """Whether `fn` makes views whose elements overlap: what is to be added to the cotangent of one goes to what it is of."""
    return record_of(fn).moves is Moves.SPREAD or slides(fn)


def slides(fn: object) -> bool:
    """Whether `fn` makes views of windows that overlap."""
    return record_of(fn).moves is Moves.SLIDE


def is_diagonal(fn: object) -> bool:
    """Whether `fn` makes views that NumPy makes read-only although their elements are apart; not `runtime.diagonal`."""
    return record_of(fn).moves is Moves.DIAGONAL and fn is not runtime.diagonal


def is_making(fn: object) -> bool:
    """Whether `fn` is known to give an array of its own, though it has no record."""
    refused = refusal(fn)
    return (refused is not None and refused.makes) or fn in definitions.MAKING


def has_memory(var: Var) -> bool:
    """Whether the value of `var` can hold or share memory that a write changes."""
    return not isinstance(var.type, Scalar)


def memory(operand: Operand) -> tuple[Var, ...]:
    """The variables in `operand` through which memory can be reached."""
    if isinstance(operand, Var):
        return () if isinstance(operand.type, Scalar) else (operand,)
    if isinstance(operand, Lit):
        return ()
    return tuple(filter(has_memory, variables(operand)))


def positions(call: Call, places: tuple[int, ...]) -> tuple[Var, ...]:
    """The variables with memory among the operands of `call` at `places` (positional, then keywords in order)."""
    if not places:
        return ()
    given = (*call.args, *(value for _, value in call.kwargs)) if call.kwargs else call.args
    if places == (0,) and given:
        return memory(given[0])
    return tuple([var for place in places if place < len(given) for var in memory(given[place])])


def is_opaque(op: Op) -> bool:
    """Whether `op` itself, without its blocks, may do anything: it stays, once and in order."""
    match op:
        case Call():
            return effect_of(op).opaque
        case Raise() | Invoke():
            return True
        case _:
            return False


def is_removable(op: Op) -> bool:
    """Whether `op` may go when nobody reads its outs: nothing written and nothing opaque in it or its blocks.

    A loop is taken to end. A `While` may not end, yet it is as removable as its blocks.
    """
    match op:
        case Call():
            effect = effect_of(op)
            return not effect.opaque and not effect.writes
        case Raise() | Invoke():
            return False
        case _:
            return all(is_removable(inner) for block in blocks(op) for inner in block.ops)


def writes(op: Op) -> Iterator[Var]:
    """The variables whose memory `op` writes by declared effect, also inside its blocks, in order.

    An opaque call and an `Invoke` declare nothing: see `adxform.primitives.alias` for what they may reach.
    """
    match op:
        case Call():
            yield from positions(op, effect_of(op).writes)
        case If() | For() | While():
            for block in blocks(op):
                for inner in block.ops:
                    yield from writes(inner)
        case _:
            return


def contents_read(op: Op) -> tuple[Var, ...]:
    """The variables whose contents `op` reads, or gives on under another name; ask for the ops in its blocks, too.

    What a call only writes to, or takes the shape of, is not among them.
    """
    match op:
        case Call(args=args, kwargs=kwargs):
            effect = effect_of(op)
            taken = (arg for place, arg in enumerate(args) if place not in effect.writes)
            return variables_of((*taken, *(value for _, value in kwargs))) if effect.reads else ()
        case _:
            return variables_of((*operands(op), *(result for block in blocks(op) for result in block.results)))


def functions(fn: Function) -> dict[str, Function]:
    """The functions that `fn` and its helpers may `Invoke`, by name, in order."""
    found: dict[str, Function] = {}
    waiting = list(fn.helpers)
    while waiting:
        helper = waiting.pop(0)
        if helper.name not in found:
            found[helper.name] = helper
            waiting.extend(helper.helpers)
    found.setdefault(fn.name, fn)
    return found
