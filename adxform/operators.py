"""How a derivative operator looks to the front end: a callable that says which function it differentiates, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Kind = Literal["grad", "value_and_grad", "jvp", "vjp", "stop_gradient", "other"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Operator:
    """A derivative of `fn` as a callable, made by ``grad(f)`` and its kin.

    `kind` is ``grad`` or ``value_and_grad``, which the front end knows; any other has an `implementation`, a Python function
    of ``(fn, argnums, *args)`` over those. Subclasses define ``__call__``.
    """

    kind: Kind
    fn: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    implementation: Callable[..., Any] | None = None


def operator(kind: Kind) -> Callable[[F], F]:
    """Mark a function of the API as the operator `kind`, so that the front end knows it inside differentiated functions."""

    def mark(fn: F) -> F:
        fn.__adx_operator__ = kind  # type: ignore[attr-defined]
        return fn

    return mark


def operator_kind(fn: object) -> Kind | None:
    """The kind that `operator` marked `fn` with, if any."""
    kind: Kind | None = getattr(fn, "__adx_operator__", None)
    return kind
