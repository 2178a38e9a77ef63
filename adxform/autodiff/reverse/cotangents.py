"""Cotangents in the making: where each one is, and how contributions get there."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adxform import runtime
from adxform.analysis.activity import Activity, find_activity
from adxform.analysis.infinite_slopes import Slopes, slopes_of_cotangents
from adxform.autodiff.expand import add, write
from adxform.autodiff.fitting import cast, fit_cotangent, is_zero, precise, reshaped, same_shape, zeros
from adxform.autodiff.reverse.callees import Adopting, Callees, Shared
from adxform.autodiff.reverse.cotangent_plan import CotangentPlan, may_copy, plan_cotangents, same_view
from adxform.autodiff.reverse.known_slices import KnownSlices
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Call, Function, Invoke, Lit, Op, Operand, Var
from adxform.ir.types import BOOL, Array, Scalar, Stack, is_complex, is_inexact
from adxform.ir.walk import Names, all_ops, defined_variables, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import by_layout, effect_of, slides
from adxform.primitives.record import Linear
from adxform.primitives.table import record_of

WHOLE = Lit(...)


Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What to reverse: `fn` with respect to the parameters `wrt`.

    `undo` says of an alias class and the path of a store whether the reverse sweep puts the old contents back. `shared`: of a
    helper, what has the memory of its cotangent passed along in the forward sweep. `again`: the result will be differentiated.
    `snapshots`: the loops whose iterations run again in the reverse sweep. `study`: what an earlier run found of the same
    function.
    """

    fn: Function
    wrt: tuple[int, ...]
    expander: Adopting
    callees: Callees
    aliases: Aliases
    undo: Callable[[int, Path], bool] = lambda number, path: True
    shared: Shared | None = None
    again: bool = False
    snapshots: frozenset[Path] = frozenset()
    study: Study | None = None

    @property
    def given(self) -> list[Var]:
        """The parameters of a helper whose callers pass the memory of their cotangents."""
        return [] if self.shared is None else [self.fn.params[place] for place in self.shared.params]


@dataclass(frozen=True, slots=True)
class Study:
    """What is known of a function ahead of its reverse sweep, whichever stores that undoes and whatever it keeps."""

    activity: Activity
    plan: CotangentPlan
    slopes: Slopes


def study(task: Task) -> Study:
    """What is active in the function of `task`, where the cotangents of that live, and which slopes can be infinite."""
    if task.study is not None:
        return task.study
    fn, shared = task.fn, task.shared
    places, results = ((), ()) if shared is None else (shared.params, shared.results)
    entered = [fn.results[place] for place in results]
    activity = find_activity(fn, (*task.wrt, *places), (*fn.results, *task.given), task.aliases, entered)
    plan = plan_cotangents(fn, activity, task.aliases, crossing(task))
    return Study(activity, plan, slopes_of_cotangents(fn, activity.active, task.aliases, task.callees.fn))


def crossing(task: Task) -> frozenset[int]:
    """The alias classes of what crosses a call, in or out, with the memory of its cotangent beside it."""
    fn, own = task.fn, task.shared
    found = [] if own is None else [fn.params[i] for i in own.params] + [fn.results[i] for i in own.results]
    for op in all_ops(fn.body):
        if isinstance(op, Invoke):
            shared = task.callees.shared(op.callee)
            found += [op.args[i] for i in shared.params] + [op.outs[i] for i in shared.results]
    return frozenset(task.aliases.of(var) for operand in found for var in variables(operand))


class Cotangents:
    """The state of a reverse sweep: the cotangents of the active variables of `fn`, by the modes of the plan."""

    def __init__(self, task: Task) -> None:
        fn, wrt, expander = task.fn, task.wrt, task.expander
        self.task = task
        self.fn = fn
        self.wrt = wrt
        self.expander = expander
        self.aliases = task.aliases
        self.callees = task.callees
        self.study = study(task)
        self.active = self.study.activity.active
        self.plan = self.study.plan
        self.slopes = self.study.slopes
        # A view that may copy mirrors the primal's only where the buffer is laid out in memory as the primal is.
        mirrored = (call.args[0] for call in self.plan.view_calls.values() if by_layout(call))
        self.laid_out = {self.aliases.of(base) for base in mirrored if isinstance(base, Var)}
        self.slices = KnownSlices(fn)
        self.names = Names.of(fn)
        self.cts: dict[Var, Operand] = {}
        self.contributed: list[Var] = []
        self.loose: set[Operand] = set()
        self.buffers: dict[Var, Var] = {}
        self.companions: dict[Var, Var] = {}
        self.references: dict[Var, Operand] = {}
        self.shares: dict[Var, Var] = {}
        self.prologues: dict[Var, Builder] = {}
        self.definition = {out: op for op in all_ops(fn.body) if isinstance(op, Call) for out in op.outs}
        for var in defined_variables(fn.body):
            if var in self.active and self.plan.mode(var) == "companion":
                self.companions[var] = Var(self.names.fresh(f"{var.base}_ct"), var.type)
        self.given = {param: self.companions[param] for param in task.given}

    def is_active(self, operand: Operand) -> bool:
        """Whether an active variable is in `operand`."""
        return any(var in self.active for var in variables(operand))

    def reference(self, var: Var) -> Operand:
        """The memory that holds the cotangent of `var`, an array or a stack."""
        match self.plan.mode(var):
            case "buffer":
                return self.buffers[var]
            case "companion":
                return self.companions[var]
            case "view":
                if var not in self.references:
                    call = self.plan.view_calls[var]
                    base = call.args[0]
                    assert isinstance(base, Var)
                    parent = self.reference(base)
                    b = self.prologues[var]
                    view = Var(self.names.fresh(f"{var.base}_ct"), var.type)
                    b.emit(same_view(call, view, parent))
                    self.references[var] = self.mirrored(var, view, b)
                return self.references[var]
            case _:
                raise AssertionError(f"the cotangent of {var.name} has no memory")

    def mirrored(self, var: Var, view: Var, b: Builder) -> Var:
        """`view` of a cotangent, or memory of its own where `var` turned out to be a copy."""
        if not may_copy(self.plan.view_calls[var]):
            return view
        return b.call(runtime.cotangent_view, view, self.shared(var), type=var.type, hint=f"{var.base}_ct")

    def shared(self, var: Var) -> Var:
        """Whether `var` turned out to be a view: a variable of the forward sweep, right after the call that makes `var`."""
        return self.shares.setdefault(var, Var(self.names.fresh(f"{var.base}_shares"), BOOL))

    def contribute(self, target: Operand, value: Operand, b: Builder, *, fits: bool = False) -> None:
        """Add `value` to the cotangent of `target`; it `fits` when its rule promises the shape of `target`."""
        if not isinstance(target, Var) or target not in self.active or is_zero(value):
            return
        if value in self.loose and target not in self.plan.undefined:
            value = b.call(runtime.broadcast_like, value, target, type=target.type, hint=f"{target.base}_ct")
        if value not in self.loose:
            number = _as_number(b, value, target)
            value = cast(b, reshaped(b, number, target), target) if fits else fit_cotangent(b, number, target)
            value = value if isinstance(value, Lit) else precise(b, value, target)
        mode = self.plan.mode(target)
        if mode == "value":
            total = add(b, self.expander, self.cts.get(target), value)
            self.cts[target] = self.loosened(target, self.named(total, f"{target.base}_ct", b))
            self.contributed.append(target)
        elif (view := self.plan.spread(target)) is not None:
            self.contribute(view.args[0], self.gathered(view, value, target, b), b)
        elif mode == "view" and target not in self.references and self.plan.view_calls[target].fn == Lit(operator.getitem):
            call = self.plan.view_calls[target]
            assert isinstance(call.args[0], Var)
            b.effect(intrinsics.accumulate, self.reference(call.args[0]), call.args[1], self.across(value, b))
        else:
            b.effect(intrinsics.accumulate, self.reference(target), WHOLE, self.across(value, b))

    def gathered(self, view: Call, value: Operand, target: Var, b: Builder) -> Operand:
        """What `value`, a part of the cotangent of `target`, adds to that of the array of which the call `view` shows it."""
        derivative = record_of(view.fn.value).derivative if isinstance(view.fn, Lit) and slides(view.fn.value) else None
        if not isinstance(derivative, Linear):
            return value  # of what is repeated it is summed where it does not fit
        whole = b.call(runtime.broadcast_like, value, target, type=target.type, hint=f"{target.base}_ct")
        (found,) = write(b, self.expander, derivative.transposes[0], whole, *view.args, kwargs=view.kwargs)
        return found

    def loosened(self, var: Var, ct: Operand) -> Operand:
        """`ct`, a cotangent of `var`; remembered as the number zero on some path where `var` may be undefined on it."""
        if var in self.plan.undefined and isinstance(ct, Var):
            self.loose.add(ct)
        return ct

    def zeros_for(self, b: Builder, var: Var) -> Operand:
        """The cotangent of `var` where nothing contributed: as a number where `var` may be undefined."""
        return Lit(0.0) if var in self.plan.undefined else zeros(b, var, f"{var.base}_ct")

    def named(self, operand: Operand, hint: str, b: Builder) -> Operand:
        """Give a value that was just computed the name that a reader expects."""
        last = b.ops[-1] if b.ops else None
        if not isinstance(operand, Var) or not isinstance(last, Call) or last.outs != (operand,) or operand.base == hint:
            return operand
        new = Var(self.names.fresh(hint), operand.type)
        b.ops[-1] = Call((new,), last.fn, last.args, last.kwargs, last.span)
        return new

    def take(self, var: Var, b: Builder) -> Operand | None:
        """The complete cotangent of `var`, at the op that defines it; ``None`` when nothing contributed."""
        if var not in self.active:
            return None
        if self.plan.mode(var) == "value":
            return self.cts.pop(var, None)
        if self.plan.spread(var) is not None:
            return None  # it all went to what it shows
        return self.across(self.reference(var), b)

    def across(self, ct: Operand, b: Builder) -> Operand:
        """`ct` on its way into the memory of a cotangent, or out of it.

        Memory holds the conjugates of complex cotangents: so the real and the imaginary part of an array, which are views of it,
        have as their cotangents the same views of its own.
        """
        if not isinstance(ct, Var) or not is_complex(ct.type):
            return ct
        return b.call(np.conjugate, ct, type=ct.type, hint=ct.base)

    def complete(self, var: Var, b: Builder) -> Operand:
        """As `take`, zero when nothing contributed."""
        ct = self.take(var, b)
        return self.zeros_for(b, var) if ct is None else ct

    def make_buffer(self, var: Var, b: Builder) -> Var:
        """Write the allocation of the cotangent of `var`: zeros, or an empty stack."""
        hint = f"{var.base}_ct"
        if isinstance(var.type, Stack):
            return b.call(intrinsics.new_stack, type=Stack(), hint=hint)
        if self.aliases.of(var) in self.laid_out:
            return b.call(runtime.laid_out, Lit(0.0), var, type=var.type, hint=hint)
        return b.call(np.zeros_like, self.shape_source(var), type=var.type, hint=hint)

    def shape_source(self, var: Var) -> Var:
        """A variable with the shape and dtype of `var` that was there earlier, so that `var` need not be kept for its shape."""
        seen = var
        while True:
            call = self.definition.get(seen)
            if call is None or effect_of(call).views:
                return seen
            same = [v for arg in call.args for v in variables(arg) if v.type == var.type and same_shape(v.type, var.type)]
            if not same:
                return seen
            seen = same[0]

    def make_companion(self, var: Var, ops: list[Op]) -> None:
        """Append the allocation of the companion of `var` to the forward sweep."""
        b = Builder(self.names)
        if isinstance(var.type, Stack):
            b.emit(Call((self.companions[var],), Lit(intrinsics.new_stack), ()))
        else:
            whole = isinstance(var.type, Array) and not is_inexact(
                var.type
            )  # it becomes floats: see `adxform.autodiff.reverse.whole_numbers`
            dtype = (("dtype", Lit(np.float64)),) if whole else ()
            b.emit(Call((self.companions[var],), Lit(np.zeros_like), (var,), dtype))
        ops.extend(b.ops)

    def companion_of(self, operand: Operand, ops: list[Op]) -> Operand:
        """The companion of what a branch or an iteration of a loop yields; zeros where that is not active."""
        if isinstance(operand, Var) and operand in self.companions:
            return self.companions[operand]
        if not isinstance(operand, Var):
            return operand if operand == Lit(None) else UNDEFINED
        b = Builder(self.names)
        companion = zeros(b, operand, f"{operand.base}_ct")
        ops.extend(b.ops)
        return companion


def _as_number(b: Builder, value: Operand, target: Var) -> Operand:
    """`value`, where it is an array without axes and `target` a number the number in it: the array may be written to later."""
    if isinstance(target.type, Scalar) and isinstance(value, Var) and isinstance(value.type, Array) and value.type.shape == ():
        return b.call(operator.getitem, value, Lit(()), type=Scalar(value.type.dtype), hint=value.base)
    return value
