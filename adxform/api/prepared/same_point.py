"""Hessian products at one point: what depends on the point alone is done once, each vector costs its own part.

The Hessian is symmetric, so the pullback of the gradient is the product. The reverse rule of the gradient is cut at its turning
point: the forward part computes the value, the gradient and the tape at a point, the backward part one product.

Source: Griewank and Walther, Evaluating Derivatives (2008), section 5.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from adxform.api import checked_argnums, checked_engine, kept
from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared, apart_from_one_another, checked_directions
from adxform.api.prepared.calls.preparation import Places, picker, prepare, values_at
from adxform.api.prepared.fingerprint import digest, static_text
from adxform.api.prepared.matrices.columns import padded, put, rows_at, rows_like
from adxform.frontend.derivative_operators import EngineName, Operator, operator
from adxform.frontend.signature import Tree
from adxform.ir.types import Type
from adxform.runtime.dispatch.application import Argnums
from adxform.runtime.dispatch.batches import BatchResults, split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.execution import Residuals
from adxform.runtime.dispatch.leaf_flattening import finisher, matcher, placed, settler
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.split import CutRule
from adxform.runtime.dispatch.tracebacks import for_users
from adxform.runtime.dispatch.workspaces import Workspace


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedProducts(Prepared):
    """The rules of `prepare_hvp_same_point`: called with a point, they are run there once."""

    rule: DerivedRule
    batched: DerivedRule
    directions: int
    places: Places
    types: tuple[Type, ...]
    point: Tree
    form = "hvp_same_point"

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rule that is cut in two, and the one for several vectors."""
        return apart_from_one_another(self.rule, self.batched)

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {"argnums": self.argnums, "strict": self.strict, "directions": self.directions, "engine": self.engine}

    @cached_property
    def picked(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """Takes the values of what is differentiated from among the inputs."""
        return picker(self.places)

    @cached_property
    def match(self) -> Callable[[Sequence[Any], Any], list[Any] | None]:
        """Takes the leaves of a vector, as far as that is quickly told: see `matcher`."""
        return matcher(self.point)

    @cached_property
    def finish(self) -> Callable[[Sequence[Any], list[Any] | None], Any]:
        """Makes of the leaves of a gradient or a product what the caller gets: see `settled`."""
        return finisher(self.point, self.types)

    @property
    def source(self) -> str:
        """The generated modules of both parts."""
        parts = self.call.cut(self.rule)
        return f"{parts.forward.text}\n\n{parts.backward.text}"

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums = options["argnums"]
        call, made = prepare(fn, args, kwargs, argnums, options["engine"])
        wrt = call.wrt(argnums)
        call.output(wrt, False)
        directions = options["directions"]
        rule, batched = (call.rule_to_cut("second", wrt, "reverse-over-reverse", count) for count in (1, directions))
        preparation = made([rule], buffered=(), parted=[call.cut(one) for one in (rule, batched)])
        return cls(
            "hvp",
            fn,
            argnums,
            definition=forms.products,
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            rule=rule,
            batched=batched,
            directions=directions,
            places=preparation.places(wrt),
            types=call.types(wrt),
            point=call.point(argnums),
        )

    @for_users
    def __call__(self, *args: Any, **kwargs: Any) -> HessianAtPoint:
        """The products at `args`."""
        this, inputs = self.at(args, kwargs)
        return at_point(this, this.call.keep(this.rule, inputs))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HessianAtPoint(Operator):
    """The Hessian of `fn` at one point as a map of vectors: ``q(v)``, with the `value` and the `gradient` there.

    `args` and `kwargs` are copies of the arguments; `inputs` are those that the rule takes, and what it read outside of them. All
    arrays are read-only.
    """

    prepared: PreparedProducts
    args: Args
    kwargs: Kwargs
    inputs: list[Any]
    value: Any
    gradient: Any
    tape: Residuals
    forms = MappingProxyType({"__call__": forms.product_here, "batch": forms.products_here, "at": forms.moved_to})

    @for_users
    def __call__(self, v: Any, *, out: Any = None) -> Any:
        """The product with `v`, which has the structure of what is differentiated."""
        prepared = self.prepared
        values = prepared.picked(self.inputs)
        vector = prepared.match(values, v)
        if vector is None:
            vector = prepared.perturbation("vector", prepared.point, values, v)
        if out is None:
            return prepared.finish(self.tape.run(vector), [*self.tape.values, *vector])
        taken = [*self.inputs, *vector]
        to = prepared.destination(placed(prepared.point, iter(values)), out, taken)
        with self.in_workspace(self.tape.parts, taken) as work:
            found = self.tape.run(vector, None, work, to.beside(values))
            return to.delivered(prepared.finish(found, None))

    @for_users
    def batch(self, vs: Any, *, out: Any = None) -> Any:
        """The products with several vectors: each array of `vs` and of the result has one more axis, the first."""
        prepared = self.prepared
        batch = prepared.vectors("vectors", prepared.point, values_at(self.inputs, prepared.places), vs)
        stack, batched = BatchResults.of(batch.count, prepared.types), prepared.call.cut(prepared.batched)
        groups = batch.rows(batched.directions)
        if out is None:
            for group, rows in groups:
                found = self.tape.run([*chain.from_iterable(rows)], None if len(rows) == 1 else batched)
                stack.put(group, split(found, 0, len(rows)))
            return placed(prepared.point, iter(stack.arrays))
        like = rows_like(batch.count, batch.likes, stack.dtypes)
        to = prepared.destination(placed(prepared.point, iter(like)), out, [*self.inputs, *batch.leaves])
        blocks = to.blocks(like)
        for group, rows in groups:
            parts = self.tape.parts if len(rows) == 1 else batched
            vectors, targets = [*chain.from_iterable(rows)], rows_at(blocks, group)
            with self.in_workspace(parts, [*self.inputs, *vectors]) as work:
                found = self.tape.run(vectors, parts, work, padded(targets, len(vectors)))
                put(blocks, targets, split(found, 0, len(rows)))
        return to.delivered(placed(prepared.point, iter(blocks)))

    def at(self, *args: Any, **kwargs: Any) -> HessianAtPoint:
        """The same at another point; nothing is built."""
        return self.prepared(*args, **kwargs)

    @for_users
    def check(self, *args: Any, **kwargs: Any) -> None:
        """Say whether these arguments would do for another point: see `Prepared.check`."""
        self.prepared.check(*args, **kwargs)

    def rebind(self, g: Callable[..., Any]) -> HessianAtPoint:
        """The same for `g` at this point; nothing is built: see `Prepared.rebind`."""
        return self.prepared.rebind(g)(*self.args, **self.kwargs)

    @property
    def source(self) -> str:
        """The generated modules: of what was run at the point, and of what each vector costs."""
        return self.prepared.source

    @property
    def prepared_for(self) -> str:
        """Empty where calls inside a differentiated function are not refused: see `refusals`."""
        return "a point" if self.prepared.call.entry.specialized.hidden else ""

    def refusals(self, form: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Why a call inside a differentiated function is refused: it would read numbers anew that belong to the point."""
        hidden = self.prepared.call.entry.specialized.hidden
        return [f"`{access}` is read outside of the arguments: it has the value that it had at the point" for access in hidden]

    def fingerprint(self) -> str:
        """What this is, as 64 hexadecimal digits: see `Prepared.fingerprint`; the point is part of it."""
        return digest([self.prepared.fingerprint(), *map(static_text, self.inputs)])

    def __repr__(self) -> str:
        return f"<{self.prepared!r} at a point>"

    def __reduce__(self) -> tuple[Any, ...]:
        return at_point, (self.prepared, self.inputs)

    @contextmanager
    def in_workspace(self, parts: CutRule, taken: Sequence[Any]) -> Iterator[Workspace | None]:
        """Memory for the backward part of `parts` where it is to run for `taken`, if it is laid out for that."""
        pool = self.prepared.made.pool(parts)
        if not pool.rule.takes(taken):
            yield None
            return
        work = pool.take(taken)
        try:
            yield work
        finally:
            pool.give_back(work)


def at_point(prepared: PreparedProducts, inputs: list[Any]) -> HessianAtPoint:
    """The Hessian where the rule of `prepared` takes `inputs`, which nobody changes from now on."""
    call = prepared.call
    results, tape = call.run_forward(prepared.rule, inputs)
    count = len(prepared.rule.typed.results)
    values = [fixed(kept(value)) for value in results[:count]]
    leaves = settler(prepared.types)(results[count:], [*inputs, *tape.values])
    gradient = placed(prepared.point, iter([fixed(leaf) for leaf in leaves]))
    args, kwargs = arguments(prepared, [fixed(value) for value in inputs])
    return HessianAtPoint(
        "hvp",
        prepared.fn,
        prepared.argnums,
        prepared=prepared,
        args=args,
        kwargs=kwargs,
        inputs=inputs,
        value=rebuild(call.result, iter(values)),
        gradient=gradient,
        tape=tape,
    )


def arguments(prepared: PreparedProducts, inputs: Sequence[Any]) -> tuple[Args, Kwargs]:
    """The arguments for which the rule of `prepared` takes `inputs`."""
    call, signature = prepared.call, prepared.signature
    trees = (*signature.args, *(tree for _, tree in signature.kwargs))
    leaves = range(sum(1 for tree in trees for _ in leaves_of(tree)))
    values = iter(values_at(inputs, prepared.made.places(leaves)))
    args = tuple(rebuild(tree, values) for tree in signature.args)
    return args[call.lead :], {name: rebuild(tree, values) for name, tree in signature.kwargs}


def fixed(value: Any) -> Any:
    """`value`, read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


@operator("hvp", forms.at_point, None)
@for_users
def prepare_hvp_same_point(
    f: Callable[..., Any],
    /,
    *args: Any,
    argnums: Argnums = 0,
    directions: int = 1,
    strict: bool = True,
    engine: EngineName = "auto",
    fastmath: bool = True,
    **kwargs: Any,
) -> HessianAtPoint:
    """The Hessian of `f` at `args` as a map of vectors, all that does not depend on the vector done now: ``q(v)``.

    ``q.at(*args)`` is the same at another point. ``q.batch(vs)`` takes any number of vectors, `directions` of them in one sweep.
    `engine` and `fastmath` are as for `adxform.grad`.

    >>> q = prepare_hvp_same_point(lambda x: x ** 3, 2.0)
    >>> q.value, q.gradient, q(1.0), q.at(3.0)(1.0)
    (8.0, 12.0, 12.0, 18.0)
    """
    options = {
        "argnums": checked_argnums(f, argnums),
        "directions": checked_directions(directions),
        "strict": strict,
        "engine": checked_engine(engine, fastmath, prepared=True),
    }
    return PreparedProducts.of(f, args, kwargs, options)(*args, **kwargs)
