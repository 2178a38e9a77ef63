"""The IR on one screen: structured SSA with references to mutable arrays.

A `Function` is a `Block`: parameters, operations in order, results. Control flow nests (`If`, `For`, `While` hold
blocks), and values leave a nested block only as its results. A block may read any variable of the blocks around it.
An array variable names a buffer, as in Python: writing to ``x[i]`` makes no new name, and two names may share memory.

The same classes serve before and after specialisation. Before: every variable is an `Object`, a `Call` calls any
value, a `For` walks any iterable, and `Free`, `Attribute` and `Closure` occur. After: variables are typed, a `Call` calls a
literal callable (a primitive, or an opaque Python function on inactive values), a `For` walks a range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal

from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import UNTYPED, Type


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, assigned once. `name` is unique in its function: ``base`` or ``base.N``."""

    name: str
    type: Type = UNTYPED

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def base(self) -> str:
        """The user's name, without the counter."""
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Lit:
    """A value known when compiling. Equal only if type and value are: ``1``, ``1.0`` and ``True`` differ."""

    value: Any

    def _key(self) -> tuple[type, object]:
        value = self.value
        if isinstance(value, _TOLD_BY_TEXT):
            return type(value), repr(value)
        if isinstance(value, tuple):
            return tuple, tuple(Lit(item)._key() for item in value)
        if isinstance(value, frozenset):  # equal ones are walked over in different orders
            return type(value), (value.__sizeof__(), *(Lit(item)._key() for item in value))
        return type(value), value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lit):
            return False
        if self.value is other.value:
            return True
        cls = type(self.value)
        if cls is not type(other.value) or cls is FunctionType:
            return False
        return not _is_compared_by_identity(cls) and self._key() == other._key()

    def __hash__(self) -> int:
        value = self.value
        try:
            return hash(self._key() if isinstance(value, _HOLDS_NUMBERS) else value)
        except Exception:  # memory that may be written has none, and a class of the user's may raise anything
            return id(self.value)


_TOLD_BY_TEXT = (float, complex)
"""Numbers of which equal ones may differ: zeros by their sign; and of which one may differ from itself."""
_HOLDS_NUMBERS = (float, complex, tuple)
_WRITTEN_OUT = (list, dict, slice)
"""Classes that cannot be hashed, of which a literal is made anew by each look: those of the caller's program are no literals."""


def _is_compared_by_identity(cls: type) -> bool:
    """Whether instances of `cls`, which change or are of a class of the user, are the same only if they are one object."""
    hashed: object = cls.__hash__
    changes = hashed is None and cls not in _WRITTEN_OUT
    return changes or (isinstance(cls.__eq__, FunctionType) and not cls.__module__.startswith("adxform."))


@dataclass(frozen=True, slots=True)
class Pack:
    """An aggregate built where it is used.

    A tuple, a list, a slice (start, stop, step), a dict (key, value, …), or an instance (class, name, value, …).
    """

    kind: Literal["tuple", "list", "slice", "dict", "instance"]
    items: tuple[Operand, ...]

    @property
    def places(self) -> range:
        """Where in `items` its parts are, among keys, names and a class."""
        first, step = {"dict": (1, 2), "instance": (2, 2)}.get(self.kind, (0, 1))
        return range(first, len(self.items), step)


Operand = Var | Lit | Pack


class _Undefined:
    """The value of a variable on a path that does not assign it."""

    def __repr__(self) -> str:
        return "undefined"

    def __reduce__(self) -> str:
        return "_UNDEFINED"


_UNDEFINED = _Undefined()
UNDEFINED = Lit(_UNDEFINED)


class Contained:
    """Room beside a block for every op in it and in the blocks inside it: passes and analyses walk over them all the time."""

    __slots__ = ("inside",)

    inside: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Block(Contained):
    """Operations in order. The enclosing op says what the parameters and results stand for."""

    params: tuple[Var, ...]
    ops: tuple[Op, ...]
    results: tuple[Operand, ...]


class Findings:
    """Room beside an op for what was found out about it: it never changes, and is asked for by every analysis and pass."""

    __slots__ = ("calls", "effect", "reads", "verified")

    calls: Any
    effect: Any
    reads: tuple[Var, ...]
    verified: bool


@dataclass(frozen=True, slots=True)
class Call(Findings):
    """``outs = fn(*args, **kwargs)``; its effects are those of `fn` (see `adxform.primitives.effects`).

    One out, or none where the result is ``None`` or unused. After specialisation, several outs are the items of the tuple that a
    function with a rule for each of its results returns, all of them, read or not; other tuples are taken apart by
    ``operator.getitem``.
    """

    outs: tuple[Var, ...]
    fn: Operand
    args: tuple[Operand, ...]
    kwargs: tuple[tuple[str, Operand], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Free:
    """A name that the function finds in its closure, its module or the builtins. Before specialisation only."""

    out: Var
    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """``out = value.name``. Before specialisation only."""

    out: Var
    value: Operand
    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Closure:
    """A nested ``def`` or ``lambda``: `captures` are the enclosing variables it reads, `defaults` by parameter name.

    A nested function that calls itself captures its own out. `brief`: it reads variables of the loop that it is made in, whose
    iteration it must not outlive. Before specialisation only.
    """

    out: Var
    fn: Function
    captures: tuple[tuple[str, Operand], ...]
    defaults: tuple[tuple[str, Operand], ...]
    span: Span = field(default=NOWHERE, compare=False)
    brief: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class If:
    """``outs = then() if cond else orelse()``; both blocks take no parameters.

    Before specialisation the condition may be that `then` comes to its end (`intrinsics.completes`): then `orelse` takes what was
    raised, and variables as they were.
    """

    outs: tuple[Var, ...]
    cond: Operand
    then: Block
    orelse: Block
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Snapshots:
    """How many states of a loop its reverse keeps at once: `count` of them, or as many as take `memory` bytes."""

    count: int | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class For:
    """A counted loop that carries values: ``body(item, *carried) -> carried``.

    `source` is one operand, any iterable, before specialisation; three, the arguments of a ``range``, after it.
    With `breaks`, the body's first result is a condition ahead of the carried values: when it is false the loop ends
    after that iteration (the carried values of that iteration still count). With `snapshots`, its reverse runs iterations again.
    """

    outs: tuple[Var, ...]
    source: tuple[Operand, ...]
    inits: tuple[Operand, ...]
    body: Block
    breaks: bool = False
    span: Span = field(default=NOWHERE, compare=False)
    snapshots: Snapshots | None = None


@dataclass(frozen=True, slots=True)
class While:
    """``while test(*carried): carried = body(*carried)``; `test` has one result, a condition. `snapshots` as in `For`."""

    outs: tuple[Var, ...]
    inits: tuple[Operand, ...]
    test: Block
    body: Block
    span: Span = field(default=NOWHERE, compare=False)
    snapshots: Snapshots | None = None


@dataclass(frozen=True, slots=True)
class Invoke:
    """A call of another function of the same `Function.helpers`, by name: recursion, and calls kept as calls."""

    outs: tuple[Var, ...]
    callee: str
    args: tuple[Operand, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Raise:
    """``raise value``; what follows on this path is never reached."""

    value: Operand
    span: Span = field(default=NOWHERE, compare=False)


Op = Call | Free | Attribute | Closure | If | For | While | Invoke | Raise


@dataclass(frozen=True, slots=True)
class Function:
    """A function. `body.params` are its parameters; a specialised one has a result per leaf of what it returns.

    `kinds` gives, before specialisation, each parameter's `inspect` kind name (``POSITIONAL_OR_KEYWORD``, …).
    `helpers` are the functions it may `Invoke`, itself included when it is recursive.
    """

    name: str
    body: Block
    kinds: tuple[str, ...] = ()
    helpers: tuple[Function, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def params(self) -> tuple[Var, ...]:
        """The parameters."""
        return self.body.params

    @property
    def results(self) -> tuple[Operand, ...]:
        """The results."""
        return self.body.results


Primitive = Callable[..., Any]
