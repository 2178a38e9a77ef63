"""A scalar function for the few elements outside a form's range, without losing the vectors of all the others.

A branch, or the call of a scalar function, in a loop's body would stop the vectoriser. So the call is of a function of which
vectors of each width are there too: they look whether any of their elements is outside, and only then go one by one.
LLVM's vectoriser finds them by the attribute ``vector-function-abi-variant`` (LLVM Language Reference, "Call Site Attributes").
Where it does not (another width, a scalable vector), the scalar function is called for each element, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types

from adxform.backends.numba.vector_math.building_blocks import instruction

CIRCULAR_LIMIT = 2.0**20
_DOUBLE = ir.DoubleType()
_WIDTHS = (2, 4, 8, 16)
_PURE = ("nounwind", "readnone", "speculatable", "willreturn")

Compute = Callable[[Any, Any], Any]  # an IR builder and an operand -> the result


def _attribute(function: Any, *attributes: str) -> None:
    """Give a function attributes, known by name to llvmlite or not; it prints them all."""
    for attribute in attributes:
        set.add(function.attributes, attribute)


def _outside(builder: Any, x: Any) -> Any:
    """Return whether a number, or each element of a vector, is outside the range."""
    suffix = f"v{x.type.count}f64" if isinstance(x.type, ir.VectorType) else "f64"
    name = f"llvm.fabs.{suffix}"
    fabs = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(x.type, [x.type]), name)
    limit = [CIRCULAR_LIMIT] * x.type.count if isinstance(x.type, ir.VectorType) else CIRCULAR_LIMIT
    return builder.fcmp_ordered(">", builder.call(fabs, [x]), ir.Constant(x.type, limit))


def _scalar(module: Any, name: str, compute: Compute) -> Any:
    function = ir.Function(module, ir.FunctionType(_DOUBLE, [_DOUBLE, _DOUBLE]), name)
    function.linkage = "linkonce_odr"
    variants = ",".join(f"_ZGV_LLVM_N{width}vv_{name}({name}_{width})" for width in _WIDTHS)
    _attribute(function, "noinline", *_PURE, f'"vector-function-abi-variant"="{variants}"')
    builder = ir.IRBuilder(function.append_basic_block())
    x, y = function.args
    with builder.if_then(_outside(builder, x), likely=False):
        builder.ret(compute(builder, x))
    builder.ret(y)
    return function


def _vector(module: Any, scalar: Any, width: int) -> Any:
    vector = ir.VectorType(_DOUBLE, width)
    function = ir.Function(module, ir.FunctionType(vector, [vector, vector]), f"{scalar.name}_{width}")
    function.linkage = "linkonce_odr"
    _attribute(function, "noinline", *_PURE)
    builder = ir.IRBuilder(function.append_basic_block())
    x, y = function.args
    mask = builder.bitcast(_outside(builder, x), ir.IntType(width))
    with builder.if_then(builder.icmp_unsigned("!=", mask, ir.Constant(mask.type, 0)), likely=False):
        result = y
        for lane in range(width):
            position = ir.Constant(ir.IntType(32), lane)
            element = builder.call(scalar, [builder.extract_element(x, position), builder.extract_element(y, position)])
            result = builder.insert_element(result, element, position)
        builder.ret(result)
    builder.ret(y)
    return function


def _functions(module: Any, name: str, compute: Compute) -> Any:
    """Return the scalar function of a module; its vectors are kept for the vectoriser, which calls them first."""
    if name in module.globals:
        return module.globals[name]
    scalar = _scalar(module, name, compute)
    pointer = ir.IntType(8).as_pointer()
    vectors = [_vector(module, scalar, width).bitcast(pointer) for width in _WIDTHS]
    kept = ir.GlobalVariable(module, ir.ArrayType(pointer, len(vectors)), "llvm.compiler.used")
    kept.linkage = "appending"
    kept.section = "llvm.metadata"
    kept.initializer = ir.Constant(kept.value_type, vectors)
    return scalar


def _beyond(name: str, compute: Compute) -> Any:
    """Return a function of ``(x, y)``: `y` for ``|x|`` up to the limit, else what is computed of `x`."""

    def generate(context: Any, builder: Any, values: Sequence[Any], operands: Sequence[Any]) -> Any:
        return builder.call(_functions(builder.module, f"adxform_{name}", compute), values)

    return instruction(types.float64, types.float64, types.float64)(generate)


def _by_library(name: str) -> Compute:
    def compute(builder: Any, x: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic(name, [_DOUBLE]), [x])

    return compute


def _quotient(builder: Any, x: Any) -> Any:
    return builder.fdiv(_by_library("llvm.sin")(builder, x), _by_library("llvm.cos")(builder, x))


sine_beyond = _beyond("sine_beyond", _by_library("llvm.sin"))
cosine_beyond = _beyond("cosine_beyond", _by_library("llvm.cos"))
tangent_beyond = _beyond("tangent_beyond", _quotient)
