"""How derivatives spread: forward to what moves with the inputs, backward to what the results depend on."""

from __future__ import annotations

from collections.abc import Callable

from adxform.ir.ops import Attribute, Block, Call, Closure, For, Free, If, Invoke, Lit, Operand, Pack, Raise, Var, While
from adxform.ir.types import Stack, hides, is_complex, is_inexact
from adxform.ir.walk import all_ops, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.record import Constant, General, Linear
from adxform.primitives.table import lookup, record_called


def is_constant(call: Call) -> bool:
    """Whether the result of `call` has a zero derivative by its rule."""
    record = record_called(call)
    return record is not None and isinstance(record.derivative, Constant)


def followed(call: Call) -> tuple[Operand, ...]:
    """The operands of `call` that may move its result: not those of which a linear function takes the shape, or a whole number.

    For some of them no rule may be stated: where one of those moves, the call is refused.
    """
    record = record_called(call)
    named = tuple(value for _, value in call.kwargs)
    match None if record is None else record.derivative:
        case Constant():
            return ()
        case Linear() as linear:
            given = [call.args[place] for place in linear.read(len(call.args))]
            return (*(arg for arg in given if any(map(_may_move, variables(arg)))), *named)
        case _:
            return (*call.args, *named)


def moving(call: Call) -> tuple[Var, ...]:
    """The outs of `call` but those that are constant by its rule, as the sign of a real determinant is beside its logarithm."""
    record = lookup(call.fn.value) if len(call.outs) > 1 and isinstance(call.fn, Lit) else None
    match None if record is None else record.derivative:
        case General(constant=places) if places:
            return tuple(out for place, out in enumerate(call.outs) if place not in places or is_complex(out.type))
        case _:
            return call.outs


def carries(var: Var) -> bool:
    """Whether `var` can carry a derivative, by its type."""
    return is_inexact(var.type) or isinstance(var.type, Stack)


def _may_move(var: Var) -> bool:
    return carries(var) or hides(var.type)


class Spread:
    """A growing set of variables: the members of a written alias class come together, and tapes with what is written on them."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.tied: dict[int, list[int]] = {}
        for stack, element in aliases.elements.items():
            if element in aliases.written:
                self.tied.setdefault(stack, []).append(element)
                self.tied.setdefault(element, []).append(stack)
        self.vars: dict[str, Var] = {}
        self.classes: set[int] = set()
        self.changed = False

    def __contains__(self, var: Var) -> bool:
        return var.name in self.vars or (bool(self.classes) and self._shared(var) in self.classes)

    def _shared(self, var: Var) -> int | None:
        number = self.aliases.of(var)
        return number if number in self.aliases.written else None

    def add(self, var: Var) -> None:
        """Add `var`, and what shares memory with it that is written."""
        if var.name in self.vars:
            return
        self.vars[var.name] = var
        self.changed = True
        shared = self._shared(var)
        if shared is not None and shared not in self.classes:
            self.classes.add(shared)
            for class_ in (shared, *self.tied.get(shared, ())):
                for member in self.aliases.members(class_):
                    self.add(member)

    def add_all(self, operand: Operand) -> None:
        """Add the variables of `operand`."""
        if isinstance(operand, Var):
            self.add(operand)
        elif isinstance(operand, Pack):
            for var in variables(operand):
                self.add(var)

    def has_any(self, operand: Operand) -> bool:
        """Whether a variable of `operand` is among them."""
        if isinstance(operand, Var):
            return operand in self
        return not isinstance(operand, Lit) and any(var in self for var in variables(operand))

    def run(self, step: Callable[[Block, Spread], None], block: Block) -> None:
        """Repeat `step` over `block` until nothing more is added: after the first one, only what leads back adds any."""
        again = True
        while again:
            self.changed = False
            step(block, self)
            again = self.changed and (bool(self.classes) or _leads_back(block))


def _leads_back(block: Block) -> bool:
    """Whether values of `block` go back to ops ahead: round a loop, or from one argument of a call to another."""
    return any(isinstance(op, For | While | Invoke) for op in all_ops(block))


def spread_to_results(block: Block, varied: Spread) -> None:
    """Add to `varied` what the ops of `block` compute from what is in it."""
    for op in block.ops:
        match op:
            case Call():
                _spread_to_call(op, varied)
            case If(outs, _, then, orelse):
                spread_to_results(then, varied)
                spread_to_results(orelse, varied)
                for out, one, other in zip(outs, then.results, orelse.results, strict=True):
                    if varied.has_any(one) or varied.has_any(other):
                        varied.add(out)
            case For(outs, _, inits, body, breaks):
                _spread_to_loop(outs, inits, body, body.params[1:], body.results[breaks:], varied)
            case While(outs, inits, test, body):
                for param, test_param in zip(body.params, test.params, strict=True):
                    if param in varied:
                        varied.add(test_param)
                spread_to_results(test, varied)
                _spread_to_loop(outs, inits, body, body.params, body.results, varied)
            case Invoke(outs, _, args):
                if any(varied.has_any(arg) for arg in args):
                    for var in (
                        *outs,
                        *(var for arg in args for var in variables(arg) if varied.aliases.of(var) in varied.aliases.written),
                    ):
                        varied.add(var)
            case Raise() | Free() | Attribute() | Closure():
                pass


def _spread_to_loop(
    outs: tuple[Var, ...],
    inits: tuple[Operand, ...],
    body: Block,
    params: tuple[Var, ...],
    results: tuple[Operand, ...],
    varied: Spread,
) -> None:
    for param, init, result in zip(params, inits, results, strict=True):
        if varied.has_any(init) or varied.has_any(result):
            varied.add(param)
    spread_to_results(body, varied)
    for out, init, result in zip(outs, inits, results, strict=True):
        if varied.has_any(init) or varied.has_any(result):
            varied.add(out)


def _spread_to_call(call: Call, varied: Spread) -> None:
    if not any(varied.has_any(source) for source in followed(call)):
        return
    for out in moving(call):
        if _may_move(out):
            varied.add(out)
    for position in effect_of(call).writes:
        for var in variables(call.args[position]):
            if _may_move(var):
                varied.add(var)


def spread_to_arguments(block: Block, useful: Spread) -> None:
    """Add to `useful` what the ops of `block` compute it from."""
    for op in reversed(block.ops):
        match op:
            case Call():
                written = [var for position in effect_of(op).writes for var in variables(op.args[position])]
                if any(out in useful for out in moving(op)) or any(var in useful for var in written):
                    for operand in followed(op):
                        useful.add_all(operand)
            case If(outs, _, then, orelse):
                for out, one, other in zip(outs, then.results, orelse.results, strict=True):
                    if out in useful:
                        useful.add_all(one)
                        useful.add_all(other)
                spread_to_arguments(then, useful)
                spread_to_arguments(orelse, useful)
            case For(outs, _, inits, body, breaks):
                _spread_from_loop(outs, inits, body, body.params[1:], body.results[breaks:], useful)
            case While(outs, inits, _, body):
                _spread_from_loop(outs, inits, body, body.params, body.results, useful)
            case Invoke(outs, _, args):
                if any(out in useful for out in outs) or any(useful.has_any(arg) for arg in args):
                    for arg in args:
                        useful.add_all(arg)
            case Raise() | Free() | Attribute() | Closure():
                pass


def _spread_from_loop(
    outs: tuple[Var, ...],
    inits: tuple[Operand, ...],
    body: Block,
    params: tuple[Var, ...],
    results: tuple[Operand, ...],
    useful: Spread,
) -> None:
    for out, param, result in zip(outs, params, results, strict=True):
        if out in useful or param in useful:
            useful.add_all(result)
    spread_to_arguments(body, useful)
    for out, param, init, result in zip(outs, params, inits, results, strict=True):
        if out in useful or param in useful:
            useful.add_all(init)
            useful.add_all(result)
