"""Functions of matrices and solutions of matrix equations.

Source: Higham, Functions of Matrices (2008), chapter 3. The transpose of a derivative at a matrix is that at its transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.ir.ops import Operand
from adxform.ir.types import Type
from adxform.primitives.contraction_types import square_result
from adxform.primitives.declare import general, primitive
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg.factors import matrix_only, real_only
from adxform.runtime.of_scipy import linalg as calls


def _function(value: Callable[..., Any], change: Callable[..., Any]) -> Callable[..., Any]:
    """A function of matrices, by its value and how that changes."""

    def body(a: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return change(np.swapaxes(a, -1, -2), ct)

        return value(a), pullback

    return body


def _change(change: Callable[..., Any]) -> Callable[..., Any]:
    """How a function of matrices changes: the second derivative is the corner of a first one, of a matrix twice as large."""

    def body(a: Any, by: Any) -> Any:
        def pullback(ct: Any) -> Any:
            n, turned = a.shape[-1], np.swapaxes(a, -1, -2)
            both = calls.doubled(turned, np.swapaxes(by, -1, -2))
            twice = change(both, calls.doubled(ct, np.zeros_like(ct)))
            return twice[..., :n, n:], change(turned, ct)

        return change(a, by), pullback

    return body


def _sqrtm(a: Any) -> Any:
    matrix_only(a, "sqrtm")
    y = calls.real_sqrtm(a)

    def pullback(ct: Any) -> Any:
        turned = np.swapaxes(y, -1, -2)
        return linalg.solve_sylvester(turned, turned, ct)

    return y, pullback


def _cosm(A: Any) -> Any:
    if np.iscomplexobj(A):
        return 0.5 * (linalg.expm(1j * A) + linalg.expm(-1j * A))
    return np.real(linalg.expm(1j * A))


def _sinm(A: Any) -> Any:
    if np.iscomplexobj(A):
        return -0.5j * (linalg.expm(1j * A) - linalg.expm(-1j * A))
    return np.imag(linalg.expm(1j * A))


def _expm_frechet(A: Any, E: Any, method: Any = None, compute_expm: Any = True, check_finite: Any = True) -> Any:
    change = calls.change_beside(A, E, method, check_finite)
    return (calls.expm_beside(A, E, method, check_finite), change) if compute_expm else change


def _doubled(a: Any, corner: Any) -> Any:
    def pullback(ct: Any) -> Any:
        n = a.shape[-1]
        return ct[..., :n, :n] + ct[..., n:, n:], ct[..., :n, n:]

    return calls.doubled(a, corner), pullback


def _solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    kinds = np.iscomplexobj(a), np.iscomplexobj(b)
    if kinds[0] != kinds[1] or (np.iscomplexobj(q) and not kinds[0]):
        # SciPy hands LAPACK a real Schur form, with blocks, for a complex one: what it returns is no solution.
        raise NotImplementedError(
            "scipy.linalg.solve_sylvester is wrong where real matrices meet complex ones: make a and b complex"
        )
    if np.ndim(q) != 2:
        raise NotImplementedError("scipy.linalg.solve_sylvester has a derivative of a matrix q")
    x = linalg.solve_sylvester(a, b, q)

    def pullback(ct: Any) -> Any:
        q_ct = linalg.solve_sylvester(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2), ct)
        turned = np.swapaxes(x, -1, -2)
        of_a, of_b = -(q_ct @ turned), -(turned @ q_ct)
        return runtime.unbroadcast(of_a, a), runtime.unbroadcast(of_b, b), runtime.unbroadcast(q_ct, q)

    return x, pullback


def _solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    real_only(a, "solve_continuous_lyapunov")
    x = linalg.solve_continuous_lyapunov(a, q)

    def pullback(ct: Any) -> Any:
        q_ct = linalg.solve_continuous_lyapunov(np.swapaxes(a, -1, -2), ct)
        a_ct = -(q_ct @ np.swapaxes(x, -1, -2) + np.swapaxes(q_ct, -1, -2) @ x)
        return runtime.unbroadcast(a_ct, a), runtime.unbroadcast(q_ct, q)

    return x, pullback


def _solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    real_only(a, "solve_discrete_lyapunov")
    x = linalg.solve_discrete_lyapunov(a, q, method)

    def pullback(ct: Any) -> Any:
        q_ct = linalg.solve_discrete_lyapunov(np.swapaxes(a, -1, -2), ct, method)
        a_ct = q_ct @ a @ np.swapaxes(x, -1, -2) + np.swapaxes(q_ct, -1, -2) @ a @ x
        return runtime.unbroadcast(a_ct, a), runtime.unbroadcast(q_ct, q), None

    return x, pullback


def _solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True) -> Any:
    """By the loop that the solution closes, whose motion obeys an equation of Lyapunov's; `q` and `r` stay symmetric."""
    _plain_only(a, b, e, s, "solve_continuous_are")
    x = linalg.solve_continuous_are(a, b, q, r, balanced=balanced)
    gain = np.linalg.solve(r, np.swapaxes(b, -1, -2) @ x)

    def pullback(ct: Any) -> Any:
        q_ct = linalg.solve_continuous_lyapunov(a - b @ gain, -_symmetric(ct))
        return _of_loop(x @ q_ct, q_ct, gain)

    return x, pullback


def _solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True) -> Any:
    """As `_solve_continuous_are`, of steps."""
    _plain_only(a, b, e, s, "solve_discrete_are")
    x = linalg.solve_discrete_are(a, b, q, r, balanced=balanced)
    along = np.swapaxes(b, -1, -2) @ x
    gain = np.linalg.solve(r + along @ b, along @ a)

    def pullback(ct: Any) -> Any:
        loop = a - b @ gain
        q_ct = linalg.solve_discrete_lyapunov(loop, _symmetric(ct))
        return _of_loop(x @ loop @ q_ct, q_ct, gain)

    return x, pullback


def _plain_only(a: Any, b: Any, e: Any, s: Any, name: Any) -> None:
    real_only(a, name)
    real_only(b, name)
    if e is not None or s is not None:
        raise NotImplementedError(f"scipy.linalg.{name} has a derivative without e and s")


def _symmetric(ct: Any) -> Any:
    return 0.5 * (ct + np.swapaxes(ct, -1, -2))


def _of_loop(half: Any, q_ct: Any, gain: Any) -> Any:
    """The cotangents of the four matrices of a control problem, from half that of the loop that is closed."""
    turned = np.swapaxes(gain, -1, -2)
    return 2.0 * half, -2.0 * half @ turned, q_ct, gain @ q_ct @ turned, None, None


_A = np.array([[0.5, 0.25], [-0.25, 1.0]])
_B = np.array([[1.5, -0.5, 0.25], [0.25, 2.0, 0.5], [0.0, -0.25, 1.0]])
_Q = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_R = np.array([[1.5, 0.25], [-0.5, 2.0]])


def _of_first(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a square matrix like the first."""
    return square_result(args[:1], {})


RECORDS: tuple[Primitive, ...] = (
    general(linalg.expm, _function(linalg.expm, calls.expm_change), (_A,), (_B,), of_complex=True),
    general(calls.expm_change, _change(calls.expm_change), (_A, _R), linear_in=(1,), of_complex=True),
    general(calls.doubled, _doubled, (_A, _R), linear_in=(0, 1), of_complex=True),
    general(calls.real_logm, _function(calls.real_logm, calls.logm_change), (_B,), of_complex=True),
    general(calls.logm_change, _change(calls.logm_change), (_B, _B), linear_in=(1,), of_complex=True),
    general(calls.real_sqrtm, _sqrtm, (_B,), of_complex=True),
    general(linalg.solve_sylvester, _solve_sylvester, (_A, _B, _Q), linear_in=(2,), of_complex=True),
    general(linalg.solve_continuous_lyapunov, _solve_continuous_lyapunov, (_A, _R), linear_in=(1,)),
    general(linalg.solve_discrete_lyapunov, _solve_discrete_lyapunov, (0.5 * _A, _R), linear_in=(1,)),
    general(linalg.solve_continuous_are, _solve_continuous_are, result=_of_first),
    general(linalg.solve_discrete_are, _solve_discrete_are, result=_of_first),
    *(primitive(fn, None) for fn in (linalg.matrix_balance, linalg.schur)),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(linalg.logm, lambda A: calls.real_logm(A)),
    Definition(linalg.sqrtm, lambda A: calls.real_sqrtm(A)),
    Definition(calls.real_power, lambda A, t: linalg.expm(t * calls.real_logm(A)), Value.OWN, result=_of_first),
    Definition(linalg.fractional_matrix_power, lambda A, t: calls.real_power(A, t)),
    Definition(calls.expm_beside, lambda A, E, method, check: linalg.expm(A), Value.OWN),
    Definition(calls.change_beside, lambda A, E, method, check: calls.expm_change(A, E), Value.OWN),
    Definition(linalg.expm_frechet, _expm_frechet),
    Definition(linalg.tanm, lambda A: linalg.solve(linalg.cosm(A), linalg.sinm(A)), Value.OWN),
    Definition(linalg.tanhm, lambda A: linalg.solve(linalg.coshm(A), linalg.sinhm(A)), Value.OWN),
    Definition(linalg.cosm, _cosm),
    Definition(linalg.sinm, _sinm),
    Definition(linalg.coshm, lambda A: 0.5 * (linalg.expm(A) + linalg.expm(-A))),
    Definition(linalg.sinhm, lambda A: 0.5 * (linalg.expm(A) - linalg.expm(-A))),
)
