"""Draws beside the numbers in standard form that they are made of."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np


def drawn_beside(
    standard: str, arguments: tuple[Any, ...], draws: Callable[..., Any], *args: Any, **kwargs: Any
) -> tuple[Any, Any]:
    """What ``draws(*args, **kwargs)`` gives, and what the method `standard` of its generator would have given in its place.

    Without a `standard` that is what it has given.

    >>> generator = np.random.default_rng(0)
    >>> value, z = drawn_beside("normal", (0.0, 1.0), generator.normal, 2.0, 3.0)
    >>> bool(value == 2.0 + 3.0 * z)
    True
    """
    call = args[0] if draws is operator.call else draws
    generator = getattr(call, "__self__", None)
    twin = copy.deepcopy(args[0] if generator is None else generator)
    value = draws(*args, **kwargs)
    if not standard:
        return value, value
    given = {"size": np.shape(value)} if np.ndim(value) > 0 else {}
    return value, getattr(twin, standard)(*arguments, **given)


def variates_beside(
    shapes: tuple[Any, ...], draws: Callable[..., Any], distribution: Any, *args: Any, **kwargs: Any
) -> tuple[Any, Any]:
    """What ``rvs`` of a distribution gives, and what it would have given without a location and a scale."""
    state = kwargs.get("random_state")
    twin = copy.deepcopy(distribution.random_state if state is None else state)
    value = draws(distribution, *args, **kwargs)
    given = {"size": np.shape(value)} if np.ndim(value) > 0 else {}
    return value, distribution.rvs(*shapes, random_state=twin, **given)
