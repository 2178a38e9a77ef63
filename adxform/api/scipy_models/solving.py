"""What definitions of solvers are written with: a call of SciPy's that is given functions of the program, and how it moves.

A function of the program may hold values that only the run knows. It is specialised as it stands; what SciPy calls is the code of
that, with those values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.errors import MissingRuleError
from adxform.frontend.calls.chosen_functions import for_each
from adxform.frontend.checks.held_copies import HeldOutside
from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Static, Tuple, Value
from adxform.frontend.nested.inline import trace
from adxform.ir import intrinsics
from adxform.ir.ops import Function, Lit, Operand, Var
from adxform.ir.types import Array, Object, Scalar, Type, is_complex, is_inexact
from adxform.runtime.run_time_checks import without_derivative


@lru_cache(maxsize=256)
def _compiled(function: Function) -> Callable[..., Any]:
    return load(emit(function))


@dataclass(frozen=True, slots=True)
class Solver:
    """Calls `solver` with Python functions made of `functions`, each with so many values of the run as `held` says.

    `complex_results`: of each result whether it is taken to be complex, or real; ``None`` where nothing is known of it.
    """

    solver: Callable[..., Any]
    functions: tuple[Function, ...]
    held: tuple[int, ...]
    complex_results: tuple[bool | None, ...]

    @property
    def __name__(self) -> str:
        """That of what it calls."""
        return self.solver.__name__

    def __call__(self, *given: Any) -> Any:
        """What `solver` returns for the functions and what is given beside the values that they hold."""
        made, start = [], 0
        for function, count in zip(self.functions, self.held, strict=True):
            made.append(_with_values(_compiled(function), given[start : start + count]))
            start += count
        found = self.solver(*made, *given[start:])
        for taken, one in zip(self.complex_results, found if len(self.complex_results) > 1 else (found,), strict=True):
            if taken is not None and np.iscomplexobj(one) is not taken:
                kinds = ("complex", "real") if taken else ("real", "complex")
                raise without_derivative(
                    f"`{self.__name__.strip('_')}` has a derivative for {kinds[0]} numbers, and gave {kinds[1]} ones"
                )
        return found


def _with_values(function: Callable[..., Any], values: Sequence[Any]) -> Callable[..., Any]:
    return lambda *args: function(*args, *values)


def _solve(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    solver, functions, *others = args
    given = Tuple(tuple(interp.items(functions)))
    return for_each(interp, given, lambda chosen: _solve_for(interp, chosen, (solver, *others)), hint)


def _solve_for(interp: Interpreter, functions: Value, args: tuple[Value, ...]) -> Value:
    solver, examples, kinds, *given = args
    traced = [
        trace(interp, function, tuple(interp.items(example)), {}, range(len(interp.items(example))))
        for function, example in zip(interp.items(functions), interp.items(examples), strict=True)
    ]
    counts = [sum(1 for leaf in interp.items(example)) for example in interp.items(examples)]
    held = [one.operands[count:] for one, count in zip(traced, counts, strict=True)]
    operands = [_still(interp, one) for part in held for one in part]
    operands += [_still(interp, interp.operand(one)) for one in given]
    of_complex = not traced and any(isinstance(one, Var) and is_complex(one.type) for one in operands)
    types = [_type(interp, kind, of_complex) for kind in interp.items(kinds)]
    made = Solver(
        interp.static(solver, "a solver"),
        tuple(replace(one.function, name="called") for one in traced),
        tuple(map(len, held)),
        tuple(is_complex(one) if is_inexact(one) else None for one in types),
    )
    single = len(types) == 1
    out = interp.emit(intrinsics.own, (Lit(made), *operands), types[0] if single else Object(), "found")
    if single:
        return out
    return Tuple(tuple(interp.emit(operator.getitem, (out, Lit(k)), type_, "found") for k, type_ in enumerate(types)))


def _still(interp: Interpreter, operand: Operand) -> Operand:
    if not isinstance(operand, Var) or not is_inexact(operand.type):
        return operand
    if isinstance(operand.type, Array):
        return interp.emit(intrinsics.own, (Lit(np.array), operand), operand.type, operand.base)
    return interp.emit(intrinsics.stop_gradient, (operand,), operand.type, operand.base)


def _type(interp: Interpreter, kind: Value, of_complex: bool) -> Type:
    dtype = "complex128" if of_complex else "float64"
    match kind:
        case Lit("float"):
            return Scalar(dtype, True)
        case Lit("number" | float()):
            return Scalar(dtype, False)
        case Lit(int() as axes):
            return Array(dtype, tuple(interp.integers.fresh_dim() for _ in range(axes)))
        case Lit("any"):
            return Object()
        case _:
            like = interp.operand(kind)
            assert isinstance(like, Var)
            return like.type


def _moving(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    value, movement = (interp.operand(arg) for arg in args)
    if not isinstance(value, Var) or not isinstance(movement, Var):
        return args[0]
    return interp.emit(intrinsics.valued, (value, movement), value.type, hint)


def _stilled(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    return _still(interp, interp.operand(args[0]))  # type: ignore[return-value]


def _as_it_stays(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    given = interp.operand(args[0])
    if not isinstance(given, Var):
        return args[0]
    copy = interp.emit(np.array, (given,), given.type, hint)
    interp.to_check.held += (HeldOutside(copy),)
    return copy


def _parameters(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    match args[0]:
        case FunctionValue(fn):
            return Lit(sum(kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD") for kind in fn.kinds))
        case Static(FunctionType() as fn) | Lit(FunctionType() as fn):
            return Lit(fn.__code__.co_argcount)
        case _:
            message = "how many parameters this function has cannot be told"
            raise interp.error(message, "pass where the search begins: `p0=np.ones(2)`", MissingRuleError)


def _fixed(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    return Lit(interp.static(args[0], "this option of SciPy's"))


class Search:
    """What SciPy says of how it found something, which does not move: `found` is its own result."""

    found: Any

    @property
    def success(self) -> Any:
        """Whether it was found."""
        return self.found.success

    @property
    def status(self) -> Any:
        """Why the search ended, as a number."""
        return self.found.status

    @property
    def message(self) -> Any:
        """Why the search ended, in words."""
        return self.found.message

    @property
    def nit(self) -> Any:
        """How many steps there were."""
        return self.found.nit

    @property
    def nfev(self) -> Any:
        """How often the function was called."""
        return self.found.nfev


solve = Known("solve", _solve)
"""``solve(solver, functions, examples, kinds, *args)``: what ``solver(*functions, *args)`` returns, through which nothing moves.

`examples`: for each function a tuple of arguments, numbers or arrays, like those that it will be called with. `kinds`: of each
result its kind: ``"float"`` for Python's, ``"number"`` for NumPy's, a number of axes, or a value that it is like. Where no
functions are given, results are complex if something else is, unless they are like what is not; what comes out otherwise raises.
"""
moving = Known("moving", _moving)
"""``moving(value, movement)``: `value`, which moves as `movement` does."""
still = Known("still", _stilled)
"""``still(x)``: the number or a copy of the array `x`, through which nothing moves."""
as_it_stays = Known("as_it_stays", _as_it_stays)
"""``as_it_stays(x)``: a copy of the array `x` for an object that would hold `x` itself; one that writes to it is refused."""
fixed = Known("fixed", _fixed)
"""``fixed(n)``: the whole number `n`, for whose value the derivative is made."""
parameters = Known("parameters", _parameters)
"""``parameters(f)``: how many parameters by position a function has."""


def in_floats(x: Any, least: Any) -> Any:
    """`x` as an array of floats at least as wide as `least`: the memory of `x`, where it is one, as SciPy holds it."""
    return np.asarray(x, dtype=np.result_type(x, least))
