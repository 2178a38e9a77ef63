"""Calls behind a boundary: in a derivative, a rule stays a call of functions of its own.

Before a transform, the call ``y = f(x)`` of a primitive whose rule is a boundary becomes the call of a helper that holds nothing
else. The transform then derives ``y, y_t = f_jvp(x, x_t)`` from it, or ``y, residual = f_fwd(x)`` and ``x_ct = f_bwd(residual,
y_ct)``, as from any helper, and writes the rule's body there. What is left of such helpers is a plain call of `f` again. The next
transform does the same to the derived functions: at every order calls stay calls, and each holds what was computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from adxform.autodiff.expand import distinct
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Op, Operand, Var
from adxform.ir.spans import own_signature
from adxform.ir.types import Array, Dim, Size, Type
from adxform.ir.walk import Names, map_op, substitute
from adxform.primitives.effects import functions
from adxform.primitives.record import General
from adxform.primitives.table import derivative_of


def outlined(fn: Function) -> Function:
    """`fn` with every call of a primitive behind a boundary in a helper of its own."""
    made: dict[Function, str] = {}
    names = _Titles({*functions(fn), fn.name})

    def outline(call: Call | Invoke) -> Op:
        if not isinstance(call, Call) or not is_behind(call):
            return call
        helper, args = _alone(call)
        if helper not in made:
            made[helper] = names.fresh(helper.name)
        return Invoke(call.outs, made[helper], args, call.span)

    parts = [part if _call_of(part) is not None else _each_call(part, outline) for part in (fn, *fn.helpers)]
    helpers = tuple(replace(helper, name=name) for helper, name in made.items())
    return replace(parts[0], helpers=(*parts[1:], *helpers)) if helpers else fn


def restored(fn: Function) -> Function:
    """`fn` with what is left of the helpers of `outlined` in place again."""
    calls = {helper.name: (helper, call) for helper in fn.helpers if (call := _call_of(helper)) is not None}
    if not calls:
        return fn

    def restore(op: Call | Invoke) -> Op:
        if not isinstance(op, Invoke) or op.callee not in calls:
            return op
        helper, call = calls[op.callee]
        mapping = dict(zip(helper.params, op.args, strict=True))
        args = tuple(substitute(arg, mapping) for arg in call.args)
        return replace(
            call, outs=op.outs, args=args, kwargs=tuple((k, substitute(v, mapping)) for k, v in call.kwargs), span=op.span
        )

    kept = (helper for helper in fn.helpers if helper.name not in calls)
    return replace(_each_call(fn, restore), helpers=tuple(_each_call(helper, restore) for helper in kept))


def is_behind(call: Call) -> bool:
    """Whether `call` calls a primitive whose rule is a boundary."""
    derivative = derivative_of(call)
    return isinstance(derivative, General) and derivative.boundary and bool(call.outs)


def _call_of(fn: Function) -> Call | None:
    """The call of a primitive behind a boundary that is all of `fn`."""
    match fn.body:
        case Block(params, (Call() as call,), results) if call.outs == results and is_behind(call):
            return call if distinct(call.args, call.kwargs) == params else None
        case _:
            return None


def _each_call(fn: Function, change: Callable[[Call | Invoke], Op]) -> Function:
    """`fn` with each of its calls changed."""

    def inner(block: Block) -> Block:
        return replace(block, ops=tuple(map(changed, block.ops)))

    def changed(op: Op) -> Op:
        return change(op) if isinstance(op, Call | Invoke) else map_op(op, lambda operand: operand, inner)

    return replace(fn, body=inner(fn.body))


@dataclass(slots=True)
class _Titles:
    taken: set[str]

    def fresh(self, plain: str) -> str:
        """A name like `plain` that no function has."""
        name, count = plain, 1
        while name in self.taken:
            count += 1
            name = f"{plain}_{count}"
        self.taken.add(name)
        return name


def _alone(call: Call) -> tuple[Function, tuple[Operand, ...]]:
    """A function that holds nothing but `call`, its parameters named as those of what it calls, and the operands for them."""
    assert isinstance(call.fn, Lit)
    names, lengths, hints = Names(), _Lengths(), _parameters(call)
    mapping: dict[Var, Operand] = {}
    for var in (given := distinct(call.args, call.kwargs)):
        name = names.fresh(hints.get(var, var.base))
        mapping[var] = Var(name, lengths.own(var.type, name))
    outs = tuple(Var(name := names.fresh("y"), lengths.own(out.type, name)) for out in call.outs)
    args = tuple(substitute(arg, mapping) for arg in call.args)
    kwargs = tuple((key, substitute(value, mapping)) for key, value in call.kwargs)
    title = getattr(call.fn.value, "__name__", "rule")
    params = tuple(var for var in mapping.values() if isinstance(var, Var))
    inner = Call(outs, call.fn, args, kwargs, call.span)
    return Function(title if title.isidentifier() else "rule", Block(params, (inner,), outs), (), (), call.span), given


def _parameters(call: Call) -> dict[Var, str]:
    """The names of the parameters for which `call` passes variables."""
    try:
        names = list(own_signature(call.fn.value).parameters) if isinstance(call.fn, Lit) else []
    except (TypeError, ValueError):
        names = []
    passed = [*zip(names, call.args, strict=False), *call.kwargs]
    return {value: name for name, value in reversed(passed) if isinstance(value, Var)}


@dataclass(slots=True)
class _Lengths:
    """Names for the lengths in the types of a call after the variable that has them first, so that calls elsewhere are equal."""

    known: dict[Dim, Dim] = field(default_factory=dict)

    def own(self, type_: Type, name: str) -> Type:
        """`type_`, of the variable `name`."""
        if not isinstance(type_, Array) or type_.shape is None:
            return type_
        return Array(type_.dtype, tuple(self._own(size, f"{name}.{axis}") for axis, size in enumerate(type_.shape)))

    def _own(self, size: Size, name: str) -> Size:
        if isinstance(size, int):
            return size
        return self.known.setdefault(size, Dim(f"?{len(self.known)}" if size.may_be_one else name))
