"""Prepared Jacobians, by tangents or by cotangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Self

from adxform.api import checked_argnums
from adxform.application import Argnums
from adxform.frontend.signature import Tree
from adxform.ir.types import is_float
from adxform.matrices import jacobian_at
from adxform.perturbations import placed
from adxform.pipeline import DerivedRule
from adxform.prepared import forms
from adxform.prepared.base import Args, Kwargs, Prepared
from adxform.prepared.columns import stacked, total, turned, units
from adxform.prepared.preparation import Places, prepare, values_at
from adxform.transforms import Mode
from adxform.trees import leaves_of, rebuild

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
        return {"argnums": self.argnums, "mode": self.mode, "strict": self.strict}

    @classmethod
    def of(cls, fn: Callable[..., Any], args: Args, kwargs: Kwargs, options: Mapping[str, Any]) -> Self:
        """The preparation of `fn` for arguments like these."""
        argnums, mode = options["argnums"], options["mode"]
        call, made = prepare(fn, args, kwargs, argnums)
        wrt = call.wrt(argnums)
        primal = call.rule("primal", ())
        sweeps = tuple(call.rule(sweep, wrt) for sweep in SWEEPS[mode])
        preparation = made([*sweeps, primal])
        return cls(
            "jacobian",
            fn,
            argnums,
            definition=jacobian_at,
            made=preparation,
            strict=options["strict"],
            mode=mode,
            primal=primal,
            sweeps=sweeps,
            places=preparation.places(wrt),
            point=call.point(argnums),
        )

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The Jacobian at `args`."""
        this, inputs = self.at(args, kwargs)
        result = this._value_and_jacobian(inputs)[1]
        return result if out is None else this.delivered(result, out, inputs)

    def value_and_jacobian(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value and the Jacobian at `args`."""
        this, inputs = self.at(args, kwargs)
        result = this._value_and_jacobian(inputs)
        return result if out is None else this.delivered(result, out, inputs)

    def _value_and_jacobian(self, inputs: list[Any]) -> tuple[Any, Any]:
        results = self.call.run(self.primal, inputs)
        ends = zip(results, leaves_of(self.call.result), strict=True)
        outs = [value for value, leaf in ends if is_float(leaf.type)]
        values = values_at(inputs, self.places)
        forward = self.mode == "forward" or (self.mode == "auto" and total(values) <= total(outs))
        blocks = self._columns(inputs, values, outs) if forward else self._rows(inputs, values, outs)
        jacobian = placed(self.call.result, (placed(self.point, iter(row)) for row in blocks))
        return rebuild(self.call.result, iter(results)), jacobian

    def _columns(self, inputs: list[Any], values: list[Any], outs: list[Any]) -> list[list[Any]]:
        rule = self.sweeps[0]
        count = len(rule.typed.results)
        blocks: list[list[Any]] = [[] for _ in outs]
        for j, value in enumerate(values):
            runs = [tuple(rule.spread(self.call.run(rule, inputs, *unit)[count:])) for unit in units(values, j)]
            for i, out in enumerate(outs):
                blocks[i].append(turned(stacked(runs, i, value, out), value, out))
        return blocks

    def _rows(self, inputs: list[Any], values: list[Any], outs: list[Any]) -> list[list[Any]]:
        rule = self.sweeps[-1]
        count = len(rule.typed.results)
        blocks: list[list[Any]] = []
        for i, out in enumerate(outs):
            runs = [self.call.run(rule, inputs, *rule.seeded(unit))[count:] for unit in units(outs, i)]
            blocks.append([stacked(runs, j, out, value) for j, value in enumerate(values)])
        return blocks


def prepare_jacobian(
    f: Callable[..., Any],
    /,
    *example_args: Any,
    argnums: Argnums = 0,
    mode: JacobianMode = "auto",
    strict: bool = True,
    **example_kwargs: Any,
) -> PreparedJacobian:
    """The Jacobian of `f`, derived now for arguments like the example: see `adxform.jacobian`.

    >>> import numpy as np
    >>> prepare_jacobian(lambda x: np.array([x[0] * x[1], x[0]]), np.ones(2))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 0.]])
    """
    if mode not in SWEEPS:
        raise ValueError(f"mode is {mode!r}; it is one of {', '.join(SWEEPS)}")
    options = {"argnums": checked_argnums(f, argnums), "mode": mode, "strict": strict}
    return PreparedJacobian.of(f, example_args, example_kwargs, options)
