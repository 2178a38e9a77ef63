"""The polynomials of `backends/numba/vector_math`, derived: `python -m tests.vector_coefficients` writes coefficients.py anew.

Each is the Chebyshev interpolant, in eighty digits, of a function that is smooth on a short interval: what is left of a form's
series behind its first terms, which the form itself adds exactly. Such an interpolant is within a factor of a few of the best
polynomial (Muller, Elementary Functions, 3rd ed., section 3.3), so that one more term serves as well as an exchange algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp

DIGITS = 80
NEXT_TO_ZERO = "1e-30"
TARGET = Path(__file__).parent.parent / "adxform" / "backends" / "numba" / "vector_math" / "coefficients.py"


@dataclass(frozen=True)
class Fit:
    """One polynomial: what it approximates, where, and with how many coefficients.

    Of an `odd` or `even` function, and of one in the square of its variable, the interval is that of the square.
    """

    name: str
    text: str
    function: Callable[[Any], Any]
    low: Any
    high: Any
    count: int


def of_square(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return ``(function(x) / x - function'(0)) / x²`` as a function of ``z = x²``, for an odd function."""
    slope = mp.diff(function, 0)

    def remainder(z: Any) -> Any:
        x = mp.sqrt(z)
        return (function(x) / x - slope) / z

    return remainder


def scaled_erfc(t: Any) -> Any:
    """Return ``(1 + 2 x) exp(x²) erfc(x)`` where ``t = (x - 3.75) / (x + 3.75)``."""
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def fits() -> tuple[Fit, ...]:
    """Return all polynomials, in the order in which they are written."""
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0001")
    quarter_pi = (mp.pi / 4) ** 2 * mp.mpf("1.0001")
    reduced = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")
    return (
        Fit("EXP", "(exp(r) - 1 - r) / r², |r| <= ln 2 / 2", lambda r: (mp.expm1(r) - r) / r**2, -half_ln2, half_ln2, 10),
        Fit(
            "EXP2",
            "(2^r - 1 - r ln 2) / r², |r| <= 1/2",
            lambda r: (mp.expm1(r * mp.log(2)) - r * mp.log(2)) / r**2,
            mp.mpf("-0.5001"),
            mp.mpf("0.5001"),
            10,
        ),
        Fit(
            "LOG",
            "(2 atanh(s) / s - 2) / s², s = (m - 1) / (m + 1), 1/√2 <= m <= √2; in s²",
            of_square(lambda s: 2 * mp.atanh(s)),
            0,
            reduced,
            7,
        ),
        Fit(
            "LOG_TAIL",
            "(2 atanh(s) - 2 s - 2 s³ / 3) / s⁵ on the same interval; in s²",
            lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2 - 2 * z / 3) / z**2,
            0,
            reduced,
            8,
        ),
        Fit("SIN", "(sin(x) / x - 1) / x², |x| <= π/4; in x²", of_square(mp.sin), 0, quarter_pi, 6),
        Fit(
            "COS",
            "(cos(x) - 1 + x²/2) / x⁴, |x| <= π/4; in x²",
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
            0,
            quarter_pi,
            6,
        ),
        Fit("TANH", "(tanh(x) / x - 1) / x², |x| <= 0.625; in x²", of_square(mp.tanh), 0, mp.mpf("0.391"), 12),
        Fit("SINH", "(sinh(x) / x - 1) / x², |x| <= 1; in x²", of_square(mp.sinh), 0, 1, 7),
        Fit("ASIN", "(asin(x) / x - 1) / x², |x| <= 1/2; in x²", of_square(mp.asin), 0, mp.mpf("0.25"), 13),
        Fit("ATAN", "(atan(x) / x - 1) / x², |x| <= 0.6; in x²", of_square(mp.atan), 0, mp.mpf("0.3601"), 14),
        Fit("ASINH", "(asinh(x) / x - 1) / x², |x| <= 1/2; in x²", of_square(mp.asinh), 0, mp.mpf("0.25"), 12),
        Fit("ATANH", "(atanh(x) / x - 1) / x², |x| <= 1/2; in x²", of_square(mp.atanh), 0, mp.mpf("0.25"), 14),
        Fit("CBRT", "∛m, 1 <= m <= 2, a first guess", mp.cbrt, 1, 2, 6),
        Fit("ERF", "(erf(x) / x - 2 / √π) / x², |x| <= 1; in x²", of_square(mp.erf), 0, 1, 12),
        Fit("ERFC", "(1 + 2 x) exp(x²) erfc(x), 0 <= x <= 27.4; in (x - 3.75) / (x + 3.75)", scaled_erfc, -1, mp.mpf("0.76"), 25),
        Fit("ERFC_MIDDLE", "the same, 1 <= x <= 6", scaled_erfc, mp.mpf("-0.579"), mp.mpf("0.231"), 16),
    )


@dataclass(frozen=True)
class Split:
    """A constant as a sum of floats, each but the last with few enough bits for exact products with small whole numbers."""

    name: str
    value: Callable[[], Any]
    bits: tuple[int, ...]


SPLITS = (
    Split("LN2", lambda: mp.log(2), (41, 53)),
    Split("LN2_ROUNDED", lambda: mp.log(2), (53, 53)),
    Split("PER_LN2", lambda: 1 / mp.log(2), (26, 53)),
    Split("PER_LN10", lambda: 1 / mp.log(10), (26, 53)),
    Split("LOG10_2", lambda: mp.log10(2), (41, 53)),
    Split("HALF_PI", lambda: mp.pi / 2, (33, 33, 33, 53)),
    Split("PI_BY_FOUR", lambda: mp.pi / 4, (50, 53)),
    Split("TWO_THIRDS", lambda: mp.mpf(2) / 3, (53, 53)),
    Split("PER_ROOT2", lambda: 1 / mp.sqrt(2), (53, 53)),
    Split("ERF_SLOPE", lambda: 2 / mp.sqrt(mp.pi), (53, 53)),
)


def parts(split: Split) -> tuple[float, ...]:
    """Return the floats of a split constant, the greatest first."""
    with mp.workdps(DIGITS):
        rest, found = split.value(), []
        for bits in split.bits:
            unit = mp.mpf(2) ** (mp.frexp(rest)[1] - bits)
            part = rest if bits == 53 else mp.floor(rest / unit) * unit
            found.append(float(part))
            rest -= found[-1]
        return tuple(found)


def derived(fit: Fit) -> tuple[tuple[float, ...], float]:
    """Return a polynomial's coefficients, the constant one first, and its greatest error before they were rounded."""
    with mp.workdps(DIGITS):
        # Zero is where most of these are 0 / 0; next to it fifty digits are left.
        nearest = mp.mpf(NEXT_TO_ZERO)
        defined = lambda x: fit.function(x if abs(x) > nearest else nearest)
        coefficients, error = mp.chebyfit(defined, [fit.low, fit.high], fit.count, error=True, asc=True)
        return tuple(float(c) for c in coefficients), float(error)


def rendered() -> str:
    """Return the text of coefficients.py."""
    with mp.workdps(DIGITS):
        pieces = ['"""Constants and polynomials, the constant coefficient first; written by tests/vector_coefficients.py."""\n']
        for split in SPLITS:
            pieces.append(f"{split.name} = {parts(split)!r}\n")
        for fit in fits():
            coefficients, error = derived(fit)
            lines = "".join(f"    {c!r},\n" for c in coefficients)
            pieces.append(f"# {fit.text}; within {error:.1g}.\n{fit.name} = (\n{lines})\n")
        return "\n".join(pieces)


if __name__ == "__main__":
    TARGET.write_text(rendered(), encoding="utf-8")
