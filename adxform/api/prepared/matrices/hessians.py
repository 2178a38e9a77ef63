"""Prepared Hessians, made of products with unit vectors."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs
from adxform.api.prepared.calls.outputs import LATER
from adxform.api.prepared.calls.preparation import values_at
from adxform.api.prepared.matrices.columns import block_like, filled, padded, units, views, width
from adxform.api.prepared.second import Parts, SecondOrder
from adxform.runtime.dispatch.application import Application, Argnums
from adxform.runtime.dispatch.batches import split
from adxform.runtime.dispatch.refusals import HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, refuse_complex, refuse_repeated
from adxform.runtime.dispatch.tracebacks import for_users


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedHessian(SecondOrder):
    """``prepare_hessian(f, …)``: the Hessian, as `adxform.hessian` returns it: a product for each number in the arguments."""

    form = "hessian"
    shown = "hessian"
    forms = MappingProxyType(
        {"gradient_and_hessian": forms.gradient_and_hessian, "value_gradient_and_hessian": forms.value_gradient_and_hessian}
    )

    @classmethod
    def refuse(cls, call: Application, argnums: Argnums) -> None:
        """Raise where it is by complex numbers, or the function changes state outside of it."""
        refuse_repeated(call.entry.specialized.function)
        for name, tree in call.named_arguments(argnums):
            refuse_complex(call.fn, HESSIAN_BY_COMPLEX, HESSIAN_WAY_OUT, name, tree)

    @classmethod
    def at_once(cls, values: Sequence[Any], directions: int | None) -> int:
        """How many columns are found in one sweep."""
        return directions or width(values)

    @for_users
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The Hessian at `args`."""
        return self._answer(args, kwargs, out, Parts.LAST)

    @for_users
    def gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The gradient and the Hessian at `args`."""
        return self._answer(args, kwargs, out, Parts.DERIVATIVES)

    @for_users
    def value_gradient_and_hessian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value, the gradient and the Hessian at `args`: the first product brings the value and the gradient along."""
        return self._answer(args, kwargs, out, Parts.ALL)

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, parts: Parts) -> Any:
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        like = [[block_like(value, other, other) for other in values] for value in values]
        directions, vectors = this.product.request.directions, values * this.product.request.directions
        to = this.destination(parts.of(LATER, this.arrange(values), this._table(like)), out, inputs)
        taken = [*inputs, *vectors]
        first = nullcontext() if parts is Parts.LAST else this.in_workspace(this.whole, taken)
        with this.in_workspace(this.product, taken) as product, first as whole:
            zeros = product.workspace.zeros(vectors)
            ahead = [None] * len(this.whole.typed.results) + ([] if whole is None else to.beside(values))
            blocks = [to.blocks(row) for row in like]
            value, gradient = None, values
            last: Sequence[Any]
            for spots, seeds in units(zeros, directions):
                targets = [views(blocks[place], (*index, ...)) for place, index in spots]
                outs = padded(targets, len(vectors))
                if whole is None:
                    last = product.run(inputs, seeds, outs)
                else:
                    value, gradient, last = this.results(whole.run(inputs, seeds, [*ahead, *outs]), None)
                    whole = None
                for (place, _), memory, found in zip(spots, targets, split(last, 0, directions), strict=False):
                    filled(blocks[place], memory, found)
            if whole is not None:
                value, gradient, _ = this.results(whole.run(inputs, zeros), None)
            return to.delivered(parts.of(value, this.arrange(gradient), this._table(blocks)))

    def _table(self, blocks: Sequence[Sequence[Any]]) -> Any:
        return self.arrange([self.arrange(row) for row in blocks])
