"""Derivatives inside a differentiated function: the inner function is specialised, derived, and written in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform import runtime
from adxform.contexts import Context
from adxform.errors import ArgnumsError, NonDifferentiableError, NonScalarOutputError, TangentMismatchError
from adxform.frontend import trees
from adxform.frontend.access import Equals, Is
from adxform.frontend.infer import type_of
from adxform.frontend.methods import Known
from adxform.frontend.outside import constant, from_outside, guard
from adxform.frontend.signature import scalar_type
from adxform.frontend.values import NONE, Method, Pullback, Ref, Static, Tuple, Value
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Type, is_float, rank
from adxform.ir.walk import free_variables
from adxform.operators import Operator, operator_kind
from adxform.rules.alias import alias_classes

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Kwargs = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Traced:
    """An inner function as typed IR, with the operands of its parameters; `wrt` are those to differentiate by."""

    function: Function
    operands: tuple[Operand, ...]
    wrt: tuple[int, ...]
    out: Value


def call_operator(interp: Interpreter, value: Static | Lit, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """Call a function of the API, or what one returned."""
    fn = value.value
    if isinstance(fn, Operator):
        return _call_made(interp, value, fn, args, kwargs)
    match operator_kind(fn):
        case "grad" | "value_and_grad" as kind:
            f, argnums, has_aux = _arguments(args, kwargs, ("f", "argnums", "has_aux"), (None, Lit(0), Lit(False)))
            return Method(Lit(_GRAD if kind == "grad" else _VALUE_AND_GRAD), (f, argnums, has_aux))
        case "jvp":
            f, primals, tangents = _arguments(args, kwargs, ("f", "primals", "tangents"), (None, None, None))
            return push_forward(interp, f, tuple(interp.items(primals)), tuple(interp.items(tangents)))
        case "vjp":
            return _vjp(interp, args[0], args[1:])
        case "stop_gradient":
            return stop(interp, args[0])
        case _:
            raise interp.error("this operator is not supported inside a differentiated function", "call it outside")


def _arguments(args: tuple[Value, ...], kwargs: Kwargs, names: Sequence[str], defaults: Sequence[Value | None]) -> list[Value]:
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    found = [given.get(name, default) for name, default in zip(names, defaults, strict=True)]
    return [value for value in found if value is not None]


def _call_made(interp: Interpreter, value: Static | Lit, made: Operator, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    access = value.access if isinstance(value, Static) else None
    if access is not None:
        for name in ("kind", "argnums", "has_aux"):
            guard(interp, access.to("attribute", name), Equals(Lit(getattr(made, name))))
        guard(interp, access.to("attribute", "implementation"), Is(made.implementation))
    f = from_outside(interp, made.fn, None if access is None else access.to("attribute", "fn"))
    return call_parts(interp, made.kind, f, constant(interp, made.argnums), Lit(made.has_aux), made.implementation, args, kwargs)


def call_parts(
    interp: Interpreter,
    kind: str,
    f: Value,
    argnums: Value,
    has_aux: Value,
    implementation: Any,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> Value:
    """Call an operator object with these fields."""
    if implementation is not None:
        return interp.call(constant(interp, implementation), (f, argnums, *args), kwargs)
    return _gradient(interp, f, argnums, has_aux, args, kwargs, kind == "value_and_grad")


def stop(interp: Interpreter, value: Value) -> Value:
    """`value` with its numbers cut off from differentiation."""

    def cut(leaf: Value) -> Value:
        if not isinstance(leaf, Var) or not is_float(leaf.type):
            return leaf
        return interp.emit(intrinsics.stop_gradient, (leaf,), leaf.type, leaf.base)

    return trees.rebuilt(interp, value, iter([cut(leaf) for leaf in trees.leaves_of(interp, value)]))


# -- tracing ----------------------------------------------------------------------------------------------------------


def trace(
    interp: Interpreter, f: Value, args: tuple[Value, ...], kwargs: Kwargs, numbers: Sequence[int], *, aux: bool = False
) -> Traced:
    """`f` as a typed function of the leaves of ``args[n]`` for `n` in `numbers`, and of whatever else it reads."""
    params: list[Var] = []
    operands: list[Operand] = []
    lifted = list(args)
    for number in dict.fromkeys(numbers):
        leaves: list[Value] = []
        for leaf in trees.leaves_of(interp, args[number]):
            type_ = _type(leaf)
            hint = leaf.base if isinstance(leaf, Var) else "x"
            if type_ is None or not is_float(type_):
                leaves.append(leaf)
                continue
            params.append(Var(interp.names.fresh(hint), type_))
            operands.append(interp.operand(leaf))
            leaves.append(params[-1])
        lifted[number] = trees.rebuilt(interp, args[number], iter(leaves))
    outer, heap = interp.builder, interp.heap
    interp.builder, interp.heap = outer.nested(), heap.copy()
    try:
        out = interp.call(f, lifted, kwargs)
        if aux:
            main, extra = _pair(interp, out)
            out = Tuple((main, stop(interp, extra)))
        _, results = trees.result(interp, out)
        changed = [ref for ref, contents in heap.contents.items() if interp.heap.contents[ref] is not contents]
        if changed:
            message = f"a {changed[0].cls.__name__} from outside of the inner function is changed in it"
            raise interp.error(message, "return the new value instead")
        block = interp.builder.block((), results)
        made = {ref: contents for ref, contents in interp.heap.contents.items() if ref not in heap.contents}
    finally:
        interp.builder, interp.heap = outer, heap
    interp.heap.contents.update(made)
    free = tuple(var for var in free_variables(block) if var not in params)
    function = Function("inner", Block((*params, *free), block.ops, block.results), (), interp.helper_functions(), interp.span)
    return Traced(function, (*operands, *free), tuple(range(len(params))), out)


def _pair(interp: Interpreter, out: Value) -> tuple[Value, Value]:
    if isinstance(out, Tuple) and len(out.items) == 2:
        return out.items[0], out.items[1]
    raise interp.error("with `has_aux`, the function returns a pair of its value and something else", "return `value, aux`")


def _type(value: Value | Operand) -> Type | None:
    match value:
        case Var(_, type_):
            return type_
        case Lit(literal):
            return scalar_type(literal)
        case _:
            return None


def _numbers(interp: Interpreter, argnums: Value, count: int) -> tuple[int, ...]:
    found = interp.static(argnums, "`argnums`")
    numbers = found if isinstance(found, tuple) else (found,)
    for number in numbers:
        if not -count <= number < count:
            raise interp.error(
                f"`argnums` names argument {number}, but the call has {count}", "count arguments from zero", ArgnumsError
            )
    return tuple(number % count for number in numbers)


def _bare(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs, frozenset[int]]:
    """The arguments without contexts, and the positions of those that had one."""

    def inside(arg: Value) -> Value:
        if isinstance(arg, Ref) and arg.cls is Context:
            return interp.contents(arg).get("value") or NONE
        return arg

    found = tuple(map(inside, args))
    held = frozenset(i for i, (arg, value) in enumerate(zip(args, found, strict=True)) if arg is not value)
    return found, {name: inside(arg) for name, arg in kwargs.items()}, held


def _differentiable(interp: Interpreter, args: Sequence[Value], numbers: Sequence[int]) -> None:
    for number in numbers:
        for leaf in trees.leaves_of(interp, args[number]):
            type_ = _type(leaf)
            if type_ is None or not is_float(type_):
                message = f"argument {number} is not a float, so there is no derivative with respect to it"
                raise interp.error(message, "pass a float, or choose other `argnums`", NonDifferentiableError)


# -- grad -------------------------------------------------------------------------------------------------------------


def _gradient(
    interp: Interpreter, f: Value, argnums: Value, has_aux: Value, args: tuple[Value, ...], kwargs: Kwargs, with_value: bool
) -> Value:
    many = isinstance(argnums, Tuple) or (isinstance(argnums, Lit) and isinstance(argnums.value, tuple))
    numbers = _numbers(interp, argnums, len(args))
    args, kwargs, held = _bare(interp, args, kwargs)
    if held.intersection(numbers):
        message = f"argument {min(held.intersection(numbers))} is in a context, and is not differentiated"
        raise interp.error(message, "pass it as it is, or choose other `argnums`", ArgnumsError)
    aux = bool(interp.static(has_aux, "`has_aux`"))
    _differentiable(interp, args, numbers)
    traced = trace(interp, f, args, kwargs, numbers, aux=aux)
    main = traced.function.results[0] if traced.function.results else NONE
    value = traced.out.items[0] if aux and isinstance(traced.out, Tuple) else traced.out
    type_ = _type(main)
    if not isinstance(value, Var | Lit) or type_ is None or not is_float(type_) or rank(type_) not in (0, None):
        raise interp.error(
            "the function given to `grad` does not return one real number",
            "reduce it first, e.g. with `.sum()`",
            NonScalarOutputError,
        )
    seeds = [_seed(interp, result, 1.0 if k == 0 else 0.0) for k, result in enumerate(traced.function.results)]
    derived = interp.derive("reverse", traced.function, traced.wrt)
    if aux:
        derived = _with_live_aux(interp, derived, traced.function)
    outs = _spliced(interp, derived, (*traced.operands, *(seed for seed in seeds if seed is not None)))
    count = len(traced.function.results)
    out = trees.rebuilt(interp, traced.out, iter(outs[:count]))
    gradients = iter(outs[count:])
    distinct = {number: trees.rebuilt(interp, args[number], gradients) for number in dict.fromkeys(numbers)}
    parts = tuple(distinct[number] for number in numbers)
    gradient = Tuple(parts) if many else parts[0]
    if with_value:
        return Tuple((out, gradient))
    return Tuple((gradient, out.items[1])) if aux and isinstance(out, Tuple) else gradient


def _with_live_aux(interp: Interpreter, derived: Function, primal: Function) -> Function:
    """`derived` with its aux results as they were before `trace` cut them off: an outer derivative goes through them."""
    cut = {op.outs[0]: op.args[0] for op in derived.body.ops if isinstance(op, Call) and op.fn == Lit(intrinsics.stop_gradient)}
    results = list(derived.results)
    for k in range(1, len(primal.results)):
        result, original = results[k], primal.results[k]
        if isinstance(original, Var) and is_float(original.type) and isinstance(result, Var):
            if result not in cut:
                raise interp.error("this auxiliary result cannot be followed", "compute it outside of the inner function")
            results[k] = cut[result]
    return replace(derived, body=replace(derived.body, results=tuple(results)))


def _seed(interp: Interpreter, result: Operand, number: float) -> Operand | None:
    if not isinstance(result, Var) or not is_float(result.type):
        return None
    type_ = result.type
    if isinstance(type_, Scalar) and not type_.weak and type_.dtype != "float64":
        return Lit(np.dtype(type_.dtype).type(number))
    return Lit(number)


def _derived(interp: Interpreter, kind: str, traced: Traced, seeds: Sequence[Operand]) -> list[Value]:
    """The results of the derivative of `traced`, written here."""
    derived = interp.derive(kind, traced.function, traced.wrt)
    return _spliced(interp, derived, (*traced.operands, *seeds))


def _spliced(interp: Interpreter, fn: Function, operands: tuple[Operand, ...]) -> list[Value]:
    interp.adopt(fn.helpers)
    return list(interp.builder.splice(fn, operands))  # type: ignore[arg-type]


def _value_and_grad(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    f, argnums, has_aux, *rest = args
    return _gradient(interp, f, argnums, has_aux, tuple(rest), kwargs, True)


def _grad(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    f, argnums, has_aux, *rest = args
    return _gradient(interp, f, argnums, has_aux, tuple(rest), kwargs, False)


_GRAD = Known("grad", _grad)
_VALUE_AND_GRAD = Known("value_and_grad", _value_and_grad)


# -- jvp and vjp --------------------------------------------------------------------------------------------------------


def push_forward(interp: Interpreter, f: Value, primals: tuple[Value, ...], tangents: tuple[Value, ...]) -> Value:
    """``jvp(f, primals, tangents)``"""
    if len(primals) != len(tangents):
        raise interp.error("`jvp` needs a tangent for each primal", "give tuples of one length", TangentMismatchError)
    primals, _, held = _bare(interp, primals, {})
    numbers = tuple(i for i in range(len(primals)) if i not in held)
    if any(tangents[i] != NONE for i in held):
        message = "an argument in a context has no tangent"
        raise interp.error(message, "give `None` in its place", TangentMismatchError)
    _differentiable(interp, primals, numbers)
    traced = trace(interp, f, primals, {}, numbers)
    given = [interp.operand(leaf) for tangent in tangents for leaf in trees.leaves_of(interp, tangent)]
    if len(given) != len(traced.wrt):
        raise interp.error(
            "the tangents of `jvp` differ in structure from the primals",
            "give each the structure of its primal",
            TangentMismatchError,
        )
    shaped = [_tangent(interp, operand, traced.function.params[k].type) for k, operand in enumerate(given)]
    outs = _derived(interp, "forward", traced, shaped)
    count = len(traced.function.results)
    pushed = iter(outs[count:])
    leaves: list[Value] = []
    for result in traced.function.results:
        live = isinstance(result, Var) and is_float(result.type)
        leaves.append(next(pushed) if live else Lit(0.0))
    out = trees.rebuilt(interp, traced.out, iter(outs[:count]))
    return Tuple((out, trees.rebuilt(interp, traced.out, iter(leaves))))


def _tangent(interp: Interpreter, operand: Operand, type_: Type) -> Operand:
    """`operand` as a tangent of a value of `type_`."""
    own = operand.type if isinstance(operand, Var) else type_of(operand.value) if isinstance(operand, Lit) else None
    if own is None or (rank(own) != rank(type_) and None not in (rank(own), rank(type_))):
        raise interp.error("a tangent differs in shape from its primal", "give it the shape of the primal", TangentMismatchError)
    return operand


def _vjp(interp: Interpreter, f: Value, primals: tuple[Value, ...]) -> Value:
    primals, _, held = _bare(interp, primals, {})
    numbers = tuple(i for i in range(len(primals)) if i not in held)
    _differentiable(interp, primals, numbers)
    traced = trace(interp, f, primals, {}, numbers)
    operands = tuple(_untouched(interp, traced))
    count = len(traced.function.results)
    out = trees.rebuilt(interp, traced.out, iter(_spliced(interp, traced.function, operands)))
    joint = interp.derive("reverse", traced.function, traced.wrt)
    differentiated = tuple(NONE if i in held else primal for i, primal in enumerate(primals))
    pullback = Pullback(joint, traced.operands, traced.out, differentiated, (), count)
    return Tuple((out, pullback))


def _untouched(interp: Interpreter, traced: Traced) -> list[Operand]:
    """The operands, with copies for the arrays that the function writes to."""
    classes = alias_classes(traced.function)
    return [
        interp.emit(runtime.private, (operand,), operand.type, operand.base)
        if isinstance(operand, Var) and isinstance(param.type, Array) and classes.of(param) in classes.written
        else operand
        for param, operand in zip(traced.function.params, traced.operands, strict=True)
    ]


def pull_back(interp: Interpreter, pullback: Pullback, args: tuple[Value, ...]) -> Value:
    """Call the second result of ``vjp``."""
    given = list(trees.leaves_of(interp, args[0])) if len(args) == 1 else []
    primal = list(trees.leaves_of(interp, pullback.out))
    if len(given) != len(primal):
        raise interp.error(
            "the cotangent differs in structure from the value", "give it the structure of the value", TangentMismatchError
        )
    cts = [
        _tangent(interp, interp.operand(ct), out.type)
        for ct, out in zip(given, primal, strict=True)
        if isinstance(out, Var) and is_float(out.type)
    ]
    outs = iter(_spliced(interp, pullback.joint, (*pullback.operands, *cts))[pullback.results :])
    return Tuple(tuple(trees.rebuilt(interp, value, outs) for value in pullback.primals))
