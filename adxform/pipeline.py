"""The row of stages: from a specialised function to the derived rule that runs.

``protect`` keeps the caller's arrays as they are, ``transform`` differentiates, ``optimise`` cleans, ``emit`` writes Python
and ``load`` makes it callable. A `DerivedRule` holds what each stage returned, so that any of them can be shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, assert_never

import numpy as np

from adxform import counters, runtime
from adxform.ad.forward import forward
from adxform.ad.record import Decision
from adxform.ad.reverse import reverse
from adxform.analysis.activity import may_write
from adxform.backend.emit import Generated, emit
from adxform.backend.loading import load
from adxform.backend.references import Surroundings
from adxform.frontend.specialize import Expander
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar, is_float, rank
from adxform.ir.verify import verify
from adxform.ir.walk import Names, all_ops, blocks, free_variables, reads, rename_block
from adxform.opt import optimise, sink_stores
from adxform.rules import table
from adxform.rules.alias import Aliases, alias_classes

Mode = Literal["primal", "reverse", "forward", "hvp", "second"]
SUFFIX: dict[Mode, str] = {"primal": "", "reverse": "_vjp", "forward": "_jvp", "hvp": "_hvp", "second": "_second"}


@dataclass(frozen=True, slots=True)
class Request:
    """What to derive. `wrt` are parameters of `function`; the first `outputs` results are differentiated, the rest are aux.

    The parameters `scratch` are work space: the derivative writes to them where the function does.
    """

    function: Function
    mode: Mode
    wrt: tuple[int, ...]
    outputs: int
    surroundings: Surroundings = field(default_factory=Surroundings)
    scratch: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DerivedRule:
    """What each stage returned for a request."""

    request: Request
    typed: Function
    differentiated: Function
    adjoint: Function
    optimised: Function
    generated: Generated
    run: Callable[..., Any]
    decisions: tuple[Decision, ...]
    private: tuple[int, ...]
    buffers: int

    @property
    def text(self) -> str:
        """The generated module."""
        return self.generated.text

    @property
    def seeds(self) -> int:
        """How many tangents or cotangents the rule takes after its inputs."""
        return len(self.optimised.params) - len(self.typed.params)

    def seeded(self, cotangents: Sequence[Any]) -> list[Any]:
        """Those of `cotangents`, one for each float result, that the rule takes: a literal has none."""
        return [ct for ct, takes in zip(cotangents, self._takes(), strict=True) if takes]

    def spread(self, tangents: Sequence[Any]) -> Iterator[Any]:
        """One of `tangents` for each float result, and zero where it is a literal."""
        found = iter(tangents)
        return iter([next(found) if takes else 0.0 for takes in self._takes()])

    def _takes(self) -> list[bool]:
        both = zip(self.typed.results, self.differentiated.results, strict=True)
        return [isinstance(result, Var) for typed, result in both if is_number(typed)]


def build(request: Request) -> DerivedRule:
    """Take `request` through every stage."""
    typed = checked(protect(aux_stopped(request.function, request.outputs), request.scratch))
    clean = cleaned(typed)
    adjoint, decisions = transform(request.mode, clean, request.wrt, request.outputs)
    optimised = checked(protect(optimise(checked(adjoint)), request.scratch))
    generated = emit(optimised, surroundings=request.surroundings)
    private = tuple(sorted({*private_parameters(typed), *request.scratch}))
    buffers = buffers_of(optimised) - buffers_of(request.function)
    built = typed, clean, adjoint, optimised, generated, load(generated)
    return DerivedRule(request, *built, decisions, private, max(buffers, 0))


def cleaned(fn: Function) -> Function:
    """`fn` ready to be differentiated: the less it computes and stores, the less there is to record.

    A float result that turns out to be a known number stays a variable: who calls the derivative gives it a cotangent.
    """
    simple = sink_stores(optimise(fn))
    builder = Builder(Names.of(simple), fn.span)
    results = tuple(
        builder.call(intrinsics.stop_gradient, now, type=before.type, hint=before.base)
        if isinstance(now, Lit) and isinstance(before, Var) and is_float(before.type)
        else now
        for before, now in zip(fn.results, simple.results, strict=True)
    )
    return checked(replace(simple, body=Block(simple.params, (*simple.body.ops, *builder.ops), results)))


def transform(mode: Mode, fn: Function, wrt: tuple[int, ...], outputs: int) -> tuple[Function, tuple[Decision, ...]]:
    """The derivative of `fn` as IR, named after it, and what its reverse sweep keeps."""
    name = fn.name + SUFFIX[mode]
    expander = Expander(derive)
    match mode:
        case "primal":
            return fn, ()
        case "reverse":
            count()
            adjoint = reverse(fn, wrt, expander)
            zeros = dict.fromkeys(range(outputs, len(fn.results)), 0.0)
            return renamed(fresh_gradients(seeded(adjoint.fn, fn, zeros), fn, wrt), name), adjoint.decisions
        case "forward":
            count()
            return renamed(shaped_tangents(forward(fn, wrt, expander), fn), name), ()
        case "hvp" | "second":
            count()
            adjoint = reverse(fn, wrt, expander)
            seeds = {i: 1.0 if i < outputs else 0.0 for i in range(len(fn.results))}
            gradient = fresh_gradients(seeded(adjoint.fn, fn, seeds), fn, wrt)
            values = 0 if mode == "hvp" else len(fn.results)
            gradient = checked(optimise(restricted(gradient, range(len(fn.results) - values, len(gradient.results)))))
            count()
            both = shaped_tangents(forward(gradient, wrt, expander), gradient)
            kept = () if mode == "hvp" else both.results[: len(gradient.results)]
            return renamed(with_results(both, (*kept, *tangents(both, gradient)[values:])), name), adjoint.decisions
        case _:
            assert_never(mode)


def derive(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    """The derivative of a typed function inside another one, each built once: ``"reverse"`` or ``"forward"``."""
    return _derived(kind, canonical(function), wrt, table.table_version())


@lru_cache(maxsize=1024)
def _derived(kind: str, function: Function, wrt: tuple[int, ...], _version: int) -> Function:
    typed = protect(function)
    mode: Mode = "reverse" if kind == "reverse" else "forward"
    derived, _ = transform(mode, cleaned(typed), wrt, len(function.results))
    return optimise(checked(protect(derived)))


def canonical(fn: Function) -> Function:
    """`fn` with its variables named in order, so that functions equal but for names are equal."""
    names = Names()
    return replace(fn, body=rename_block(fn.body, {}, lambda var: Var(names.fresh(var.name), var.type)))


def forget() -> None:
    """Drop the derivatives that `derive` keeps."""
    _derived.cache_clear()


def count() -> None:
    """One more derived transform was built."""
    counters.count("rule_builds")


def checked(fn: Function) -> Function:
    """`fn`, verified when the environment asks for it (the tests do)."""
    if os.environ.get("ADXFORM_VERIFY"):
        verify(fn, typed=True)
    return fn


def renamed(fn: Function, name: str) -> Function:
    """`fn` under `name`, unless it calls itself under another one."""
    if any(helper.name in (fn.name, name) for helper in fn.helpers):
        return fn
    return replace(fn, name=name)


def protect(fn: Function, scratch: tuple[int, ...] = ()) -> Function:
    """Let `fn` work on private copies of array parameters, but for `scratch`, that it or what it calls may write to."""
    classes = alias_classes(fn)
    touched = classes.written | (classes.exposed if fn.helpers else handed_over(fn, classes))
    own = [p for i, p in enumerate(fn.params) if isinstance(p.type, Array) and i not in scratch]
    written = [p for p in own if classes.of(p) in touched]
    if not written:
        return fn
    builder = Builder(Names.of(fn), fn.span)
    mapping: dict[Var, Operand] = {
        param: builder.call(runtime.private, param, type=param.type, hint=param.base) for param in written
    }
    body = rename_block(Block((), fn.body.ops, fn.body.results), mapping)
    return replace(fn, body=Block(fn.params, (*builder.ops, *body.ops), body.results))


def handed_over(fn: Function, classes: Aliases) -> set[int]:
    """The alias classes of what `fn` hands to a function without a record that may write to it."""
    return {
        classes.of(var)
        for op in all_ops(fn.body)
        if isinstance(op, Call) and isinstance(op.fn, Lit) and table.lookup(op.fn.value) is None and may_write(op.fn.value)
        for var in reads(op)
        if not isinstance(var.type, Scalar)
    }


def private_parameters(fn: Function) -> tuple[int, ...]:
    """The positions of the parameters of which `protect` made `fn` take private copies."""
    copied = [op.args[0] for op in fn.body.ops[: len(fn.params)] if isinstance(op, Call) and op.fn == Lit(runtime.private)]
    return tuple(i for i, param in enumerate(fn.params) if param in copied)


BUFFERS = (np.zeros_like, np.empty_like, np.empty, np.zeros, intrinsics.new_stack, runtime.private)


def buffers_of(fn: Function) -> int:
    """How many cotangent buffers, tapes and private copies `fn` makes at every call: not those in loops and branches."""
    return sum(isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value in BUFFERS for op in fn.body.ops)


def restricted(fn: Function, keep: Iterable[int]) -> Function:
    """`fn` returning only some of its results."""
    return with_results(fn, tuple(fn.results[i] for i in keep))


def with_results(fn: Function, results: tuple[Operand, ...]) -> Function:
    """`fn` returning `results`."""
    return replace(fn, body=replace(fn.body, results=results))


def float_results(fn: Function) -> tuple[int, ...]:
    """The positions of the results that carry a derivative: float variables."""
    return tuple(i for i, result in enumerate(fn.results) if isinstance(result, Var) and is_float(result.type))


def is_number(operand: Operand) -> bool:
    """Whether a result is a float: a variable, or a literal."""
    match operand:
        case Var(type=type_):
            return is_float(type_)
        case Lit(value):
            return isinstance(value, float | np.floating)
        case _:
            return False


def tangents(both: Function, primal: Function) -> tuple[Operand, ...]:
    """The tangents of the results of `primal` in its forward function `both`; zero for a literal."""
    found = iter(both.results[len(primal.results) :])
    floats = float_results(primal)
    return tuple(next(found) if i in floats else Lit(0.0) for i in range(len(primal.results)))


def aux_stopped(fn: Function, outputs: int) -> Function:
    """`fn` with its results from position `outputs` on cut off from differentiation."""
    aux = [i for i in float_results(fn) if i >= outputs]
    if not aux:
        return fn
    builder = Builder(Names.of(fn), fn.span)
    results = list(fn.results)
    for i in aux:
        result = results[i]
        if isinstance(result, Var):
            results[i] = builder.call(intrinsics.stop_gradient, result, type=result.type, hint=result.base)
    return replace(fn, body=Block(fn.params, (*fn.body.ops, *builder.ops), tuple(results)))


def seeded(joint: Function, primal: Function, seeds: Mapping[int, float]) -> Function:
    """The reverse function `joint` with the cotangents of the results in `seeds` fixed to that number.

    An array gets an array of it, made just before the first op that reads it: by then the result is there to take the
    shape from.
    """
    cotangents = dict(zip(float_results(primal), joint.params[len(primal.params) :], strict=True))
    builder = Builder(Names.of(joint), joint.span)
    values: dict[Var, Operand] = {}
    for position, number in seeds.items():
        if position not in cotangents:
            continue
        seed, result = cotangents[position], joint.results[position]
        match seed.type:
            case Array():
                like = np.ones_like if number else np.zeros_like
                values[seed] = builder.call(like, result, type=seed.type, hint=seed.base)
            case Scalar(dtype, weak):
                values[seed] = Lit(number if weak or dtype == "float64" else np.dtype(dtype).type(number))
    first = first_reader(joint.body.ops, values)
    made = Block((), (*joint.body.ops[:first], *builder.ops, *joint.body.ops[first:]), joint.results)
    params = tuple(param for param in joint.params if param not in values)
    return replace(joint, body=replace(rename_block(made, values), params=params))


def first_reader(ops: tuple[Op, ...], wanted: Container[Var]) -> int:
    """The position of the first op that reads one of `wanted`, itself or in a block inside it."""
    for position, op in enumerate(ops):
        inside = (var for block in blocks(op) for var in free_variables(block))
        if any(var in wanted for var in chain(reads(op), inside)):
            return position
    return len(ops)


def fresh_gradients(joint: Function, primal: Function, wrt: tuple[int, ...]) -> Function:
    """`joint` with each cotangent of an array an array of the same shape and dtype."""
    start = len(primal.results)
    pairs = zip(joint.results[start:], (primal.params[i] for i in wrt), strict=True)
    return conformed(joint, start, tuple(pairs), "_ct")


def shaped_tangents(joint: Function, primal: Function) -> Function:
    """`joint` with each tangent of an array result an array of the same shape and dtype."""
    start = len(primal.results)
    likes = (joint.results[i] for i in float_results(primal))
    return conformed(joint, start, tuple(zip(joint.results[start:], likes, strict=True)), "_t")


def conformed(fn: Function, start: int, pairs: tuple[tuple[Operand, Operand], ...], suffix: str) -> Function:
    """`fn` with its results from `start` on, the first of each pair, made to fit the second."""
    builder = Builder(Names.of(fn), fn.span)
    results = tuple(fitted(builder, value, like, suffix) for value, like in pairs)
    return replace(fn, body=Block(fn.params, (*fn.body.ops, *builder.ops), (*fn.results[:start], *results)))


def fitted(builder: Builder, value: Operand, like: Operand, suffix: str) -> Operand:
    """`value` as an array of the shape and dtype of `like`, as far as the types say that it is not one yet."""
    if not isinstance(like, Var) or not isinstance(like.type, Array) or rank(like.type) is None:
        return value
    hint = like.base + suffix
    match value:
        case Lit(0.0):
            return builder.call(np.zeros_like, like, type=like.type, hint=hint)
        case Lit() | Var(type=Scalar()):
            return builder.call(np.full_like, like, value, type=like.type, hint=hint)
        case Var(type=Array(dtype, shape)) if dtype != like.type.dtype:
            to = Lit(np.dtype(like.type.dtype).type)
            return builder.call(np.ndarray.astype, value, to, type=Array(like.type.dtype, shape), hint=hint)
        case _:
            return value
