"""The operators and number functions of Python itself, on scalars and arrays."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.kinds import one_of, scalar_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Scalar, Type
from adxform.primitives.contraction_types import matmul_result
from adxform.primitives.declare import constant, linear, scalar
from adxform.primitives.facets import Algebra, Chooses, Contracts, Gives, Kernel, Layout, Sign
from adxform.primitives.families.numpy_products import matmul_left, matmul_right
from adxform.primitives.record import MARKS, RAISES, Primitive
from adxform.runtime import kernel_scalars


def may_divide_by_zero(args: tuple[Operand, ...]) -> bool:
    """Whether the quotient of `args` can be infinite: NumPy's is, Python's raises."""
    if isinstance(args[1], Lit) and args[1] != Lit(0):
        return False
    return not all(map(is_python_number, args))


def is_python_number(operand: Operand) -> bool:
    """Whether `operand` is a number of Python's own."""
    return isinstance(operand, Lit) or (isinstance(operand, Var) and isinstance(operand.type, Scalar) and operand.type.weak)


def may_have_pole(args: tuple[Operand, ...]) -> bool:
    """Whether the slope of ``a ** b`` can be infinite: not for a literal exponent of one or more, or zero."""
    exponent = args[1]
    if isinstance(exponent, Lit) and scalar_type(exponent.value) is not None and not isinstance(exponent.value, complex):
        return not (exponent.value >= 1 or exponent.value == 0) and not (exponent.value < 0 and is_python_number(args[0]))
    return True


def power_partials(y: Any, a: Any, b: Any) -> Any:
    """The slopes of ``a ** b``, in floating point also for integers; that of the exponent is zero at base zero."""
    return power_slope(a, b), y * runtime.log_or_zero(a + 0.0j if np.iscomplexobj(y) else a * 1.0)


def power_slope(a: Any, b: Any) -> Any:
    """``b * a ** (b - 1)``: zero for the exponent zero also at base zero, and no warning at a pole in a lane of an array.

    An exponent of zero may move: the derivative of this by it is ``1 / a``.
    """
    if np.ndim(b) > 0 or np.iscomplexobj(b):
        return runtime.masked_product(b * 1.0, runtime.power(a, b * 1.0 - 1))
    if isinstance(b, int):
        if b == 0:
            return 0.0 if np.ndim(a) == 0 else np.zeros_like(a)
        return b * a ** (b - 1)
    if b >= 1:
        return b * a ** (b * 1.0 - 1)
    if b == 0:
        return runtime.masked_product(b * 1.0, runtime.power(a, b * 1.0 - 1))
    return b * runtime.power(a, b * 1.0 - 1)


def absolute_slope(y: Any, x: Any) -> Any:
    """The slope of ``abs(x)``: the sign of a real number; of a complex one, by whose real part it moves, zero at zero too."""
    return runtime.ratio(np.conjugate(x), y) if np.iscomplexobj(x) else np.sign(x)


def squared_size_slope(y: Any, x: Any) -> Any:
    """The slope of ``abs(x) ** 2``, of a complex number as `absolute_slope` has it."""
    return 2.0 * np.conjugate(x) if np.iscomplexobj(x) else 2.0 * x


def larger_partials(y: Any, a: Any, b: Any) -> Any:
    """Of equal elements the first is the one taken; neither, where one is NaN."""
    return a >= b, a < b


def smaller_partials(y: Any, a: Any, b: Any) -> Any:
    """Of equal elements the first is the one taken; neither, where one is NaN."""
    return a <= b, a > b


def max_partials(y: Any, a: Any, b: Any, *rest: Any) -> Any:
    """The one taken is the first, unless a later one is larger than all before it: NaN is not, and nothing is larger than NaN."""
    if len(rest) == 0:
        return not a < b, a < b
    third = max(a, b) < rest[0]
    if len(rest) == 1:
        return (not a < b) & (not third), (a < b) & (not third), third
    fourth = max(a, b, rest[0]) < rest[1]
    before = not fourth
    return (not a < b) & (not third) & before, (a < b) & (not third) & before, third & before, fourth


def min_partials(y: Any, a: Any, b: Any, *rest: Any) -> Any:
    """The one taken is the first, unless a later one is smaller than all before it."""
    if len(rest) == 0:
        return not b < a, b < a
    third = rest[0] < min(a, b)
    if len(rest) == 1:
        return (not b < a) & (not third), (b < a) & (not third), third
    fourth = rest[1] < min(a, b, rest[0])
    before = not fourth
    return (not b < a) & (not third) & before, (b < a) & (not third) & before, third & before, fourth


def extreme_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of one of several numbers."""
    types = [arg.type if isinstance(arg, Var) else scalar_type(arg.value) for arg in args if isinstance(arg, Var | Lit)]
    numbers = [type_ for type_ in types if isinstance(type_, Scalar)]
    return one_of(numbers) if len(numbers) == len(args) else None


_A = np.array([0.5, -1.5, 2.0])
_B = np.array([[1.25], [-0.7]])
_P = np.array([0.5, 1.5, 2.0])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])


def _arithmetic(
    fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], recomputed: bool = True, **facets: Any
) -> Primitive:
    """An operator that is exact on whole numbers, and never raises."""
    return scalar(
        fn,
        body,
        *samples,
        gives=Gives.SAME,
        recomputed=recomputed,
        short=True,
        beside_memory=True,
        in_lanes=True,
        safe=True,
        folds=True,
        kernel=Kernel.NUMBERS,
        of_complex=True,
        **facets,
    )


def _extreme(fn: Callable[..., Any], body: Callable[..., Any]) -> Primitive:
    """The largest or the smallest of several numbers."""
    return scalar(
        fn,
        body,
        (1.5, 2.5),
        (1.5, -2.5),
        (0.5, 2.5, -1.0),
        (0.5, 2.5, -1.0, 3.0),
        result=extreme_type,
        gives=Gives.SAME,
        whole=True,
        chooses=Chooses.EITHER,
        short=True,
        kernel=Kernel.FORM,
    )


def _comparison(fn: Callable[..., Any], ufunc: np.ufunc) -> Primitive:
    return constant(
        fn,
        ufunc=ufunc,
        gives=Gives.COMPARISON,
        broadcasts=True,
        recomputed=True,
        short=True,
        beside_memory=True,
        safe=True,
        folds=True,
        kernel=Kernel.NUMBERS,
    )


def _logical(fn: Callable[..., Any], **facets: Any) -> Primitive:
    return constant(fn, gives=Gives.TRUTH, beside_memory=True, folds=True, **facets)


_TRUTHS = (
    _comparison(operator.lt, np.less),
    _comparison(operator.le, np.less_equal),
    _comparison(operator.eq, np.equal),
    _comparison(operator.ne, np.not_equal),
    _comparison(operator.gt, np.greater),
    _comparison(operator.ge, np.greater_equal),
    _logical(operator.not_, recomputed=True, short=True, safe=True),
    _logical(operator.and_, ufunc=np.bitwise_and, broadcasts=True, recomputed=True, kernel=Kernel.TRUTHS),
    _logical(operator.or_, ufunc=np.bitwise_or, broadcasts=True, recomputed=True, kernel=Kernel.TRUTHS),
    _logical(operator.xor, ufunc=np.bitwise_xor, broadcasts=True, kernel=Kernel.TRUTHS),
    constant(operator.invert, ufunc=np.invert, spelled=operator.not_, broadcasts=True, folds=True),
    *(constant(fn) for fn in (operator.is_, operator.is_not, operator.contains)),
)

_WHOLE = (
    constant(
        operator.floordiv,
        ufunc=np.floor_divide,
        broadcasts=True,
        whole=True,
        recomputed=True,
        divides=True,
        folds=True,
        kernel=Kernel.FORM,
    ),
    *(constant(fn, broadcasts=True) for fn in (operator.lshift, operator.rshift)),
    *(constant(fn, recomputed=True, folds=True) for fn in (builtins.int, builtins.bool)),
    *(constant(fn) for fn in (builtins.round, operator.index)),
)

RECORDS: tuple[Primitive, ...] = (
    _arithmetic(
        operator.add,
        lambda y, a, b: (1.0, 1.0),
        (1.5, 2.5),
        (_A, _B),
        ufunc=np.add,
        algebra=Algebra.SUM,
        whole=True,
        wrapped_form=kernel_scalars.wrapped_sum,
    ),
    _arithmetic(
        operator.sub,
        lambda y, a, b: (1.0, -1.0),
        (1.5, 2.5),
        (_A, _B),
        ufunc=np.subtract,
        algebra=Algebra.DIFFERENCE,
        whole=True,
        wrapped_form=kernel_scalars.wrapped_difference,
    ),
    _arithmetic(
        operator.mul,
        lambda y, a, b: (b, a),
        (1.5, 2.5),
        (_A, _B),
        (_A, 3.0),
        ufunc=np.multiply,
        algebra=Algebra.PRODUCT,
        whole=True,
        wrapped_form=kernel_scalars.wrapped_product,
    ),
    scalar(
        operator.truediv,
        lambda y, a, b: (1.0 / b, -y / b),
        (1.5, 2.5),
        (_A, _B),
        (_A, 3.0),
        singular=may_divide_by_zero,
        ufunc=np.true_divide,
        algebra=Algebra.QUOTIENT,
        gives=Gives.FLOAT,
        finite_from=(1, Sign.ABOVE),
        recomputed=True,
        divides=True,
        folds=True,
        in_lanes=True,
        kernel=Kernel.NUMBERS,
        of_complex=True,
    ),
    scalar(
        operator.mod,
        lambda y, a, b: (1.0, -(a // b)),
        (7.3, 2.5),
        (_A, _B),
        singular=may_divide_by_zero,
        ufunc=np.remainder,
        whole=True,
        recomputed=True,
        divides=True,
        folds=True,
        kernel=Kernel.FORM,
    ),
    constant(runtime.check_power, effect=RAISES),
    constant(runtime.computed, effect=MARKS),
    constant(runtime.own_copy),
    constant(runtime.check_whole_power, effect=RAISES),
    constant(runtime.check_finite, effect=RAISES),
    constant(runtime.check_exact, effect=RAISES),
    scalar(
        operator.pow,
        power_partials,
        (1.5, 2.5),
        (1.5, 2),
        (_P, _B),
        (_A, 3),
        (_A, 2),
        (_P, -1.5),
        singular=may_have_pole,
        ufunc=np.power,
        algebra=Algebra.POWER,
        finite_from=(0, Sign.ABOVE),
        gives=Gives.POWER,
        kernel=Kernel.FORM,
        of_complex=True,
        wrapped_form=kernel_scalars.wrapped_power,
    ),
    _arithmetic(operator.neg, lambda y, x: -1.0, (1.5,), (_A,), ufunc=np.negative, algebra=Algebra.NEGATION, whole=True),
    _arithmetic(operator.pos, lambda y, x: 1.0, (1.5,), (_A,), ufunc=np.positive, algebra=Algebra.IDENTITY, keeps_sign=True),
    _arithmetic(
        operator.abs,
        absolute_slope,
        (1.5,),
        (-0.5,),
        (_A,),
        ufunc=np.absolute,
        spelled=builtins.abs,
        recomputed=False,
        sign=Sign.NOT_BELOW,
        form=abs,
        complex_form=abs,
    ),
    _arithmetic(builtins.abs, absolute_slope, (1.5,), (-0.5,), (_A,), sign=Sign.NOT_BELOW, complex_form=abs),
    scalar(builtins.pow, power_partials, (1.5, 2.5), (_A, 3), singular=may_have_pole, of_complex=True),
    _extreme(builtins.max, max_partials),
    _extreme(builtins.min, min_partials),
    linear(
        builtins.float,
        lambda ct, x: runtime.broadcast_like(ct, x),
        (1.5,),
        (np.float64(2.5),),
        faithful=True,
        keeps_sign=True,
        recomputed=True,
        short=True,
        folds=True,
        kernel=Kernel.FORM,
    ),
    scalar(builtins.complex, lambda y, real=0, imag=0: (1.0, 1.0j), (1.5,), (1.5, -0.5), of_complex=True, complex_form=complex),
    linear(complex.conjugate, lambda ct, x: ct.conjugate(), (1.5 + 0.5j,)),
    linear(
        operator.matmul,
        {0: matmul_left, 1: matmul_right},
        (_M, _A),
        (_M, _M.T),
        (_A, _A),
        result=matmul_result,
        ufunc=np.matmul,
        contracts=Contracts.MATMUL,
        layout=Layout.ROW_BY_ROW,
    ),
    *_TRUTHS,
    *_WHOLE,
)
