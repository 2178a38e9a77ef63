"""Rules that a builder makes for the kinds of the arguments of a call: what it is told, and the arrays that its rule holds."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.errors import MissingRuleError
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.signature.access import Access
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Call, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.primitives.unruled import title

Named = tuple[tuple[str, Operand], ...]
Told = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """The `rule` that `build` made of what it was told of the arguments by position and by name."""

    build: Callable[..., Any]
    args: tuple[Told, ...]
    named: tuple[tuple[str, Told], ...]
    rule: types.FunctionType

    def holds(self, access: Access) -> bool:
        """Whether `access` leads to something in the closure of the rule."""
        inside = access.root is not None and access.root.value is self.rule
        return inside and access.steps[0][0] == "cell" and all(kind in ("cell", "attribute", "item") for kind, _ in access.steps)

    def arrays(self, interp: Interpreter) -> dict[Var, Op]:
        """The arrays in the closure that `interp` met, each with the op that asks for it."""
        return {
            var: self._asking(access, var)
            for access, var in interp.outer.hidden.items()
            if isinstance(var.type, Array) and self.holds(access)
        }

    def _asking(self, access: Access, var: Var) -> Call:
        (_, name), *more = access.steps
        place: Any = access.steps if more else name
        args = (Lit(self.build), *map(_literal, (place, *self.args)))
        return Call((var,), Lit(runtime.staged), args, tuple((key, _literal(told)) for key, told in self.named))


def stage(build: Callable[..., Any], args: tuple[Operand, ...], named: Named) -> Staged:
    """The rule that `build` makes for operands of these kinds: see `adxform.runtime.Argument`.

    Raises:
        MissingRuleError: it raises, or returns no function; or something is neither number, array, text nor a tuple of these.
    """
    told, by_name = tuple(map(_told, args)), tuple((key, _told(value)) for key, value in named)
    try:
        rule = runtime.built(build, *told, **dict(by_name))
    except Exception as error:
        message = f"{title(build)} could not be built: {type(error).__name__}: {error}"
        raise MissingRuleError(message, help="let the builder raise nothing for arguments of these kinds") from error
    if not isinstance(rule, types.FunctionType):
        message = f"{title(build)} was built as {type(rule).__name__}, which is no function"
        raise MissingRuleError(message, help="return the rule, a function that returns the value and the pullback")
    return Staged(build, told, by_name, rule)


def _told(operand: Operand) -> Told:
    """What a builder is told of `operand`, in the form that generated code has."""
    match operand:
        case Var(_, Scalar(dtype)):
            return (dtype, 0, None)
        case Var(_, Array(dtype, shape)):
            return (dtype, None if shape is None else len(shape), None)
        case Lit(value) if value is None or isinstance(value, str) or scalar_type(value) is not None:
            return runtime.told(value)
        case Pack("tuple" | "list", items):
            return tuple(map(_told, items))
        case _:
            message = "a staged rule is given an argument that is neither a number, an array, text nor a tuple of these"
            raise MissingRuleError(message, help="give such an argument to the function some other way, or register a plain rule")


def _literal(told: Any) -> Operand:
    return Pack("tuple", tuple(map(_literal, told))) if isinstance(told, tuple) else Lit(told)
