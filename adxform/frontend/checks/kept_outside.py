"""Refuses programs that read back what they keep outside of themselves, where it would come without its derivative.

What a function keeps in objects, lists and dicts of the caller's program are primal values. An attribute that is read back is
known to the front end, with its derivative; what is in a list or dict, and what other code looks at, is not.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from adxform import runtime
from adxform.analysis.spread import Spread, spread_to_results
from adxform.errors import GlobalMutationError
from adxform.ir.ops import Call, Function, Lit, Op, Var
from adxform.ir.types import Array, Object, Scalar, hides, is_inexact
from adxform.ir.walk import all_ops, blocks, reads, variables, variables_of
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.comparisons import EQUALITY, ORDERING
from adxform.primitives.effects import functions

CHANGE = Lit(runtime.change_outside)
MADE = Lit(runtime.kept_outside)
_KEEPING = (CHANGE, MADE, Lit(runtime.set_outside))
_STORING = frozenset({"append", "extend", "insert", "update", "__setitem__", "__iadd__", "clear", "reverse", "__delitem__"})
"""Methods by which a program learns nothing of what is in a container."""


@dataclass(frozen=True)
class Moving:
    """What may move in `function` and its helpers, if its parameters `given` move: asked only where it matters."""

    function: Function
    given: Sequence[Var]

    @cached_property
    def ops(self) -> tuple[Op, ...]:
        """All ops, those of helpers among them, without the question how they end."""
        return tuple(_seen_through(op) for one in functions(self.function).values() for op in all_ops(one.body))

    @cached_property
    def classes(self) -> Aliases:
        """The alias classes of the function."""
        return alias_classes(self.function)

    @cached_property
    def varied(self) -> Spread:
        """The variables that depend on those `given`."""
        return _spread(self.function, self.classes, self.given)

    def __call__(self, var: Var) -> bool:
        """Whether `var` may move; what is a helper's own may."""
        return (is_inexact(var.type) or hides(var.type)) and (not self.classes.knows(var) or var in self.varied)

    def calls(self) -> Iterator[Call]:
        """The ops that are calls."""
        return (op for op in self.ops if isinstance(op, Call))


@dataclass(frozen=True, slots=True)
class Kept:
    """The ops of a function and its helpers, those that keep something outside, and those that keep what may move, `varied`."""

    function: Function
    ops: tuple[Op, ...]
    keeping: tuple[Call, ...]
    moving: tuple[Call, ...]
    classes: Aliases
    varied: Spread

    @classmethod
    def of(cls, moves: Moving) -> Kept | None:
        """What a function keeps; ``None`` where it keeps nothing."""
        keeping = tuple(op for op in moves.calls() if op.fn in _KEEPING)
        if not keeping:
            return None
        moving = tuple(op for op in keeping if any(map(moves, _kept_by(op))))
        return cls(moves.function, moves.ops, keeping, moving, moves.classes, moves.varied)

    def refuse_written(self) -> None:
        """Raise where an array that is kept in a list or dict is written to as well."""
        for op in self.keeping:
            arrays = [var for var in _kept_by(op) if isinstance(var.type, Array) and op.fn in (CHANGE, MADE)]
            if any(not self.classes.knows(var) or self.classes.of(var) in self.classes.written for var in arrays):
                message = "an array that is kept outside the function is written to as well"
                raise GlobalMutationError(message, span=op.span, help="keep a copy: `.copy()`")

    def refuse_read_back(self) -> None:
        """Raise where a list or dict is read in which what may move is stored, or an attribute that may be one so set."""
        stored = {var for op in self.moving for var in (op.outs if op.fn == MADE else variables(op.args[0]))}
        names = {op.args[1] for op in self.moving if op.fn != CHANGE}
        for op, var in _reading(self.ops) if stored else ():
            if var in stored and not self.is_only_compared(op) and not self._is_of_another_key(op, var):
                message = (
                    f"`{var.base}` is read, where a number is stored that may move: it would come back without its derivative"
                )
                raise GlobalMutationError(message, span=op.span, help="keep the number under a name of its own, and read that")
        for op in self.ops:
            if isinstance(op, Call) and op.fn == Lit(getattr) and isinstance(op.args[0], Var) and op.args[1] in names:
                message = "an attribute of an unknown object is read, and one of this name is set to a number that may move"
                raise GlobalMutationError(message, span=op.span, help="read it of the object that has it")

    def is_only_compared(self, op: Op) -> bool:
        """Whether of what `op` gives only truth values and whole numbers come."""
        if not isinstance(op, Call) or not op.outs:
            return False
        readers = [one for one in self.ops if any(out in (*reads(one), *_ends(one)) for out in op.outs)]
        results = variables_of([result for one in functions(self.function).values() for result in one.results])
        return not any(out in results for out in op.outs) and all(
            isinstance(one, Call) and (_tells(one) or one.fn in ORDERING) for one in readers
        )

    def _is_of_another_key(self, op: Op, container: Var) -> bool:
        """Whether `op` reads a text's item of a dict in which what may move is stored under other texts alone."""
        read = _text(op, "__getitem__", container)
        stores = [one for one in self.moving if container in variables(one.args[0])]
        kept = [_text(one, "__setitem__", container) for one in stores]
        return read is not None and all(key is not None and key != read for key in kept)

    def refuse_recalled(self, before: Sequence[Var]) -> None:
        """Raise where what may move is compared with what an earlier call kept of it: where both are equal, programs return that.

        `before` are what a call finds in the places that it sets.
        """
        kept = [var for var in before if self.classes.knows(var)]
        earlier = _spread(self.function, self.classes, kept)
        texts = any(isinstance(var.type, Object) for op in self.moving for var in _kept_by(op))
        for op in self.ops:
            if not isinstance(op, Call) or op.fn not in EQUALITY:
                continue
            operands = variables_of(op.args)
            found = any(var in earlier for var in operands) if kept else False
            found = found or (texts and any(isinstance(one, Lit) and isinstance(one.value, str | bytes) for one in op.args))
            if found and any(var in self.varied for var in operands):
                message = "what may move is compared with what an earlier call kept: a result that was kept has no derivative"
                raise GlobalMutationError(message, span=op.span, help="differentiate the function without its cache")

    def owners(self, containers: Mapping[Var, Any]) -> Iterator[tuple[Any, bool]]:
        """The objects outside in which something is kept, and whether it may move.

        `containers` are lists and dicts by what stands for them.
        """
        made = {op.outs[0]: op.args[0] for op in self.keeping if op.fn == MADE}
        for op in self.keeping:
            owner = made.get(op.args[0], op.args[0]) if isinstance(op.args[0], Var) else op.args[0]
            yield owner.value if isinstance(owner, Lit) else containers.get(owner), op in self.moving  # type: ignore[arg-type]


def _seen_through(op: Op) -> Op:
    """`op`, without the question how it ends."""
    match op:
        case Call(fn=Lit(runtime.try_outside)):
            return replace(op, fn=CHANGE)
        case Call(fn=Lit(runtime.attempt), args=(Lit() as fn, *args)):
            return replace(op, fn=fn, args=tuple(args))
        case _:
            return op


def _spread(function: Function, classes: Aliases, given: Sequence[Var]) -> Spread:
    found = Spread(classes)
    for var in given:
        found.add(var)
    found.run(spread_to_results, function.body)
    return found


def _text(op: Op, method: str, container: Var) -> str | None:
    """The text under which `op` reads or stores an item of `container` by `method`; ``None`` for any other op or key."""
    match op:
        case Call(fn=Lit(operator.getitem), args=(owner, Lit(str() as key))) if method == "__getitem__" and owner == container:
            return key
        case Call(fn=Lit(runtime.change_outside), args=(owner, Lit(name), Lit(str() as key), *_), kwargs=()):
            return key if name == method and owner == container else None
        case _:
            return None


def _kept_by(op: Call) -> tuple[Var, ...]:
    return variables_of((*op.args[2:], *(value for _, value in op.kwargs)))


def _reading(ops: Sequence[Op]) -> Iterator[tuple[Op, Var]]:
    """Each op by which a program may learn what is in a variable, with that variable.

    Truth values and whole numbers tell how much is in it, and whether something is: no number that moves comes of them.
    """
    for op in ops:
        if isinstance(op, Call):
            method = op.args[1] if op.fn == CHANGE else None
            storing = isinstance(method, Lit) and (method.value in _STORING or not op.outs)
            asking = op.fn == Lit(operator.contains) or _tells(op)
            yield from ((op, var) for var in variables_of(op.args[1:] if storing or asking else op.args))
            yield from ((op, var) for _, value in op.kwargs for var in variables(value))
        else:
            yield from ((op, var) for var in (*reads(op), *_ends(op)))


def _tells(op: Call) -> bool:
    """Whether `op` gives truth values and whole numbers alone."""
    return bool(op.outs) and all(isinstance(out.type, Scalar) and not is_inexact(out.type) for out in op.outs)


def _ends(op: Op) -> tuple[Var, ...]:
    return variables_of([result for inner in blocks(op) for result in inner.results])
