"""Transforms of samples by the power that makes them most like normal ones: a maximum of the likelihood, as an implicit function.

Source: Box & Cox, J. Roy. Stat. Soc. B 26 (1964); Yeo & Johnson, Biometrika 87 (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import number_moving
from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.scipy_rules.stats.sample_statistics import by_power, by_signed_power
from adxform.runtime.run_time_checks import without_derivative


def _best(
    name: str, transform: Callable[..., Any], likelihood: Callable[..., Any], value: Callable[..., Any]
) -> Callable[..., Any]:
    """The definition of a function of samples and a power: of the samples alone it finds the power, and returns it too.

    With `alpha` it also returns between which powers the likelihood is close to the greatest.
    """

    def body(x: Any, lmbda: Any = None, alpha: Any = None) -> Any:
        x = np.asarray(x) * 1.0
        if lmbda is not None:
            found = transform(x, lmbda)
            return moving(solve(value, (), (), (found,), x, lmbda), found)
        if np.ndim(x) != 1:
            unsupported(f"{name} has a derivative of a vector, where it finds the power itself")
        if x.shape[0] == 0:
            raise without_derivative(f"{name} has no derivative of a sample without numbers, of which it finds no power")
        transformed, power = solve(value, (), (), (x, "number"), x, None)
        power = number_moving(lambda at: grad(lambda one: likelihood(one, x))(at), power)
        transformed = moving(transformed, transform(x, power))
        if alpha is None:
            return transformed, power
        least = likelihood(power, x) - 0.5 * special.ndtri(1.0 - 0.5 * alpha) ** 2
        low, high = solve(_ends, (), (), ("number", "number"), x, alpha)
        low = number_moving(lambda at: likelihood(at, x) - least, low)
        high = number_moving(lambda at: likelihood(at, x) - least, high)
        return transformed, power, (low, high)

    return body


def _ends(x: Any, alpha: Any) -> Any:
    return stats.boxcox(x, None, alpha)[2]


def _boxcox_value(x: Any, lmbda: Any) -> Any:
    return stats.boxcox(x, lmbda)


def _yeojohnson_value(x: Any, lmbda: Any) -> Any:
    return stats.yeojohnson(x, lmbda)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.boxcox, _best("boxcox", by_power, stats.boxcox_llf, _boxcox_value), Value.FOLLOWED),
    Definition(stats.yeojohnson, _best("yeojohnson", by_signed_power, stats.yeojohnson_llf, _yeojohnson_value), Value.FOLLOWED),
)
