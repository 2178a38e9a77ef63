"""The call forms, for the tables of edges and of signatures, of functions of coefficients, missing values, places and windows."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils

from tests.tables import signature_samples
from tests.tables.signature_samples import Base, K, M, N, T, U, V, t

Form = tuple[str, str]
SERIES = {
    "polynomial.polyval": polynomial.polyval,
    "chebyshev.chebval": chebyshev.chebval,
    "legendre.legval": legendre.legval,
    "laguerre.lagval": laguerre.lagval,
    "hermite.hermval": hermite.hermval,
    "hermite_e.hermeval": hermite_e.hermeval,
}
"""Values of series, by the names of their functions in `numpy.polynomial`."""

MODULES = {
    "polynomial": (polynomial, "poly"),
    "chebyshev": (chebyshev, "cheb"),
    "legendre": (legendre, "leg"),
    "laguerre": (laguerre, "lag"),
    "hermite": (hermite, "herm"),
    "hermite_e": (hermite_e, "herme"),
}
"""The modules of `numpy.polynomial`, and how the names of their functions begin."""

_MISSING = ("", "axis=0", "axis=-1", "axis=-1, keepdims=True", "axis=(0,)")


def _forms(kinds: str, *expressions: str) -> tuple[Form, ...]:
    return tuple((expression, kinds) for expression in expressions)


def _of_one(name: str, kinds: str, *arguments: str) -> tuple[str, tuple[Form, ...]]:
    return f"np.{name}", _forms(kinds, *(f"np.{name}(x{', ' * bool(given)}{given})" for given in arguments))


FURTHER: tuple[tuple[str, tuple[Form, ...]], ...] = (
    ("complex", _forms("number", "complex(x).real", "complex(x, 0.5).real", "complex(0.5, x).imag")),
    ("complex.conjugate", _forms("number", "complex(0.5, x).conjugate().imag")),
    ("np.fft.fftfreq", _forms("number", "np.fft.fftfreq(4, x)")),
    ("np.fft.rfftfreq", _forms("number", "np.fft.rfftfreq(5, x)")),
    ("np.fft.fftshift", _forms("vector matrix", "np.fft.fftshift(x)")),
    ("np.fft.ifftshift", _forms("vector matrix", "np.fft.ifftshift(x)")),
    _of_one("imag", "number vector matrix", ""),
    ("np.angle", _forms("pair numbers", "np.angle(x + 1j * y)", "np.angle(x, deg=True)")),
    *(_of_one(name, "number vector matrix cubes", *_MISSING) for name in ("nanprod", "nanvar", "nanstd", "nanmedian")),
    *(_of_one(name, "number vector matrix", "", "axis=0", "-1") for name in ("nancumsum", "nancumprod")),
    *(_of_one(name, "vector matrix", "", "axis=-1") for name in ("nanargmax", "nanargmin")),
    _of_one("nanquantile", "vector matrix", "0.3", "1.0", "0.5, axis=0", "[0.25, 0.75], axis=-1", "0.4, 0, keepdims=True"),
    _of_one("nanpercentile", "vector matrix", "30", "50.0, axis=0", "[25, 75], axis=-1"),
    _of_one("corrcoef", "vector matrix", "", "x", "rowvar=False"),
    ("np.correlate", _forms("vectors", *(f"np.correlate({a}{m})" for a in ("x, y", "y, x") for m in ("", ", 'full'", ", 'same'")))),
    _of_one("unwrap", "vector matrix", "", "axis=0", "period=1.5", "discont=4.0"),
    ("np.logspace", _forms("numbers", "np.logspace(x, y, 4)", "np.logspace(x, y, 3, endpoint=False, base=2.0)")),
    ("np.geomspace", _forms("numbers", "np.geomspace(x, y, 4)", "np.geomspace(x, y, 3, endpoint=False)")),
    _of_one("histogram_bin_edges", "vector matrix", "", "3", "bins=[0.0, 1.0]", "3, (0.0, 1.0)"),
    _of_one("histogram", "vector matrix", "3", "3, range=(0.0, 1.0)", "bins=[-1.0, 0.0, 1.0]", "3, density=True", "3, weights=x"),
    ("np.polyadd", _forms("pair vectors", "np.polyadd(x, y)")),
    ("np.polysub", _forms("pair vectors", "np.polysub(x, y)")),
    _of_one("poly", "vector number", ""),
    ("np.polyfit", _forms("pair", "np.polyfit(x, y, 1)", "np.polyfit(x, y, 0)", "np.polyfit(x, y, 2, w=y)")),
    _of_one("polyder", "vector", "", "2", "0"),
    _of_one("polyint", "vector", "", "2", "2, k=1.5", "2, [0.5, 1.5]"),
    _of_one("vander", "vector", "", "2", "3, increasing=True", "0"),
    *((f"np.polynomial.{name}", _forms("vectors numbers", f"np.polynomial.{name}(x, [0.5, 1.5, -1.0])", f"np.polynomial.{name}(x, y)", f"np.polynomial.{name}(y, x)")) for name in SERIES),
    *((f"np.polynomial.{module}.{name}{what}", _forms("vectors pair", f"np.polynomial.{module}.{name}{what}(x, y)", f"np.polynomial.{module}.{name}{what}(y, [1.0, 0.5])")) for module, (_, name) in MODULES.items() for what in ("add", "sub", "mul")),
    *((f"np.polynomial.{module}.{name}{what}", _forms("vector", f"np.polynomial.{module}.{name}{what}(x)", f"np.polynomial.{module}.{name}{what}(x, 2)")) for module, (_, name) in MODULES.items() for what in ("der", "int")),
    *((f"np.polynomial.{module}.{name}vander", _forms("vector number", f"np.polynomial.{module}.{name}vander(x, 3)", f"np.polynomial.{module}.{name}vander(x, 0)")) for module, (_, name) in MODULES.items()),
    *((f"np.polynomial.{module}.{name}fit", _forms("pair", f"np.polynomial.{module}.{name}fit(x, y, 1)", f"np.polynomial.{module}.{name}fit(x, y, 0)")) for module, (_, name) in MODULES.items()),
    *((f"np.polynomial.{module}.{name}val2d", _forms("pair", f"np.polynomial.{module}.{name}val2d(x, y, [[1.0, 0.5], [0.3, 2.0]])")) for module, (_, name) in MODULES.items()),
    *((f"np.polynomial.{module}.{name}grid2d", _forms("pair", f"np.polynomial.{module}.{name}grid2d(x, y, [[1.0, 0.5], [0.3, 2.0]])")) for module, (_, name) in MODULES.items()),
    *((f"np.polynomial.{module}.{change}", _forms("vector", f"np.polynomial.{module}.{change}(x)")) for module, (_, name) in MODULES.items() if name != "poly" for change in (f"{name}2poly", f"poly2{name}")),
    ("np.polynomial.polyutils.getdomain", _forms("vector", "np.polynomial.polyutils.getdomain(x)")),
    ("np.polynomial.polyutils.mapparms", _forms("vectors pair", "np.polynomial.polyutils.mapparms(x[:2], y[:2])[1]")),
    ("np.polynomial.polyutils.mapdomain", _forms("vectors pair", "np.polynomial.polyutils.mapdomain(x, y[:2], [-1.0, 1.0])")),
    ("np.polynomial.polynomial.polyfromroots", _forms("vector", "np.polynomial.polynomial.polyfromroots(x)")),
    ("np.polymul", _forms("vectors pair", "np.polymul(x, y)", "np.polymul([1.0, 0.5], x)")),
    ("np.polydiv", _forms("vectors pair", "np.polydiv(x, [1.0, 0.5])[0]", "np.polydiv([1.0, 0.5, 0.3], y)[0]")),
    ("np.histogram2d", _forms("pair", "np.histogram2d(x, y, 2)[1]", "np.histogram2d(x, y, 2, weights=x)[0]", "np.histogram2d(x, y, [2, 3], density=True, weights=y)[0]")),
    ("np.matvec", _forms("products", "np.matvec(x, y)")),
    ("np.vecmat", _forms("products", "np.vecmat(y, x)")),
    ("np.choose", _forms("pair broadcast", "np.choose(1, [x, y])", "np.choose(x > 0, [x, y])", "np.choose(5, [x, y], mode='wrap')")),
    ("np.ndarray.choose", _forms("pair", "(x > 0).choose([x, y])")),
    *((f"np.fft.{name}", _forms("number", f"np.fft.{name}(4, x)")) for name in ("fftfreq", "rfftfreq")),
    ("np.row_stack", _forms("vector matrix", "np.row_stack((x, x))")),
    _of_one("ediff1d", "vector matrix number", "", "1.5", "to_begin=x"),
    _of_one("astype", "vector matrix", "np.float64", "np.float32", "float, copy=False"),
    _of_one("asarray_chkfinite", "vector matrix", ""),
    _of_one("cumulative_prod", "vector matrix", "", "axis=-1", "axis=0, include_initial=True"),
    _of_one("dsplit", "cubes", "2", "[1]"),
    _of_one("partition", "vector matrix", "1", "0, axis=0", "-1, axis=None", "(0, 1)"),
    _of_one("delete", "vector matrix", "0", "-1, axis=0", "[0, 0]", "slice(0, 1), axis=-1"),
    _of_one("insert", "vector matrix", "0, 1.5", "1, x", "-1, 0.5, axis=0"),
    _of_one("diagflat", "vector matrix number", "", "1", "k=-1"),
    _of_one("resize", "vector matrix", "7", "(2, 3)", "0"),
    _of_one("rollaxis", "matrix cubes", "1", "0, 2", "-1, start=1"),
    _of_one("trim_zeros", "vector", "", "'f'", "trim='b'"),
    _of_one("unstack", "matrix", "axis=1"),
    ("np.compress", _forms("vector matrix", "np.compress([True, False], x)", "np.compress([True], x, axis=0)", "np.compress([False, True], x, axis=-1)")),
    ("np.ndarray.compress", _forms("vector matrix", "x.compress([True, False])", "x.compress([True], axis=0)")),
    ("np.extract", _forms("vector matrix", "np.extract(x > 0, x)")),
    ("np.broadcast_arrays", _forms("pair broadcast", "np.broadcast_arrays(x, y)[0]", "np.broadcast_arrays(x, y)[1]")),
    ("np.apply_along_axis", _forms("vector matrix cubes", "np.apply_along_axis(lambda r: r * r, 0, x)", "np.apply_along_axis(np.sum, -1, x)", "np.apply_along_axis(lambda r, c: np.sum(r) * c, 0, x, 2.5)")),
    ("np.apply_over_axes", _forms("matrix cubes", "np.apply_over_axes(np.sum, x, [0, 1])", "np.apply_over_axes(np.sum, x, -1)")),
    ("np.piecewise", _forms("vector matrix", "np.piecewise(x, [x < 0], [lambda v: v * v, 1.5])", "np.piecewise(x, [x < 0, x > 1], [lambda v: -v, np.sin])")),
    ("np.fromfunction", _forms("number", "np.fromfunction(lambda i, j: i * x + j, (2, 3))")),
    *((f"np.{name}", _forms("number", f"np.{name}(5) * x")) for name in ("bartlett", "blackman", "hamming", "hanning")),
)  # fmt: skip

_CLASSES = (
    ("polynomial", polynomial.Polynomial),
    ("chebyshev", chebyshev.Chebyshev),
    ("legendre", legendre.Legendre),
    ("laguerre", laguerre.Laguerre),
    ("hermite", hermite.Hermite),
    ("hermite_e", hermite_e.HermiteE),
)

FURTHER_WITHOUT: dict[str, str] = {
    **dict.fromkeys(("np.ndarray.put", "np.place", "np.put_along_axis", "np.ndarray.partition"), "writes; returns nothing"),
    **dict.fromkeys(
        ("np.vectorize", "np.frompyfunc", "np.lib._function_base_impl.vectorize.__call__"),
        "calls functions: tests/test_vectorized.py",
    ),
    "np.nditer": "gives an object: tests/test_element_walks.py",
    **dict.fromkeys(
        (
            "np.poly1d",
            "np.polynomial._polybase.ABCPolyBase.fit",
            "np.polynomial.chebyshev.Chebyshev.interpolate",
            *(f"np.polynomial.{module}.{found.__name__}" for module, found in _CLASSES),
        ),
        "gives an object: tests/test_polynomial_objects.py",
    ),
    "_functools.cmp_to_key": "gives an object that is compared: tests/corpus/ordered_objects.py",
    **{
        f"statistics.{name}": "takes lists of numbers: tests/test_python_modules.py"
        for name in (
            *("mean", "fmean", "geometric_mean", "harmonic_mean", "median", "median_low", "median_high", "quantiles"),
            *("variance", "pvariance", "stdev", "pstdev", "covariance", "correlation", "linear_regression"),
        )
    },
}

_OF_SAMPLES = (
    *(statistics.mean, statistics.fmean, statistics.geometric_mean, statistics.harmonic_mean, statistics.median),
    *(statistics.median_low, statistics.median_high, statistics.pvariance, statistics.variance, statistics.pstdev),
    *(statistics.stdev, statistics.quantiles),
)

_FITS = (*(getattr(module, f"{name}fit") for module, name in MODULES.values()), *(found.fit for _, found in _CLASSES))

_OF_PAIRS = (statistics.covariance, statistics.correlation, statistics.linear_regression)

BASES: Mapping[Callable[..., Any], Base] = MappingProxyType(
    {
        **signature_samples.BASES,
        **{fn: ([0.3, 0.7, 1.2],) for fn in _OF_SAMPLES},
        **dict.fromkeys(_OF_PAIRS, ([0.3, 0.7, 1.2], [1.1, 0.2, 0.4])),
        **{getattr(module, name + what): (V, U) for module, name in MODULES.values() for what in ("add", "sub", "mul")},
        **{getattr(module, name + what): (V,) for module, name in MODULES.values() for what in ("der", "int")},
        **{getattr(module, f"{name}vander"): (V, t("2")) for module, name in MODULES.values()},
        **{getattr(module, f"{name}fit"): (np.array([0.1, 0.7, 1.4]), U, t("1")) for module, name in MODULES.values()},
        **{getattr(module, name + what): (V, U, M) for module, name in MODULES.values() for what in ("val2d", "grid2d")},
        **{getattr(module, f"{name}2poly"): (V,) for module, name in MODULES.values() if name != "poly"},
        **{getattr(module, f"poly2{name}"): (V,) for module, name in MODULES.values() if name != "poly"},
        polynomial.polyfromroots: (V,),
        polyutils.getdomain: (V,),
        polyutils.mapparms: (V, U),
        polyutils.mapdomain: (V, U, U),
        **{found: (V,) for _, found in _CLASSES},
        **{found.fit: (np.array([0.1, 0.7, 1.4]), U, t("1")) for _, found in _CLASSES},
        chebyshev.Chebyshev.interpolate: (t("lambda v: np.exp(t * v)"), t("2")),
        np.poly1d: (V,),
        np.polymul: (V, U),
        np.polydiv: (V, U),
        np.histogram2d: (V, U),
        np.polyadd: (V, U),
        np.polysub: (V, U),
        np.poly: (V,),
        np.polyder: (V,),
        np.polyint: (V,),
        np.vander: (V,),
        np.polyfit: (np.array([0.1, 0.7, 1.4]), U, t("1")),
        **dict.fromkeys(SERIES.values(), (V, U)),
        np.nanquantile: (M, t("0.3")),
        np.nanpercentile: (M, t("30.0")),
        np.choose: (t("[0, 1, 0]"), [V, U]),
        np.ndarray.choose: (np.array([0, 1, 0]), [V, U]),
        np.compress: (t("[True, False]"), M),
        np.ndarray.compress: (M, t("[True, False]")),
        np.extract: (t("[True, False, True]"), V),
        np.partition: (M, t("1")),
        np.ndarray.partition: (M, t("1")),
        np.delete: (M, t("1")),
        np.insert: (M, t("1"), 0.7),
        np.broadcast_arrays: (M, V),
        np.resize: (M, t("7")),
        np.rollaxis: (T, t("2")),
        np.trim_zeros: (V,),
        np.unstack: (M,),
        np.apply_along_axis: (t("np.sum"), t("0"), M),
        np.apply_over_axes: (t("np.sum"), T, t("[0, 1]")),
        np.piecewise: (V, t("[x0 > 1.0]"), t("[lambda v: v * v, 0.5]")),
        np.fromfunction: (t("lambda i, j: i * t + j"), t("(2, 3)")),
        np.correlate: (V, U),
        np.ediff1d: (M,),
        np.unwrap: (4.0 * V,),
        np.logspace: (0.3, 1.7),
        np.geomspace: (0.3, 1.7),
        np.histogram: (V,),
        np.histogram_bin_edges: (V,),
        **({np.row_stack: ([M, M],)} if hasattr(np, "row_stack") else {}),
        np.dsplit: (T, t("[1]")),
        np.place: (V, t("[True, False, True]"), U[:2]),
        np.put_along_axis: (M, t("np.array([[1], [0]])"), M[:, :1], t("1")),
        np.ndarray.put: (V, t("[0, 1]"), U[:2]),
        np.cumulative_prod: (V,),
        np.matvec: (M, V),
        np.vecmat: (V, N),
        np.astype: (M, t("np.float64")),
        np.fft.fftfreq: (t("5"),),
        np.fft.rfftfreq: (t("5"),),
        **dict.fromkeys((np.bartlett, np.blackman, np.hamming, np.hanning), (t("5"),)),
        **dict.fromkeys((np.left_shift, np.right_shift, np.gcd, np.lcm), (K, K[::-1])),
        np.bitwise_count: (K,),
    }
)
"""The arguments that cannot be left out, of these functions and of all others."""

OWN: Mapping[tuple[Callable[..., Any], str], tuple[str, ...]] = MappingProxyType(
    {
        **signature_samples.OWN,
        **{(fn, "weights"): ("None", "[1.0, 2.0, 0.5]") for fn in (statistics.fmean, statistics.harmonic_mean)},
        **{(fn, "mu"): ("None", "0.5") for fn in (statistics.pvariance, statistics.pstdev)},
        **{(fn, "xbar"): ("None", "0.5") for fn in (statistics.variance, statistics.stdev)},
        (statistics.quantiles, "n"): ("4", "5"),
        (statistics.linear_regression, "proportional"): ("False", "True"),
        (statistics.quantiles, "method"): ("'exclusive'", "'inclusive'"),
        (np.corrcoef, "y"): ("None", "[[0.5, 0.2, 0.9]]"),
        (np.corrcoef, "rowvar"): ("True", "False"),
        (np.unwrap, "discont"): ("None", "4.0"),
        (np.unwrap, "period"): ("6.283185307179586", "1.5"),
        **{(fn, "num"): ("50", "4") for fn in (np.logspace, np.geomspace)},
        **{(fn, "endpoint"): ("True", "False") for fn in (np.logspace, np.geomspace)},
        (np.logspace, "base"): ("10.0", "2.5", "[2.5, 3.5]"),
        **{(fn, "bins"): ("10", "2", "[0.0, 0.5, 1.5]", "'auto'") for fn in (np.histogram, np.histogram_bin_edges)},
        **{(fn, "range"): ("None", "(0.0, 2.0)") for fn in (np.histogram, np.histogram_bin_edges)},
        **{(fn, "weights"): ("None", "[0.2, 0.3, 0.5]") for fn in (np.histogram, np.histogram_bin_edges)},
        (np.histogram, "density"): ("None", "True"),
        (np.polyfit, "rcond"): ("None", "1e-12"),
        (np.polyfit, "full"): ("False", "True"),
        (np.polyfit, "w"): ("None", "[0.5, 1.5, 1.0]"),
        (np.polyfit, "cov"): ("False", "True"),
        (np.polyint, "k"): ("None", "0.5"),
        **{(getattr(module, name + what), "scl"): ("1", "0.5") for module, name in MODULES.values() for what in ("der", "int")},
        **{(getattr(module, f"{name}int"), "lbnd"): ("0", "0.5") for module, name in MODULES.values()},
        **{(fn, "rcond"): ("None", "1e-12") for fn in _FITS},
        **{(fn, "full"): ("False", "True") for fn in _FITS},
        **{(fn, "w"): ("None", "[0.5, 1.5, 1.0]") for fn in _FITS},
        **{(found, "domain"): ("None", "[0.0, 2.0]") for _, found in _CLASSES},
        **{(found, "window"): ("None", "[0.0, 2.0]") for _, found in _CLASSES},
        **{(found, "symbol"): ("'x'", "'s'") for _, found in _CLASSES},
        **{(found.fit, "domain"): ("None", "[]", "[0.0, 2.0]") for _, found in _CLASSES},
        **{(found.fit, "window"): ("None", "[0.0, 2.0]") for _, found in _CLASSES},
        **{(found.fit, "symbol"): ("'x'", "'s'") for _, found in _CLASSES},
        (chebyshev.Chebyshev.interpolate, "domain"): ("None", "[0.0, 2.0]"),
        (chebyshev.Chebyshev.interpolate, "args"): ("()",),
        (np.poly1d, "r"): ("False", "True"),
        (np.poly1d, "variable"): ("None", "'s'"),
        (np.histogram2d, "bins"): ("10", "2", "[2, 3]", "[[0.0, 0.5, 1.5], [0.0, 1.0, 1.5]]"),
        (np.histogram2d, "range"): ("None", "[(0.0, 2.0), (0.1, 1.5)]"),
        (np.histogram2d, "density"): ("None", "True"),
        (np.histogram2d, "weights"): ("None", "[0.2, 0.3, 0.5]"),
        **{(fn, "tensor"): ("True", "False") for fn in SERIES.values()},
        **{(fn, "d"): ("1.0", "0.5") for fn in (np.fft.fftfreq, np.fft.rfftfreq)},
        (np.ediff1d, "to_end"): ("None", "0.5", "[0.5, 1.5]"),
        (np.ediff1d, "to_begin"): ("None", "0.5"),
        (np.vander, "N"): ("None", "2"),
        (np.vander, "increasing"): ("False", "True"),
        (np.cumulative_prod, "include_initial"): ("False", "True"),
        (np.rollaxis, "start"): ("0", "1"),
        (np.trim_zeros, "trim"): ("'fb'", "'f'"),
        (np.correlate, "mode"): ("'valid'", "'same'", "'full'"),
    }
)
"""Values of options of one function."""
