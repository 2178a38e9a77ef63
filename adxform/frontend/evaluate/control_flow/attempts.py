"""Exceptions as values: the body of a ``try`` goes on, from op to op, where none was raised.

    error = runtime.raised_by(np.linalg.cholesky, a)
    raised = error is not None
    if raised: …                                      # the handlers
    else: c = np.linalg.cholesky(a); …                # the rest of the body

What an op raises is asked before it runs; what may do anything runs once, and gives an outcome. So all that comes after
specialisation sees branches that it knows, and an exception ends a path as a ``return`` does: with the variables and the objects
as they are then. A block inside of the body (a side of a branch, a loop's) hands an exception on as a further result.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np

from adxform import runtime
from adxform.errors import GlobalMutationError
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow import first_path
from adxform.frontend.evaluate.control_flow.held_in_tries import hold_what_is_made_here, with_lists_held_anew
from adxform.frontend.evaluate.control_flow.noted_choices import Side
from adxform.frontend.evaluate.control_flow.sides import both, join, run_side
from adxform.frontend.evaluate.levels import Frame, TryFork, TryLevel, unwatched
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import HeldAnew, Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value, is_undefined
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Attribute, Block, Call, Free, If, Invoke, Lit, Op, Operand, Pack, Raise, Var
from adxform.ir.spans import Span
from adxform.ir.types import BOOL
from adxform.ir.walk import all_ops
from adxform.primitives.effects import effect_of
from adxform.primitives.raising import ANY, Classes, may_raise, meets

TRUE, FALSE = Lit(True), Lit(False)
Run = Callable[[], list[Value]]
Caught = Callable[[Value, dict[str, Value]], list[Value]]
"""What goes on after an exception, given that and the variables as they were."""


def watch(interp: Interpreter, builder: Builder, op: Op) -> Op | None:
    """Write the question whether `op` raises, where that matters; return what stands for it where it does not."""
    level = interp.level
    if level is None:
        return op
    match op:
        case Call():
            matters = meets(may_raise(op, interp.floats, interp.integers.within), level.wanted)
            return _asked(interp, level, builder.last(), op) if matters else op
        case Invoke(callee=callee) if _may_raise_inside(interp, callee, level):
            message = f"`{callee}` is a function of its own, and what it raises may be handled here"
            raise interp.error(message, "put the `try` inside of that function, or let it return what went wrong")
        case _:
            return op


def _may_raise_inside(interp: Interpreter, callee: str, level: TryLevel) -> bool:
    functions = [*interp.adopted.values(), *(one.function for one in interp.helpers.values() if one.settled and one.function)]
    found = next((one for one in functions if one.name == callee), None)
    if found is None:
        return True
    inside = list(all_ops(found.body))
    calls = (op for op in inside if isinstance(op, Call))
    return any(isinstance(op, Raise) or (isinstance(op, Invoke) and op.callee != callee) for op in inside) or any(
        meets(may_raise(op, interp.floats, interp.integers.within), level.wanted) for op in calls
    )


def _asked(interp: Interpreter, level: TryLevel, builder: Builder, op: Call) -> Op | None:
    """Let what comes after be in a block that runs where `op` does not raise; return what stands for it there."""
    effect = effect_of(op)
    asked = Builder(builder.names, op.span)
    outcome: Operand = NONE
    if op.fn == Lit(runtime.change_outside):
        outcome = asked.call(runtime.try_outside, *op.args, hint="outcome", kwargs=dict(op.kwargs))
        error = asked.call(runtime.error_of, outcome, hint="error")
    elif isinstance(op.fn, Lit) and op.fn.value in _SETTING:
        message = "an attribute of an object from outside is set in a `try`, which may raise"
        raise interp.error(message, "set it outside of the `try`", GlobalMutationError, span=op.span)
    elif effect.opaque:
        outcome = asked.call(runtime.attempt, op.fn, *op.args, hint="outcome", kwargs=dict(op.kwargs))
        error = asked.call(runtime.error_of, outcome, hint="error")
    elif op.fn in _STORES:
        error = asked.call(runtime.raised_by_storing, _STORES[op.fn], *op.args, hint="error")
    else:
        ask = runtime.raised_by_writing if effect.writes else runtime.raised_by
        error = asked.call(ask, op.fn, *op.args, hint="error", kwargs=dict(op.kwargs))
    raised = asked.call(operator.is_not, error, NONE, type=BOOL, hint="raised")
    builder.ops += asked.ops
    fork_off(interp, builder, raised, error)
    if not effect.opaque:
        return op
    return Call(op.outs, Lit(runtime.value_of), (outcome,), (), op.span) if op.outs else None


_SETTING = (runtime.set_outside, runtime.kept_outside)
_STORES: Mapping[Operand, Lit] = {
    Lit(operator.setitem): NONE,
    Lit(intrinsics.accumulate): Lit(np.add),
    Lit(intrinsics.deduct): Lit(np.subtract),
}
"""What is stored into memory, as a function of what it holds and is given."""


def fork_off(interp: Interpreter, builder: Builder, raised: Operand, error: Var) -> None:
    """Let what comes after be in a block that runs where `raised` is false."""
    level = interp.level
    assert level is not None
    if (found := first_path.taken(interp, raised)) is not None:
        if found:
            raise Thrown(error)
        return
    hold_what_is_made_here(interp, level)
    interp.of_run.unruled.setdefault(error, (BaseException, interp.span))
    level.forks.append(TryFork(builder, raised, error, level.variables(interp.heap), interp.heap.copy(), level.before))
    builder.rest = builder.nested()


def raise_unless(interp: Interpreter, cond: Operand, exception: Callable[..., Exception], message: tuple[str, ...]) -> None:
    """Let `exception` be raised where `cond` does not hold."""
    builder = interp.builder.last()
    raised = builder.call(operator.not_, cond, type=BOOL, hint="raised", span=interp.span)
    error = builder.call(exception, *map(Lit, message), span=interp.span, hint="error")
    fork_off(interp, builder.last(), raised, error)


def throw(interp: Interpreter, error: Operand, classes: Classes) -> NoReturn:
    """End this path with the exception `error`, which is of one of `classes`."""
    level = interp.level
    if isinstance(error, Var) and len(classes) == 1 and classes != ANY:
        interp.of_run.made[error] = classes[0]
    if level is not None and meets(classes, level.wanted):
        if not isinstance(error, Var):
            error = interp.builder.call(runtime.raised_from, error, NONE, hint="error", span=interp.span)
        raise Thrown(error)
    interp.builder.emit(Raise(error, interp.span))
    raise Unreachable


def mark(interp: Interpreter, name: str, value: Value) -> None:
    """Note that the variable `name` of the function that is run has `value` from here on."""
    level = interp.level
    if level is None or level.frame is not frame_of(interp) or name not in level.marks:
        return
    if level.meanwhile is None:
        level.marks[name] = value
    else:
        held = {**level.variables(interp.heap), name: value}
        keys = interp.contents(level.meanwhile).keys
        interp.heap.contents[level.meanwhile] = Contents(keys, tuple(held.values()))


def frame_of(interp: Interpreter) -> Frame | None:
    """The call that is run."""
    return interp.frames[-1] if interp.frames else None


def branch(interp: Interpreter, cond: Operand, then: Run, orelse: Run, hints: list[str], span: Span) -> list[Value]:
    """Write an `If` and return its joined values."""
    level = interp.level
    if level is None:
        return both(interp, cond, then, orelse, hints, span)
    names = tuple(level.marks)
    left, right = (handing_on(interp, side, names, hints, span) for side in (then, orelse))
    return received(interp, names, both(interp, cond, left, right, handed_on(names, hints), span))


def handed_on(names: Sequence[str], hints: Sequence[str]) -> list[str]:
    """What results of a block are called that hands exceptions on: whether there is one, it, variables then, and `hints`."""
    return ["raised", "error", *(name.lstrip("%?") for name in names), *hints]


def handing_on(interp: Interpreter, run: Run, names: Sequence[str], hints: list[str], span: Span) -> Run:
    """`run` with an exception handed on, and the variables `names` as they are then: see `handed_on`."""
    level = interp.level
    assert level is not None
    before = level.variables(interp.heap)
    ended: list[Value] = [UNDEFINED] * len(hints)

    def inside() -> list[Value]:
        return attempted(
            interp,
            replace(level, marks=dict(before), forks=[]),
            lambda: [FALSE, UNDEFINED, *(before[name] for name in names), *run()],
            lambda error, marks: [TRUE, error, *(marks[name] for name in names), *ended],
            handed_on(names, hints),
            span,
        )

    return inside


def received(interp: Interpreter, names: Sequence[str], found: list[Value]) -> list[Value]:
    """The values of a block that hands exceptions on, where there was none; an exception ends what is run here."""
    level = interp.level
    assert level is not None
    raised, error, *rest = found
    marks, values = dict(zip(names, rest, strict=False)), rest[len(names) :]
    if raised == FALSE or is_undefined(error):  # what a loop carries is a variable, if it never changes
        return values
    if raised == TRUE:
        level.marks.update(marks)
        assert isinstance(error, Var)
        raise Thrown(error)
    assert isinstance(raised, Var)
    assert isinstance(error, Var)
    fork_off(interp, interp.builder.last(), raised, error)
    level.forks[-1].marks.update(marks)
    return values


def run_attempt(interp: Interpreter, op: If, env: Env) -> None:
    """Run an `If` that asks whether its first side comes to its end: see `intrinsics.completes`."""
    assert isinstance(op.cond, Pack)
    hints = [out.base for out in op.outs]
    outer = interp.level
    wanted = () if outer is None else outer.wanted
    match op.cond.items:
        case (Lit(intrinsics.hands_on), Lit(names)):
            run = handing_on(interp, lambda: interp.run_block(op.then, env), names, hints[2 + len(names) :], op.span)
            env.update(zip(op.outs, run(), strict=True))
            return
        case (Lit(intrinsics.inside), manager, Lit(names), *initial):
            wanted += _swallowed(interp, interp.value(manager, env))
        case (_, Lit(names), *initial):
            wanted += _handled(interp, op.orelse, env)
        case _:
            raise AssertionError(op.cond)

    def caught(error: Value, marks: dict[str, Value]) -> list[Value]:
        env.update(zip(op.orelse.params, (error, *marks.values()), strict=True))
        return interp.run_block(op.orelse, env)

    if wanted:
        marks = {name: interp.value(value, env) for name, value in zip(names, initial, strict=True)}

        def tried(anew: dict[int, HeldAnew]) -> list[Value]:
            level = TryLevel(frame_of(interp), dict(marks), wanted, frozenset(interp.heap.contents), anew=anew)
            return attempted(interp, level, lambda: interp.run_block(op.then, env), caught, hints, op.span)

        values = with_lists_held_anew(interp, tried)
    else:
        values = interp.run_block(op.then, env)
    env.update(zip(op.outs, values, strict=True))


def _swallowed(interp: Interpreter, manager: Value) -> Classes:
    """The classes of the exceptions that a context manager must be told of, and may swallow."""
    if isinstance(manager, Ref) and manager.cls is contextlib.suppress:
        return classes_in(interp.contents(manager).get("_exceptions") or Tuple(()))
    return ANY if isinstance(manager, Ref) and manager in interp.attended else ()


def _handled(interp: Interpreter, block: Block, env: Env) -> Classes:
    """The classes of the exceptions that the handlers in `block` are for."""
    known = dict(env)
    classes: list[type[BaseException]] = []
    for op in block.ops:
        match op:
            case Free() | Attribute():
                interp.run_block(Block((), (op,), ()), known)
            case Call(fn=Lit(intrinsics.is_handled), args=(_, given)):
                classes += classes_in(interp.value(given, known))
            case If(orelse=orelse) if classes:
                return (*classes, *_handled(interp, orelse, known))
            case Raise():
                return tuple(classes)
            case _:
                return ANY
    return ANY


def classes_in(given: Value) -> Classes:
    """The classes that a handler is for, `ANY` among them where one is not known."""
    match given:
        case Static(cls) | Lit(cls) if isinstance(cls, type) and issubclass(cls, BaseException):
            return (cls,)
        case Tuple(items):
            return tuple(cls for item in items for cls in classes_in(item))
        case _:
            return ANY


def attempted(interp: Interpreter, level: TryLevel, run: Run, caught: Caught, hints: list[str], span: Span) -> list[Value]:
    """The values of `run`, in which exceptions are looked for as `level` says, or of `caught` where one ends it."""
    outer, builder, assumed = interp.level, interp.builder, interp.assumed
    interp.level = level
    thrown: Var | None = None
    values: list[Value] | None = None
    try:
        values = run()
    except Thrown as end:
        thrown = end.error
    except Unreachable:
        pass
    except BaseException:
        level.rewind(0)
        raise
    finally:
        interp.level, interp.builder, interp.assumed = outer, builder, assumed
    if not level.forks:
        if thrown is not None:
            return caught(thrown, level.variables(interp.heap))
        if values is None:
            raise Unreachable
        return values
    try:
        if len(level.forks) == 1 and thrown is None:
            (fork,) = level.forks
            return _closed(interp, fork, values, lambda: caught(fork.error, fork.marks), hints, span)
        return _several(interp, level, values, thrown, caught, hints, span)
    except HeldAnew:
        level.rewind(0)
        raise


def _several(
    interp: Interpreter,
    level: TryLevel,
    values: list[Value] | None,
    thrown: Var | None,
    caught: Caught,
    hints: list[str],
    span: Span,
) -> list[Value]:
    """As `attempted`, where exceptions may come from several places: they meet before they are handled."""
    names = list(level.forks[0].marks)
    unended: list[Value] = [UNDEFINED] * len(hints)

    def ended(error: Value, marks: dict[str, Value]) -> list[Value]:
        return [TRUE, error, *(marks[name] for name in names), *unended]

    first = level.forks[0].marks
    found = None if values is None else [FALSE, UNDEFINED, *first.values(), *values]
    if thrown is not None:
        found = ended(thrown, level.variables(interp.heap))
    with unwatched(interp):
        for fork in reversed(level.forks):
            met = handed_on(names, hints)
            found = _written(interp, fork, found, partial(ended, fork.error, fork.marks), met, span)
    assert found is not None
    raised, error, *rest = found
    marks = dict(zip(names, rest, strict=False))
    rest = rest[len(names) :]
    if raised == TRUE:
        return caught(error, marks)
    assert isinstance(raised, Var)
    return branch(interp, raised, lambda: caught(error, marks), lambda: rest, hints, span)


def _closed(
    interp: Interpreter, fork: TryFork, values: list[Value] | None, caught: Run, hints: list[str], span: Span
) -> list[Value]:
    """End the block that runs where nothing is raised at `fork`, with `values`: the values after both sides."""
    if interp.level is not None:
        marks = interp.level.variables(interp.heap)
        caught = handing_on(interp, caught, tuple(marks), hints, span)
        values = None if values is None else [FALSE, UNDEFINED, *marks.values(), *values]
        return received(interp, tuple(marks), _written(interp, fork, values, caught, handed_on(tuple(marks), hints), span))
    return _written(interp, fork, values, caught, hints, span)


def _written(
    interp: Interpreter, fork: TryFork, values: list[Value] | None, caught: Run, hints: list[str], span: Span
) -> list[Value]:
    rest, outer = fork.outer.rest, fork.outer
    assert rest is not None
    outer.rest = None
    builder, after = interp.builder, interp.heap
    interp.builder, interp.heap = outer, fork.heap
    try:
        handled = run_side(interp, caught, frozenset())
        if handled.values is None:
            outer.ops.append(If((), fork.raised, handled.builder.block((), ()), Block((), (), ()), span))
            outer.ops += rest.ops
            interp.heap = after
            if values is None:
                raise Unreachable
            return values
        found = join(interp, fork.raised, [handled, Side(values, rest, after)], fork.heap, hints, span, fork.before)
        if found is None:
            message = "a list has other items where an exception is raised, and only a run can tell whether there is one"
            error = interp.error(message, "fill the list before the `try`, or after it", span=span)
            raise HeldAnew(interp.anew, tuple(fork.heap.contents), error)
        after.contents = fork.heap.contents
        interp.heap = after
        return found
    finally:
        interp.builder = builder
