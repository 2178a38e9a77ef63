"""The types of what a function of the user's returns, by its rule: where it cannot be run on samples.

A function may take arrays of one length only, that of a matrix which its rule was built with, say.
"""

from __future__ import annotations

from adxform.errors import AdxError
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.rule_bodies.staged_rules import stage
from adxform.frontend.evaluate.signals import Restart, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Several, Size, Type
from adxform.ir.walk import Names, variables_of
from adxform.primitives.record import General


def type_by_rule(
    interp: Interpreter, rule: General, operands: tuple[Operand, ...], named: dict[str, Operand]
) -> Type | Several | None:
    """The type of the value of `rule` for these operands, or of several values; ``None`` where it cannot be followed.

    What the rule assumes is noted where it is expanded: here it is followed by an interpreter of its own.
    """
    given = dict.fromkeys(variables_of((*operands, *named.values())))
    names = Names()
    for var in given:
        names.reserve_lengths(var.type)
    scratch = type(interp)(names, interp.derive)
    values = {var: Var(names.fresh("tmp"), var.type) for var in given}
    try:
        body = stage(rule.body, operands, tuple(named.items())).rule if rule.staged else rule.body
        if any(frame.scope is not None and frame.scope.fn is body for frame in interp.frames):
            return None  # it calls the function that it is the rule of
        options = {key: scratch.value(one, values) for key, one in named.items()}
        pair = scratch.call(constant(scratch, body), [scratch.value(one, values) for one in operands], options)
    except (AdxError, Unreachable, Restart):
        return None
    y = pair.items[0] if isinstance(pair, Tuple) and len(pair.items) == 2 else None
    types = [number_type(part) for part in (y.items if isinstance(y, Tuple) else (y,))]
    known = {size for var in given if isinstance(var.type, Array) for size in var.type.shape or ()}
    found = tuple(_with_lengths(interp, type_, known) for type_ in types if isinstance(type_, Array | Scalar))
    if len(found) < len(types):
        return None
    return Several(found, y.cls) if isinstance(y, Tuple) else found[0]


def _with_lengths(interp: Interpreter, type_: Array | Scalar, known: set[Size]) -> Array | Scalar:
    """`type_` with new lengths for those that are not among the `known` ones."""
    if isinstance(type_, Scalar) or type_.shape is None:
        return type_
    shape = tuple(interp.integers.fresh_dim() if isinstance(size, Dim) and size not in known else size for size in type_.shape)
    return Array(type_.dtype, shape)
