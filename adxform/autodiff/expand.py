"""Writes the pieces of a derivative into a block: rule bodies as IR, and sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Protocol

from adxform import runtime
from adxform.analysis.dependence import find_dependence
from adxform.analysis.unseen_code import at_risk
from adxform.autodiff.fitting import cast, is_zero, zeros
from adxform.autodiff.linearity import read_pullback, refuse_shifted
from adxform.autodiff.memory_order import follows_memory, in_memory_order
from adxform.autodiff.trial import can_be_tried, tried_at_zero
from adxform.autodiff.unused_cotangents import without
from adxform.errors import AdxError, MissingRuleError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import type_of
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span, written_in
from adxform.ir.types import FLOAT, Array, Dim, Scalar, is_inexact, rank
from adxform.ir.walk import Names, all_ops, map_op, moved_to, reads, reads_with_blocks, rename_block, substitute, variables_of
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import contents_read
from adxform.primitives.record import General, Linear
from adxform.primitives.signatures import not_covered, stated, unstated
from adxform.primitives.table import derivative_of, record_called
from adxform.primitives.unruled import is_users, title

Kwargs = tuple[tuple[str, Operand], ...]
NOTHING = Lit(None)
VALUED = Lit(intrinsics.valued)


class Expander(Protocol):
    """Turns the Python body of a rule into typed IR; given by the pipeline (see docs/architecture.md)."""

    def expand(self, body: Callable[..., Any], args: tuple[Operand, ...], kwargs: Kwargs) -> Function:
        """`body` specialised on the operands; its parameters are their distinct variables in order of occurrence."""
        ...

    def expand_rule(self, rule: General, args: tuple[Operand, ...], kwargs: Kwargs, count: int) -> tuple[Function, Function]:
        """``(forward, pullback)`` of a `rule` of a function with `count` results."""
        ...


def distinct(args: tuple[Operand, ...], kwargs: Kwargs = ()) -> tuple[Var, ...]:
    """The variables of the operands, once each, in order of first occurrence."""
    given = (*args, *(value for _, value in kwargs)) if kwargs else args
    return tuple(dict.fromkeys(variables_of(given)))


def leaves(operand: Operand) -> Iterator[Operand]:
    """The leaves of a positional argument: the parts of a tuple, list, dict or instance, else the argument itself."""
    if not isinstance(operand, Pack) or operand.kind == "slice":
        yield operand
        return
    for place in operand.places:
        yield from leaves(operand.items[place])


def per_leaf(args: tuple[Operand, ...], values: tuple[Operand, ...]) -> list[tuple[Operand, Operand]]:
    """The leaves of `args` with what a rule returned for each; a rule may leave out the last ones, which have no derivative."""
    items = [leaf for arg in args for leaf in leaves(arg)]
    return list(zip_longest(items, values[: len(items)], fillvalue=NOTHING))


def per_argument(args: tuple[Operand, ...], values: tuple[Operand, ...]) -> list[tuple[Operand, Operand]]:
    """The leaves of `args` with the partial derivatives of an elementwise function: by a structure it has none."""
    pairs = zip_longest(args, values[: len(args)], fillvalue=NOTHING)
    return [(leaf, NOTHING if isinstance(arg, Pack) else value) for arg, value in pairs for leaf in leaves(arg)]


def checked(op: Call, derivatives: list[tuple[Operand, Operand]], active: Callable[[Operand], bool]) -> None:
    """See that a rule gave a derivative for each active argument of `op`.

    Raises:
        MissingRuleError: an active argument has none, or is passed by keyword, where rules have no derivatives.
    """
    name = getattr(op.fn.value, "__name__", "the function") if isinstance(op.fn, Lit) else "the function"
    for keyword, value in op.kwargs:
        if active(value):
            message = f"the derivative of `{name}` with respect to its keyword argument `{keyword}` is not known"
            raise MissingRuleError(message, span=op.span, help="pass the argument by position")
    if op.fn == VALUED:  # the value moves, but as the other argument does
        return
    overwritten = op.fn.value.places if isinstance(op.fn, Lit) and isinstance(op.fn.value, runtime.ContentsAfter) else ()
    old = [op.args[place] for place in overwritten]  # on which what is written need not depend
    for leaf, derivative in derivatives:
        if is_nothing(derivative) and active(leaf) and leaf not in old:
            place = next((k for k, arg in enumerate(op.args) if leaf in variables_of((arg,))), 0)
            message = f"the rule of `{name}` has no derivative with respect to argument {place}"
            raise MissingRuleError(message, span=op.span, help="wrap the argument in `stop_gradient` if it is a constant")


def refuse_uncovered(op: Call) -> None:
    """See that the rule of what `op` calls covers each argument that `op` gives.

    Raises:
        MissingRuleError: there is a parameter that it does not state, or the layout of memory puts the elements in order.
    """
    _refuse_unstated(op)
    if follows_memory(op):
        raise in_memory_order(op)


def _refuse_unstated(op: Call) -> None:
    record = record_called(op)
    if record is None or not (op.kwargs or len(op.args) > 1):
        return
    name = unstated(record.fn, stated(record), len(op.args), tuple([key for key, _ in op.kwargs]))
    if name is not None:
        raise not_covered(record.fn, name, op.span)


def may_be_empty(moved: Operand) -> bool:
    """Whether `moved` may hold nothing where what the function is given holds something: some of it is cut out."""
    if not isinstance(moved, Var) or not isinstance(moved.type, Array):
        return False
    shape = moved.type.shape
    return shape is None or any(size.may_be_one if isinstance(size, Dim) else size == 0 for size in shape)


def not_transposed(op: Call, derivative: Linear) -> list[tuple[Operand, Operand]]:
    """The leaves of the arguments of `op` for which a linear rule has no transpose, each with nothing for its derivative."""
    return [(leaf, NOTHING) for place in derivative.untransposed(len(op.args)) for leaf in leaves(op.args[place])]


def replace_leaves(operand: Operand, new: Iterator[Operand]) -> Operand:
    """`operand` with its leaves taken from `new`."""
    if not isinstance(operand, Pack) or operand.kind == "slice":
        return next(new)
    items, places = operand.items, operand.places
    return Pack(operand.kind, tuple([replace_leaves(item, new) if k in places else item for k, item in enumerate(items)]))


def name_results(b: Builder, start: int, values: Sequence[Operand], call: Call) -> dict[Operand, Var]:
    """Let the ops that computed `values`, among those of `b` from `start` on, define the outs of `call`.

    Returns the outs by the values that they now are. Where a rule of the library calls the very function that it is the rule of,
    the call is left as the user wrote it.
    """
    named: dict[Operand, Var] = {}
    for value, out in zip(values, call.outs, strict=True):
        place = next((k for k in range(start, len(b.ops)) if isinstance(op := b.ops[k], Call) and value in op.outs), None)
        if place is None or value in named:
            continue
        op = b.ops[place]
        assert isinstance(op, Call)
        assert isinstance(value, Var)
        made = replace(op, outs=tuple(out if var == value else var for var in op.outs))
        rest = rename_block(Block((), tuple(b.ops[place + 1 :]), ()), {value: out})
        b.ops[place:] = [call if made.outs == call.outs and _is_own(op, call) else made, *rest.ops]
        named[value] = out
    return named


def _is_own(op: Call, call: Call) -> bool:
    """Whether `op`, in the rule of the function that `call` calls, is its call of that function (or of the method for it)."""
    one, other = derivative_of(op), derivative_of(call)
    if not isinstance(one, General) or not isinstance(other, General) or one.body is not other.body:
        return False
    ours = written_in(one.body).startswith("adxform.primitives.")
    return ours and distinct(op.args, op.kwargs) == distinct(call.args, call.kwargs)


def write(b: Builder, expander: Expander, body: Callable[..., Any], *args: Operand, kwargs: Kwargs = ()) -> tuple[Operand, ...]:
    """Append ``body(*args, **kwargs)`` to the block of `b`; return the leaves of its result."""
    try:
        function = expander.expand(body, args, kwargs)
    except AdxError as error:
        raise located(error, b.span) from None
    return splice(b, function, distinct(args, kwargs))


def expand_rule(expander: Expander, derivative: General, op: Call) -> tuple[Function, Function]:
    """The forward part and the pullback of the rule of `op`."""
    try:
        found = expander.expand_rule(derivative, op.args, op.kwargs, len(op.outs))
    except AdxError as error:
        raise located(error, op.span) from None
    check_values(op, found[0])
    if is_users(derivative.body):
        count = len(op.outs)
        reading = read_pullback(found[1], count, lambda call: is_linear(expander, call))
        untried = reading.doubtful and not can_be_tried(found[1], count)
        refuse_shifted(derivative.body, found[1], reading, op.span, doubt=bool(untried))
        return with_own_arguments(found[0]), tried_at_zero(found[1], count, reading, title(derivative.body))
    return found


def pullback_of(
    b: Builder, expander: Expander, pullback: Function, op: Call, cts: Sequence[Operand | None]
) -> tuple[Function, tuple[Operand, ...]]:
    """`pullback` without what only the cotangents need that are ``None``, and cotangents for all outs of `op`."""
    places = range(len(pullback.params) - len(cts), len(pullback.params))
    unused = [pullback.params[place] for place, ct in zip(places, cts, strict=True) if ct is None]
    found = without(pullback, unused, lambda call: is_linear(expander, call))
    needed = {var for inner in found.body.ops for var in reads_with_blocks(inner)}
    given: list[Operand] = []
    for param, out, ct in zip(pullback.params[places.start :], op.outs, cts, strict=True):
        blank = ct is None and param in needed
        given.append(zeros(b, out, f"{out.base}_ct") if blank else Lit(0.0) if ct is None else ct)
    return found, tuple(given)


def with_own_arguments(forward: Function) -> Function:
    """The forward part of a rule, on copies of the arrays that it hands to functions that may write to them."""
    classes = alias_classes(forward)
    risk = {classes.of(var) for op in all_ops(forward.body) if isinstance(op, Call) for var in at_risk(op)}
    given = [param for param in forward.params if isinstance(param.type, Array) and classes.of(param) in risk]
    builder = Builder(Names.of(forward), forward.span)
    copies: dict[Var, Operand] = {
        param: builder.call(runtime.private, param, type=param.type, hint=param.base) for param in given
    }
    body = rename_block(Block((), forward.body.ops, forward.body.results), copies)
    return replace(forward, body=Block(forward.params, (*builder.ops, *body.ops), body.results))


def is_linear(expander: Expander, call: Call) -> bool:
    """Whether a function with a rule of the user's is linear: its pullback then reads nothing of what the arguments hold."""
    derivative = derivative_of(call)
    assert isinstance(derivative, General)
    forward, pullback = expander.expand_rule(derivative, call.args, call.kwargs, len(call.outs))
    dependence = find_dependence(forward, [place for place, param in enumerate(forward.params) if is_inexact(param.type)])
    kept = zip(pullback.params, forward.results[len(call.outs) :], strict=False)
    moving = {param for param, residual in kept if dependence.level(residual)}
    return moving.isdisjoint(var for op in all_ops(pullback.body) for var in _contents_read(op))


def _contents_read(op: Op) -> tuple[Var, ...]:
    """The variables of which `op` reads more than the shape."""
    derivative = derivative_of(op) if isinstance(op, Call) else None
    if isinstance(op, Call) and isinstance(derivative, Linear) and derivative.shapes:
        return variables_of(arg for place, arg in enumerate(op.args) if place not in derivative.shapes)
    return contents_read(op)


def check_values(op: Call, forward: Function) -> None:
    """See that the forward part of a rule returns what the function that `op` calls returns, as far as types tell.

    Raises:
        MissingRuleError: a value has another number of axes, or is no number.
    """
    for out, result in zip(op.outs, forward.results, strict=False):
        returned, wanted = type_of(result), out.type
        if returned is None or None in (rank(returned), rank(wanted)) or rank(returned) == rank(wanted):
            continue
        assert isinstance(op.fn, Lit)
        name = getattr(op.fn.value, "__name__", "the function")
        message = f"the rule of `{name}` returns a value of {rank(returned)} axes, where `{name}` returns one of {rank(wanted)}"
        raise MissingRuleError(message, span=op.span, help="return what the function itself returns")


def located(error: AdxError, span: Span) -> AdxError:
    """`error`, at the user's call at `span` where it is an error of a rule of the library, which has no place of its own."""
    return error if error.span.line else type(error)(error.message, span=span, help=error.help)


_TURN = Call((), Lit(intrinsics.turning_point), ())


def splice(b: Builder, fn: Function, args: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Append the body of `fn`, part of a rule: at the place of the user's op, its variables named as temporaries."""
    mapping: dict[Var, Operand] = dict(zip(fn.params, args, strict=True))
    if not fn.body.ops:
        return tuple([substitute(result, mapping) for result in fn.body.results])
    own = b.own_lengths(fn, args)

    def operand(value: Operand) -> Operand:
        return mapping.get(value, value) if isinstance(value, Var) else substitute(value, mapping)

    def define(var: Var) -> Var:
        new = Var(b.names.fresh("tmp"), own(var.type))
        mapping[var] = new
        return new

    def inner(block: Block) -> Block:
        params = tuple(map(define, block.params))
        ops = tuple(placed(op) for op in block.ops)
        return Block(params, ops, tuple(map(operand, block.results)))

    def placed(op: Op) -> Op:
        if isinstance(op, Call):
            args = tuple(map(operand, op.args))
            kwargs = tuple([(key, operand(value)) for key, value in op.kwargs]) if op.kwargs else ()
            return Call(tuple(map(define, op.outs)), operand(op.fn), args, kwargs, b.span)
        return moved_to(map_op(op, operand, inner, define), b.span)

    b.ops.extend(placed(op) for op in fn.body.ops if op != _TURN)
    return tuple(map(operand, fn.body.results))


def write_partials(
    b: Builder, expander: Expander, body: Callable[..., Any], out: Var, *args: Operand, kwargs: Kwargs = ()
) -> tuple[Operand, ...]:
    """Append the partial derivatives of an elementwise function, which `body` says; those of half precision in single.

    Half precision ends at 65504: slopes leave it on the way to products that do not, and NumPy computes it by single precision.
    """
    operands = (out, *args)
    if not any(_is_half(operand) for operand in operands):
        return write(b, expander, body, *operands, kwargs=kwargs)
    return write(b, expander, body, *(_in_single(b, operand) for operand in operands), kwargs=kwargs)


def _is_half(operand: Operand) -> bool:
    return isinstance(operand, Var) and isinstance(operand.type, Scalar | Array) and operand.type.dtype == "float16"


def _in_single(b: Builder, operand: Operand) -> Operand:
    if not isinstance(operand, Var) or not _is_half(operand):
        return operand
    kind = replace(operand.type, dtype="float32") if isinstance(operand.type, Scalar | Array) else operand.type
    return cast(b, operand, Var(operand.name, kind))


def write_one(b: Builder, expander: Expander, body: Callable[..., Any], *args: Operand) -> Operand:
    """As `write`, for a body with one result."""
    (result,) = write(b, expander, body, *args)
    return result


def add(b: Builder, expander: Expander, one: Operand | None, other: Operand) -> Operand:
    """``one + other``, or `other` where there is nothing to add to."""
    if one is None or is_zero(one):
        return other
    if is_zero(other):
        return one
    return write_one(b, expander, operator.add, one, other)


def is_result(operand: Operand) -> bool:
    """Whether a result of a function has a tangent and a cotangent: a float variable."""
    return isinstance(operand, Var) and is_inexact(operand.type)


def is_nothing(operand: Operand) -> bool:
    """Whether a rule says by `operand` that there is no derivative."""
    return isinstance(operand, Lit) and operand.value is None


def weighted(b: Builder, expander: Expander, ct: Operand, partial: Operand, made: Sequence[Op], masked: bool) -> Operand:
    """A cotangent or tangent times a partial derivative, which the ops `made` compute; divided by `x` where it is ``1.0 / x``."""
    divisor = inverted(partial, made)
    if masked:
        if divisor is not None:  # an array divided by a number of Python's own, which raises where another number is divided
            partial = write_one(b, expander, runtime.quotient, Lit(1.0), divisor)
        return write_one(b, expander, runtime.masked_product, ct, partial)
    if divisor is None:
        return write_one(b, expander, operator.mul, ct, partial)
    seen = any(Lit(runtime.quotient) == op.fn for op in made if isinstance(op, Call))
    quiet = isinstance(divisor, Lit) or (divisor.type == FLOAT and seen)
    return write_one(b, expander, runtime.quotient if quiet else operator.truediv, ct, divisor)


def inverted(partial: Operand, made: Sequence[Op]) -> Var | Lit | None:
    """The number, or the literal zero, of which `partial` is the reciprocal, which the ops `made` compute and do not need."""
    for op in reversed(made):
        match op:
            case Call((out,), Lit(operator.truediv | runtime.quotient), (Lit(1.0), (Var(_, Scalar()) | Lit(0)) as number)):
                if out == partial:
                    return number
        if partial in reads(op):
            return None
    return None
