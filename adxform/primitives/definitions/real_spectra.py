"""Eigenvalues of real matrices and roots of polynomials, of which only a run can tell whether they are real or complex.

Here they are complex numbers, as which they are followed where a program asks what is the same of both kinds: real and imaginary
parts, and sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Operand
from adxform.ir.types import Array, Dim, Several, Type
from adxform.primitives.declare import constant
from adxform.primitives.record import Primitive


def eigenvalues(a: Any) -> Any:
    """Those of a real matrix."""
    own = runtime.complex_eigenvalues(a)
    every = np.linalg.eigvals(a + 0j)
    return intrinsics.valued(own, every[runtime.places_among(own, every)])


def eigenpairs(a: Any) -> Any:
    """The eigenvalues and vectors of a real matrix."""
    own, vectors = runtime.complex_eigenpairs(a)
    every, columns = np.linalg.eig(a + 0j)
    places = runtime.places_among(own, every)
    turned = columns[:, places]
    return intrinsics.valued(own, every[places]), intrinsics.valued(vectors, turned * runtime.phases(vectors, turned))


def roots(p: Any) -> Any:
    """Those of a polynomial, whose first and last coefficients are not zero."""
    own = runtime.complex_roots(p)
    n = p.shape[0] - 1
    companion = np.concatenate((-(p[1:] / p[0])[None, :], np.eye(n - 1, n)))
    every = np.linalg.eigvals(companion + 0j)
    return intrinsics.valued(own, every[runtime.places_among(own, every)])


def _complex_vector(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("complex128", (Dim("?*"),))


def _complex_pair(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Several:
    return Several((Array("complex128", (Dim("?*"),)), Array("complex128", (Dim("?*"), Dim("?*")))), tuple)


def _places(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("int64", (Dim("?*"),))


FOLLOWED: Mapping[Callable[..., Any], tuple[Callable[..., Any], int]] = MappingProxyType(
    {np.linalg.eigvals: (eigenvalues, 2), np.linalg.eig: (eigenpairs, 2), np.roots: (roots, 1)}
)
"""What of a real array of so many axes is real or complex, and how it is followed."""

READ: tuple[Callable[..., Any], ...] = (np.real, np.imag, np.absolute, np.isclose, np.argmin, np.argmax)
"""What is the same of real and of complex numbers, but for the kind of number that has no imaginary part."""

ORDERED = np.argsort
"""What is the same of both, but where some are equal."""

CARRIED = frozenset({operator.add, operator.sub, operator.mul, operator.neg, np.conjugate})
"""What gives of real and of complex numbers the same, to the bit, but for the kind again."""

ROUNDED: tuple[Callable[..., Any], ...] = (
    operator.truediv, operator.matmul, np.matmul, np.dot, np.diag, np.sum, np.mean, np.prod, np.exp, np.square, np.sin, np.cos,
    np.sinh, np.cosh, np.linalg.inv, np.linalg.solve
)  # fmt: skip
"""What gives the same but for the kind and rounding."""

ABOVE_ZERO: tuple[Callable[..., Any], ...] = (operator.pow, np.power, np.sqrt, np.log)
"""What gives the same too, but for real numbers below zero, of which it may be NaN."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"conj": np.conjugate, "conjugate": np.conjugate, "sum": np.sum, "mean": np.mean, "prod": np.prod, "dot": np.dot}
)
"""What methods of arrays stand for."""

CHANGING_METHODS = frozenset({"byteswap", "fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"})
"""Methods of arrays that change them, as nobody follows them where an array is real or complex."""

RECORDS: tuple[Primitive, ...] = (
    constant(runtime.complex_eigenvalues, result=_complex_vector, of_complex=True),
    constant(runtime.complex_eigenpairs, result=_complex_pair, of_complex=True),
    constant(runtime.complex_roots, result=_complex_vector, of_complex=True),
    constant(runtime.as_complex, of_complex=True),
    constant(runtime.places_among, result=_places, of_complex=True),
    constant(runtime.phases, result=_complex_vector, of_complex=True),
)
