"""Programs over complex numbers, each with arguments: what `test_complex` judges by differences."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RNG = np.random.default_rng(7)
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def normal(*shape: int) -> Any:
    """Random complex numbers."""
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def real(*shape: int) -> Any:
    """Random real numbers."""
    return RNG.standard_normal(shape)


def at(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program with its arguments."""

    def enter(fn: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((fn, args))
        return fn

    return enter


# -- arithmetic and elementary functions -------------------------------------------------------------------------------


@at(1.2 - 0.7j, -0.3 + 0.4j)
def arithmetic(a, b):
    return (a * b + a / b - 2 * a + b**3 - a**-2) * (1 - 2j)


@at(1.2 - 0.7j, 0.8)
def mixed_with_reals(z, x):
    return z * x + x / z - x**2 + z**x, x**z


@at(real(4))
def imaginary_part_of_what_is_real(x):
    y = x.copy()
    y[0] = y[1] ** 2
    return y * y.imag + y, np.sum(np.imag(y)) + np.sum(np.angle(y) * y)


@at(normal(3), real(3))
def arrays_mixed(z, x):
    return z * x + x / z, np.sum(z.real * x), np.conj(z) - x


@at(1.2 - 0.7j)
def modulus(z):
    return abs(z), abs(z) ** 2, (z * z.conjugate()).real, z.real * z.imag


@at(normal(4))
def modulus_of_arrays(z):
    return np.abs(z), np.abs(z) ** 2, np.angle(z), z.real - z.imag


@at(0.3 + 0.4j)
def elementary(z):
    return np.exp(z) + np.sin(z) * np.cos(z) - np.log(z) + np.sqrt(z) + np.tanh(z) + np.arctan(z) + np.sinh(z) + np.cosh(z)


@at(0.3 + 0.4j)
def elementary_of_cmath(z):
    return cmath.exp(z) + cmath.sin(z) * cmath.cos(z) - cmath.log(z) + cmath.sqrt(z) + cmath.tanh(z)


@at(0.3 + 0.4j)
def polar_and_back(z):
    return cmath.rect(abs(z) ** 1.5, cmath.phase(z) * 2), cmath.phase(z)


@at(0.4, 0.9)
def made_of_reals(r, phi):
    z = complex(r, phi)
    w = r * np.exp(1j * phi)
    return (z * w).real, (z / w).imag, z * w


@at(normal(3))
def powers(z):
    return z**2 + z**0.5 + z ** (1 + 0.5j) + 2.0**z


@at(normal(5))
def reductions(z):
    return np.sum(z), np.mean(z), np.prod(z), np.cumsum(z), np.linalg.norm(z), np.var(z), np.std(z)


@at(normal(3, 4), normal(4, 2))
def products(a, b):
    return a @ b, np.dot(a, b)[0], np.vdot(a[0], b[:, 0]), np.einsum("ij,jk->ik", a, b), np.outer(a[0], b[0])


@at(normal(3, 4))
def rearranged(a):
    return a.T, np.conj(a).T @ a, a.reshape(2, 6)[:, ::-1], np.concatenate([a, a * 1j]), np.transpose(a)[1:, :2]


@at(normal(3, 3) + 3 * np.eye(3), normal(3))
def linear_systems(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.trace(a)


@at(normal(6))
def chosen_by_where(z):
    return np.where(z.real > 0, z**2, np.conj(z)), np.where(np.abs(z) > 1, 1.0, z)


@at(normal(3))
def conversions(z):
    x = z.real.astype(complex)
    return x * z, z.astype(np.complex128) ** 2, np.asarray(z, dtype=complex) * 2, np.array([z[0], z[1] * 1j])


@at(real(4))
def reals_become_complex(x):
    z = x.astype(complex)
    z[1] = z[1] * 1j
    return z**2, (np.exp(1j * x) * x).imag, np.sum(x + 0j)


# -- parts of arrays, written through ---------------------------------------------------------------------------------


@at(normal(4))
def parts_written(z):
    w = z.copy()
    w.real = w.real * w.imag
    w.imag[1:] = w.real[:-1] ** 2
    return w * z


@at(normal(4), real(4))
def parts_written_in_place(z, x):
    w = z * 2
    w.real += x * w.imag
    w.imag *= x
    w.real[0] -= w.imag[-1]
    return w


@at(normal(5))
def parts_in_a_loop(z):
    w = z.copy()
    re, im = w.real, w.imag
    for i in range(1, w.shape[0]):
        re[i] += im[i - 1] * re[i]
        im[i] = im[i] * re[i - 1]
    return w**2, re * im


@at(normal(5), 0.7)
def parts_in_branches(z, x):
    w = z.copy()
    for i in range(w.shape[0]):
        part = w.real if i % 2 == 0 else w.imag
        if z[i].real > 0:
            part[i] = part[i] * x
        else:
            part[i] = x**2 + w[i].imag
    return w * w


@at(normal(2, 3))
def parts_of_rows(z):
    w = z.copy()
    row = w[1]
    row.imag[:] = row.real**2
    w[0].real[1] *= 3
    return w * z


@at(real(4), normal(4))
def reals_stored(x, z):
    w = z * 1j
    w[1] = x[0] * x[1]
    w[2:] = x[2:] ** 2
    w[0] += x[3]
    return w * z


@at(normal(4))
def stored_elements(z):
    w = np.zeros(4, dtype=complex)
    for i in range(4):
        w[i] = z[i] * w[i - 1] + z[i] ** 2
    return w


@at(normal(3))
def empty_filled(z):
    w = np.empty(6, complex)
    w[::2] = z
    w[1::2] = np.conj(z) * z
    return w * w


# -- loops, branches, containers ---------------------------------------------------------------------------------------


@at(normal(4))
def accumulated(z):
    total = 0
    for i in range(z.shape[0]):
        total += z[i] ** 2
    return total


@at(0.3, 5)
def integer_becomes_complex(x, n):
    total = 0
    for k in range(n):
        total = total + np.exp(1j * k * x) / (k + 1)
    return abs(total) ** 2


@at(0.3 + 0.2j, 4)
def float_becomes_complex(z, n):
    w = 1.0
    for _ in range(n):
        w = w * z + 1
    return w, w.real


@at(0.4, -0.3)
def float_or_complex(x, y):
    if x > 0:
        w = x * 1j + y
    else:
        w = y
    return abs(w) * x


@at(-0.4, 0.3)
def float_or_complex_the_other_way(x, y):
    if x > 0:
        w = x * 1j + y
    else:
        w = y
    return abs(w) * x


@at(0.7 + 0.1j, 0.4)
def complex_or_float(z, x):
    w = z * x if abs(z) > 2 else x * x
    return w * z


@at(0.7 + 0.1j)
def zero_then_complex_zero(z):
    s = 0
    t = 0j
    for k in range(3):
        s = s + z**k
        t += z * k
    return s * t


@at(0.4)
def list_of_complex(x):
    terms = []
    z = 0j
    for k in range(4):
        z = z + cmath.exp(1j * x * k)
        terms.append(z * x)
    return sum(terms), abs(terms[-1]) ** 2, abs(terms[1]) ** 2 + abs(terms[2])


@at(normal(5))
def list_of_unknown_length(z):
    found = []
    for i in range(len(z)):
        if z[i].real > -1:
            found.append(z[i] ** 2)
    return np.sum(np.array(found) * 1j), np.sum(np.abs(np.array(found)))


@at(0.2 + 0.3j)
def mandelbrot(c):
    z = 0
    for _ in range(8):
        z = z * z + c
        if abs(z) > 2:
            break
    return abs(z)


@at(0.9 + 0.8j)
def mandelbrot_outside(c):
    z, n = 0j, 0
    while abs(z) < 4 and n < 30:
        z = z**2 + c
        n += 1
    return z.real**2 + z.imag**2


@at(1.5 + 1j, 2.0)
def newton_root(c, x):
    z = 1 + 1j
    for _ in range(6):
        z = z - (z**3 - c * x) / (3 * z**2)
    return z


@at(1 + 2j)
def newton_while(c):
    z = c
    while abs(z * z - c) > 1e-12:
        z = 0.5 * (z + c / z)
    return z, z.imag


@at({"a": 1 + 2j, "b": np.array([0.3, 0.5j]), "x": 0.4})
def dict_of_complex(p):
    return {"y": p["a"] * p["b"] * p["x"], "n": abs(p["a"])}


@dataclass
class Line:
    """A transmission line."""

    impedance: complex
    length: float


@at(Line(50 + 2j, 0.3), 75 - 10j)
def dataclass_of_complex(line, load):
    t = np.tan(line.length)
    return line.impedance * (load + 1j * line.impedance * t) / (line.impedance + 1j * load * t) / 50


TWIDDLE = np.exp(2j * np.pi * np.arange(4) / 4)
UNIT = 0.5 + 0.5j


@at(normal(4))
def complex_global(z):
    return TWIDDLE * z + UNIT * np.conj(z)


@at(0.6 - 0.3j)
def complex_closure(z):
    w = z * z

    def inner(t):
        return w * t + z

    return inner(inner(z)) * UNIT


@at(0.6 - 0.3j, 0.4)
def recursion(z, x):
    def power(n):
        return 1 if n == 0 else z * power(n - 1) + x

    return power(3)


@at(normal(4))
def comparisons(z):
    n = 0.0
    for w in z:
        if w == 0 or w != w:
            continue
        if w.real > w.imag:
            n = n + abs(w)
        else:
            n = n - w.imag
    return n


@at(normal(3), 0.3)
def aliased_views(z, x):
    w = z.copy()
    first = w[:2]
    first *= 1j * x
    w[1:] += first
    return first * w[1:], np.real(w), np.imag(w)


@at(normal(4))
def out_arguments(z):
    w = np.empty_like(z)
    np.multiply(z, z, out=w)
    np.exp(w * 0.1, out=w)
    w /= z
    return w


# -- whole programs -----------------------------------------------------------------------------------------------------


@at(real(8), 0.05)
def spectral_heat(u, nu):
    k = np.fft.fftfreq(u.shape[0], 1 / u.shape[0])
    v = np.fft.fft(u)
    for _ in range(3):
        v = v * np.exp(-nu * k**2)
        u = np.real(np.fft.ifft(v))
        v = np.fft.fft(u * u * 0.3)
    return u, np.sum(np.abs(v) ** 2)


@at(real(9), 0.4)
def spectral_derivative(u, c):
    n = u.shape[0]
    k = np.arange(n // 2 + 1)
    return np.fft.irfft(1j * k * np.fft.rfft(u), n) * c


@at(normal(8), real(8), 0.02)
def split_step(psi, v, dt):
    k = 2 * np.pi * np.fft.fftfreq(8)
    half = np.exp(-0.5j * dt * v)
    for _ in range(3):
        psi = half * psi
        psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
        psi = half * psi
    return psi, np.sum(np.abs(psi) ** 2 * v)


@at(np.array([1.0, 2.0, 0.5]), np.array([0.1, 0.2]), np.array([1.0, 0.7]), 1.3)
def impedance_network(r, ind, cap, omega):
    s = 1j * omega
    z1 = r[0] + s * ind[0]
    z2 = 1 / (1 / r[1] + s * cap[0])
    y = np.array([[1 / z1 + 1 / z2, -1 / z2], [-1 / z2, 1 / z2 + s * cap[1] + 1 / (r[2] + s * ind[1])]])
    v = np.linalg.solve(y, np.array([1.0 + 0j, 0.0]))
    return np.abs(v), np.angle(v[1] / v[0])


@at(np.array([1.0, 0.4]), np.array([1.0, 0.7, 0.3]))
def transfer_function(b, a):
    w = np.linspace(0.1, 2.0, 5)
    s = 1j * w
    h = np.polyval(b, s) / np.polyval(a, s)
    return 20 * np.log10(np.abs(h)), np.angle(h)


@at(np.array([0.3, 1.1, -0.4]))
def quantum_circuit(theta):
    state = np.array([1, 0, 0, 0], dtype=complex)
    for i in range(3):
        c, s = np.cos(theta[i] / 2), np.sin(theta[i] / 2)
        rx = np.array([[c, -1j * s], [-1j * s, c]])
        state = np.kron(rx, np.eye(2)) @ state
        phase = np.array([1, 1, 1, np.exp(1j * theta[i])])
        state = phase * state
        state = np.kron(np.eye(2), rx) @ state
    z = np.diag([1.0, -1.0, -1.0, 1.0])
    return np.real(np.conj(state) @ z @ state)


@at(normal(6), 0.1)
def beam_propagation(field, step):
    field = field.copy()
    n = field.shape[0]
    lap = np.empty(n, dtype=complex)
    for _ in range(3):
        for i in range(n):
            left = field[i - 1] if i > 0 else 0
            right = field[i + 1] if i < n - 1 else 0j
            lap[i] = left - 2 * field[i] + right
        for i in range(n):
            field[i] += 1j * step * lap[i]
            field[i] *= cmath.exp(0.2j * abs(field[i]) ** 2)
    return field, np.sum(np.abs(field) ** 2)


@at(normal(5), 0.4 - 0.2j)
def filter_recurrence(x, pole):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = pole * y[i - 1] + x[i]
    return y.real, np.sum(y * np.conj(x)).imag


@at(np.array([0.5, 1.5, 2.5]), 0.7)
def array_factor(spacing, angle):
    total = 0j
    for d in spacing:
        total += np.exp(2j * np.pi * d * math.sin(angle))
    return abs(total) ** 2 / 9


@at(1.5, 2.2, 0.4)
def fresnel_layers(n1, n2, d):
    m = np.eye(2, dtype=complex)
    for n in (n1, n2, n1):
        delta = 2 * np.pi * n * d
        m = m @ np.array([[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]])
    r = (m[0, 0] + m[0, 1] - m[1, 0] - m[1, 1]) / (m[0, 0] + m[0, 1] + m[1, 0] + m[1, 1])
    return abs(r) ** 2


@at(normal(4), normal(4))
def circular_convolution(a, b):
    return np.fft.ifft(np.fft.fft(a) * np.fft.fft(b)), np.fft.fftshift(np.fft.fft(a))


@at(real(4, 4))
def two_dimensional_filter(image):
    k = np.fft.fftfreq(4)
    mask = np.exp(-(k[:, None] ** 2 + k[None, :] ** 2) * 3)
    return np.real(np.fft.ifft2(np.fft.fft2(image) * mask))


@at(0.3, 1.2, 0.6)
def damped_oscillator(gamma, omega, t):
    root = np.sqrt(complex(gamma**2 - omega**2))
    return (np.exp((-gamma + root) * t) + np.exp((-gamma - root) * t)).real / 2


@at(0.2, np.array([0.6, 1.0, 0.8]))
def dft_by_hand(f, x):
    found = []
    for k in range(3):
        s = 0
        for n in range(len(x)):
            s += x[n] * cmath.exp(-2j * math.pi * k * n * (1 + f) / len(x))
        found.append(s)
    return [abs(s) for s in found], found[1]


@at(normal(3), 0.7)
def orbit_kept_in_a_list(z, x):
    w, orbit = z[0], []
    while abs(w) < 10 and len(orbit) < 5:
        w = w * w + z[1] * x
        orbit.append(w.conjugate())
        if len(orbit) == 3:
            orbit[1] = orbit[0] * w
    s = 0j
    while orbit:
        s = s * 0.5 + orbit.pop() * z[2]
    return s, abs(s)


@at(normal(4))
def rows_kept_in_a_list(z):
    rows = []
    for k in range(3):
        if z[k].real > -5:
            rows.append(z[k : k + 2])
    m = np.array(rows)
    m[0] *= 1j
    return np.abs(m) ** 2, m


@at(np.array([0.1, 0.4, -0.2]), 0.3)
def rabi(h, dt):
    a = 1 + 0j
    b = 0j
    for k in range(3):
        da = -1j * (h[k] * b)
        db = -1j * (h[k] * a + dt * b)
        a, b = a + dt * da, b + dt * db
    return abs(b) ** 2 / (abs(a) ** 2 + abs(b) ** 2)


@at(np.array([1.0 + 0.5j, -2.0, 0.3j]), 0.7 + 0.2j)
def horner(coefficients, z):
    p = 0
    for c in coefficients:
        p = p * z + c
    return p


@at(normal(3, 3))
def evolution(a):
    h = a + np.conj(a.T)
    u = np.eye(3, dtype=complex)
    term = np.eye(3, dtype=complex)
    for k in range(1, 6):
        term = term @ (-0.1j * h) / k
        u = u + term
    return np.abs(u[0]) ** 2


@at(normal(3), 2 + 1j)
def python_lists(z, w):
    rows = [[a * b for b in z] for a in (w, 1j, 2.0)]
    rows[1][2] = w**2
    return rows[0][1] + rows[1][2], sum(sum(row) for row in rows)


@at(0.3 + 0.6j)
def tuples_swapped(z):
    a, b = z, 1j * z
    for _ in range(3):
        a, b = b * z, a + b
    return a * b, (a, abs(b))


@at(normal(4), np.array([2, 0, 3, 2]))
def gathered(z, index):
    w = z[index]
    total = np.zeros(4, complex)
    np.add.at(total, index, w * z)
    return w, total


@at(normal(4))
def extremes(z):
    k = int(np.argmax(np.abs(z)))
    return z[k] ** 2, np.max(np.abs(z)), min(abs(z[0]), abs(z[1]))


@at(1 + 1j, 0.5)
def stopped(z, x):
    return abs(z * x) ** 2 if x > 1 else (z * z).real * x


@at(np.complex128(0.4 + 0.3j), np.float64(0.5))
def scalars_of_numpy(z, x):
    return z * x, abs(z), z.real, np.conj(z) * 1j


@at(np.array(0.4 + 0.3j), np.array([0.5, 0.1]))
def array_without_axes(z, x):
    return z * x, np.abs(z), z.imag


@at(normal(2, 3))
def stacked(z):
    return np.stack([z, z.conj()]), np.vstack([z, z * 1j]), np.hstack([z.real, z.imag]), np.tile(z, (1, 2))


@at(normal(4))
def sorted_by_hand(z):
    order = np.argsort(np.abs(z))
    return z[order] * np.arange(4), np.roll(z, 1), np.diff(z), z[::-1]


@at(real(4), 0.3)
def complex_into_real(x, a):
    w = np.empty(4)
    z = np.exp(1j * a * x)
    w[:] = z.real
    w[1] = z[1].imag * a
    return w
