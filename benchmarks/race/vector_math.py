"""Exponentials and logarithms that loops compiled by Numba take several numbers at a time, for derivatives written by hand.

`forms` has them under the names that the plain functions of `math` have, which the same loops call under Python. Range
reduction is that of Cody and Waite (Software Manual for the Elementary Functions, 1980, chapters 5 and 6); the polynomials are
Taylor's: near enough to 1 ulp on the reduced ranges.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any


def in_parts(value: Fraction, bits: int, count: int) -> Iterator[float]:
    """Numbers of that many bits each, but for the last, that add up to `value`: their products with small integers are exact."""
    for _ in range(count - 1):
        exponent = math.frexp(float(value))[1]
        scale = Fraction(2) ** (bits - exponent)
        part = Fraction(round(value * scale)) / scale
        yield float(part)
        value -= part
    yield float(value)


LOG2_HIGH, LOG2_LOW = in_parts(Fraction("0.693147180559945309417232121458176568"), 33, 2)
SHIFT = 1.5 * 2.0**52
TERMS = tuple(1.0 / math.factorial(k) for k in range(14))
SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(9))
COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(9))
PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494")
HALF_PI = tuple(in_parts(PI / 2, 33, 3))
ODD = tuple(2.0 / (2 * k + 1) for k in range(11))


@functools.cache
def forms() -> Mapping[str, Callable[..., Any]]:
    """``exp``, ``log``, ``log1p``, ``tanh``, ``sin`` and ``cos`` of a float64, inlined where they are called."""
    import numba
    from llvmlite import ir
    from numba.extending import intrinsic

    @intrinsic
    def bits(typing_context, x):
        def generate(context, builder, signature, args):
            return builder.bitcast(args[0], ir.IntType(64))

        return numba.int64(numba.float64), generate

    @intrinsic
    def number(typing_context, n):
        def generate(context, builder, signature, args):
            return builder.bitcast(args[0], ir.DoubleType())

        return numba.float64(numba.int64), generate

    high, low, per_log2, shift = LOG2_HIGH, LOG2_LOW, 1.0 / math.log(2.0), SHIFT
    c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13 = TERMS
    d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10 = ODD
    root_half = math.sqrt(0.5)
    strict = numba.njit(fastmath={"contract", "nnan", "ninf"}, inline="never", error_model="numpy")

    @strict
    def exp(x):
        """exp(x) = 2**n exp(r) with r = x - n log 2 in two parts; the integer sits in the last bits of a shifted float."""
        y = min(max(x, -708.0), 709.0)
        shifted = y * per_log2 + shift
        n = shifted - shift
        r = (y - n * high) - n * low
        p = c13
        p = p * r + c12
        p = p * r + c11
        p = p * r + c10
        p = p * r + c9
        p = p * r + c8
        p = p * r + c7
        p = p * r + c6
        p = p * r + c5
        p = p * r + c4
        p = p * r + c3
        p = p * r + c2
        p = p * r + c1
        p = p * r + c0
        return p * number((bits(shifted) + 1023) << 52)

    @strict
    def log(x):
        """log(m 2**e) with m in [sqrt(1/2), sqrt(2)): twice the artanh of (m - 1) / (m + 1), in odd powers."""
        pattern = bits(x) - bits(root_half)
        e = pattern >> 52
        m = number((pattern & 0xFFFFFFFFFFFFF) + bits(root_half))
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        p = d10
        p = p * z + d9
        p = p * z + d8
        p = p * z + d7
        p = p * z + d6
        p = p * z + d5
        p = p * z + d4
        p = p * z + d3
        p = p * z + d2
        p = p * z + d1
        return float(e) * high + (s * d0 + (s * z * p + float(e) * low))

    @strict
    def tanh(x):
        """1 - 2 / (exp(2 x) + 1): to 2e-16 absolutely, which is enough for weights of a network."""
        return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)

    two_per_pi, half1, half2, half3 = 2.0 / math.pi, HALF_PI[0], HALF_PI[1], HALF_PI[2]
    s0, s1, s2, s3, s4, s5, s6, s7, s8 = SINE
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = COSINE

    @strict
    def turned(x, quarter):
        """sin(x + quarter π/2), for |x| below 1e5.

        The nearest multiple of π/2 off in three parts, then one of two polynomials.
        """
        shifted = x * two_per_pi + shift
        n = shifted - shift
        turn = bits(shifted) + quarter
        r = ((x - n * half1) - n * half2) - n * half3
        z = r * r
        p = ((((((((s8 * z + s7) * z + s6) * z + s5) * z + s4) * z + s3) * z + s2) * z + s1) * z + s0) * r
        q = (((((((k8 * z + k7) * z + k6) * z + k5) * z + k4) * z + k3) * z + k2) * z + k1) * z + k0
        chosen = q if turn & 1 else p
        return -chosen if turn & 2 else chosen

    @strict
    def sin(x):
        """The sine."""
        return turned(x, 0)

    @strict
    def cos(x):
        """The cosine."""
        return turned(x, 1)

    @strict
    def log1p(x):
        """log(1 + x), with what the sum 1 + x lost."""
        y = 1.0 + x
        return log(y) + (x - (y - 1.0)) / y

    return {"exp": exp, "log": log, "log1p": log1p, "tanh": tanh, "sin": sin, "cos": cos}
