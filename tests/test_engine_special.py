"""SciPy's special functions in kernels: the values are those of the ufuncs, bit for bit, and derivatives those of Python."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numba.extending
import numpy as np
import pytest
from scipy import special

import adxform
from adxform.backends.numba.machine.kernels import kernel
from adxform.backends.numba.machine.special import know_special_functions
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.special import RECORDS
from adxform.primitives.scipy_rules.ufunc_loops import MODULE, Loop, loop_of
from adxform.primitives.table import lookup
from adxform.runtime import special_scalars, special_slopes
from adxform.testing import check_derivatives

C = {"float64": ctypes.c_double, "int64": ctypes.c_longlong, "int32": ctypes.c_int}
ANYWHERE = np.array([0.0, -0.0, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 7.5, 25.0, -0.4, -1.0, -2.5, np.inf, -np.inf, np.nan])
ORDERS = np.array([0, 1, 2, 3, 7, -1, 5, 2, 1, 0, 3, 4, 2, 1, 2, 0])
SAMPLED = ("pbdv", "pbvv", "pbwa", "mathieu", "pro_", "obl_", "hyp1f1")
"""What SciPy does not survive outside of its domain, takes all memory for, or does not return from."""


def real_loops() -> Iterator[tuple[Primitive, Loop]]:
    lookup(special.erf)
    for record in RECORDS:
        for letters in record.fn.types if isinstance(record.fn, np.ufunc) else ():
            takes, gives = letters.split("->")
            if set(takes) <= {"d", "l"} and set(gives) == {"d"}:
                loop = loop_of(record.fn, tuple(map(np.dtype, takes)))
                assert loop is not None
                yield record, loop


LOOPS = [pytest.param(record, loop, id=f"{record.name}-{'-'.join(loop.takes)}") for record, loop in real_loops()]


def arguments(record: Primitive, loop: Loop) -> list[Any]:
    """Arguments in the domain, and, one at a time, anywhere."""
    real = next((one for one in record.samples if not any(np.iscomplexobj(arg) for arg in one)), (0.3,) * len(loop.takes))
    inside = [np.resize(arg, 16) for arg in np.broadcast_arrays(*real)]
    rows = [[(ORDERS if dtype == "int64" else arg).astype(dtype) for arg, dtype in zip(inside, loop.takes, strict=True)]]
    if not record.fn.__name__.startswith(SAMPLED):
        for place, dtype in enumerate(loop.takes):
            rows.append([*rows[0][:place], ANYWHERE if dtype == "float64" else ORDERS, *rows[0][place + 1 :]])
    return [np.concatenate(column) for column in zip(*rows, strict=True)]


def exported(loop: Loop) -> Callable[..., Any]:
    """What the loop calls, by its address."""
    assert loop.exported is not None
    takes, gives = ([C[dtype] for dtype in dtypes] for dtypes in (loop.takes, loop.gives))
    flag = [ctypes.c_int] if loop.exported.flagged else []
    address = numba.extending.get_cython_function_address(MODULE, loop.exported.name)
    if len(gives) == 1:
        return lambda *args: ctypes.CFUNCTYPE(gives[0], *takes, *flag)(address)(*args, *(0 for _ in flag))

    def several(*args: Any) -> list[float]:
        places = [kind() for kind in gives]
        ctypes.CFUNCTYPE(None, *takes, *map(ctypes.POINTER, gives), *flag)(address)(*args, *map(ctypes.byref, places))
        return [place.value for place in places]

    return several


def same_bits(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a)[a == a], np.signbit(b)[b == b])


@pytest.mark.parametrize(("record", "loop"), [case for case in LOOPS if case.values[1].exported is not None])
@pytest.mark.filterwarnings("ignore")
def test_what_is_exported_gives_the_bits_of_the_ufunc(record: Primitive, loop: Loop) -> None:
    args = arguments(record, loop)
    with np.errstate(all="ignore"):
        expected = np.array(record.fn(*args))
    call = exported(loop)
    found = np.array([call(*(arg.item() for arg in row)) for row in zip(*args, strict=True)]).T
    assert np.isfinite(expected).any()
    assert same_bits(found, expected)


def test_loops_of_real_numbers_are_nearly_all_exported() -> None:
    assert [case.id for case in LOOPS if case.values[1].exported is None] == []
    assert len(LOOPS) > 180


know_special_functions()


@numba.njit
def each_kind(n: int, x: float) -> Any:
    """A function of one number, one of an order of both kinds, with several results, a loop, forms."""
    sine, cosine = special.sici(x)
    ai, aip, bi, bip = special.airy(x)
    return (
        *(special.gammaln(x), special.jv(n, x), special.eval_legendre(n, x), special.eval_legendre(1.0 * n, x)),
        *(sine, cosine, ai, aip, bi, bip, special_scalars.zeta_at(x, 2.0), special_scalars.zeta_at(x)),
        *(special_scalars.polygamma_at(n, x), special_scalars.spherical_jn_at(n, x), special_scalars.spherical_in_at(3, x)),
    )


@pytest.mark.parametrize("x", [1.5, -0.5, 30.0, np.inf, np.nan])
def test_machine_code_gives_the_bits_of_scipy(x: float) -> None:
    with np.errstate(all="ignore"):
        legendre = special.eval_legendre(2, x), special.eval_legendre(2.0, x)
        zetas = special.zeta(x, 2.0), special.zeta(x)
        expected = (special.gammaln(x), special.jv(2, x), *legendre, *special.sici(x), *special.airy(x), *zetas)
        expected += special.polygamma(2, x), special.spherical_jn(2, x), special.spherical_in(3, x)
    assert same_bits(each_kind(2, x), expected)


@pytest.mark.parametrize(
    ("form", "slope"),
    [
        (special_scalars.polygamma_at, special_slopes.polygamma),
        (special_scalars.erfcx_slope_at, special_slopes.erfcx_slope),
        (special_scalars.dawsn_slope_at, special_slopes.dawsn_slope),
        (lambda n, x: special_scalars.mills_at(x), lambda n, x: special_slopes.mills(x)),
        (lambda n, x: special_scalars.mills_excess_at(x), lambda n, x: special_slopes.mills_excess(x)),
    ],
)
def test_forms_take_the_steps_of_the_slopes(form: Callable[..., float], slope: Callable[..., Any]) -> None:
    for n in range(4):
        for x in (-30.0, -1.6, -0.3, 0.4, 0.99, 1.0, 6.9, 7.1, 50.0):
            assert form(n, x) == pytest.approx(float(slope(n, x)), rel=1e-14, abs=0.0, nan_ok=True)


def likelihood(x: Any, a: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += special.gammaln(x[i] + a) - special.gammaln(a) - special.betaln(x[i], a)
    return total


def chosen(x: Any, a: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += a * special.rgamma(x[i])
    return total


def several(x: Any, a: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        ai, aip, bi, bip = special.airy(x[i] * a)
        total += ai * bi - aip * special.jv(2, bip) * special.log_ndtr(x[i]) + special.erfcx(a)
    return total


def expression(x: Any, a: Any) -> Any:
    return np.sum(special.gammaln(x + a) * special.eval_legendre(3, x) * special.kn(2, x))


@pytest.mark.parametrize("f", [likelihood, chosen, several, expression])
def test_derivatives_of_loops_are_those_of_python(f: Callable[..., Any]) -> None:
    x, a = np.array([0.6, 1.3, 2.4]), 0.8
    check_derivatives(f, x, a)
    gradients, products = (
        [derive(engine) for engine in ("numba", "python")]
        for derive in (
            lambda engine: adxform.grad(f, (0, 1), engine=engine)(x, a),
            lambda engine: adxform.hvp(f, engine=engine)(x, a, np.ones(3)),
        )
    )
    np.testing.assert_allclose(gradients[0][0], gradients[1][0], rtol=1e-13)
    np.testing.assert_allclose(gradients[0][1], gradients[1][1], rtol=1e-13)
    np.testing.assert_allclose(*products, rtol=1e-13)


@pytest.mark.parametrize("mode", ["forward", "reverse", "hvp"])
@pytest.mark.parametrize("f", [likelihood, chosen, several])
def test_whole_loops_are_kernels(f: Callable[..., Any], mode: str) -> None:
    said = adxform.explain(f, np.ones(3), 0.8, mode=mode, argnums=(0, 1), engine="numba")
    assert "kernel" in said
    assert "around" not in said


def truncated(x: Any, n: float) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total += special.kn(n, x[i])
    return total


def test_what_scipy_raises_is_raised() -> None:
    x = np.array([0.5, 1.5])
    gradient = adxform.prepare_gradient(truncated, x, 2.0, engine="numba")
    assert np.array_equal(gradient(x, 2.0), adxform.grad(truncated, engine="python")(x, 2.0))
    warnings.simplefilter("error")
    with pytest.raises(RuntimeWarning, match="truncated"):
        gradient(x, 2.5)


@kernel
def nothing_returned(x: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[i] = special.kn(2.5, x[i])


def test_a_kernel_that_returns_nothing_raises_too() -> None:
    x = np.array([0.5, 1.5])
    warnings.simplefilter("error")
    with pytest.raises(RuntimeWarning, match="truncated"):
        nothing_returned(x[:1], np.empty(1))
