"""How a derivative operator looks to the front end: a callable that says which function it differentiates, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, get_args

from adxform.ir.spans import own_attribute

Kind = Literal["grad", "value_and_grad", "hvp", "hessian", "jacobian", "derivative", "jvp", "vjp", "stop_gradient", "checkpoint"]
Order = Literal["forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"]
EngineName = Literal["auto", "python", "numba", "interpret"]
Definition = Callable[..., Any]
Described = tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]
"""The descriptions of positional and of keyword arguments."""

ENGINES: tuple[EngineName, ...] = get_args(EngineName)
"""What runs derived rules: one of the backends, or the one that pays."""

USUAL: Order = "forward-over-reverse"
ORDERS: tuple[Order, ...] = (USUAL, "reverse-over-forward", "reverse-over-reverse", "forward-over-forward")
"""Which sweep of a second derivative goes over which."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What is to run generated code. With `fastmath`, compiled sums may be taken in any order, and functions are vector forms.

    `prepared`: for an object that will be called again and again, so that ``"auto"`` compiles more.
    """

    name: EngineName
    fastmath: bool = True
    prepared: bool = False

    @property
    def keywords(self) -> dict[str, Any]:
        """How an operator is given it."""
        return {"engine": self.name, "fastmath": self.fastmath}


PYTHON = Engine("python")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Operator:
    """A derivative of `fn` as a callable, made by ``grad(f)`` and its kin.

    The front end knows ``grad`` and ``value_and_grad``. Any other `kind` has a `definition` over those, a Python function of
    ``(fn, argnums, mode, *args, **kwargs)``. `engine` runs it where it is not itself differentiated. Subclasses define
    ``__call__``; their methods that are derivatives too have `forms`, Python functions of the operator and the arguments.
    """

    forms: ClassVar[Mapping[str, Definition]] = {}

    kind: Kind
    fn: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    mode: str = "auto"
    definition: Definition | None = None
    engine: Engine = PYTHON
    holomorphic: bool = False

    @property
    def prepared_for(self) -> str:
        """What tells apart the calls that this operator takes from those that it refuses; empty where it takes any."""
        return ""

    def refusals(self, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Why a call of the method `form` with arguments of these descriptions (or ``None``) is refused, line by line."""
        return []

    @classmethod
    def unlike(cls, example: Described, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """As `refusals`, of an object that the program itself makes for arguments like `example`."""
        return []

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.fn


class Decorated:
    """A function with what a decorator of adxform adds to it: where it is called, the function itself is followed.

    What else has these attributes is no such object: `functools.wraps` copies them.
    """

    __adx_function__: Callable[..., Any]
    __adx_boundary__: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """What the function `of` of the API means inside a differentiated function: it makes an object of the class `made`, if any.

    That is what `Operator` says of the `kind` and the `definition`; with ``holomorphic=True`` the definition is that one.
    """

    of: Callable[..., Any]
    kind: Kind
    definition: Definition | None
    made: type[Operator] | None
    holomorphic: Definition | None = None


def operator(
    kind: Kind,
    definition: Definition | None = None,
    made: type[Operator] | None = Operator,
    holomorphic: Definition | None = None,
) -> Callable[[F], F]:
    """Mark a function of the API as the operator `kind`, so that the front end knows it inside differentiated functions."""

    def mark(fn: F) -> F:
        fn.__adx_operator__ = Mark(fn, kind, definition, made, holomorphic)  # type: ignore[attr-defined]
        return fn

    return mark


def marked(fn: object) -> Mark | None:
    """What `operator` marked `fn` with, if anything."""
    found: Mark | None = own_attribute(fn, "__adx_operator__")
    return found if found is not None and found.of is fn else None  # `functools.wraps` copies it


def stands_before(fn: Callable[..., Any], method: Callable[..., Any]) -> None:
    """Mark `fn` as what stands before `method`, a function of adxform, to make its errors short."""
    fn.__adx_method__ = (fn, method)  # type: ignore[attr-defined]


def behind(fn: object) -> Callable[..., Any] | None:
    """The function that `fn` stands before, if any."""
    before, method = own_attribute(fn, "__adx_method__", (None, None))
    return method if before is fn else None  # `functools.wraps` copies it
