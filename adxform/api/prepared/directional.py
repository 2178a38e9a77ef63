"""Prepared forward and reverse derivatives: tangents pushed forward, cotangents pulled back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adxform.api import Pullback, checked_engine, kept
from adxform.api.checkpointing import with_checkpoints
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared, apart_from_one_another, checked_directions
from adxform.api.prepared.columns import padded, put, rows_at, rows_like
from adxform.api.prepared.fast_path import Answer
from adxform.api.prepared.fast_path_writer import MISS, Writer
from adxform.api.prepared.outputs import LATER, Destination
from adxform.api.prepared.preparation import Places, picker, prepare, values_at
from adxform.api.prepared.sweeps import batch_answer
from adxform.backends.python.written_syntax import LOAD, call
from adxform.frontend.derivative_operators import EngineName, operator
from adxform.frontend.signature import Fixed, Node, Tree, python_class
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Dim, Scalar, Type, is_inexact
from adxform.runtime.dispatch.batches import Batch, BatchResults, split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import runner
from adxform.runtime.dispatch.leaf_flattening import alongside, matcher, placed, placer, settler
from adxform.runtime.dispatch.result_structures import builder, leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users, shorten

NOTHING = Fixed(Lit(None))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Directional(Prepared):
    """A derivative with respect to every float of the positional arguments; `batched` is its rule for `directions` vectors."""

    rule: DerivedRule
    batched: DerivedRule
    directions: int
    wrt: tuple[int, ...]

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rule for one vector, and the one for several."""
        return apart_from_one_another(self.rule, self.batched)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {"strict": self.strict, "directions": self.directions, "engine": self.engine}

    def swiftly(
        self, vectors: Tree, types: Iterable[Type], arranged: Callable[[Sequence[Any]], Any]
    ) -> Callable[[tuple[Any, ...]], Any]:
        """The value, and what `arranged` makes of derivatives of these `types`, for arguments as they were prepared for.

        Of many `vectors`, which come last. `MISS` where that takes a closer look.
        """
        expected, rule, count = self.made.expected, self.batched, len(self.batched.typed.results)

        def returned(writer: Writer, values: list[ast.expr], leaves: list[ast.expr]) -> ast.expr:
            value = call(writer.constant("value", builder(self.call.result)), ast.Tuple(values, LOAD))
            return ast.Tuple([value, call(writer.constant("arranged", arranged), ast.Tuple(leaves, LOAD))], LOAD)

        found = None
        if expected is not None and all(rule.takes()):
            found = batch_answer(expected, vectors, rule, count, tuple(types), returned)
        return found or (lambda args: MISS)

    def along(
        self,
        inputs: list[Any],
        batch: Batch,
        types: Iterable[Type],
        arranged: Callable[[Sequence[Any], Any], Any],
        out: Any,
        likes: tuple[Sequence[Any], Sequence[Any]] | None = None,
        seeded: Callable[[Sequence[Any]], Sequence[Any]] = list,
        spread: Callable[[Sequence[Any], Sequence[Any]], Iterable[Any]] = lambda ends, slopes: slopes,
    ) -> Any:
        """The value, and derivatives of these `types` for the vectors of a `batch`; in the arrays of `out`, if there are any.

        `arranged` gives derivatives their structure, and takes what to put for known floats. The rule takes what `seeded` makes
        of a vector; `spread` makes a derivative of the value and of what the rule returns. Where that is all, and the leaves of
        the value and of a derivative are known to be like `likes`, it writes into `out` at once.
        """
        result, count, stack = self.call.result, len(self.rule.typed.results), BatchResults.of(batch.count, types)
        to: Destination | None = None
        values: Sequence[Any] = ()
        own: list[Any] = []
        blocks: list[Any] = []

        def told(results: Sequence[Any], several: int) -> tuple[Sequence[Any], list[list[Any]]]:
            ends = results[:count]
            return ends, [list(spread(ends, part)) for part in split(results, count, several)]

        def begun(ends: Sequence[Any], slopes: Sequence[Any]) -> tuple[Destination, list[Any], list[Any]]:
            like = rows_like(batch.count, slopes, stack.dtypes)
            expected = rebuild(result, iter(ends)), arranged(like, LATER)
            to = self.destination(expected, out, [*inputs, *batch.leaves])
            return to, to.beside(ends), to.blocks(like)

        if out is not None and likes is not None:
            to, own, blocks = begun(*likes)
        for group, rows in batch.rows(self.batched.request.directions):
            rule = self.rule if len(rows) == 1 else self.batched
            seeds = [seed for row in rows for seed in seeded(row)]
            if out is None:
                found, parts = told(self.call.run(self.made.pooled(rule), inputs, *seeds), len(rows))
                values = values or found
                stack.put(group, parts)
                continue
            with self.in_workspace(rule, [*inputs, *seeds]) as work:
                targets = rows_at(blocks, group)
                outs = [] if likes is None else [*[None] * count, *padded(targets, len(rule.optimised.results) - count)]
                found, parts = told(work.run(inputs, seeds, outs), len(rows))
                if to is None:
                    to, own, blocks = begun(found, parts[0])
                    targets = rows_at(blocks, group)
                values = values or to.held(found, own)
                put(blocks, targets, parts)
        leaves = stack.arrays if to is None else blocks
        both = rebuild(result, iter(values)), arranged(leaves, np.zeros(batch.count))
        return both if to is None else to.delivered(both)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedJvp(Directional):
    """``prepare_jvp(f, …)``: the value and the tangent, as `adxform.jvp` returns them."""

    primals: Tree
    places: Places
    form = "jvp"
    forms = MappingProxyType({"tangent": forms.tangent, "batch": forms.tangents_of_batch})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        call, made = prepare(fn, args, {}, engine=options["engine"])
        wrt = call.float_leaves()
        directions = options["directions"]
        rule, batched = (call.rule("forward", wrt, directions=count) for count in (1, directions))
        trees = tuple(NOTHING if i in call.held else tree for i, tree in enumerate(call.signature.args[call.lead :]))
        owners = [i for i, tree in enumerate(call.signature.args) for _ in leaves_of(tree)]
        leaves = tuple(i for i, owner in enumerate(owners) if owner >= call.lead and owner - call.lead not in call.held)
        tree = Node("tuple", tuple, tuple(range(len(trees))), trees)
        preparation = made(apart_from_one_another(rule, batched))
        return cls(
            "jvp",
            fn,
            definition=forms.pushed,
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            rule=rule,
            batched=batched,
            directions=directions,
            wrt=wrt,
            primals=tree,
            places=preparation.places(leaves),
        )

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The value at `primals` and its tangent along `tangents`."""
        try:
            if out is None and (found := self._both(tuple(primals), tuple(tangents))) is not None:
                return found
            return self._answer(tuple(primals), tuple(tangents), out, with_value=True)
        except Exception as error:
            shorten(error)
            raise

    def tangent(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The tangent of the value alone."""
        try:
            if out is None and (found := self._both(tuple(primals), tuple(tangents))) is not None:
                return found[1]
            return self._answer(tuple(primals), tuple(tangents), out, with_value=False)
        except Exception as error:
            shorten(error)
            raise

    @for_users
    def batch(self, primals: Sequence[Any], tangents: Sequence[Any], *, out: Any = None) -> Any:
        """The value at `primals` and its tangents along `tangents`, all leaves of which have one more axis, the first."""
        if out is None and (found := self._batch((*primals, tuple(tangents)))) is not MISS:
            return found
        this, inputs = self.at(tuple(primals), {})
        this.refuse_repeated()
        batch = this.vectors("tangents", this.primals, values_at(inputs, this.places), tuple(tangents))
        ends = this.call.result
        types = (leaf.type for leaf in leaves_of(ends) if is_inexact(leaf.type))

        def arranged(leaves: Sequence[Any], zero: Any) -> Any:
            return placed(ends, iter(leaves), zero)

        return this.along(inputs, batch, types, arranged, out, spread=this.slopes)

    def slopes(self, ends: Sequence[Any], tangents: Sequence[Any]) -> Iterator[Any]:
        """The tangent of each float among the leaves `ends` of the value, made of those that a rule returns."""
        return alongside(ends, self.call.result, self.rule.spread(tangents))

    @for_users
    def check(self, primals: Sequence[Any], tangents: Sequence[Any]) -> None:
        """Say whether a call with these would fit: see `Prepared.check`."""
        inputs = self.fitting(tuple(primals), {})
        self.perturbation("tangents", self.primals, values_at(inputs, self.places), tuple(tangents))

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: the primals."""
        return parts_of_first(args)

    @cached_property
    def _batch(self) -> Answer:
        """`batch` for arguments as they were prepared for; `MISS` where that takes a closer look."""
        result = self.call.result
        return self.swiftly(self.primals, (leaf.type for leaf in leaves_of(result) if is_inexact(leaf.type)), placer(result))

    @cached_property
    def _both(self) -> Callable[[Args, Args], tuple[Any, Any] | None]:
        """The value and the tangent for arguments as they were prepared for; ``None`` where that takes a closer look."""
        rule, result = self.rule, self.call.result
        enter, picked, fitted, run = (
            self.made.enter,
            picker(self.places),
            matcher(self.primals),
            runner(self.call.fn, self.made.pooled(rule)),
        )
        known = all(not isinstance(leaf.type, Scalar) or not leaf.type.kinds for leaf in leaves_of(result))
        count, spread = len(rule.typed.results), None if known and all(rule.takes()) else self.slopes
        value, tangent = builder(result), placer(result)

        def both(primals: Args, tangents: Args) -> tuple[Any, Any] | None:
            inputs = enter(primals)
            given = None if inputs is None else fitted(picked(inputs), tangents)
            if inputs is None or given is None:
                return None
            found = run(inputs, given)
            slopes = found[count:]
            ends = found[:count]
            return value(ends), tangent(slopes if spread is None else tuple(spread(ends, slopes)))

        return both

    @for_users
    def _answer(self, primals: Args, tangents: Args, out: Any, *, with_value: bool) -> Any:
        this, inputs = self.at(primals, {})
        call, rule = this.call, this.rule
        given = this.perturbation("tangents", this.primals, values_at(inputs, this.places), tangents)

        def arranged(results: Sequence[Any]) -> Any:
            count = len(rule.typed.results)
            tangent = placed(call.result, this.slopes(results[:count], results[count:]))
            return (rebuild(call.result, iter(results[:count])), tangent) if with_value else tangent

        if out is None:
            return arranged(call.run(this.made.pooled(rule), inputs, *given))
        return this.answered(rule, inputs, given, arranged, out)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedVjp(Directional):
    """``prepare_vjp(f, …)``: the value and the pullback, as `adxform.vjp` returns them."""

    parted: DerivedRule
    batched_parted: DerivedRule
    primal: tuple[DerivedRule, ...]
    form = "vjp"
    forms = MappingProxyType({"cotangents": forms.cotangents, "batch": forms.cotangents_of_batch})

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these, the cut rule of the pullback included."""
        call, made = prepare(fn, args, {}, engine=options["engine"])
        wrt = call.float_leaves()
        directions = options["directions"]
        rule, batched = (call.rule("reverse", wrt, directions=count) for count in (1, directions))
        parted, batched_parted = (call.rule_to_cut("reverse", wrt, directions=count) for count in (1, directions))
        primal = (call.rule("primal", ()),) if stand_ins(call.result, rule.typed.params) is None else ()
        return cls(
            "vjp",
            fn,
            definition=forms.pulled,
            made=made(apart_from_one_another(rule, batched, *primal)),
            strict=options["strict"],
            engine=call.engine,
            rule=rule,
            batched=batched,
            directions=directions,
            wrt=wrt,
            parted=parted,
            batched_parted=batched_parted,
            primal=primal,
        )

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rules for both sweeps at once, those that are cut in two, and the primal where only that tells lengths."""
        return apart_from_one_another(self.rule, self.batched, self.parted, self.batched_parted, *self.primal)

    @for_users
    def __call__(self, *primals: Any) -> tuple[Any, Pullback]:
        """The value at `primals`, and the function that takes a cotangent of it to those of the primals."""
        this, inputs = self.at(primals, {})
        call = this.call
        results, tape = call.run_forward(this.parted, call.keep(this.parted, inputs))
        like = [kept(value) for value in results]
        batched = call.cut(this.batched_parted)
        return rebuild(call.result, iter(results)), Pullback(call, this.wrt, this.parted, tape, like, batched)

    @classmethod
    def described(cls, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: all of them, or the primals."""
        return parts_of_first(args) if form in ("cotangents", "batch") else args

    @for_users
    def cotangents(self, primals: Sequence[Any], ct: Any, *, out: Any = None) -> Any:
        """The cotangents of `primals` for the cotangent `ct` of the value, in one run of both sweeps."""
        this, inputs = self.at(tuple(primals), {})
        call, rule = this.call, this.rule
        count = len(rule.typed.results)
        if this.primal and out is None:
            _, pullback = this(*primals)
            this.perturbation("cotangent", call.result, pullback.like, ct)
            return pullback(ct)
        given = this.perturbation("cotangent", call.result, this.likes(inputs), ct)
        seeds = rule.seeded(given)

        def arranged(results: Sequence[Any], taken: list[Any] | None = None) -> Any:
            return call.placed(iter(settler(call.types(this.wrt))(results[count:], taken)))

        if out is not None:
            return this.answered(rule, inputs, seeds, arranged, out)
        return arranged(call.run(this.made.pooled(rule), inputs, *seeds), [*inputs, *given])

    @cached_property
    def _batch(self) -> Answer:
        """`batch` for arguments as they were prepared for; `MISS` where that takes a closer look."""
        call = self.call
        return self.swiftly(call.result, call.types(self.wrt), lambda leaves: call.placed(iter(leaves)))

    def likes(self, inputs: list[Any]) -> list[Any]:
        """Values of the types and shapes of the leaves of the result; their contents may be anything."""
        for primal in self.primal:
            self.refuse_repeated()
            with self.in_workspace(primal, inputs) as work:
                return list(work.run(inputs, ()))
        assert self._stand_ins is not None
        return self._stand_ins(inputs)

    @cached_property
    def _stand_ins(self) -> Callable[[Sequence[Any]], list[Any]] | None:
        return stand_ins(self.call.result, self.rule.typed.params)

    @for_users
    def batch(self, primals: Sequence[Any], cts: Any, *, out: Any = None) -> Any:
        """The value, and the cotangents of `primals` for `cts`, all leaves of which have one more axis, the first."""
        if out is None and (found := self._batch((*primals, cts))) is not MISS:
            return found
        this, inputs = self.at(tuple(primals), {})
        this.refuse_repeated()
        call = this.call
        ends = this.likes(inputs)
        batch = this.vectors("cotangents", call.result, ends, cts)
        likes = ends, values_at(inputs, this.made.places(this.wrt))

        def arranged(leaves: Sequence[Any], zero: Any) -> Any:
            return call.placed(iter(leaves))

        return this.along(inputs, batch, call.types(this.wrt), arranged, out, likes, seeded=this.rule.seeded)


def parts_of_first(args: Sequence[Any]) -> Sequence[Tree | None]:
    """The descriptions of what the first of `args` holds."""
    return args[0].children if args and isinstance(args[0], Node) else ()


def stand_ins(tree: Tree, params: Sequence[Var]) -> Callable[[Sequence[Any]], list[Any]] | None:
    """What makes, for values of `params`, leaves of the types and shapes of those of the result `tree`.

    ``None`` where the types do not tell the lengths or the kind of a number, and where there are no leaves: what returns nothing
    may be what always raises. Arrays have one element in memory.
    """
    places: dict[str, tuple[int, int]] = {}
    for place, param in enumerate(params):
        if isinstance(param.type, Array):
            sizes = enumerate(param.type.shape or ())
            places |= {size.base: (place, axis) for axis, size in sizes if isinstance(size, Dim) and not size.offset}
    makers: list[Callable[[Sequence[Any]], Any]] = []
    leaves = list(leaves_of(tree))
    for leaf in leaves:
        match leaf.type:
            case Scalar(dtype, weak, kinds) if (
                not kinds or dtype == "float64"
            ):  # or a whole number, the cotangent of which is zero
                makers.append(partial(_same, python_class(dtype, weak)(0)))
            case Array(dtype, tuple(shape)) if all(not isinstance(size, Dim) or size.base in places for size in shape):
                axes = [(*places[size.base], size.offset) if isinstance(size, Dim) else (None, 0, size) for size in shape]
                makers.append(partial(_stretched, np.zeros(1, dtype), axes))
            case _:
                return None
    return (lambda inputs: [make(inputs) for make in makers]) if leaves else None


def _same(number: Any, inputs: Sequence[Any]) -> Any:
    return number


def _stretched(number: NDArray[Any], axes: Iterable[tuple[int | None, int, int]], inputs: Sequence[Any]) -> NDArray[Any]:
    """An array of `number`, each axis as long as one of one of `inputs`, or of none, and so many more."""
    lengths = [more if place is None else max(inputs[place].shape[axis] + more, 0) for place, axis, more in axes]
    return np.ndarray(lengths, number.dtype, number, strides=[0] * len(lengths))


@operator("jvp", forms.pushed, PreparedJvp)
@for_users
def prepare_jvp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    directions: int = 1,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> PreparedJvp:
    """The forward derivative of `f`, derived now for arguments like the example: ``p(primals, tangents)`` as `adxform.jvp`.

    ``p.batch(primals, tangents)`` takes any number of tangents at once, `directions` of them in one sweep. `engine`
    is as for `adxform.grad`.

    >>> p = prepare_jvp(lambda x, y: x * y, 1.0, 1.0, directions=2)
    >>> p((2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    >>> p.batch((2.0, 3.0), (np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    (6.0, array([3., 2.]))
    """
    options = {
        "strict": strict,
        "directions": checked_directions(directions),
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    return PreparedJvp.of(f, example_args, {}, options)


@operator("vjp", forms.pulled, PreparedVjp)
@for_users
def prepare_vjp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    directions: int = 1,
    strict: bool = True,
    checkpoint_steps: int | None = None,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    fastmath: bool = True,
) -> PreparedVjp:
    """The reverse derivative of `f`, derived now for arguments like the example: ``p(*primals)`` as `adxform.vjp`.

    ``p.batch(primals, cts)`` and ``pullback.batch(cts)`` take any number of cotangents at once, `directions` in one sweep.
    For `checkpoint_steps` and `max_memory` see `adxform.checkpoint`; `engine` is as for `adxform.grad`.

    >>> p = prepare_vjp(lambda x, y: x * y, 1.0, 1.0, directions=2)
    >>> value, pullback = p(2.0, 3.0)
    >>> value, pullback(1.0), p.cotangents((2.0, 3.0), 1.0)
    (6.0, (3.0, 2.0), (3.0, 2.0))
    >>> pullback.batch(np.array([1.0, 10.0]))
    (array([ 3., 30.]), array([ 2., 20.]))
    """
    f = with_checkpoints(f, checkpoint_steps, max_memory)
    options = {
        "strict": strict,
        "directions": checked_directions(directions),
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    return PreparedVjp.of(f, example_args, {}, options)
