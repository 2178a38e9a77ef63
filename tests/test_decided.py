"""Every public callable of NumPy, SciPy and Python's modules is decided on: it has a rule or a definition, is zero or refused."""

from __future__ import annotations

import importlib
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.cli.known_functions import MODULES, DecidedAs, decided, kind_of, public, undecided
from adxform.errors import AdxError, MissingRuleError
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.refusals.numpy_functions import REFUSED_ATTRIBUTES
from adxform.primitives.refusals.scipy_groups import GROUPS
from adxform.primitives.table import REFUSALS, lookup
from adxform.testing import check_derivatives
from tests.tables.cell import program

V = np.array([0.4, -1.7, 2.1, 0.3, 1.1])
M = np.array([[0.4, -1.7, 2.1], [1.3, 0.7, -0.6]])
GONE = V.copy()
GONE[1] = np.nan
GONE_2 = M.copy()
GONE_2[0, 1] = np.nan
T = np.arange(12.0).reshape(2, 3, 2) / 7 - 0.5
Z = V + 1j * np.cos(3.0 * V)
OPERANDS = {"V": V, "M": M, "G": GONE, "H": GONE_2, "T": T, "Z": Z}

CALLS = """
V np.polyder(x)
V np.polyder(x, 2)
V np.polyint(x)
V np.polyint(x, 2, x[:2])
V np.polyint(x, 2, 1.5)
V np.polyadd(x, x[:3]**2)
V np.polysub(x[1:], x**2)
V np.poly(x)
V np.vander(x)
V np.vander(x, 3, increasing=True)
V np.polyfit(x, np.sin(x), 2)
V np.polyfit(x, np.sin(x), 2, w=x**2)
V np.polyfit(x, np.stack([np.sin(x), x**2], 1), 2)
V np.polynomial.polynomial.polyval(x, x[:3])
V np.polynomial.chebyshev.chebval(x, x[:4])
V np.polynomial.legendre.legval(x, x[:4])
V np.polynomial.laguerre.lagval(x, x[:4])
V np.polynomial.hermite.hermval(x, x[:4])
V np.polynomial.hermite_e.hermeval(x, x[:4])
M np.polynomial.chebyshev.chebval(x, x)
G np.nanprod(x)
H np.nanprod(x, axis=1, keepdims=True)
H np.nancumsum(x, axis=1)
H np.nancumprod(x)
H np.nanvar(x)
H np.nanvar(x, axis=0, ddof=0)
H np.nanvar(x, axis=1, ddof=1, keepdims=True)
H np.nanstd(x, axis=1)
H np.nanmedian(x)
H np.nanmedian(x, axis=1)
H np.nanmedian(x, axis=0, keepdims=True)
H np.nanquantile(x, 0.3)
H np.nanquantile(x, [0.3, 0.6], axis=1)
H np.nanpercentile(x, 30.0, axis=0)
H np.nanmax(x, axis=1, keepdims=True)
H np.nanmax(x, initial=0.5)
H np.nanmin(x, axis=0, initial=0.1, where=[True, False, True])
H np.nansum(x, axis=1, initial=2.0)
H np.nansum(x, where=[True, False, True])
H np.nanmean(x, axis=1, where=[True, True, False])
H np.nanvar(x, where=[True, True, False])
H np.nanstd(x, axis=1, ddof=0, where=[True, True, False])
V np.sum(x, initial=1.5)
M np.sum(x, axis=1, keepdims=True, initial=x[0, 0])
M np.sum(x, axis=(0, 1), initial=0.25, where=x > 0)
M x.sum(0, initial=2.0)
M np.prod(x, axis=1, initial=1.5)
M np.prod(x, where=[True, False, True])
M x.prod(axis=0, where=x < 1.0)
V np.max(x, initial=1.0)
V np.max(x[:0], initial=x[0])
M np.max(x, axis=1, initial=-0.5, where=[False, True, True])
M np.amax(x, (0, 1), initial=1.0, keepdims=True)
M x.max(axis=0, initial=1.1)
M np.min(x, axis=0, initial=0.5)
M x.min(initial=9.0, where=x > 0.5)
M np.amin(x, initial=x[1, 2])
V np.var(x, correction=1)
M np.std(x, axis=0, correction=1.5)
M np.var(x, axis=1, mean=np.mean(x, axis=1, keepdims=True))
M x.std(axis=0, mean=x[:1] ** 2, where=x > 0.1, keepdims=True)
M np.var(x, mean=x[0, 0] * 2.0, ddof=1)
M np.mean(x, where=x > 0)
M np.mean(x, axis=0, keepdims=True, where=[[True], [False]])
M x.mean(axis=1, where=[True, False, True])
M np.var(x, where=x < 2.0)
M x.var(axis=1, ddof=1, where=[True, False, True])
M np.std(x, axis=1, where=[True, False, True])
M x.std(keepdims=True, ddof=1, where=x > -0.9)
Z np.sum(x, initial=1.0, where=x.real > 0)
Z np.var(x, where=[True, False, True, True, True])
Z np.prod(x, initial=2.0)
Z np.var(x, axis=0, mean=x[:1] * 1j)
V np.quantile(x, 0.3, method='lower')
V np.quantile(x, [0.05, 0.3, 0.97], method='higher')
V np.quantile(x, 0.3, method='midpoint')
V np.quantile(x, [0.05, 0.3, 0.97], method='interpolated_inverted_cdf')
M np.quantile(x, [0.05, 0.3, 0.97], axis=1, method='hazen')
M np.percentile(x, [5, 30, 97], method='weibull')
M np.percentile(x, 40.0, axis=1, method='median_unbiased', keepdims=True)
V np.percentile(x, 61.0, method='normal_unbiased')
V np.quantile(x, x[0], method='weibull')
M np.corrcoef(x)
V np.corrcoef(x, x**2)
M np.corrcoef(x, rowvar=False)
V np.choose([0, 1, 0, 1, 1], [x, x**2])
V np.choose([0, 3, 0, -1, 1], [x, x**2], mode='wrap')
V np.choose([0, 3, 0, -1, 1], (x, x**2), mode='clip')
V np.array([0, 1, 0, 1, 1]).choose([x, x**2])
M np.compress([True, False, True], x, axis=1)
V x.compress(x > 0)
M x.compress([True, False], axis=0)
M np.extract(x > 0, x)
V np.partition(x, 2)
M np.partition(x, 1, axis=0)
M np.partition(x, (0, 1), axis=None)
M y = x * 1.0 ;; y.partition(1) ;; y
M np.delete(x, 1, axis=1)
M np.delete(x, [0, 3])
V np.delete(x, slice(0, 2))
M np.insert(x, 1, 0.5, axis=0)
V np.insert(x, 1, x[0])
M np.insert(x, -1, x[0], axis=0)
M np.insert(x, 1, x[:, 0], axis=1)
M np.diagflat(x, 1)
M np.broadcast_arrays(x, x[0], x[:, :1])
M np.resize(x, (2, 4))
M np.resize(x, 9)
T np.rollaxis(x, 2)
T np.rollaxis(x, 0, 3)
V np.trim_zeros(np.where(x > 0, x, 0.0))
V np.trim_zeros(x, 'f')
M r = np.unstack(x, axis=1) ;; r[0] * r[2]
M np.apply_along_axis(lambda r: np.sum(r * r), 1, x)
M np.apply_along_axis(lambda r, k: r * k, 0, x, 2.5)
T np.apply_along_axis(lambda r: np.outer(r, r), 1, x)
T np.apply_over_axes(np.sum, x, (0, 2))
V np.piecewise(x, [x < 0, x > 1], [lambda v: v * v, lambda v: np.sin(v), 3.0])
V np.piecewise(x, [x < 0], [lambda v: v * v])
V np.fromfunction(lambda i, j: x[0] * i + j * x[1], (2, 3))
V np.correlate(x, x[:3])
V np.correlate(x[:2], x, 'full')
V np.correlate(x, x[:2]**2, 'same')
V np.correlate(x[:2], x**2, 'same')
V np.correlate(x[:3], x**2, 'valid')
M np.ediff1d(x)
M np.ediff1d(x, to_begin=x[0], to_end=1.5)
V np.unwrap(x * 4)
M np.unwrap(x * 4, axis=0)
V np.unwrap(x * 4, period=x[4] * 2)
V np.logspace(x[0], x[2], 4)
V np.logspace(x[0], x[2], 4, endpoint=False, base=x[4])
V np.geomspace(x[0], x[2], 4)
V np.geomspace(x[:1]**2, x[2], 4)
V np.bincount([0, 2, 2, 1, 0], x)
V np.bincount([0, 2, 2, 1, 0], weights=x, minlength=5)
V np.histogram_bin_edges(x, 3)
V np.histogram(x, 3)
V np.histogram(x, [-2.0, 0.0, 1.0], weights=x)
V np.histogram(x, 3, density=True)
T np.dsplit(x, 2)
V y = x * 1.0 ;; np.place(y, y > 0, x[1:3]**2) ;; y
M y = x * 1.0 ;; np.put_along_axis(y, np.array([[1], [0]]), x[:, :1] * 2.0, 1) ;; y
V y = x * 1.0 ;; y.put([0, 3], x[:2] * 2.0) ;; y
V y = x * 2.0 ;; np.copyto(y, x**2, where=x > 0) ;; y
M y = x * 2.0 ;; np.copyto(y, x[0] * 3.0, where=[True, False, True]) ;; y
V np.r_[x[:2], x[3], 0.5, x**2]
M np.r_[x, 2.0 * x]
V np.c_[x, x**2]
Z np.r_[x, 1.5]
V np.histogram(x, list(x[1:3] * np.array([1.0, 2.0])))
V np.cumulative_sum(x, include_initial=True)
M np.cumulative_prod(x, axis=1)
M np.cumulative_prod(x, axis=0, include_initial=True)
M np.matvec(x, x[0])
M np.vecmat(x[:, 0], x)
M np.astype(x, np.float64)
M np.asarray_chkfinite(x)
V np.fft.fftfreq(5, x[2])
V np.fft.rfftfreq(5, d=x[2])
Z np.polyder(x)
Z np.polyint(x)
Z np.polyadd(x, x[:2])
Z np.vander(x, 3)
Z np.nanprod(x)
Z np.nancumsum(x)
Z np.nanvar(x)
Z np.nanstd(x)
Z np.corrcoef(np.stack([x, x[::-1]]))
Z np.correlate(x, x[:2]**2, 'full')
Z np.ediff1d(x)
Z np.choose([0, 1, 0, 1, 1], [x, x**2])
Z np.delete(x, 1)
Z np.insert(x, 1, x[0])
Z np.partition(x, 1)
Z np.trim_zeros(x)
Z np.matvec(np.outer(x, x), x)
Z np.vecmat(x, np.outer(x, x))
Z np.polynomial.chebyshev.chebval(x, x[:4])
Z np.piecewise(x, [x.real < 0], [lambda v: v * v, lambda v: np.sin(v)])
Z np.histogram([0.1, 0.5, 1.0, 2.0, 1.7], 2, weights=x)
Z np.cumulative_prod(x)
Z np.resize(x, 7)
Z np.diagflat(x)
Z np.apply_along_axis(lambda r: np.sum(r * r), 0, x)
"""
"""Calls of what has been defined last, on real operands and on complex ones (`Z`)."""

COMPLEX_REFUSED = (
    "np.poly(x)",
    "np.logspace(x[0], x[1], 3)",
    "np.geomspace(x[0], x[1], 3)",
    "np.nanmedian(x)",
)


@pytest.mark.parametrize("package", MODULES)
def test_a_package_has_no_public_callable_that_is_not_decided(package: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of SciPy's names warn of their end
        assert undecided(package) == []


def test_a_reason_is_given_to_functions_that_some_version_has() -> None:
    """A name that is misspelled would give its reason to nothing; those that are gone from this version are listed."""
    gone = {
        *("interp2d", "clpmn", "lpmn", "lpn", "sph_harm", "qspline2d", "cspline2d"),
        *("distance.sokalmichener", "distance.kulczynski1"),
    }
    for package, groups in GROUPS.items():
        names = [name for group in groups for name in group.names.split()]
        assert len(names) == len(set(names))
        module = importlib.import_module(package)
        lacking = {name for name in names if not _has(module, name)}
        assert lacking <= gone, package


def _has(module: object, name: str) -> bool:
    try:
        return callable(operator.attrgetter(name)(module))
    except AttributeError:
        return False


def test_each_attribute_of_arrays_is_followed_or_refused_with_a_way_out() -> None:
    def asked(name: str) -> Callable[[Any], Any]:
        return program(f"def f(x):\n    a = x.{name}\n    return np.sum(x * x)\n")

    for name in dir(np.ndarray):
        if name.startswith("_") or callable(getattr(np.ndarray, name)):
            continue
        if name in REFUSED_ATTRIBUTES:
            with pytest.raises(AdxError) as caught:
                adxform.grad(asked(name))(M)
            assert caught.value.help == REFUSED_ATTRIBUTES[name]
        else:
            np.testing.assert_array_equal(adxform.grad(asked(name))(M), 2.0 * M)


def test_a_function_is_refused_or_has_a_rule_but_not_both() -> None:
    for package in MODULES:
        for _, fn in public(package):
            kind_of(fn)  # which brings the rules of its package
    both = [name_of(fn) for fn in REFUSALS if fn in DEFINITIONS or getattr(lookup(fn), "derivative", None) is not None]
    assert both == []


def test_what_is_refused_says_what_to_do_instead() -> None:
    for one in REFUSALS.values():
        assert one.why
        assert bool(one.instead) or not one.numbers, one


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("np.power.outer(x**2, x)", "np.power.outer"),
        ("np.histogram(x, x[1:3])[1]", "give it a list"),
        ("np.roots(x)[0] * x[0]", "real or complex"),
        ("np.unique(x) * x[0]", "different ones"),
        ("np.i0(x)", "Bessel"),
        ("np.histogramdd(x)[0]", "edges"),
    ],
)
def test_an_error_says_why_and_what_to_do(call: str, words: str) -> None:
    f = program(f"def f(x):\n    return np.sum(np.real({call}))\n")
    with pytest.raises(MissingRuleError, match=words) as caught:
        adxform.grad(f)(V)
    assert caught.value.help
    assert caught.value.span.line == 2


def test_every_kind_has_functions() -> None:
    assert set(decided().values()) == set(DecidedAs)


def calls() -> list[Any]:
    cases = []
    for line in CALLS.strip().splitlines():
        operand, _, expression = line.partition(" ")
        cases.append(pytest.param(operand, expression, id=f"{expression} of {operand}"))
    return cases


def measured(expression: str, header: str) -> Callable[..., Any]:
    """A number that tells the elements of a result apart, and its parts."""
    *first, last = expression.split(" ;; ")
    lines = [*first, f"r = {last}", "total = 0.0", "for part in r if isinstance(r, (tuple, list)) else [r]:"]
    lines.append("    total = total + np.sum(np.abs(part) ** 2 * np.cos(np.arange(1.0 * np.size(part))).reshape(np.shape(part)))")
    lines.append("    total = total + np.sum(np.real(part * (0.3 + 0.2j)))")
    return program(header + "".join(f"    {line}\n" for line in lines) + "    return total\n")


@pytest.mark.parametrize(("operand", "expression"), calls())
def test_a_definition_gives_the_value_and_the_derivatives(operand: str, expression: str) -> None:
    x = OPERANDS[operand]
    *first, last = expression.split(" ;; ")
    plain = program("def f(x):\n" + "".join(f"    {line}\n" for line in first) + f"    return {last}\n")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if operand == "Z":
            records = check_derivatives(measured(expression, "def f(a, b):\n    x = a + 1j * b\n"), x.real.copy(), x.imag.copy())
        else:
            records = check_derivatives(measured(expression, "def f(x):\n"), x.copy())
        assert not [record for record in records if not record.ok]
        expected, found = plain(x.copy()), adxform.jvp(plain, (x.copy(),), (np.ones_like(x),), engine="python")[0]
    for one, other in zip(*(tuple(y) if isinstance(y, tuple | list) else (y,) for y in (expected, found)), strict=True):
        np.testing.assert_array_equal(other, one, strict=np.ndim(one) > 0)


@pytest.mark.parametrize("expression", COMPLEX_REFUSED)
def test_what_holds_for_real_numbers_only_is_refused_for_complex_ones(expression: str) -> None:
    f = program(f"def f(x):\n    return np.sum(np.abs({expression}))\n")
    with pytest.raises(AdxError) as caught:
        adxform.grad(f)(Z)
    assert caught.value.span is not None
