"""The rules of `scipy.special`: the slopes are right, and what has no rule says why.

Bodies are judged as plain Python by central differences of SciPy itself, and in the tails, where these see nothing, by mpmath;
each rule goes through both modes and second order.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError
from adxform.primitives import table
from adxform.primitives.record import Constant, General, Partials, Primitive
from adxform.primitives.table import lookup
from adxform.testing import check_derivatives, check_rule

special = pytest.importorskip("scipy.special", reason="SciPy is an extra")
rules = pytest.importorskip("adxform.primitives.scipy_rules.special", reason="SciPy is an extra")
stats = pytest.importorskip("scipy.stats", reason="SciPy is an extra")
slopes = pytest.importorskip("adxform.runtime.special_slopes", reason="SciPy is an extra")
shape_slopes = pytest.importorskip("adxform.runtime.shape_slopes", reason="SciPy is an extra")

RULED = [record for record in rules.RECORDS if not isinstance(record.derivative, Constant)]
CASES = [pytest.param(record, sample, id=f"{record.name}-{k}") for record in RULED for k, sample in enumerate(record.samples)]
COARSE = {special.itairy: 1e-4, special.nctdtrinc: 1e-5, special.ncfdtrinc: 1e-3}
"""Functions whose values SciPy gives to few digits, so that differences tell no more."""
NO_SINGLE = {
    "pbvv", "mathieu_cem", "mathieu_sem", "mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2",
    "pro_ang1", "pro_rad1", "obl_ang1", "obl_rad1", "pro_ang1_cv", "pro_rad1_cv", "obl_ang1_cv", "obl_rad1_cv",
}  # fmt: skip
"""Functions of which SciPy gives NaN in single precision, or, of spheroidal ones, nothing: it does not return."""


@pytest.fixture(scope="module", autouse=True)
def rules_of_the_library() -> None:
    """Have these rules judged where another test has registered one of its own for the same function."""
    for record in rules.RECORDS:
        if record.fn in table.own:
            table.register(record)


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def is_active(value: Any) -> bool:
    return isinstance(value, float | complex) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")


def of_the_rule(record: Primitive, args: tuple[Any, ...], position: int, along: Any, cts: list[Any]) -> float | None:
    """The derivative of the results, weighted by `cts`, along `along` in one argument, by the rule; ``None``: it does not say."""
    match record.derivative:
        case Partials(body):
            partial = as_tuple(body(record.fn(*args), *args))[position]
            return None if partial is None else float(np.sum(np.real(cts[0] * partial * along)))
        case General(body):
            _, pullback = body(*args)
            found = as_tuple(pullback(*cts))[position]
            assert found is None or np.shape(found) == np.shape(args[position])
            return None if found is None else float(np.sum(np.real(found * along)))
    raise AssertionError("another kind of rule")


def by_differences(fn: Callable[..., Any], args: tuple[Any, ...], position: int, along: Any, cts: list[Any]) -> float:
    def at(step: float) -> float:
        found = as_tuple(fn(*args[:position], args[position] + step * along, *args[position + 1 :]))
        return sum(float(np.sum(np.real(ct * part))) for ct, part in zip(cts, found, strict=True))

    coarse, fine, finer = ((at(h) - at(-h)) / (2 * h) for h in (2e-3, 1e-3, 5e-4))
    first, second = (4 * fine - coarse) / 3, (4 * finer - fine) / 3
    return (16 * second - first) / 15


@pytest.mark.parametrize(("record", "args"), CASES)
def test_the_body_agrees_with_differences(record: Primitive, args: tuple[Any, ...]) -> None:
    judged = list(judge(record, args))
    assert judged, "a sample has an argument that moves"


def judge(record: Primitive, args: tuple[Any, ...]) -> Iterator[int]:
    """The places of the arguments whose slopes are right."""
    rng = np.random.default_rng(0)
    values = as_tuple(record.fn(*args))
    cts = [rng.standard_normal(np.shape(part)) * (1.0 + 0.5j if np.iscomplexobj(part) else 1.0) for part in values]
    for position, value in enumerate(args):
        if not is_active(value):
            continue
        along = rng.standard_normal(np.shape(value)) * (1.0 + 0.4j if np.iscomplexobj(value) else 1.0)
        got = of_the_rule(record, args, position, along, cts)
        if got is not None:
            tolerance = COARSE.get(record.fn, 1e-7)
            expected = by_differences(record.fn, args, position, along, cts)
            assert got == pytest.approx(expected, rel=tolerance, abs=tolerance), f"argument {position}"
            yield position


@pytest.mark.parametrize("record", RULED, ids=lambda record: record.name)
def test_a_rule_said_to_hold_for_complex_numbers_is_tried_on_them(record: Primitive) -> None:
    real_only = {"modfresnelp", "modfresnelm", "kelvin", "sph_harm_y"}  # what these give is complex
    if record.of_complex and getattr(record.fn, "__name__", "sph_harm_y") not in real_only:
        samples = [sample for sample in record.samples if any(map(np.iscomplexobj, sample))]
        for sample in samples or [_turned(record.samples[0])]:
            assert list(judge(record, sample))


def _turned(sample: tuple[Any, ...]) -> tuple[Any, ...]:
    """A sample with imaginary parts in the last argument that is an array, in which functions are holomorphic."""
    last = max(k for k, arg in enumerate(sample) if is_active(arg) and np.ndim(arg))
    return (*sample[:last], sample[last] * (1.0 + 0.2j), *sample[last + 1 :])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: np.sum(special.betainc(0.6, 1.4, x)),
        lambda x: np.sum(special.y1(x)),
        lambda x: np.sum(special.entr(x)),
        lambda x: np.sum(special.stdtr(3.0, x)),
        lambda x: special.logsumexp(x) * special.softmax(x)[0],
    ],
)
def test_single_precision_is_kept(fn: Callable[..., Any]) -> None:
    x = np.array([0.2, 0.5], np.float32)
    assert adxform.grad(fn)(x).dtype == np.float32
    assert adxform.hvp(fn)(x, np.ones_like(x)).dtype == np.float32


@pytest.mark.parametrize("record", RULED, ids=lambda record: record.name)
def test_both_modes_and_second_order(record: Primitive) -> None:
    """As other rules are checked: forward and reverse against differences, the transpose identity, the second derivative."""
    sample = record.samples[0]
    if record.fn in (special.itairy, special.ncfdtrinc) or any(
        np.iscomplexobj(part) for part in (*sample, *as_tuple(record.fn(*sample)))
    ):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if getattr(record.fn, "__name__", "") in NO_SINGLE:
            moving = tuple(k for k, arg in enumerate(sample) if isinstance(arg, np.ndarray))
            checks = check_derivatives(lambda *args: record.fn(*args), *sample, argnums=moving, rtol=1e-6)
            assert all(check.ok for check in checks)
        else:
            check_rule(record.fn, [sample], rtol=1e-5 if record.fn in COARSE else 1e-6)


TAILS: dict[str, tuple[Callable[..., Any], Callable[[Any, Any], Any], list[float]]] = {
    "erfcx": (special.erfcx, lambda mp, x: mp.exp(x * x) * mp.erfc(x), [-20.0, -3.0, 0.0, 0.99, 1.0, 4.0, 30.0]),
    "dawsn": (
        special.dawsn,
        lambda mp, x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
        [-40.0, -0.5, 0.3, 1.5, 4.0, 6.9, 7.0, 20.0],
    ),
    "exprel": (special.exprel, lambda mp, x: mp.expm1(x) / x, [-700.0, -20.0, -1e-3, 1e-8, 0.5, 30.0, 300.0]),
    "rgamma": (special.rgamma, lambda mp, x: mp.rgamma(x), [-10.5, -3.0, -1e-9, 0.0, 0.3, 0.5, 1.7, 30.0]),
    "ellipk": (special.ellipk, lambda mp, m: mp.ellipk(m), [-100.0, -1e-9, 1e-12, 0.5, 0.999999]),
    "ellipe": (special.ellipe, lambda mp, m: mp.ellipe(m), [-100.0, -1e-9, 1e-12, 0.5, 0.999999]),
    "i0e": (special.i0e, lambda mp, x: mp.exp(-abs(x)) * mp.besseli(0, x), [-5.0, 0.3, 50.0, 1000.0]),
    "k1e": (special.k1e, lambda mp, x: mp.exp(x) * mp.besselk(1, x), [0.3, 5.0, 50.0, 1000.0]),
    "spence": (special.spence, lambda mp, x: mp.polylog(2, 1 - x), [0.01, 0.5, 1 - 1e-9, 1 + 1e-9, 1.6, 10.0]),
}
"""Functions, and what they are: these slopes are by differences of many digits."""

SLOPES: dict[str, tuple[Callable[..., Any], Callable[[Any, Any], Any], list[float]]] = {
    "erfc": (special.erfc, lambda mp, x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x), [-20.0, -3.0, 0.1, 3.0, 20.0, 26.0]),
    "ndtr": (special.ndtr, lambda mp, x: mp.npdf(x), [-37.0, -3.0, 0.1, 3.0, 20.0, 37.0]),
    "log_ndtr": (special.log_ndtr, lambda mp, x: mp.npdf(x) / mp.ncdf(x), [-1e3, -100.0, -5.0, -1.0, 0.0, 1.0, 5.0, 20.0, 35.0]),
    "expit": (special.expit, lambda mp, x: 1 / (2 + mp.exp(x) + mp.exp(-x)), [-700.0, -40.0, 0.0, 2.0, 40.0, 700.0]),
    "log_expit": (special.log_expit, lambda mp, x: 1 / (1 + mp.exp(x)), [-700.0, -40.0, 0.0, 2.0, 40.0, 700.0]),
    "expm1": (special.expm1, lambda mp, x: mp.exp(x), [-700.0, -40.0, 1e-8, 3.0]),
}
"""Functions and their slopes, which vanish where the functions level off."""


def relative_error(got: Any, expected: list[Any]) -> float:
    return max(float(abs((float(one) - other) / other)) for one, other in zip(got, expected, strict=True))


@pytest.mark.parametrize("name", [*TAILS, *SLOPES])
def test_slopes_are_accurate_in_both_tails(name: str) -> None:
    mp = pytest.importorskip("mpmath", reason="mpmath computes the tails").mp.clone()
    mp.dps = 60
    fn, exactly, points = {**TAILS, **SLOPES}[name]
    record = lookup(fn)
    assert record is not None
    assert isinstance(record.derivative, Partials)
    x = np.array(points)
    found = record.derivative.body(fn(x), x)
    exact = exactly if name in SLOPES else lambda mp, x: mp.diff(lambda t: exactly(mp, t), x)
    assert relative_error(found, [exact(mp, mp.mpf(one)) for one in points]) < 1e-12


def test_second_slopes_are_accurate_in_both_tails() -> None:
    mp = pytest.importorskip("mpmath", reason="mpmath computes the tails").mp.clone()
    mp.dps = 60
    x = np.array([-1e3, -30.0, -2.0, -1.5, 0.0, 5.0, 35.0])
    found = adxform.hvp(lambda x: np.sum(special.log_ndtr(x)))(x, np.ones_like(x))
    share = [mp.npdf(mp.mpf(one)) / mp.ncdf(mp.mpf(one)) for one in x]
    assert relative_error(found, [-m * (m + mp.mpf(one)) for m, one in zip(share, x, strict=True)]) < 1e-12
    mp.dps = 80
    x = np.array([-5.0, -0.5, 0.99, 1.0, 4.0, 8.0])
    found = adxform.hvp(lambda x: np.sum(special.erfcx(x)))(x, np.ones_like(x))
    assert relative_error(found, [mp.diff(lambda t: mp.exp(t * t) * mp.erfc(t), mp.mpf(one), 2) for one in x]) < 1e-12
    assert (
        relative_error(slopes.erfcx_slope(3, x), [mp.diff(lambda t: mp.exp(t * t) * mp.erfc(t), mp.mpf(one), 3) for one in x])
        < 1e-12
    )


LEVEL = {
    "arctan": np.arctan,
    "math.erf": math.erf,
    "math.erfc": math.erfc,
    "erf": special.erf,
    "erfc": special.erfc,
    "ndtr": special.ndtr,
    "norm.cdf": stats.norm.cdf,
    "norm.sf": stats.norm.sf,
    "norm.pdf": stats.norm.pdf,
}
"""Functions that level off on both sides, where censored intervals end."""


@pytest.mark.parametrize("name", LEVEL)
@pytest.mark.parametrize("end", [-math.inf, math.inf])
def test_what_levels_off_is_flat_at_infinity_at_every_order(name: str, end: float) -> None:
    fn = LEVEL[name]
    if name.startswith("math."):
        one, at = lambda mu: fn(end - mu), 0.3
    else:
        one, at = lambda mu: np.sum(fn(np.array([end, 1.2, -math.inf]) - mu)), 0.3
        derivative, rest = adxform.grad(one), lambda mu: float(fn(1.2 - mu))
        step = 1e-3
        first = (rest(at + step) - rest(at - step)) / (2 * step)
        second = (rest(at + step) - 2 * rest(at) + rest(at - step)) / step**2
        np.testing.assert_allclose([derivative(at), adxform.grad(derivative)(at)], [first, second], rtol=1e-4)
        one = lambda mu: fn(end - mu)
    for _ in range(3):
        one = adxform.grad(one)
        assert one(at) == 0.0


@pytest.mark.parametrize("shape", [1e-3, 0.6, 30.0, 1e4])
def test_slopes_in_shapes_are_accurate_on_both_sides_of_the_mean(shape: float) -> None:
    mp = pytest.importorskip("mpmath", reason="mpmath computes the integrals").mp.clone()
    mp.dps = 40
    small = mp.mpf(10) ** -12
    x = np.array([0.5, 0.99, 1.01, 2.0]) * shape if shape >= 1.0 else np.array([1e-9, 0.3, 2.0, 8.0])
    a = np.full_like(x, shape)
    found = shape_slopes.gammainc_slope(1, a, x)
    of_gamma = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
    exact = [mp.diff(lambda a, one=one: of_gamma(a, mp.mpf(one)), mp.mpf(shape), h=small * shape) for one in x]
    assert np.all(np.abs(found - np.array(exact, float)) <= 1e-11 * np.abs(found) + 1e-300)
    if shape > 1e3:
        return  # mpmath takes minutes
    x = np.array([1e-9, 0.2, 0.7, 0.99])
    of_beta = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)
    for orders in ((1, 0), (0, 1)):
        found = shape_slopes.betainc_slope(*orders, a, 1.5, x)
        exact = [
            mp.diff(lambda a, b, one=one: of_beta(a, b, mp.mpf(one)), (mp.mpf(shape), mp.mpf(1.5)), orders, h=small) for one in x
        ]
        assert np.all(np.abs(found - np.array(exact, float)) <= 1e-10 * np.abs(found) + 1e-300)


def test_slopes_in_shapes_at_the_ends_and_beyond() -> None:
    np.testing.assert_array_equal(
        shape_slopes.gammainc_slope(1, 2.0, np.array([0.0, np.inf, -1.0, np.nan])), [0, 0, np.nan, np.nan]
    )
    np.testing.assert_array_equal(
        shape_slopes.betainc_slope(1, 0, 2.0, 1.5, np.array([0.0, 1.0, -1.0, 2.0])), [0, 0, np.nan, np.nan]
    )
    assert np.isnan(shape_slopes.gammainc_slope(1, -1.0, 2.0))
    assert shape_slopes.gammainc_slope(1, np.float32(2.0), np.float32(1.0)).dtype == np.float32


def test_third_order() -> None:
    third = adxform.grad(adxform.grad(adxform.grad(lambda x: special.jv(2, x) * special.gamma(x) + special.ellipk(0.1 * x))))

    def second(x: float) -> float:
        return adxform.grad(adxform.grad(lambda x: special.jv(2, x) * special.gamma(x) + special.ellipk(0.1 * x)))(x)

    assert third(1.5) == pytest.approx((second(1.5001) - second(1.4999)) / 2e-4, rel=1e-6)


class TestEdges:
    """What the slopes are where a formula would be zero times infinity."""

    def test_a_logarithm_times_zero(self) -> None:
        assert adxform.grad(lambda x, y: special.xlogy(x, y), (0, 1))(0.0, 2.0) == (math.log(2.0), 0.0)
        assert adxform.grad(lambda x, y: special.xlogy(x, y), (0, 1))(0.0, 0.0) == (-math.inf, 0.0)
        assert adxform.grad(lambda x: special.xlog1py(0.0, x))(-1.0) == 0.0

    def test_entropies_at_zero(self) -> None:
        assert adxform.grad(lambda x: special.entr(x))(0.0) == math.inf
        assert adxform.grad(lambda x, y: special.rel_entr(x, y), (0, 1))(0.0, 2.0) == (-math.inf, 0.0)
        assert adxform.grad(lambda x, y: special.kl_div(x, y), (0, 1))(0.0, 2.0) == (-math.inf, 1.0)

    def test_quantiles_at_the_ends(self) -> None:
        assert adxform.grad(lambda p: special.ndtri(p))(0.0) == adxform.grad(lambda p: special.ndtri(p))(1.0) == math.inf
        x = np.array([0.0, 0.5])
        assert adxform.grad(lambda p: np.sum(np.where(p > 0, special.ndtri(p), 0.0)))(x)[0] == 0.0

    def test_parameters_at_zero(self) -> None:
        assert adxform.grad(lambda m: special.ellipk(m))(0.0) == pytest.approx(math.pi / 8, rel=1e-14)
        assert adxform.grad(lambda m: special.boxcox(3.0, m))(0.0) == pytest.approx(math.log(3.0) ** 2 / 2, rel=1e-14)
        assert adxform.grad(lambda d: special.pseudo_huber(d, 2.0))(0.0) == pytest.approx(2.0)

    def test_equal_arguments(self) -> None:
        assert adxform.grad(lambda x: special.elliprd(x, 1.0, 1.0))(1.0) == pytest.approx(-0.3, rel=1e-12)
        assert adxform.grad(lambda x: special.agm(x, 2.0))(2.0) == pytest.approx(0.5, rel=1e-14)
        assert adxform.grad(lambda x: special.diric(x, 5))(0.0) == pytest.approx(0.0)

    def test_box_and_cox_at_zero(self) -> None:
        assert adxform.grad(lambda x, m: special.boxcox(x, m), (0, 1))(0.0, 0.5) == (math.inf, 4.0)

    def test_integrals_at_zero(self) -> None:
        assert adxform.grad(lambda x: special.it2j0y0(x)[0])(0.0) == adxform.grad(lambda x: special.it2i0k0(x)[0])(0.0) == 0.0
        assert adxform.grad(lambda x: special.sici(x)[0])(0.0) == adxform.grad(lambda x: special.shichi(x)[0])(0.0) == 1.0

    def test_polynomials_made_of_gamma_functions(self) -> None:
        assert adxform.grad(lambda z: special.poch(z, 2.0))(-1.0) == pytest.approx(-1.0)
        assert adxform.grad(lambda z: special.poch(z, 2.0))(-3.0) == pytest.approx(-5.0)
        assert adxform.grad(adxform.grad(lambda z: special.poch(z, 3.0)))(-1.0) == pytest.approx(0.0, abs=1e-12)
        assert adxform.grad(lambda n: special.binom(n, 5.0))(3.0) == pytest.approx(-0.05)
        assert adxform.grad(adxform.grad(lambda n: special.binom(n, 3.0)))(2.0) == pytest.approx(1.0)

    def test_at_the_poles_of_the_gamma_function(self) -> None:
        assert adxform.grad(lambda x: special.rgamma(x))(-3.0) == pytest.approx(-6.0, rel=1e-14)


_M = np.array([[0.5, 2.5, -1.0], [2.0, 0.1, 0.3]])
_WEIGHTS = np.array([[1.0, 2.0, 0.5], [0.3, 0.2, 0.1]])


def _signed(x: Any, b: Any) -> Any:
    size, sign = special.logsumexp(x, axis=0, b=b, return_sign=True)
    return size * sign


_POINT = np.array([1.3, 0.7, -0.4, 0.9])
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "logsumexp": (lambda x: special.logsumexp(x) * 1.0, (_M,)),
    "logsumexp-axis": (lambda x: np.sin(special.logsumexp(x, axis=1)), (_M,)),
    "logsumexp-keepdims": (lambda x: np.sin(special.logsumexp(x, axis=(0, 1), keepdims=True)), (_M,)),
    "logsumexp-b": (lambda x, b: np.sin(special.logsumexp(x, axis=-1, b=b)), (_M, _WEIGHTS)),
    "logsumexp-b-broadcast": (lambda x, b: np.sin(special.logsumexp(x, axis=-1, b=b)), (_M, _WEIGHTS[0])),
    "logsumexp-b-larger": (lambda x, b: np.sin(special.logsumexp(x, b=b)), (_M[0], _WEIGHTS)),
    "logsumexp-b-zero": (lambda x, b: np.sin(special.logsumexp(x, b=b)), (_M[0], np.array([1.0, 0.0, 2.0]))),
    "logsumexp-sign": (_signed, (_M, _WEIGHTS - 0.4)),
    "softmax": (lambda x: np.sin(special.softmax(x, axis=0)), (_M,)),
    "softmax-all": (lambda x: np.sin(special.softmax(x)), (_M,)),
    "log_softmax": (lambda x: np.sin(special.log_softmax(x, axis=-1)), (_M,)),
    "sph_harm_y": (lambda t, p: np.real(special.sph_harm_y(3, 1, t, p) * (1 + 2j)), (np.array([0.3, 0.8]), 0.4)),
    "assoc_laguerre": (lambda x: special.assoc_laguerre(x, 3, 1), (np.array([0.3, 0.8]),)),
    "hankel1": (lambda x: np.real(special.hankel1(1.5, x) * np.exp(1j * x)), (np.array([0.3, 0.8]),)),
    "wofz": (lambda x: np.imag(special.wofz(x)), (np.array([0.3, 4.8]),)),
    "lambertw": (lambda x: np.real(special.lambertw(x)), (np.array([0.3, 0.8]),)),
    "modfresnelp": (lambda x: np.real(special.modfresnelp(x)[1] * 1j + special.modfresnelp(x)[0]), (np.array([0.3, 0.8]),)),
    "kelvin": (lambda x: np.real(special.kelvin(x)[1] * 1j + special.kelvin(x)[2]), (np.array([0.3, 0.8]),)),
    "comb": (lambda n: special.comb(n, 2.3), (np.array([3.3, 4.8]),)),
    "comb-repetition": (lambda n: special.comb(n, 2.3, repetition=True), (np.array([3.3, 4.8]),)),
    "perm": (lambda n: special.perm(n, 2.3), (np.array([3.3, 4.8]),)),
    "factorial": (lambda n: special.factorial(n), (np.array([3.3, 4.8]),)),
    "diric": (lambda x: special.diric(x, 5), (np.array([3.3, 0.0, 2 * np.pi]),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_with_options_and_of_several_results(name: str) -> None:
    fn, args = CALLS[name]
    bad = [check for check in check_derivatives(fn, *args, rtol=1e-6) if not check.ok]
    assert not bad


@pytest.mark.parametrize("name", CALLS)
def test_the_value_is_that_of_the_call_bit_for_bit(name: str) -> None:
    fn, args = CALLS[name]
    np.testing.assert_array_equal(adxform.vjp(fn, *args)[0], fn(*args))


@pytest.mark.parametrize("engine", ["python", "auto", "numba"])
def test_calls_in_loops_run_in_python_under_every_engine(engine: str) -> None:
    if engine == "numba":
        pytest.importorskip("numba")

    def total(x: float) -> float:
        s = 0.0
        for i in range(4):
            s += special.erf(x * i) * special.jv(i, x)
        return s

    expected = (total(0.5 + 1e-6) - total(0.5 - 1e-6)) / 2e-6
    assert adxform.grad(total, engine=engine)(0.5) == pytest.approx(expected, rel=1e-8)


class TestRefusals:
    """What has no rule says why, and an order of which no derivative is known is named."""

    @pytest.mark.parametrize(
        ("fn", "match"),
        [
            (lambda x: special.zetac(x), "no derivative rule for `scipy.special.zetac`, which is the zeta function"),
            (lambda x: special.btdtria(x, 1.0, 0.3), "scipy.special.btdtria`, which inverts a distribution function"),
            (lambda x: special.mathieu_a(1, x), "scipy.special.mathieu_a`, which is a characteristic value"),
            (lambda x: special.jv(x, 1.0), "`jv` has no derivative with respect to argument 0"),
            (lambda x: special.hyp1f1(x, 1.0, 0.5), "`hyp1f1` has no derivative with respect to argument 0"),
        ],
    )
    def test_the_reason_is_said(self, fn: Callable[..., Any], match: str) -> None:
        with pytest.raises(MissingRuleError, match=match):
            adxform.grad(fn)(0.7)

    def test_what_does_not_move_is_no_matter(self) -> None:
        assert adxform.grad(lambda x: x * special.zetac(3.0))(2.0) == special.zetac(3.0)
        assert adxform.grad(lambda x: x * special.gammasgn(x))(-0.5) == -1.0


def _bernstein(x: Any, n: int) -> Any:
    t, curve = np.linspace(0.0, 1.0, 7), np.zeros(7)
    for i in range(n + 1):
        curve = curve + special.comb(n, i, exact=True) * t**i * (1 - t) ** (n - i) * x[i]
    return curve


def _counted_by_the_run(x: Any) -> Any:
    total, y, n = 0.0, x[0], 3
    while y > 0.1:
        y, n = y * 0.6, n + 1
        total += special.comb(n, 2, exact=True) * y + special.perm(n, 2, exact=True) * x[1]
        total += special.factorial(n, exact=True) * y * 1e-3 + special.comb(n, 3, exact=True, repetition=True) * x[2]
    return total


def _beyond_their_ends(x: Any) -> Any:
    total = 0.0
    for k in range(-1, 6):
        total += special.comb(4, k, exact=True) * x[0] + special.comb(k, 2, exact=True, repetition=True) * x[1]
        total += special.perm(4, k, exact=True) * x[2] + special.factorial(k, exact=True) * x[3]
    return total


@pytest.mark.parametrize(
    ("fn", "args"), [(_bernstein, (_POINT, 3)), (_counted_by_the_run, (_POINT,)), (_beyond_their_ends, (_POINT,))]
)
def test_exact_numbers_of_integers_that_the_run_counts(fn: Any, args: tuple[Any, ...]) -> None:
    assert not [check for check in check_derivatives(fn, *args, rtol=1e-6) if not check.ok]
    np.testing.assert_array_equal(adxform.vjp(lambda x: fn(x, *args[1:]), args[0])[0], fn(*args))


def test_exact_numbers_of_an_array_of_integers_are_refused() -> None:
    with pytest.raises(MissingRuleError, match="arrays of integers"):
        adxform.grad(lambda x: special.factorial(np.arange(4), exact=True) @ x)(_POINT)
