"""Where the cotangent of each active variable lives.

- *value*: an SSA value, assigned by its first contribution. Scalars, arrays that are used as a whole, and arrays that some path
  leaves undefined: there may be nothing to take the shape of a buffer from.
- *buffer*: an array of its own, contributions accumulate in place. Arrays that are read in part (an indexed read then costs
  the element, not the array), captured by a loop, or written.
- *view*: the same view of another variable's buffer. Names that share primal memory share cotangent memory.
- *companion*: a buffer made in the forward sweep beside the primal and carried along with it through branches and loops. Arrays
  that are written and that an `If` or a loop may rebind, or that go through a tape or a call of a helper: which buffer a name
  means is then known only at run time.
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from adxform import runtime
from adxform.analysis.activity import Activity
from adxform.errors import AliasError
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, For, Function, Lit, Operand, Var, While
from adxform.ir.types import Array, Stack
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import all_ops, blocks, outs, reads, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import by_layout, effect_of, is_diagonal, overlaps
from adxform.primitives.memory import reshapes_vector

Mode = Literal["value", "buffer", "view", "companion"]
LOAD, POP = Lit(operator.getitem), Lit(intrinsics.pop)


def may_copy(call: Call) -> bool:
    """Whether only the run can tell if the result of `call` is a view of its first argument, by layout, shape or another view."""
    return by_layout(call) or call.fn in (Lit(runtime.unbroadcast), Lit(runtime.tangent_view))


def same_view(call: Call, out: Var, base: Operand) -> Call:
    """The view of `base` that `call` makes of its first argument, as one that can be written to."""
    mirrored = replace(call, outs=(out,), args=(base, *call.args[1:]))
    if not (isinstance(call.fn, Lit) and is_diagonal(call.fn.value)):
        return mirrored
    kwargs = tuple(("offset" if key == "k" else key, value) for key, value in call.kwargs)
    return replace(mirrored, fn=Lit(runtime.diagonal), kwargs=kwargs)


@dataclass(frozen=True)
class CotangentPlan:
    """The mode of each active variable, the call that makes each view, and what some path leaves undefined: arrays, numbers.

    `rebound` are views of memory that control flow, or a call, also knows by other names.
    """

    modes: dict[Var, Mode]
    view_calls: dict[Var, Call]
    undefined: frozenset[Var]
    numbers: frozenset[Var]
    rebound: frozenset[Var]

    def mode(self, var: Var) -> Mode:
        """Where the cotangent of `var` lives."""
        return self.modes.get(var, "value")

    def spread(self, var: Var) -> Call | None:
        """The call of which `var` shows the elements of the first argument several times each, where cotangents go to that.

        They do where it has memory for its cotangent. Of one that is a value, what a loop adds would be lost outside of the loop.
        """
        call = self.view_calls.get(var)
        if call is None or not _spreads(call) or var in self.rebound:
            return None
        return None if "value" in (self.mode(var), *(self.mode(base) for base in variables(call.args[0]))) else call


def plan_cotangents(fn: Function, activity: Activity, aliases: Aliases, crossing: frozenset[int]) -> CotangentPlan:
    """Choose a mode for every active variable of `fn`; `crossing` are the alias classes that take their cotangents through calls.

    Raises:
        AliasError: memory that is written is also reached through a read-only view.
    """
    views = _view_calls(fn, activity)
    partly_read = _partly_read(fn)
    missing = maybe_undefined(fn.body)
    undefined = frozenset(var for var in missing if isinstance(var.type, Array))
    undefined_classes = {aliases.of(var) for var in undefined}
    roots = Counter(aliases.of(var) for var in activity.active if var not in views)
    popped = {out for op in all_ops(fn.body) if isinstance(op, Call) and op.fn == POP for out in op.outs}
    carried = crossing | {aliases.of(var) for var in popped if isinstance(var.type, Array | Stack)}

    def mode_of(var: Var) -> Mode:
        number = aliases.of(var)
        if _is_written(var, aliases):
            holds_memory = aliases.elements.get(number) in aliases.written
            alone = roots[number] == 1 and number not in carried and not holds_memory
            return ("view" if var in views else "buffer") if alone else "companion"
        known = isinstance(var.type, Array) and var.type.shape is not None and number not in undefined_classes
        if not known or var not in partly_read:
            return "value"
        return "view" if var in views and _is_surely_view(views[var]) else "buffer"

    # Deterministic: modes are looked up by variable, so the order of the set does not show.
    modes = {var: mode_of(var) for var in activity.active}
    rebound: set[Var] = set()
    for var in views:
        if _is_written(var, aliases):
            other_names = aliases.has_phi(aliases.of(var)) or aliases.of(var) in carried
            _refuse_read_only(var, views, other_names)
            rebound.update([var] if other_names else ())
    return CotangentPlan(modes, views, undefined, frozenset(missing) - undefined, frozenset(rebound))


def _is_written(var: Var, aliases: Aliases) -> bool:
    """Whether `var` is a stack, or an array whose memory is stored to."""
    return isinstance(var.type, Stack) or (isinstance(var.type, Array) and aliases.of(var) in aliases.written)


def _is_surely_view(call: Call) -> bool:
    """Whether `call` gives a part of an array, or a vector in another shape."""
    (base, *_), is_load = call.args, call.fn == LOAD
    known = isinstance(base, Var) and isinstance(base.type, Array) and base.type.shape is not None
    return (is_load and known) or reshapes_vector(call)


def _spreads(call: Call | None) -> bool:
    return call is not None and isinstance(call.fn, Lit) and overlaps(call.fn.value)


def _is_certainly_spread(call: Call | None) -> bool:
    """Whether `call` shows elements several times: what is broadcast to a shape that it has already is the array itself."""
    if call is None or call.fn != Lit(runtime.broadcast_like):
        return _spreads(call)
    match [arg.type if isinstance(arg, Var) else None for arg in call.args]:
        case [Array(shape=tuple() as own), Array(shape=tuple() as wanted)]:
            return len(own) != len(wanted) or any(n == 1 != m for n, m in zip(own, wanted, strict=True))
        case _:
            return False


def _refuse_read_only(var: Var, views: dict[Var, Call], rebound: bool) -> None:
    """Raise where nothing can be added through `var`: a view of what shows elements several times, or that under other names."""
    call = views[var]
    base = views.get(call.args[0]) if isinstance(call.args[0], Var) else None
    if _is_certainly_spread(base) or (rebound and _is_certainly_spread(call)):
        raise AliasError(
            "an array that is written is also read through a read-only view",
            span=call.span,
            help="take the view of a copy, as in `np.broadcast_to(x.copy(), shape)`",
        )


def _view_calls(fn: Function, activity: Activity) -> dict[Var, Call]:
    return {
        op.outs[0]: op
        for op in all_ops(fn.body)
        if isinstance(op, Call)
        and op.outs
        and op.outs[0] in activity.active
        and isinstance(op.outs[0].type, Array)
        and effect_of(op).views == (0,)
        and isinstance(op.args[0], Var)
        and isinstance(op.args[0].type, Array)
        and op.args[0] in activity.active
    }


def _partly_read(fn: Function) -> set[Var]:
    """Arrays that are indexed, or used in a loop that they are defined outside of, and vectors in the shape of such an array."""
    found: set[Var] = set()
    _collect(fn.body, {}, 0, [0], found)
    reshapes = [op for op in all_ops(fn.body) if isinstance(op, Call) and op.outs and reshapes_vector(op)]
    found.update(var for op in reversed(reshapes) if op.outs[0] in found for var in variables(op.args[0]))
    return found


def _collect(block: Block, home: dict[Var, int], loop: int, count: list[int], found: set[Var]) -> None:
    for param in block.params:
        home[param] = loop
    for op in block.ops:
        for var in reads(op):
            if home.get(var, loop) != loop:
                found.add(var)
        if isinstance(op, Call) and op.fn == LOAD and isinstance(op.args[0], Var):
            found.add(op.args[0])
        for inner in blocks(op):
            inner_loop = loop
            if isinstance(op, For | While):
                count[0] += 1
                inner_loop = count[0]
            _collect(inner, home, inner_loop, count, found)
        for out in outs(op):
            home[out] = loop
    for result in block.results:
        for var in variables(result):
            if home.get(var, loop) != loop:
                found.add(var)
