"""How the values or the vectors of a factored matrix move with it: pairs of functions, each the transpose of the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adxform.primitives.declare import Result, general
from adxform.primitives.record import Primitive

Body = Callable[..., Any]


def of_matrix(
    cotangent: Body,
    tangent: Body,
    moved: Body,
    twice: Body,
    *,
    completed: Body,
    read: Body,
    results: tuple[Result, Result],
    **facets: Any,
) -> tuple[Primitive, Primitive]:
    """The records of ``cotangent(a, *factors, ct, part)``, that of the matrix `a`, and ``tangent(a, *factors, change, part)``.

    Both move by the matrix alone, as its factors do: ``moved(*factors, ct, change)`` is how its cotangent changes with it, and
    ``twice(*factors, change, other)`` how the tangent does. Of the matrix that moves a part is read, which is `completed`; a
    cotangent of the whole is `read` as one of that part.
    """

    def turned(*given: Any) -> Any:
        *factors, change, ct = given
        return moved(*factors, ct, change)

    def record(fn: Body, transpose: Body, back: Body, along: Body, result: Result) -> Primitive:
        def rule(a: Any, *given: Any) -> Any:
            *factors, x, part = given

            def pullback(y: Any) -> Any:
                return (read(back(*factors, x, y), part), *[0.0 for _ in factors], transpose(a, *factors, y, part))

            return fn(a, *given), pullback

        def tangent_of(y: Any, args: Any, args_t: Any) -> Any:
            a, *factors, x, part = args
            if isinstance(args_t[0], float):
                return fn(a, *factors, args_t[-2], part)
            change = along(*factors, x, completed(args_t[0], part))
            return change if isinstance(args_t[-2], float) else change + fn(a, *factors, args_t[-2], part)

        return general(fn, rule, tangent=tangent_of, result=result, **facets)

    of_cotangent, of_tangent = results
    return record(cotangent, tangent, moved, moved, of_cotangent), record(tangent, cotangent, turned, twice, of_tangent)
