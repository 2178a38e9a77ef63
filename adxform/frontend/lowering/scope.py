"""The state of lowering: what holds for a whole function (`Scope`) and for the block being filled (`State`).

Control that leaves a block early is data. Three conditions are variables like any other, known literals wherever
possible: ``going`` (the rest of this body runs), ``keep_going`` (the loop goes round again), ``running`` (the function
has not returned); ``result`` is what it returns. ``going`` implies ``keep_going`` implies ``running``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from adxform.errors import AdxError, UnsupportedSyntaxError
from adxform.frontend.lowering.source_text import FunctionSource
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Attribute, Block, Free, If, Lit, Operand, Pack, Raise, Var
from adxform.ir.spans import Span
from adxform.ir.walk import Names

GOING, KEEP_GOING, RUNNING, RESULT = "%going", "%keep_going", "%running", "%result"
FLAGS = (GOING, KEEP_GOING, RUNNING)
UNTAKEN = "?untaken"
COMPLETED = "?completed"
"""Whether the body of a ``try`` came to its end."""
PENDING, ERROR = "?pending", "?error"
"""What waits for the end of a ``finally``: whether that is an exception, and which."""
DEFINED = "?{}_is_defined"
"""The condition that a name has a value, for a name that a path may leave without one."""
INLINED_COMPREHENSIONS = sys.version_info >= (3, 12)
"""Whether a comprehension is part of the function around it; else, and if it is a generator, it is a function of its own."""
TRUE, FALSE = Lit(True), Lit(False)

NESTING = 24
"""Blocks nested deeper than this are strung out one after the other, each under its condition."""

_MATERIALISE = 32


@dataclass(frozen=True, slots=True)
class Scope:
    """One function being lowered. `bound` says where each name of its own is bound, as (line, column) in order.

    `outer` are the names of the functions around it, `declared` those that it says are global; `brief` the nested functions that
    must not outlive a loop's iteration, with the names in question.

    A first lowering gathers in `doubtful` the variables that a path may leave without a value, and in `unsure` the names
    that are read nevertheless; where there are such, a second one keeps a condition beside each of them, and asks it first.
    In the same way it gathers in `rebound` the names that a nested function captures and that are assigned after it was made:
    in a second one they are among the `cells`, the variables that are objects, for all who have them to see what they hold.
    `refused` are the refusals of its statements so far: lowering goes on, to tell of all of them.
    """

    source: FunctionSource
    names: Names
    bound: dict[str, list[tuple[int, int]]]
    outer: frozenset[str]
    brief: dict[Var, tuple[str, ...]]
    refused: list[AdxError]
    declared: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    cells: frozenset[str] = frozenset()
    rebound: dict[str, None] = field(default_factory=dict)
    doubtful: set[Operand] = field(default_factory=lambda: {UNDEFINED})
    unsure: dict[str, None] = field(default_factory=dict)

    def mangle(self, name: str) -> str:
        """The name that Python uses for `name`: private names of a class carry the name of the class."""
        owner = self.source.class_name.lstrip("_")
        return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name

    def error(self, node: Any, message: str, help_: str, cls: type[AdxError] = UnsupportedSyntaxError) -> AdxError:
        """An error located at `node`."""
        return cls(message, span=self.source.span(node), help=help_)


@dataclass(slots=True)
class State:
    """One block being filled. `env` maps names to values; `written` are those bound since the block began.

    `loop` are the names that the loops around this block bind; after `dead` nothing is reached; `cells` has the function's own
    variables that are objects. In a `comprehension` that is a function of its own names of the function around it are free
    variables.

    `params` are those of the block, after a ``try``; the `attempted` names may be read when an exception ends a block around this
    one, and are `read_later` by a ``finally``, whatever ends it. A handler is `handling` an exception.
    """

    scope: Scope
    builder: Builder
    env: dict[str, Operand]
    written: dict[str, None] = field(default_factory=dict)
    loop: frozenset[str] = frozenset()
    depth: int = 0
    dead: bool = False
    comprehension: bool = False
    cells: dict[str, Var] = field(default_factory=dict)
    params: tuple[Var, ...] = ()
    attempted: frozenset[str] = frozenset()
    handling: Var | None = None
    read_later: bool = False

    @classmethod
    def entry(cls, scope: Scope) -> State:
        """The state at the beginning of a function."""
        env: dict[str, Operand] = {GOING: TRUE, KEEP_GOING: TRUE, RUNNING: TRUE, RESULT: UNDEFINED}
        return cls(scope, Builder(scope.names, scope.source.span(scope.source.node)), env)

    def at(self, node: Any) -> Span:
        """Make `node` the place of the ops that follow; return its span."""
        span = self.scope.source.span(node)
        self.builder.span = span
        return span

    def bind(self, name: str, value: Operand) -> None:
        """Give `name` the value `value` from here on."""
        if name in self.scope.declared:
            self.builder.effect(intrinsics.set_global, Lit(name), value)
            return
        if isinstance(value, Pack) and _size(value) > _MATERIALISE:
            value = self.builder.call(tuple, value, hint=name)
        cell = self.cell(name)
        if cell is not None:
            self.builder.effect(intrinsics.fill, cell, value)
            return
        self.assume(name, value)
        self.written[name] = None
        if name in self.scope.asks:
            self.bind(DEFINED.format(name), FALSE if value == UNDEFINED else TRUE)

    def assume(self, name: str, value: Operand) -> None:
        """Begin with `name` having the value `value`."""
        self.env[name] = value
        if name in self.attempted:
            self.builder.effect(intrinsics.bound, Lit(name), value)

    def flag(self, *flags: str, value: Operand = FALSE) -> None:
        """Set the conditions `flags`."""
        for name in flags:
            self.bind(name, value)

    def read(self, name: str, node: Any) -> Operand:
        """The value of `name`; a local name that the path has not assigned raises, as in Python."""
        cell = self.cell(name)
        if cell is not None:
            free = Lit(name not in self.cells)
            return self.builder.call(intrinsics.held, cell, Lit(name), free, hint=base_of(name), span=self.at(node))
        if name in self.env or name in self.scope.bound:
            value = self.env.get(name, UNDEFINED)
            if not self.dead:
                self._ask(name, value, node)
            return value
        if DEFINED.format(name) in self.scope.outer:
            self._raise_unless(self.free_name(DEFINED.format(name), node), name, node, free=True)
        return self.free_name(name, node)

    def cell(self, name: str) -> Operand | None:
        """The object that the variable `name` is, if it is one: the function's own, or one that it closes over."""
        if name in self.cells:
            return self.cells[name]
        outside = name in self.scope.source.cells and name not in self.env and name not in self.scope.bound
        return self.free_name(name, self.scope.source.node) if outside else None

    def free_name(self, name: str, node: Any) -> Operand:
        """What the function finds under `name` outside of itself, now: what it calls may set a global variable."""
        out = self.builder.var(base_of(name))
        self.builder.emit(Free(out, name, self.at(node)))
        return out

    def _ask(self, name: str, value: Operand, node: Any) -> None:
        """Append the raising of Python's error where `name` may have no value."""
        if value == UNDEFINED:
            self.at(node)
            self.fail(*self._missing(name, free=self.comprehension))
        elif name in self.scope.asks:
            self._raise_unless(self.env.get(DEFINED.format(name), FALSE), name, node, free=self.comprehension)
            self.env[DEFINED.format(name)] = TRUE
        elif value in self.scope.doubtful:
            self.scope.unsure[name] = None

    def _raise_unless(self, defined: Operand, name: str, node: Any, *, free: bool) -> None:
        if defined == TRUE:
            return
        self.at(node)
        here, missing = self.nested(), self.nested()
        missing.builder.span = self.builder.span
        missing.fail(*self._missing(name, free=free))
        self.builder.emit(If((), defined, here.block((), ()), missing.block((), ()), self.builder.span))

    @staticmethod
    def _missing(name: str, *, free: bool) -> tuple[type[Exception], str]:
        if free:
            return NameError, f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
        return UnboundLocalError, f"cannot access local variable '{name}' where it is not associated with a value"

    def nested(self) -> State:
        """The state of a block inside this one."""
        builder, depth = self.builder.nested(), self.depth + 1
        env = dict(self.env)
        inner = State(self.scope, builder, env, {}, self.loop, depth, False, self.comprehension, self.cells)
        inner.attempted, inner.handling, inner.read_later = self.attempted, self.handling, self.read_later
        return inner

    def assume_going(self) -> None:
        """Begin a block that is only entered while nothing has been left."""
        for name in FLAGS:
            self.env[name] = TRUE

    def gone(self, name: str) -> bool:
        """Whether nothing that follows this block can read the `name` that it leaves."""
        kept = self.read_later or name in (*FLAGS, RESULT) or name.startswith((UNTAKEN, COMPLETED, PENDING, ERROR))
        return self.dead or (self.env[RUNNING] == FALSE and not kept)

    def block(self, params: tuple[Var, ...], results: tuple[Operand, ...]) -> Block:
        """The finished block."""
        return self.builder.block(params, results)

    def fail(self, exception: type[Exception], message: str) -> None:
        """Append the raising of `exception`."""
        value = self.builder.call(exception, Lit(message))
        self.builder.emit(Raise(value, self.builder.span))
        self.dead = True


Statements = Callable[[State, list[Any]], None]
"""Lowers statements into a block."""


def base_of(name: str) -> str:
    """What variables of `name` are called."""
    return name.lstrip("%?").partition(".")[0]


def unknown_value(name: str) -> Operand:
    """What `name` is on a path that does not bind it."""
    return FALSE if name in FLAGS or (name[0] == "?" and name.endswith(DEFINED[3:])) else UNDEFINED


def _size(operand: Operand) -> int:
    return 1 + sum(_size(item) for item in operand.items) if isinstance(operand, Pack) else 1


def branch(state: State, cond: Operand, then: State, orelse: State, span: Span) -> None:
    """Append an `If` over the filled blocks `then` and `orelse`, and bind what either bound.

    A name that one side binds and the other does not know is undefined there. A side that is never left at its end
    (it raises, or has returned) contributes no value but the conditions and the result.
    """
    outs: list[Var] = []
    pairs: list[tuple[Operand, Operand]] = []
    shared: dict[tuple[Operand, Operand], Var] = {}
    after: dict[str, Operand] = {}
    for name in {**then.written, **orelse.written}:
        sides = [side for side in (then, orelse) if not side.gone(name)]
        if not any(name in side.written or side.env.get(name) in side.params for side in sides):
            continue
        unknown = unknown_value(name)
        left, right = (unknown if side.gone(name) else side.env.get(name, unknown) for side in (then, orelse))
        known = right if then.gone(name) else left
        if left == right or (len(sides) == 1 and isinstance(known, Lit)):
            after[name] = known
        elif name in FLAGS and (left, right) in shared:
            after[name] = shared[left, right]
        else:
            out = state.builder.var(base_of(name))
            outs.append(out)
            pairs.append((left, right))
            if any(side.env.get(name, unknown) in state.scope.doubtful for side in sides):
                state.scope.doubtful.add(out)
            after[name] = out
            if name in FLAGS:
                shared[left, right] = out
    lefts, rights = tuple(left for left, _ in pairs), tuple(right for _, right in pairs)
    state.builder.emit(If(tuple(outs), cond, then.block((), lefts), orelse.block(orelse.params, rights), span))
    for name, value in after.items():
        state.bind(name, value)
    state.dead = then.dead and orelse.dead


def choose(
    state: State, node: Any, cond: Operand, then: Callable[[State], Operand], orelse: Callable[[State], Operand], hint: str
) -> Operand:
    """Append an `If` whose sides give one value."""
    sides = state.nested(), state.nested()
    for side, lower in zip(sides, (then, orelse), strict=True):
        side.bind("?" + hint, lower(side))
    branch(state, cond, *sides, state.at(node))
    value = state.env.pop("?" + hint, UNDEFINED)
    state.written.pop("?" + hint, None)
    return value


def attribute(state: State, node: Any, value: Operand, name: str) -> Var:
    """Append ``value.name``."""
    name = state.scope.mangle(name)
    out = state.builder.var(name)
    state.builder.emit(Attribute(out, value, name, state.at(node)))
    return out


def describe(node: Any) -> str:
    """What the user calls the construct `node`."""
    return _CONSTRUCTS.get(type(node).__name__, f"`{type(node).__name__}`")


_CONSTRUCTS = {
    "TryStar": "`except*`",
    "AsyncWith": "`async with`",
    "AsyncFor": "`async for`",
    "AsyncFunctionDef": "`async def`",
    "Await": "`await`",
    "Yield": "`yield`",
    "YieldFrom": "`yield from`",
    "ClassDef": "a class inside a function",
}
