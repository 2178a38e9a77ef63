"""What the forms are written with: bit patterns, selection without a branch, polynomials, and how a form is compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from adxform.backends.numba.machine.code_cache import kept

Generate = Callable[[Any, Any, Sequence[Any], Sequence[Any]], Any]
F = TypeVar("F", bound=Callable[..., Any])

ROUNDER = 1.5 * 2.0**52  # added to a float below 2^51 it leaves the nearest whole number in the last bits
SIGN = -(2**63)
MAGNITUDE = 2**63 - 1
HIGH_HALF = -(2**27)
MANTISSA = 2**52 - 1
ONE_BITS = 1023 << 52
_CONTRACT = ("contract",)


def form(function: F) -> F:
    """Compile a function into its caller's loop; a product and a sum may fuse, nothing else is relaxed."""
    return cast(F, kept(njit(forceinline=True, error_model="numpy", fastmath={"contract"})(function)))


def exact(function: F) -> F:
    """Compile a function whose every rounding is counted on: no product and sum may fuse.

    Left unsaid, the caller's `fastmath` would hold.
    """
    return cast(F, kept(njit(forceinline=True, error_model="numpy", fastmath=False)(function)))


def instruction(result: Callable[..., Any] | Any, *operands: Any) -> Callable[[Generate], Any]:
    """Return a decorator that makes what generates IR a function for compiled code.

    What is decorated takes Numba's target context, an IR builder, the operands' values and their types. Operands are converted
    to the given types; none given, they may be of any, and `result` is a function of them.
    """

    def declared(generate: Generate) -> Any:
        def typed(typing_context: Any, *given: Any) -> Any:
            accepted = operands or given
            signature = (result if operands else result(*given))(*accepted)

            def generated(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                return generate(context, builder, values, accepted)

            return signature, generated

        names = [f"operand_{i}" for i in range(len(operands))] if operands else list(inspect.signature(result).parameters)
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("typing_context", *names)]
        typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # Numba counts operands by it
        typed.__name__ = generate.__name__
        typed.__doc__ = generate.__doc__
        return intrinsic(typed)

    return declared


@instruction(types.int64, types.float64)
def bits(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return the bit pattern of a float64 as an int64."""
    return builder.bitcast(values[0], ir.IntType(64))


@instruction(types.float64, types.int64)
def from_bits(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return the float64 that has a bit pattern."""
    return builder.bitcast(values[0], ir.DoubleType())


@instruction(types.float64, types.boolean, types.float64, types.float64)
def where(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return the second operand where the first, a condition, holds, else the third: both are computed, one is selected."""
    return builder.select(*values)


@instruction(types.boolean, types.boolean, types.boolean)
def both(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return whether two conditions hold, without a branch."""
    return builder.and_(*values)


@instruction(types.boolean, types.boolean, types.boolean)
def either(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return whether one of two conditions holds, without a branch."""
    return builder.or_(*values)


@instruction(types.float64, types.float64)
def square_root(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return the square root of a float64, by the processor's instruction."""
    return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [ir.DoubleType()]), values)


@instruction(types.float64, types.float64, types.float64, types.float64)
def fused(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return ``a b + c``, rounded once; slow where the processor has no such instruction."""
    return builder.fma(*values)


@instruction(lambda: types.boolean)
def fuses(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return whether the processor compiled for has an instruction for `fused`; a constant."""
    triple, _, features = context.codegen().magic_tuple()
    return context.get_constant(types.boolean, "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64")))


@instruction(lambda x: types.float64)
def widened(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return a number as a float64."""
    return context.cast(builder, values[0], operands[0], types.float64)


@instruction(lambda value, like: types.float32 if like == types.float32 else types.float64)
def narrowed(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return a float64 rounded to float32 if the second operand is one, else as it is."""
    value, like = operands
    return context.cast(builder, values[0], value, types.float32 if like == types.float32 else types.float64)


@instruction(lambda x, coefficients: types.float64)
def polynomial(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
    """Return ``c[0] + c[1] x + c[2] x² + …``: Horner's scheme in ``x²`` for the even terms beside that for the odd ones.

    So the processor does two steps at a time. Products and sums may fuse.
    """
    x, coefficients = values
    constants = [builder.extract_value(coefficients, position) for position in range(len(operands[1]))]
    square = builder.fmul(x, x)
    even, odd = (_horner(builder, square, constants[start::2]) for start in (0, 1))
    return builder.fadd(even, builder.fmul(odd, x, flags=_CONTRACT), flags=_CONTRACT)


def _horner(builder: Any, x: Any, constants: Sequence[Any]) -> Any:
    """Return the value of a polynomial, the constant coefficient first."""
    total = constants[-1]
    for constant in reversed(constants[:-1]):
        total = builder.fadd(constant, builder.fmul(total, x, flags=_CONTRACT), flags=_CONTRACT)
    return total


@form
def magnitude(x: float) -> float:
    """Return `x` without its sign."""
    return from_bits(bits(x) & MAGNITUDE)


@form
def signed(x: float, sign: float) -> float:
    """Return `x`, which has none, with the sign of another number; that of zeros counts."""
    return from_bits(bits(x) | (bits(sign) & SIGN))


@form
def flipped(x: float, sign: float) -> float:
    """Return `x`, negated where another number has a sign."""
    return from_bits(bits(x) ^ (bits(sign) & SIGN))


@form
def nearest(x: float) -> float:
    """Return the whole number nearest to `x`, for ``|x| < 2^51``; of two, the even one."""
    return (x + ROUNDER) - ROUNDER


@form
def power_of_two(k: float) -> float:
    """Return ``2^k`` for a whole number ``-1022 <= k <= 1023``."""
    return from_bits((bits(k + ROUNDER) << 52) + ONE_BITS)


@form
def scaled(x: float, k: float) -> float:
    """Return ``x 2^k`` for a whole number ``|k| <= 2044``, rounded once where it is subnormal."""
    whole = bits(k + ROUNDER)
    half = whole >> 1
    return x * from_bits((half << 52) + ONE_BITS) * from_bits(((whole - half) << 52) + ONE_BITS)


@form
def in_common(value: float, x: float, y: float) -> float:
    """Return a float64 rounded to float32 if both operands are, else as it is."""
    return narrowed(value, x + y)
