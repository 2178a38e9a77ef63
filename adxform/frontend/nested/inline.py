"""Derivatives inside a differentiated function: the inner function is specialised, derived, and written in place."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adxform import runtime
from adxform.analysis.unseen_code import OUTSIDE
from adxform.errors import ArgnumsError, GlobalMutationError, NonScalarOutputError, TangentMismatchError
from adxform.frontend.argument_contexts import Context
from adxform.frontend.calls.chosen_functions import chosen_in
from adxform.frontend.checks.held_copies import refuse_told_apart
from adxform.frontend.checks.shared_memory import inner_pairs, parameters_written, refuse_outside_writes, refuse_shared_arguments
from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.levels import unwatched
from adxform.frontend.evaluate.recursion import calls_unsettled
from adxform.frontend.evaluate.signals import Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, InnerPullback, Ref, Tuple, Value
from adxform.frontend.nested.mirrors import floats_of, is_live, matched, mirrored, refuse, refuse_real, type_of, with_floats
from adxform.ir import intrinsics
from adxform.ir.build import Builder, seed
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Operand, Var
from adxform.ir.types import Array, Object, Scalar, is_complex, is_inexact, rank
from adxform.ir.walk import all_ops, free_variables
from adxform.primitives.alias import alias_classes

Kwargs = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Traced:
    """An inner function as typed IR, with the operands of its parameters; `wrt` are those to differentiate by."""

    function: Function
    operands: tuple[Operand, ...]
    wrt: tuple[int, ...]
    out: Value


def call_made(interp: Interpreter, fields: Sequence[Value], args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """Call an operator object with these fields."""
    kind, f, argnums, has_aux, mode, holomorphic, definition, *_ = fields
    word = interp.static(kind, "the kind of an operator")
    args, kwargs, held = bare(interp, args, kwargs)
    taken = held.intersection(numbers_of(interp, argnums, args[:-1] if word == "hvp" else args)) if held else held
    if taken:
        message = f"argument {min(taken)} is in a context, and is not differentiated"
        raise interp.error(message, "pass it as it is, or choose other `argnums`", ArgnumsError)
    if word not in ("grad", "value_and_grad"):
        return interp.call(definition, (f, argnums, mode, *args), kwargs)
    complex_too = bool(interp.static(holomorphic, "`holomorphic`"))
    return _gradient(interp, f, argnums, has_aux, args, kwargs, word == "value_and_grad", complex_too)


def stop(interp: Interpreter, value: Value) -> Value:
    """`value` with its numbers cut off from differentiation."""

    def cut(leaf: Value) -> Value:
        if not isinstance(leaf, Var) or not is_inexact(leaf.type):
            return leaf
        return interp.emit(intrinsics.stop_gradient, (leaf,), leaf.type, leaf.base)

    return structures.rebuilt(interp, value, iter([cut(leaf) for leaf in structures.leaves_of(interp, value)]))


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
        for leaf in floats_of(interp, args[number]):
            hint = leaf.base if isinstance(leaf, Var) else "x"
            leaves.append(Var(interp.names.fresh(hint), type_of(leaf) or Object()))
            operands.append(interp.operand(leaf))
        params += leaves  # type: ignore[arg-type]
        lifted[number] = with_floats(interp, args[number], iter(leaves))
    outer, heap, apart = interp.builder, interp.heap, interp.to_check.apart
    interp.builder, interp.heap, interp.to_check.apart = outer.nested(), heap.copy(), []
    try:
        with _on_first_path(interp, outer, params, operands):
            out = interp.call(f, lifted, kwargs)
        if aux:
            main, extra = _pair(interp, out)
            out = Tuple((main, stop(interp, extra)))
        _, results = structures.result(interp, out)
        _refuse_changes_outside(interp)
        changed = [ref for ref, contents in heap.contents.items() if interp.heap.contents[ref] is not contents]
        if changed:
            message = f"a {changed[0].cls.__name__} from outside of the inner function is changed in it"
            raise interp.error(message, "return the new value instead")
        block = interp.builder.block((), results)
        made = {ref: contents for ref, contents in interp.heap.contents.items() if ref not in heap.contents}
        pairs = interp.to_check.apart
    except Unreachable:
        always = interp.builder.block((), ())
        outer.splice(Function("inner", replace(always, params=tuple(params)), (), (), interp.span), tuple(operands))
        raise
    finally:
        interp.builder, interp.heap, interp.to_check.apart = outer, heap, apart
    interp.heap.contents.update(made)
    if calls_unsettled(interp, block):
        raise interp.error(
            "a recursive function takes a derivative of itself",
            "each call would be of one order more: nest as many calls of `grad` as there are orders",
        )
    free = tuple(var for var in free_variables(block) if var not in params)
    function = Function("inner", Block((*params, *free), block.ops, block.results), (), interp.helper_functions(), interp.span)
    given = {leaf for arg in (*args, *kwargs.values()) for leaf in structures.leaves_of(interp, arg)}
    refuse_outside_writes(function, tuple(var for var in free if var not in given))
    refuse_shared_arguments(function, pairs)
    interp.to_check.apart += inner_pairs(function, (*operands, *free), pairs, interp.span)
    refuse_told_apart(function, interp.to_check.held)
    return Traced(function, (*operands, *free), tuple(range(len(params))), out)


@contextlib.contextmanager
def _on_first_path(interp: Interpreter, outer: Builder, params: Sequence[Var], operands: Sequence[Operand]) -> Iterator[None]:
    """Let the path of the call at hand, where that is followed alone, be that of an inner function too.

    What it raises elsewhere is raised: no handler is asked for it there.
    """
    if interp.first_call is None:
        yield
        return
    with unwatched(interp), interp.first_call.inside(outer, interp.builder, params, operands):
        yield


def _refuse_changes_outside(interp: Interpreter) -> None:
    """Raise where the function of which a derivative is taken changes something outside: it may run any number of times."""
    block = interp.builder.block((), ())
    helpers = interp.helper_functions() if any(isinstance(op, Invoke) for op in all_ops(block)) else ()
    for op in (op for body in (block, *(helper.body for helper in helpers)) for op in all_ops(body)):
        if isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value in OUTSIDE:
            message = "this changes state outside of a function of which a Hessian, a Jacobian or an inner derivative is taken"
            way = "pull cotangents back by `vjp`, which runs it once, or take one product after the other by `hvp`"
            raise interp.error(message, way, GlobalMutationError, span=op.span)


def _pair(interp: Interpreter, out: Value) -> tuple[Value, Value]:
    if isinstance(out, Tuple) and len(out.items) == 2:
        return out.items[0], out.items[1]
    raise interp.error("with `has_aux`, the function returns a pair of its value and something else", "return `value, aux`")


def numbers_of(interp: Interpreter, argnums: Value, args: Sequence[Value]) -> tuple[int, ...]:
    """The positions that `argnums` names among `args`, all of which hold floats."""
    found = interp.static(argnums, "`argnums`")
    numbers = tuple(found) if isinstance(found, tuple | list) else (found,)
    if not numbers or any(isinstance(number, bool) or not isinstance(number, int | np.integer) for number in numbers):
        raise interp.error(f"argnums is {found!r}", "give the position of an argument, or a tuple of positions", ArgnumsError)
    count = len(args)
    for number in numbers:
        if not -count <= number < count:
            message = f"`argnums` names argument {number}, but the call has {count}"
            raise interp.error(message, "count positional arguments from zero", ArgnumsError)
    positions = tuple(int(number) % count for number in numbers)
    if len(set(positions)) < len(positions):
        raise interp.error(f"argnums {found} names one argument twice", "name each argument once", ArgnumsError)
    for position in positions:
        refuse(interp, position, args[position])
    return positions


def is_many(argnums: Value) -> bool:
    """Whether `argnums` is a tuple or a list, so that the derivative is a tuple."""
    return isinstance(argnums, Tuple | Ref) or (isinstance(argnums, Lit) and isinstance(argnums.value, tuple))


def bare(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs, frozenset[int]]:
    """The arguments without contexts, and the positions of those that had one."""

    def inside(arg: Value) -> Value:
        if isinstance(arg, Ref) and arg.cls is Context:
            return interp.contents(arg).get("value") or NONE
        return arg

    found = tuple(map(inside, args))
    held = frozenset(i for i, (arg, value) in enumerate(zip(args, found, strict=True)) if arg is not value)
    return found, {name: inside(arg) for name, arg in kwargs.items()}, held


# -- grad -------------------------------------------------------------------------------------------------------------


def _gradient(
    interp: Interpreter,
    f: Value,
    argnums: Value,
    has_aux: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    with_value: bool,
    holomorphic: bool,
) -> Value:
    numbers = numbers_of(interp, argnums, args)
    if holomorphic:
        refuse_real(interp, [leaf for number in numbers for leaf in floats_of(interp, args[number])])
    aux = bool(interp.static(has_aux, "`has_aux`"))
    traced = trace(interp, f, args, kwargs, numbers, aux=aux)
    main = traced.function.results[0] if traced.function.results else NONE
    value = interp.force(traced.out.items[0] if aux and isinstance(traced.out, Tuple) else traced.out)
    _refuse_non_scalar(interp, value, main, holomorphic)
    seeds = [_seed(traced.function, result, 1.0 if k == 0 else 0.0) for k, result in enumerate(traced.function.results)]
    derived = _derivative(interp, "reverse", traced)
    if aux:
        derived = _with_live_aux(interp, derived, traced.function)
    outs = _spliced(interp, derived, (*traced.operands, *(seed for seed in seeds if seed is not None)))
    count = len(traced.function.results)
    out = structures.rebuilt(interp, traced.out, iter(outs[:count]))
    gradients = iter(outs[count:])
    parts = tuple(mirrored(interp, args[number], gradients) for number in numbers)
    gradient = Tuple(parts) if is_many(argnums) else parts[0]
    if with_value:
        return Tuple((out, gradient))
    return Tuple((gradient, out.items[1])) if aux and isinstance(out, Tuple) else gradient


def _refuse_non_scalar(interp: Interpreter, value: Value, main: Operand, holomorphic: bool = False) -> None:
    """Raise unless the `value` of a function, the result `main` as IR, is one real number, or a complex one if `holomorphic`."""
    type_ = type_of(main)
    number = isinstance(value, Var | Lit) and type_ is not None and is_inexact(type_) and rank(type_) in (0, None)
    if number and type_ is not None and is_complex(type_) == holomorphic:
        return
    message = f"the function given to `grad` does not return one {'complex' if holomorphic else 'real'} number"
    if number:
        way_out = "leave `holomorphic` out" if holomorphic else "return its `.real`; or give `holomorphic=True`, where it is"
    else:
        way_out = "reduce it first, e.g. with `.sum()`"
    raise interp.error(message, way_out, NonScalarOutputError)


def _with_live_aux(interp: Interpreter, derived: Function, primal: Function) -> Function:
    """`derived` with its aux results as they were before `trace` cut them off: an outer derivative goes through them."""
    cut = {op.outs[0]: op.args[0] for op in derived.body.ops if isinstance(op, Call) and op.fn == Lit(intrinsics.stop_gradient)}
    results = list(derived.results)
    for k in range(1, len(primal.results)):
        result, original = results[k], primal.results[k]
        if isinstance(original, Var) and is_inexact(original.type) and isinstance(result, Var):
            if result not in cut:
                raise interp.error("this auxiliary result cannot be followed", "compute it outside of the inner function")
            results[k] = cut[result]
    return replace(derived, body=replace(derived.body, results=tuple(results)))


def _seed(fn: Function, result: Operand, number: float) -> Operand | None:
    match result:
        case Var(_, Scalar() as type_) if is_inexact(type_):
            return seed(type_, number, fn)
        case Var(_, Array(dtype) as type_) if is_inexact(type_):
            # What may be an array without axes is asked for its number, which a float of Python does not answer.
            return Lit(np.dtype(dtype).type(number))
        case _:
            return None


def _derived(interp: Interpreter, kind: str, traced: Traced, seeds: Sequence[Operand]) -> list[Value]:
    """The results of the derivative of `traced`, written here."""
    return _spliced(interp, _derivative(interp, kind, traced), (*traced.operands, *seeds))


def _derivative(interp: Interpreter, kind: str, traced: Traced) -> Function:
    _note_writes(interp, traced)
    return interp.derive(kind, traced.function, traced.wrt)


def _note_writes(interp: Interpreter, traced: Traced) -> None:
    """Note the arrays that `traced` writes, it or a function inside it: a derivative of it writes to copies in their place."""
    classes = alias_classes(traced.function)
    written = {*parameters_written(traced.function, interp.to_check.written)}
    for i, (param, operand) in enumerate(zip(traced.function.params, traced.operands, strict=True)):
        if isinstance(operand, Var) and isinstance(param.type, Array) and (i in written or classes.of(param) in classes.written):
            interp.to_check.written.append(operand)


def _spliced(interp: Interpreter, fn: Function, operands: tuple[Operand, ...]) -> list[Value]:
    return list(interp.builder.splice(interp.adopt(fn), operands))  # type: ignore[arg-type]


# -- jvp and vjp --------------------------------------------------------------------------------------------------------


def push_forward(interp: Interpreter, f: Value, primals: tuple[Value, ...], tangents: tuple[Value, ...]) -> Value:
    """``jvp(f, primals, tangents)``"""
    if len(primals) != len(tangents):
        raise interp.error("`jvp` needs a tangent for each primal", "give tuples of one length", TangentMismatchError)
    primals, _, held = bare(interp, primals, {})
    if any(tangents[i] != NONE for i in held):
        message = "an argument in a context has no tangent"
        raise interp.error(message, "give `None` in its place", TangentMismatchError)
    numbers = tuple(i for i in range(len(primals)) if i not in held)
    traced = trace(interp, f, primals, {}, numbers)
    given = [leaf for i in numbers for leaf in matched(interp, primals[i], tangents[i], "tangent")]
    outs = _derived(interp, "forward", traced, given)
    count = len(traced.function.results)
    pushed = iter(outs[count:])
    results = (result for result in traced.function.results if is_live(result))
    tangents_out = iter([next(pushed) if isinstance(result, Var) else Lit(0.0) for result in results])
    out = structures.rebuilt(interp, traced.out, iter(outs[:count]))
    return Tuple((out, mirrored(interp, traced.out, tangents_out)))


def pulled(interp: Interpreter, f: Value, primals: tuple[Value, ...]) -> Value:
    """``vjp(f, *primals)``"""
    primals, _, held = bare(interp, primals, {})
    traced = trace(interp, f, primals, {}, tuple(i for i in range(len(primals)) if i not in held))
    if chosen_in(interp, f) is not None:
        message = "a pullback of a function that the run chooses keeps what each of several captured"
        raise interp.error(message, "call `vjp` in each branch, or take `grad` or `jvp`")
    operands = tuple(_kept(interp, traced))
    count = len(traced.function.results)
    outs = _spliced(interp, traced.function, tuple(_untouched(interp, traced, operands)))
    joint = _derivative(interp, "reverse", traced)
    out, like = (structures.rebuilt(interp, traced.out, iter(outs[:count])) for _ in range(2))
    free = (NONE if i in held else primal for i, primal in enumerate(primals))
    shapes = tuple(structures.rebuilt(interp, primal, structures.leaves_of(interp, primal)) for primal in free)
    return Tuple((out, InnerPullback(joint, operands, like, shapes, count)))


def _kept(interp: Interpreter, traced: Traced) -> list[Operand]:
    """The operands as they are now, whatever is written to them before the pullback is called."""
    return [
        interp.emit(np.copy, (operand,), operand.type, operand.base)
        if isinstance(operand, Var) and isinstance(operand.type, Array)
        else operand
        for operand in traced.operands
    ]


def _untouched(interp: Interpreter, traced: Traced, operands: Sequence[Operand]) -> list[Operand]:
    """The operands, with copies for the arrays that the function writes to."""
    classes = alias_classes(traced.function)
    return [
        interp.emit(runtime.private, (operand,), operand.type, operand.base)
        if isinstance(operand, Var) and isinstance(param.type, Array) and classes.of(param) in classes.written
        else operand
        for param, operand in zip(traced.function.params, operands, strict=True)
    ]


def pull_back(interp: Interpreter, pullback: InnerPullback, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """Call the second result of ``vjp``."""
    given = (*args, *kwargs.values())
    if len(given) != 1:
        return interp.fail(TypeError, f"a pullback takes one cotangent, not {len(given)}")
    cts = matched(interp, pullback.out, given[0], "cotangent")
    taken = [ct for ct, out in zip(cts, floats_of(interp, pullback.out), strict=True) if isinstance(out, Var)]
    outs = iter(_spliced(interp, pullback.joint, (*pullback.operands, *taken))[pullback.results :])
    return Tuple(tuple(mirrored(interp, value, outs) for value in pullback.primals))


def _on_copies(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    f, *given = args
    traced = trace(interp, f, tuple(given), kwargs, range(len(given)))
    _note_writes(interp, traced)
    outs = _spliced(interp, traced.function, tuple(_untouched(interp, traced, traced.operands)))
    return structures.rebuilt(interp, traced.out, iter(outs))


# -- what definitions of operators are written with --------------------------------------------------------------------


def _positions(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    argnums, given = args
    return Tuple(tuple(map(Lit, numbers_of(interp, argnums, interp.items(given)))))


def _is_tuple(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    return Lit(is_many(args[0]))


def _one_number(interp: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    value = interp.force(args[0])
    _refuse_non_scalar(interp, value, value if isinstance(value, Var | Lit) else NONE)
    return value


on_copies = Known("on_copies", _on_copies)
"""``on_copies(f, *args)``: what `f` returns, which writes to none of `args` but to copies of them."""
one_number = Known("one_number", _one_number)
"""``one_number(value)``: `value`, which is one real number."""
positions = Known("positions", _positions)
"""``positions(argnums, args)``: the arguments to differentiate by, as a tuple of positions that count from the front."""
many = Known("many", _is_tuple)
"""``many(argnums)``: whether the derivative is a tuple with a part for each argument."""
