"""Prepared second derivatives: Hessian products forward over reverse, and Hessians made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from adxform.api import checked_argnums, gradient_leaves
from adxform.application import Argnums
from adxform.batches import Stack, split
from adxform.frontend.signature import Tree
from adxform.ir.types import Type
from adxform.matrices import hessian_at, product
from adxform.operators import Definition, Kind
from adxform.perturbations import placed
from adxform.pipeline import DerivedRule
from adxform.prepared import forms
from adxform.prepared.base import Args, Kwargs, Prepared, apart_from_one_another, checked_directions
from adxform.prepared.columns import stacked, units
from adxform.prepared.preparation import Places, prepare, values_at
from adxform.trees import rebuild

DEFINITIONS: Mapping[str, Definition] = {"hvp": product, "hessian": hessian_at}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SecondOrder(Prepared):
    """A derivative of the gradient of a function that returns one number.

    `product` returns the tangent of the gradient, `wide` those for `directions` vectors, `whole` the value, the gradient and its
    tangent. `point` describes what is differentiated, and `places` say where its leaves are.
    """

    product: DerivedRule
    wide: DerivedRule
    whole: DerivedRule
    directions: int
    places: Places
    types: tuple[Type, ...]
    point: Tree
    shown: ClassVar[Kind]

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rule for the product, the one for several at once, and the one for the value, the gradient and the product."""
        return apart_from_one_another(self.product, self.wide, self.whole)

    def products(self, inputs: list[Any], rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The leaves of the product with each of `rows`, from one sweep."""
        rule = self.product if len(rows) == 1 else self.wide
        return split(self.call.run(rule, inputs, *chain.from_iterable(rows)), 0, len(rows))

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, directions = options["argnums"], options["directions"]
        call, made = prepare(fn, args, kwargs, argnums)
        wrt = call.wrt(argnums)
        call.output(wrt, False)
        rules = call.rule("hvp", wrt), call.rule("hvp", wrt, directions=directions), call.rule("second", wrt)
        preparation = made(rules)
        return cls(
            cls.shown,
            fn,
            argnums,
            definition=DEFINITIONS[cls.shown],
            made=preparation,
            strict=options["strict"],
            product=rules[0],
            wide=rules[1],
            whole=rules[2],
            directions=directions,
            places=preparation.places(wrt),
            types=call.types(wrt),
            point=call.point(argnums),
        )

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        return {"argnums": self.argnums, "strict": self.strict, "directions": self.directions}

    def run_whole(self, inputs: list[Any], vector: Sequence[Any]) -> tuple[Any, list[Any], tuple[Any, ...]]:
        """The value, the leaves of the gradient, and those of its tangent along `vector`, from one run."""
        results = self.call.run(self.whole, inputs, *vector)
        count = len(self.whole.typed.results)
        values, first, last = results[:count], results[count : count + len(self.places)], results[count + len(self.places) :]
        gradient = list(gradient_leaves(self.types, first, [*inputs, *values, *vector]))
        return rebuild(self.call.result, iter(values)), gradient, last


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedHvp(SecondOrder):
    """``prepare_hvp(f, …)``: the product of the Hessian with a vector, as `adxform.hvp` returns it."""

    form = "hvp"
    shown = "hvp"
    forms = MappingProxyType(
        {
            "gradient_and_hvp": forms.gradient_and_hvp,
            "value_gradient_and_hvp": forms.value_gradient_and_hvp,
            "batch": forms.products_of_batch,
        }
    )

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The product with the last of `args`."""
        this, inputs, vector = self.along(args, kwargs)
        found = gradient_leaves(this.types, this.call.run(this.product, inputs, *vector), [*inputs, *vector])
        result = placed(this.point, found)
        return result if out is None else this.delivered(result, out, [*inputs, *vector])

    def gradient_and_hvp(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient, and the product with the last of `args`, from one run."""
        this, inputs, vector = self.along(args, kwargs)
        result = this._all(inputs, vector)[1:]
        return result if out is None else this.delivered(result, out, [*inputs, *vector])

    def value_gradient_and_hvp(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the gradient, and the product with the last of `args`, from one run."""
        this, inputs, vector = self.along(args, kwargs)
        result = this._all(inputs, vector)
        return result if out is None else this.delivered(result, out, [*inputs, *vector])

    def batch(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The products with the vectors in the last of `args`, all leaves of which have one more axis, the first."""
        primals, vs = self._split(args)
        this, inputs = self.at(primals, kwargs)
        batch = this.vectors("vectors", this.point, values_at(inputs, this.places), vs)
        stack = Stack.of(batch.count, this.types)
        for group, rows in batch.rows(this.wide.request.directions):
            stack.put(group, this.products(inputs, rows))
        result = placed(this.point, iter(stack.arrays))
        return result if out is None else this.delivered(result, out, [*inputs, *batch.leaves])

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Say whether a call with these, the vector last, would fit: see `Prepared.check`."""
        primals, v = self._split(args)
        self.perturbation("vector", self.point, values_at(self.fitting(primals, kwargs), self.places), v)

    def along(self, args: Args, kwargs: Kwargs) -> tuple[Self, list[Any], list[Any]]:
        """The preparation that answers, what its rules take, and the leaves of the vector, the last of `args`."""
        primals, v = self._split(args)
        this, inputs = self.at(primals, kwargs)
        return this, inputs, this.perturbation("vector", this.point, values_at(inputs, this.places), v)

    def described(self, form: str, args: Sequence[Any]) -> Sequence[Tree | None]:
        """The descriptions of the function's arguments: all but that of the vector."""
        return args[:-1]

    def _split(self, args: Args) -> tuple[Args, Any]:
        if not args:
            raise self.made.mismatch(self.__name__, ["expected the arguments and then the vector, got none"])
        return args[:-1], args[-1]

    def _all(self, inputs: list[Any], vector: Sequence[Any]) -> tuple[Any, Any, Any]:
        value, gradient, last = self.run_whole(inputs, vector)
        product = gradient_leaves(self.types, last, [*inputs, *vector, *gradient])
        return value, placed(self.point, iter(gradient)), placed(self.point, product)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedHessian(SecondOrder):
    """``prepare_hessian(f, …)``: the Hessian, as `adxform.hessian` returns it: a product for each number in the arguments."""

    form = "hessian"
    shown = "hessian"
    forms = MappingProxyType(
        {"gradient_and_hessian": forms.gradient_and_hessian, "value_gradient_and_hessian": forms.value_gradient_and_hessian}
    )

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The Hessian at `args`."""
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        runs = [[this.call.run(this.product, inputs, *unit) for unit in units(values, i)] for i in range(len(values))]
        result = this._arranged(values, runs)
        return result if out is None else this.delivered(result, out, inputs)

    def gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient and the Hessian at `args`."""
        this, inputs = self.at(args, kwargs)
        result = this._all(inputs)[1:]
        return result if out is None else this.delivered(result, out, inputs)

    def value_gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the gradient and the Hessian at `args`: the first product brings the value and the gradient along."""
        this, inputs = self.at(args, kwargs)
        result = this._all(inputs)
        return result if out is None else this.delivered(result, out, inputs)

    def _all(self, inputs: list[Any]) -> tuple[Any, Any, Any]:
        values = values_at(inputs, self.places)
        vectors = [list(units(values, i)) for i in range(len(values))]
        zero = [np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0) for value in values]
        start = next((unit for group in vectors for unit in group), zero)
        value, gradient, first = self.run_whole(inputs, start)
        runs = [[first if unit is start else self.call.run(self.product, inputs, *unit) for unit in group] for group in vectors]
        return value, placed(self.point, iter(gradient)), self._arranged(values, runs)

    def _arranged(self, values: list[Any], runs: list[list[tuple[Any, ...]]]) -> Any:
        def rows() -> Iterator[Any]:
            for value, group in zip(values, runs, strict=True):
                blocks = [stacked(group, j, value, other) for j, other in enumerate(values)]
                yield placed(self.point, iter(blocks))

        return placed(self.point, rows())


def prepare_hvp(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    directions: int = 1,
    strict: bool = True,
    **example_kwargs: Any,
) -> PreparedHvp:
    """The product of the Hessian of `f` with a vector, derived now for arguments like the example: ``p(*args, v)``.

    ``p.batch(*args, vs)`` takes any number of vectors at once, `directions` of them in one sweep.

    >>> p = prepare_hvp(lambda x: x ** 3, 1.0, directions=2)
    >>> p(2.0, 1.0), p.value_gradient_and_hvp(2.0, 1.0)
    (12.0, (8.0, 12.0, 12.0))
    >>> p.batch(2.0, np.array([1.0, 2.0, 3.0]))
    array([12., 24., 36.])
    """
    options = {"argnums": checked_argnums(f, argnums), "directions": checked_directions(directions), "strict": strict}
    return PreparedHvp.of(f, example_args, example_kwargs, options)


def prepare_hessian(
    f: Callable[..., Any], /, *example_args: Any, argnums: Argnums = 0, strict: bool = True, **example_kwargs: Any
) -> PreparedHessian:
    """The Hessian of `f`, derived now for arguments like the example: see `adxform.hessian`.

    >>> p = prepare_hessian(lambda x: (x ** 3).sum(), np.ones(2))
    >>> p.gradient_and_hessian(np.array([1.0, 2.0]))
    (array([ 3., 12.]), array([[ 6.,  0.],
           [ 0., 12.]]))
    """
    options = {"argnums": checked_argnums(f, argnums), "directions": 1, "strict": strict}
    return PreparedHessian.of(f, example_args, example_kwargs, options)
