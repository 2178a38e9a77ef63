"""Linear systems: simulated, and brought from continuous to discrete time.

Source: Franklin, Powell & Workman, *Digital Control of Dynamic Systems* (1998), chapters 4 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg, signal

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Several, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.of_scipy import signal as calls

_SHARES = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}


def _held(a: Any, b: Any, dt: Any) -> Any:
    """The matrices of a step through which inputs are held."""
    n, m = a.shape[0], b.shape[1]
    whole = np.concatenate((np.concatenate((a, b), axis=1), np.zeros((m, n + m))), axis=0)
    found = linalg.expm(dt * whole)
    return found[:n, :n], found[:n, n:]


def _ramped(a: Any, b: Any, dt: Any) -> Any:
    """The matrices of a step through which inputs are straight: of the state, of the first input and of its growth."""
    n, m = a.shape[0], b.shape[1]
    upper = np.concatenate((a * dt, b * dt, np.zeros((n, m))), axis=1)
    middle = np.concatenate((np.zeros((m, n + m)), np.eye(m)), axis=1)
    found = linalg.expm(np.concatenate((upper, middle, np.zeros((m, n + 2 * m))), axis=0))
    return found[:n, :n], found[:n, n : n + m], found[:n, n + m :]


def _discretised(a: Any, b: Any, c: Any, d: Any, dt: Any, method: Any, alpha: Any) -> Any:
    if method == "zoh":
        ad, bd = _held(a, b, dt)
        return ad, bd, c * 1.0, d * 1.0
    if method == "foh":
        ad, first, growth = _ramped(a, b, dt)
        return ad, first - growth + ad @ growth, c * 1.0, d + c @ growth
    if method == "impulse":
        ad = linalg.expm(a * dt)
        return ad, ad @ b * dt, c * 1.0, c @ b * dt
    share = alpha if method == "gbt" else _SHARES[method]
    one = np.eye(a.shape[0])
    left = one - share * dt * a
    bd = np.linalg.solve(left, dt * b)
    cd = np.linalg.solve(left.T, c.T).T
    return np.linalg.solve(left, one + (1.0 - share) * dt * a), bd, cd, d + share * (c @ bd)


def _of_system(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several | None:
    match args[:4]:
        case (Var(_, Array(_, (_, _))), Var(_, Array(_, (_, _))), Var(_, Array(_, (_, _))), Var(_, Array(_, (_, _)))):
            return Several(tuple(Array("float64", one.type.shape) for one in args[:4]))  # type: ignore[union-attr]
        case _:
            return None


def _cont2discrete(system: Any, dt: Any, method: Any = "zoh", alpha: Any = None) -> Any:
    if len(system) != 4:
        unsupported("cont2discrete has a derivative for a system of four matrices")
    a, b, c, d = system
    if np.ndim(a) != 2 or np.ndim(b) != 2 or np.ndim(c) != 2 or np.ndim(d) != 2:
        unsupported("cont2discrete has a derivative for a system of four matrices")
    ad, bd, cd, dd = calls.discretised(a, b, c, d, dt, method, alpha)
    return ad, bd, cd, dd, dt


def _matrices(system: Any) -> Any:
    """The four matrices of a system, which may be given by two polynomials: as SciPy makes them, in the controller's form."""
    if len(system) == 4:
        a, b, c, d = system
        return _matrix(a), _matrix(b), _matrix(c), _matrix(d)
    if len(system) != 2:
        unsupported("a system has a derivative where it is given by four matrices, or by two polynomials")
    above, below = np.atleast_1d(np.asarray(system[0]) * 1.0), np.atleast_1d(np.asarray(system[1]) * 1.0)
    if np.ndim(above) != 1:
        unsupported("a system of polynomials has a derivative where it has one output")
    order = below.shape[0] - 1
    below = below / below[0]
    above = np.concatenate((np.zeros(order + 1 - above.shape[0]), above / np.asarray(system[1])[0]))
    a = np.concatenate((-below[None, 1:], np.eye(max(order - 1, 0), order)), axis=0)
    return a, np.eye(order, 1), (above[1:] - above[0] * below[1:])[None, :], np.reshape(above[:1], (1, 1))


def _matrix(a: Any) -> Any:
    return np.atleast_2d(np.asarray(a) * 1.0)


def _inputs(U: Any, count: Any, b: Any) -> Any:
    if U is None or np.ndim(U) == 0:
        return np.zeros((count, b.shape[1]))
    inputs = np.asarray(U) * 1.0
    return inputs[:, None] if np.ndim(inputs) == 1 else inputs


def _simulated_states(a: Any, b: Any, u: Any, times: Any, start: Any, interp: Any) -> Any:
    states = np.empty((times.shape[0], a.shape[0]))
    states[0] = linalg.expm(a * times[0]) @ start
    if times.shape[0] == 1:
        return states
    dt = times[1] - times[0]
    if interp:
        step, first, growth = _ramped(a, b, dt)
    else:
        step, first = _held(a, b, dt)
        growth = np.zeros((a.shape[0], b.shape[1]))
    for k in range(1, times.shape[0]):
        states[k] = step @ states[k - 1] + first @ u[k - 1] + growth @ (u[k] - u[k - 1])
    return states


def _simulated_output(a: Any, b: Any, c: Any, d: Any, u: Any, times: Any, start: Any, interp: Any) -> Any:
    return (_simulated_states(a, b, u, times, start, interp) @ c.T + u @ d.T)[:, 0]


def _lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> Any:
    a, b, c, d = _matrices(system)
    times = np.atleast_1d(np.asarray(T) * 1.0)
    u = _inputs(U, times.shape[0], b)
    start = np.zeros(a.shape[0]) if X0 is None else np.zeros(a.shape[0]) + np.asarray(X0)
    output = calls.simulated_output(a, b, c, d, u, times, start, interp)
    return times, output, calls.simulated_states(a, b, u, times, start, interp)


def _dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> Any:
    if t is not None:
        unsupported("dlsim has a derivative without times `t`: at the steps of the system")
    a, b, c, d = _matrices(system[:-1])
    inputs = np.asarray(u) * 1.0
    inputs = inputs[:, None] if np.ndim(inputs) == 1 else inputs
    start = np.zeros(a.shape[0]) if x0 is None else np.zeros(a.shape[0]) + np.asarray(x0)
    times = np.linspace(0.0, (inputs.shape[0] - 1) * system[-1], inputs.shape[0])
    states = calls.stepped_states(a, b, inputs, start)
    output = calls.stepped_output(a, b, c, d, inputs, start)
    return (times, output, states) if len(system) == 5 else (times, output)


def _stepped_states(a: Any, b: Any, u: Any, start: Any) -> Any:
    states = np.empty((u.shape[0], a.shape[0]))
    states[0] = start
    for k in range(u.shape[0] - 1):
        states[k + 1] = a @ states[k] + b @ u[k]
    return states


def _stepped_output(a: Any, b: Any, c: Any, d: Any, u: Any, start: Any) -> Any:
    return _stepped_states(a, b, u, start) @ c.T + u @ d.T


def _vector(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"),))


def _table(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("float64", (Dim("?*"), Dim("?**")))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(calls.discretised, _discretised, Value.OWN, result=_of_system),
    Definition(signal.cont2discrete, _cont2discrete, Value.FOLLOWED, sequences=True),
    Definition(calls.simulated_states, _simulated_states, Value.OWN, result=_table),
    Definition(calls.simulated_output, _simulated_output, Value.OWN, result=_vector),
    Definition(signal.lsim, _lsim, Value.FOLLOWED, sequences=True),
    Definition(calls.stepped_states, _stepped_states, Value.OWN, result=_table),
    Definition(calls.stepped_output, _stepped_output, Value.OWN, result=_table),
    Definition(signal.dlsim, _dlsim, Value.FOLLOWED, sequences=True),
)
