"""Integrals of samples and of functions; those of differential equations are `paths`.

An integral moves as the rule of Gauss and Kronrod does on the intervals that QUADPACK has chosen, which are held.

Source: Piessens et al., *QUADPACK* (1983).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import integrate, special

from adxform.api import jvp
from adxform.api.scipy_models.implicit_solutions import as_tuple
from adxform.api.scipy_models.integration import boundary_paths, solution_paths
from adxform.api.scipy_models.orders import FIRST_ORDER, to_first_order
from adxform.api.scipy_models.solving import moving, solve, still
from adxform.ir.ops import Operand
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.runtime.run_time_checks import without_derivative

# -- samples ------------------------------------------------------------------------------------------------------------


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    return np.trapezoid(y, x, dx, axis)


def _rows(y: Any, axis: Any) -> Any:
    return y if axis == 0 else np.moveaxis(y, axis, 0)


def _widths(y: Any, x: Any, dx: Any, axis: Any) -> Any:
    """The widths between samples, as rows that the rows of `y` can be multiplied by."""
    if x is not None and np.iscomplexobj(x):
        unsupported("integrals of samples have a derivative where the places of the samples are real")
    rows = _rows(y, axis)
    if x is None:
        return rows, np.reshape(dx * np.ones(rows.shape[0] - 1), (-1,) + (1,) * (np.ndim(y) - 1))
    if np.ndim(x) == 1:
        return rows, np.reshape(x[1:] - x[:-1], (-1,) + (1,) * (np.ndim(y) - 1))
    places = _rows(x, axis)
    return rows, places[1:] - places[:-1]


def _cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    rows, h = _widths(y, x, dx, axis)
    found = np.cumsum(0.5 * h * (rows[1:] + rows[:-1]), axis=0)
    if initial is not None:
        found = np.concatenate((initial + np.zeros_like(rows[:1]), found), 0)
    return found if axis == 0 else np.moveaxis(found, 0, axis)


def _parabolas(rows: Any, h: Any) -> Any:
    """The integral of the parabola through each three samples, over both of its intervals."""
    left, right = h[:-1:2], h[1::2]
    both = left + right
    weighted = rows[:-2:2] * (2.0 - right / left) + rows[1:-1:2] * (both * (both / (left * right)))
    return both / 6.0 * (weighted + rows[2::2] * (2.0 - left / right))


def _simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    rows, h = _widths(y, x, dx, axis)
    n = rows.shape[0]
    if n % 2 == 1:
        return np.sum(_parabolas(rows, h), axis=0)
    if n == 2:
        return 0.5 * h[0] * (rows[0] + rows[1])
    a, b = h[-2], h[-1]
    last = rows[-1] * (2.0 * b * b + 3.0 * a * b) / (6.0 * (a + b)) + rows[-2] * (b * b + 3.0 * a * b) / (6.0 * a)
    return np.sum(_parabolas(rows[:-1], h[:-1]), axis=0) + last - rows[-3] * b**3 / (6.0 * a * (a + b))


def _first_halves(rows: Any, h: Any) -> Any:
    """The integral of the parabola through each three samples in a row, over the first of its intervals."""
    a, b = h[:-1], h[1:]
    share = a / (a + b)
    bend = share * a / b
    return a / 6.0 * ((3.0 - share) * rows[:-2] + (3.0 + bend + share) * rows[1:-1] - bend * rows[2:])


def _cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    rows, h = _widths(y, x, dx, axis)
    n = rows.shape[0]
    if n < 3:
        return _cumulative_trapezoid(y, x, dx, axis, initial)
    forwards = _first_halves(rows, h)
    backwards = np.flip(_first_halves(np.flip(rows, 0), np.flip(h, 0)), 0)
    parts = np.zeros_like(rows[1:])
    parts[: n - 2 : 2] = forwards[::2]
    parts[1::2] = backwards[::2]
    parts[n - 2] = backwards[n - 3]
    found = np.cumsum(parts, axis=0)
    if initial is not None:
        found = np.concatenate((initial + np.zeros_like(rows[:1]), initial + found), 0)
    return found if axis == 0 else np.moveaxis(found, 0, axis)


# -- functions ----------------------------------------------------------------------------------------------------------


def _fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    nodes, weights = special.roots_legendre(n)
    y = (b - a) * (np.real(nodes) + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(weights * func(y, *as_tuple(args)), axis=-1), None


_HALF_NODES = np.array(
    [
        *(0.995657163025808080735527280689003, 0.973906528517171720077964012084452, 0.930157491355708226001207180059508),
        *(0.865063366688984510732096688423493, 0.780817726586416897063717578345042, 0.679409568299024406234327365114874),
        *(0.562757134668604683339000099272694, 0.433395394129247190799265943165784, 0.294392862701460198131126603103866),
        *(0.148874338981631210884826001129720, 0.0),
    ]
)
_HALF_WEIGHTS = np.array(
    [
        *(0.011694638867371874278064396062192, 0.032558162307964727478818972459390, 0.054755896574351996031381300244580),
        *(0.075039674810919952767043140916190, 0.093125454583697605535465083366, 0.109387158802297641899210590325805),
        *(0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717),
        *(0.147739104901338491374841515972068, 0.149445554002916905664936468389821),
    ]
)
_NODES = np.concatenate((-_HALF_NODES, _HALF_NODES[:-1][::-1]))
_WEIGHTS = np.concatenate((_HALF_WEIGHTS, _HALF_WEIGHTS[:-1][::-1]))
_LINE_NODES, _LINE_WEIGHTS = np.polynomial.legendre.leggauss(8)


def _cut(left: Any, right: Any, end: Any) -> Any:
    """The intervals between `left` and `right`, of which that at `end`, a steep place, is cut ever finer towards it."""
    (k,) = np.flatnonzero((left == end) | (right == end))
    other = left[k] if right[k] == end else right[k]
    count = int(np.log2(1.0 / max(1e-12 * abs(end / (other - end)), 2.0**-100)))
    cuts = np.sort(np.append(end + (other - end) * 0.5 ** np.arange(max(count, 0) + 1), end))
    return np.concatenate((np.delete(left, k), cuts[:-1])), np.concatenate((np.delete(right, k), cuts[1:]))


def _quad_value(f: Any, a: Any, b: Any, steep_a: Any, steep_b: Any, epsabs: Any, epsrel: Any, limit: Any, points: Any) -> Any:
    """The integral, the estimate of its error, and nodes with weights of a rule that gives it too.

    Raises:
        UnsupportedOperationError: QUADPACK has extrapolated to a value that no rule on its intervals gives.
    """
    value, error, how, *_ = integrate.quad(f, a, b, (), 1, epsabs, epsrel, limit, points)
    turned = b < a
    low, high, steep_low, steep_high = (b, a, steep_b, steep_a) if turned else (a, b, steep_a, steep_b)
    count = how["last"]
    left, right = how["alist"][:count], how["blist"][:count]
    endless = math.isinf(low) or math.isinf(high)
    if endless:
        steep = [1.0] if steep_low or steep_high else []
    else:
        steep = [end for end, is_steep in ((low, steep_low), (high, steep_high)) if is_steep]
    if count:
        for end in steep:
            left, right = _cut(left, right, end)
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    nodes = np.ravel(middle[:, None] + half[:, None] * _NODES)
    weights = np.ravel(half[:, None] * _WEIGHTS)
    if endless:
        outward = (1.0 - nodes) / nodes
        weights = weights / (nodes * nodes)
        if math.isinf(low) and math.isinf(high):
            nodes, weights = np.concatenate((outward, -outward)), np.concatenate((weights, weights))
        else:
            nodes = low + outward if math.isinf(high) else high - outward
    if turned:
        weights = -weights
    kept = weights != 0.0
    nodes, weights = nodes[kept], weights[kept]
    near = 10.0 * max(error, epsabs, epsrel * abs(value))
    if abs(abs(np.sum(how["rlist"][:count])) - abs(value)) > near:
        again = sum(weight * f(node) for weight, node in zip(weights, nodes, strict=True))
        if abs(again - value) > near:
            raise without_derivative(
                "the integral has a singular place within, and no derivative: give `points`, or integrate up to it"
            )
    return value, error, nodes, weights


def _at_limit(f: Any, end: Any) -> float:
    """What `f` gives at a limit, where SciPy has not called it; NaN where it raises."""
    with np.errstate(all="ignore"):
        try:
            return float(f(end))
        except (ArithmeticError, ValueError):
            return math.nan


def _is_steep(f: Any, end: Any) -> Any:
    """Whether `f` has no slope at the limit `end`, where that is a number."""
    return math.isfinite(end) and not math.isfinite(_at_limit(f, end))


def _by_limit(f: Any, end: Any, steep: Any) -> Any:
    """The integral over a line that has no length yet; where `f` is steep, it moves as its value there says, once."""
    if not np.isfinite(end):
        return 0.0
    if steep:
        return solve(_at_limit, (f,), ((0.5,),), ("float",), end) * (to_first_order(end) - still(end))
    return _along(f, still(end), end)


def _along(f: Any, start: Any, end: Any) -> Any:
    """The integral of `f` over a line that has no length yet: it moves as `end` does."""
    total = 0.0
    for k in range(8):
        total += _LINE_WEIGHTS[k] * f(start + 0.5 * (_LINE_NODES[k] + 1.0) * (end - start))
    return 0.5 * (end - start) * total


def _quad(
    func: Any,
    a: Any,
    b: Any,
    args: Any = (),
    *,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
    weight: Any = None,
    wvar: Any = None,
) -> Any:
    def integrand(t: Any) -> Any:
        return func(t, *as_tuple(args))

    a, b = np.float64(a), np.float64(b)
    if weight is not None:
        return _waved(integrand, a, b, weight, wvar, (epsabs, epsrel, limit))

    def slope(t: Any) -> Any:
        return jvp(integrand, (t,), (1.0,))[1]

    steep_a = solve(_is_steep, (slope,), ((0.5,),), ("any",), a)
    steep_b = solve(_is_steep, (slope,), ((0.5,),), ("any",), b)
    kinds = ("float", "float", 1, 1)
    value, error, nodes, weights = solve(
        _quad_value, (integrand,), ((0.5,),), kinds, a, b, steep_a, steep_b, epsabs, epsrel, limit, points
    )
    total = 0.0
    for k in range(nodes.shape[0]):
        total += weights[k] * integrand(nodes[k])
    total = total + _by_limit(integrand, b, steep_b)
    total = total - _by_limit(integrand, a, steep_a)
    return moving(value, total), error


def _waved(integrand: Any, a: Any, b: Any, weight: Any, wvar: Any, given: Any) -> Any:
    """The integral of what is multiplied by a wave."""
    if weight != "cos" and weight != "sin":
        unsupported("quad has a derivative for the weights cos and sin: multiply the integrand by others")
    wave = np.cos if weight == "cos" else np.sin
    value, error = solve(_waved_value, (integrand,), ((0.5,),), ("float", "float"), a, b, weight, wvar, *given)
    epsabs, epsrel, limit = given
    return moving(
        value, _quad(lambda t: integrand(t) * wave(wvar * t), a, b, epsabs=epsabs, epsrel=epsrel, limit=limit)[0]
    ), error


def _waved_value(f: Any, a: Any, b: Any, weight: Any, wvar: Any, epsabs: Any, epsrel: Any, limit: Any) -> Any:
    if not (math.isfinite(a) and math.isfinite(b)):
        raise without_derivative("an integral with a weight has a derivative between limits that are numbers")
    return integrate.quad(f, a, b, epsabs=epsabs, epsrel=epsrel, limit=limit, weight=weight, wvar=wvar)


def _quad_vec_value(f: Any, a: Any, b: Any, *given: Any) -> Any:
    """The integral, the estimate of its error, and nodes with weights of a rule that gives it too."""
    if not (math.isfinite(a) and math.isfinite(b)):
        raise without_derivative("quad_vec has a derivative between limits that are numbers")
    value, error, how = integrate.quad_vec(f, a, b, *given[:-1], points=given[-1], full_output=True)
    left, right = how.intervals[:, 0], how.intervals[:, 1]
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    nodes, weights = middle[:, None] + half[:, None] * _NODES, half[:, None] * _WEIGHTS
    return value, float(error), np.ravel(nodes), np.ravel(weights)


def _quad_vec(
    f: Any,
    a: Any,
    b: Any,
    epsabs: Any = 1e-200,
    epsrel: Any = 1e-8,
    norm: Any = "2",
    cache_size: Any = 100e6,
    limit: Any = 10000,
    *,
    points: Any = None,
    args: Any = (),
) -> Any:
    def integrand(t: Any) -> Any:
        return f(t, *as_tuple(args)) * np.float64(1.0)

    a, b = np.float64(a), np.float64(b)
    kinds = (integrand(0.5 * (a + b)), "float", 1, 1)
    given = a, b, epsabs, epsrel, norm, cache_size, limit, points
    value, error, nodes, weights = solve(_quad_vec_value, (integrand,), ((0.5,),), kinds, *given)
    total = 0.0 * integrand(still(0.5 * (a + b)))
    for k in range(nodes.shape[0]):
        total = total + weights[k] * integrand(nodes[k])
    return moving(value, total + _along(integrand, still(b), b) - _along(integrand, still(a), a)), error


def _dblquad(
    func: Any,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:
    """The integral over `x` of integrals over `y`; its error is that of the outer one."""

    def line(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return _quad(lambda y: func(y, x, *as_tuple(args)), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return _quad(line, a, b, epsabs=epsabs, epsrel=epsrel)


def _tplquad(
    func: Any,
    a: Any,
    b: Any,
    gfun: Any,
    hfun: Any,
    qfun: Any,
    rfun: Any,
    args: Any = (),
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:
    """The integral over `x` of integrals over `y` of integrals over `z`."""

    def plane(y: Any, x: Any) -> Any:
        low = qfun(x, y) if callable(qfun) else qfun
        high = rfun(x, y) if callable(rfun) else rfun
        return _quad(lambda z: func(z, y, x, *as_tuple(args)), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return _dblquad(plane, a, b, gfun, hfun, (), epsabs, epsrel)


def _limits(given: Any, *outer: Any) -> Any:
    """The two ends of an integral, which may depend on the places of those around it."""
    return given(*outer) if callable(given) else given


def _nquad(func: Any, ranges: Any, args: Any = None) -> Any:
    """Integrals within one another; the first range is that of the innermost."""
    more = () if args is None else as_tuple(args)
    if len(ranges) == 1:
        low, high = _limits(ranges[0], *more)
        return _quad(lambda x: func(x, *more), low, high)

    if len(ranges) == 2:

        def line(x: Any) -> Any:
            low, high = _limits(ranges[0], x, *more)
            return _quad(lambda y: func(y, x, *more), low, high)[0]

        low, high = _limits(ranges[1], *more)
        return _quad(line, low, high)
    if len(ranges) != 3:
        unsupported("nquad has a derivative of three integrals or fewer")

    def plane(y: Any, x: Any) -> Any:
        low, high = _limits(ranges[0], y, x, *more)
        return _quad(lambda z: func(z, y, x, *more), low, high)[0]

    def across(x: Any) -> Any:
        low, high = _limits(ranges[1], x, *more)
        return _quad(lambda y: plane(y, x), low, high)[0]

    low, high = _limits(ranges[2], *more)
    return _quad(across, low, high)


def _romb(y: Any, dx: Any = 1.0, axis: Any = -1) -> Any:
    weights = romberg_weights(y.shape[axis])
    return dx * np.sum(np.moveaxis(y, axis, -1) * weights, axis=-1)


def romberg_weights(count: Any) -> Any:
    """What each of so many samples counts in Romberg's rule."""
    return integrate.romb(np.eye(count))


def _weights_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"),))


RECORDS: tuple[Primitive, ...] = (*FIRST_ORDER, constant(romberg_weights, result=_weights_type))

DEFINITIONS: tuple[Definition, ...] = (
    Definition(integrate.trapezoid, _trapezoid, Value.OWN),
    Definition(integrate.cumulative_trapezoid, _cumulative_trapezoid, Value.OWN),
    Definition(integrate.simpson, _simpson, Value.OWN),
    Definition(integrate.cumulative_simpson, _cumulative_simpson, Value.OWN),
    Definition(integrate.fixed_quad, _fixed_quad, sequences=True, calls_back=True),
    Definition(integrate.quad, _quad, sequences=True, calls_back=True),
    Definition(integrate.quad_vec, _quad_vec, sequences=True, calls_back=True),
    Definition(integrate.dblquad, _dblquad, sequences=True, calls_back=True),
    Definition(integrate.tplquad, _tplquad, sequences=True, calls_back=True),
    Definition(integrate.nquad, _nquad, sequences=True, calls_back=True),
    Definition(integrate.romb, _romb, Value.OWN),
    *solution_paths.DEFINITIONS,
    *boundary_paths.DEFINITIONS,
)
