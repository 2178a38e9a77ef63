"""Prepared Jacobians, by tangents or by cotangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Self

from adxform.api.prepared import operator_meanings as forms
from adxform.api.prepared.base import Args, Kwargs, Prepared
from adxform.api.prepared.calls.preparation import Places, prepare, values_at
from adxform.api.prepared.matrices.columns import WIDTH, block_like, filled, padded, total, units, views, width
from adxform.api.prepared.vjp import stand_ins
from adxform.api.second_order_definitions import holomorphic_jacobian_at, jacobian_at
from adxform.frontend.signature import Tree
from adxform.ir.types import is_inexact
from adxform.runtime.dispatch.batches import split
from adxform.runtime.dispatch.derivation import DerivedRule
from adxform.runtime.dispatch.derivative_orders import Mode
from adxform.runtime.dispatch.leaf_flattening import alongside, placed, settler
from adxform.runtime.dispatch.refusals import jacobian_ends, refuse_repeated
from adxform.runtime.dispatch.result_structures import leaves_of, rebuild
from adxform.runtime.dispatch.tracebacks import for_users

JacobianMode = Literal["auto", "forward", "reverse"]
SWEEPS: Mapping[str, tuple[Mode, ...]] = {"auto": ("forward", "reverse"), "forward": ("forward",), "reverse": ("reverse",)}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PreparedJacobian(Prepared):
    """``prepare_jacobian(f, …)``: the Jacobian, as `adxform.jacobian` returns it."""

    primal: DerivedRule
    sweeps: tuple[DerivedRule, ...]
    places: Places
    point: Tree
    form = "jacobian"
    forms = MappingProxyType({"value_and_jacobian": forms.value_and_jacobian})

    @property
    def rules(self) -> tuple[DerivedRule, ...]:
        """The rules for columns or rows, whichever the mode may take, and the primal."""
        return *self.sweeps, self.primal

    @property
    def options(self) -> dict[str, Any]:
        """What it was prepared with."""
        own = {"argnums": self.argnums, "mode": self.mode, "holomorphic": self.holomorphic}
        return {**own, "strict": self.strict, "engine": self.engine}

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, mode = options["argnums"], options["mode"]
        call, made = prepare(fn, args, kwargs, argnums, options["engine"])
        refuse_repeated(call.entry.specialized.function)
        wrt, holomorphic = call.wrt(argnums), options["holomorphic"]
        mode = jacobian_ends(call.fn, call.named_arguments(argnums), call.result, mode, holomorphic=holomorphic)
        primal = call.rule("primal", ())
        alike = stand_ins(call.result, primal.typed.params)
        widths: dict[Mode, int] = {
            "forward": width([call.leaves[place] for place in wrt]),
            "reverse": WIDTH if alike is None else width(alike(call.inputs())),
        }
        at_once = options.get("directions")
        sweeps = tuple(call.rule(sweep, wrt, directions=at_once or widths[sweep]) for sweep in SWEEPS[mode])
        preparation = made([*sweeps, primal])
        return cls(
            "jacobian",
            fn,
            argnums,
            definition=holomorphic_jacobian_at if holomorphic else jacobian_at,
            made=preparation,
            strict=options["strict"],
            engine=call.engine,
            mode=mode,
            holomorphic=holomorphic,
            primal=primal,
            sweeps=sweeps,
            places=preparation.places(wrt),
            point=call.point(argnums),
        )

    @for_users
    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The Jacobian at `args`."""
        return self._answer(args, kwargs, out, with_value=False)

    @for_users
    def value_and_jacobian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the Jacobian at `args`."""
        return self._answer(args, kwargs, out, with_value=True)

    @for_users
    def _answer(self, args: Args, kwargs: Kwargs, out: Any, *, with_value: bool) -> Any:
        this, inputs = self.at(args, kwargs)
        values = values_at(inputs, this.places)
        with this.in_workspace(this.primal, inputs) as primal:
            results = primal.run(inputs, ())
            value = rebuild(this.call.result, iter(results))
            ends = zip(results, leaves_of(this.call.result), strict=True)
            outs = [result for result, leaf in ends if is_inexact(leaf.type)]
            forward = this.mode == "forward" or (this.mode == "auto" and total(values) <= total(outs))
            like = [[block_like(end, at, end if forward else at) for at in values] for end in outs]
            expected = this._table(like)
            to = this.destination((value, expected) if with_value else expected, out, inputs)
            if with_value:
                to.beside(results)
            blocks = [to.blocks(row) for row in like]
            (this._columns if forward else this._rows)(inputs, values, outs, blocks)
            jacobian = this._table(blocks)
            return to.delivered((value, jacobian) if with_value else jacobian)

    def _table(self, blocks: Sequence[Sequence[Any]]) -> Any:
        return placed(self.call.result, (placed(self.point, iter(row)) for row in blocks))

    def _columns(self, inputs: list[Any], values: list[Any], outs: list[Any], blocks: list[list[Any]]) -> None:
        rule = self.sweeps[0]
        count, directions = len(rule.typed.results), rule.request.directions
        tangents = values * directions
        with self.in_workspace(rule, [*inputs, *tangents]) as work:
            for spots, vectors in units(work.workspace.zeros(tangents), directions):
                results = work.run(inputs, vectors)
                found = split(results, count, directions)
                for (place, index), parts in zip(spots, found, strict=False):
                    column = [row[place] for row in blocks]
                    slopes = alongside(results[:count], self.call.result, rule.spread(parts))
                    filled(column, views(column, (..., *index)), list(slopes))
                    for row, block in zip(blocks, column, strict=True):
                        row[place] = block

    def _rows(self, inputs: list[Any], values: list[Any], outs: list[Any], blocks: list[list[Any]]) -> None:
        rule = self.sweeps[-1]
        count, directions = len(rule.typed.results), rule.request.directions
        settle = settler(self.call.types(self.call.wrt(self.argnums)))

        def seeded(cotangents: list[Any]) -> list[Any]:
            return [seed for vector in split(cotangents, 0, directions) for seed in rule.seeded(vector)]

        cotangents = outs * directions
        with self.in_workspace(rule, [*inputs, *seeded(cotangents)]) as work:
            for spots, vectors in units(work.workspace.zeros(cotangents), directions):
                targets = [views(blocks[place], (*index, ...)) for place, index in spots]
                to = [None] * count + padded(targets, directions * len(values))
                found = split(work.run(inputs, seeded(vectors), to), count, directions)
                for (place, _), views_, parts in zip(spots, targets, found, strict=False):
                    filled(blocks[place], views_, settle(parts, None))
