"""Random numbers: what a method of a generator returns is known by its name and arguments, so that a draw has a type."""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.parts import indexing
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Tuple, Value
from adxform.frontend.types.sampled_types import sampled_type, with_fresh
from adxform.frontend.types.samples import NoSample
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.spans import own_attribute
from adxform.ir.types import Array, Object, Scalar, Type, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.random_draws import DRAWS, draw_by_shares, variates

GENERATORS: tuple[Any, ...] = (np.random.Generator, np.random.RandomState, random.Random)
MAKERS: dict[Any, type] = {np.random.default_rng: np.random.Generator, **{cls: cls for cls in GENERATORS[1:]}}


@functools.cache
def _sampled(cls: Any, name: str) -> Callable[..., Any]:
    def sampled(*args: Any, **kwargs: Any) -> Any:
        generator = np.random.default_rng(0) if cls is np.random.Generator else cls(0)
        return getattr(generator, name)(*args, **kwargs)

    return sampled


def method_of(interp: Interpreter, fn: Any, args: tuple[Operand, ...]) -> tuple[Any, str, int] | None:
    """The class of a generator, the name of its method that ``fn(*args)`` calls, and how many of `args` are not the method's.

    ``None`` where no such method is called.
    """
    first = args[0] if args else None
    if fn is operator.call:
        found = interp.of_run.draws.get(first) if isinstance(first, Var) else None
        return None if found is None else (*found, 1)
    owner, lead = (first.value, 1) if isinstance(first, Lit) else (own_attribute(fn, "__self__"), 0)
    cls = next((cls for cls in GENERATORS if isinstance(owner, cls)), None)
    name = own_attribute(fn, "__name__", "")
    return None if cls is None or not hasattr(cls, name) else (cls, name, lead)


def drawn_type(interp: Interpreter, cls: Any, name: str, args: tuple[Operand, ...], named: dict[str, Operand]) -> Type:
    """The type of what a generator's method draws, found by drawing from a generator of our own."""
    try:
        return with_fresh(sampled_type(_sampled(cls, name), args, named, interp.integers.sizes), interp.integers.fresh_dim)
    except NoSample:
        return Object()


def moving_draw(
    interp: Interpreter,
    fn: Any,
    method: tuple[Any, str, int],
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    hint: str,
) -> Value | None:
    """What a generator's `method` draws, as the parameters that are floats of the run move it.

    ``None`` where no parameter is one, or how it moves what is drawn is not known.
    """
    cls, name, lead = method
    if name in ("choice", "permutation"):
        return _rearranged(interp, fn, method, operands, named, hint)
    draw = DRAWS.get((cls, name))
    given = None if draw is None else _parameters(interp, draw.parameters, operands[lead:], named)
    if draw is None or given is None:
        return None
    type_ = drawn_type(interp, cls, name, operands[lead:], named)
    arguments = tuple(_still(interp, given[one]) if isinstance(one, str) else Lit(one) for one in draw.arguments)
    lead_in = runtime.drawn_beside, (Lit(draw.standard), Pack("tuple", arguments), Lit(fn))
    return _moved(interp, lead_in, type_, operands, named, (draw.formula, [given[one] for one, _ in draw.parameters]), hint)


def moving_variates(
    interp: Interpreter, fn: Any, operands: tuple[Operand, ...], named: dict[str, Operand], hint: str
) -> Value | None:
    """What ``rvs`` of a distribution of SciPy's draws, as a location and a scale that are floats of the run move it."""
    if own_attribute(fn, "__name__") != "rvs" or not operands or not isinstance(operands[0], Lit):
        return None
    own, drawn_by = operands[0].value, operands[1:]
    if not isinstance(getattr(own, "shapes", 0), str | None):
        return None
    shapes = () if own.shapes is None else tuple(own.shapes.split(", "))
    parameters = (*((one, None) for one in shapes), ("loc", 0.0), ("scale", 1.0))
    given = _parameters(interp, parameters, drawn_by, named)
    if given is None or len(drawn_by) > len(parameters) + 1:
        return None
    try:
        sampled = sampled_type(_variates(own), drawn_by, _without(named, "random_state"), interp.integers.sizes)
    except NoSample:
        return None
    type_ = with_fresh(sampled, interp.integers.fresh_dim)
    held = [given[one] for one in shapes]
    lead_in = runtime.variates_beside, (Pack("tuple", tuple(_still(interp, one) for one in held)), Lit(fn))
    return _moved(interp, lead_in, type_, operands, named, (variates, [given["loc"], given["scale"], *held]), hint)


@functools.cache
def _variates(distribution: Any) -> Callable[..., Any]:
    def sampled(*args: Any, **kwargs: Any) -> Any:
        return distribution.rvs(*args, random_state=np.random.default_rng(0), **kwargs)

    return sampled


def _without(named: dict[str, Operand], name: str) -> dict[str, Operand]:
    return {key: one for key, one in named.items() if key != name}


def _moved(
    interp: Interpreter,
    lead_in: tuple[Any, tuple[Operand, ...]],
    type_: Type,
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    movement: tuple[Callable[..., Any], list[Operand]],
    hint: str,
) -> Value | None:
    """What is drawn, which moves as a formula says of the draw beside it and of the parameters."""
    if not isinstance(type_, Scalar | Array):
        return None
    (beside, first), (formula, parameters) = lead_in, movement
    held = tuple(_still(interp, one) for one in operands)
    kept = {key: _still(interp, one) for key, one in named.items()}
    pair = interp.emit(beside, (*first, *held), Object(), "drawn", kept)
    value, z = (interp.emit(operator.getitem, (pair, Lit(k)), type_, base) for k, base in ((0, hint), (1, "z")))
    found = interp.operand(interp.call(Lit(formula), (z, *parameters), hint="moved"))  # type: ignore[arg-type]
    return interp.emit(intrinsics.valued, (value, found), type_, hint)


def _rearranged(
    interp: Interpreter,
    fn: Any,
    method: tuple[Any, str, int],
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    hint: str,
) -> Value | None:
    """The items of an array at places that are drawn in the place of these, as generators do it."""
    cls, name, lead = method
    first, others = operands[lead : lead + 1], (*operands[lead + 1 :], *named.values())
    if not first or "axis" in named:
        return None
    shares = [one for one in others if any(is_inexact(var.type) for var in variables(one))]
    match first[0]:
        case Var(_, Array(_, tuple() as shape) as held) as x if len(shape) > 0 and is_inexact(held):
            count = interp.operand(indexing.dim(interp, x, 0))
            type_ = drawn_type(interp, cls, name, (count, *operands[lead + 1 : lead + 3]), _without(named, "p"))
            if isinstance(type_, Object):
                return None
            others_held = tuple(_still(interp, one) for one in operands[lead + 1 :])
            kept = {key: _still(interp, one) for key, one in named.items()}
            places = interp.emit(fn, (*operands[:lead], count, *others_held), type_, "places", kept)
            found = indexing.load(interp, x, places)
            if not shares or not isinstance(found, Var):
                return found
            movement = interp.operand(interp.call(Lit(draw_by_shares), (found, *shares), hint="moved"))  # type: ignore[arg-type]
            return interp.emit(intrinsics.valued, (found, movement), found.type, hint)
        case _:
            return None


def _parameters(
    interp: Interpreter,
    parameters: tuple[tuple[str, float | None], ...],
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
) -> dict[str, Operand] | None:
    """The parameters that a call gives, and what the others are.

    ``None`` where none is a float of the run, or one is missing, or no number or array.
    """
    names = tuple(one for one, _ in parameters)
    given = dict(zip(names, operands, strict=False)) | {key: one for key, one in named.items() if key in names}
    moving = any(is_inexact(var.type) for one in given.values() for var in variables(one))
    for one, usual in parameters:
        if usual is not None:
            given.setdefault(one, Lit(usual))
        if isinstance(given.get(one), Pack):
            given[one] = interp.operand(interp.call(Lit(np.asarray), (_displayed(given[one]),)))
    plain = all(isinstance(one, Lit) or (isinstance(one, Var) and not isinstance(one.type, Object)) for one in given.values())
    return given if moving and plain and len(given) == len(names) else None


def _displayed(operand: Operand) -> Value:
    """The display that an operand packs, as a value."""
    return Tuple(tuple(map(_displayed, operand.items))) if isinstance(operand, Pack) else operand


def _still(interp: Interpreter, operand: Operand) -> Operand:
    if isinstance(operand, Pack):
        return Pack(operand.kind, tuple(_still(interp, one) for one in operand.items))
    if not isinstance(operand, Var) or not is_inexact(operand.type):
        return operand
    return interp.emit(intrinsics.stop_gradient, (operand,), operand.type, operand.base)
