"""What `adxform` has, for type checkers and editors; `__init__.py` says where each is found."""

from adxform import errors as errors
from adxform import runtime as runtime
from adxform import testing as testing
from adxform.api import grad, jvp, stop_gradient, value_and_grad, vjp
from adxform.api.checkpointing import checkpoint
from adxform.api.differentiable import differentiable
from adxform.api.prepared import (
    prepare_derivative,
    prepare_gradient,
    prepare_hessian,
    prepare_hvp,
    prepare_hvp_same_point,
    prepare_jacobian,
    prepare_jvp,
    prepare_second_derivative,
    prepare_value_and_gradient,
    prepare_vjp,
)
from adxform.api.rules import constant_rule, linear_rule, reference_rule, register, rule, scalar_rule, staged_rule, tangent_rule
from adxform.api.second_order import hessian, hvp, jacobian
from adxform.api.source import explain, source
from adxform.errors import AdxError
from adxform.frontend.argument_contexts import constant, scratch
from adxform.runtime.cache import clear_cache, stats
from adxform.runtime.timing import times
from adxform.testing import check_derivatives, check_rule

__version__: str

__all__ = [
    "AdxError",
    "check_derivatives",
    "check_rule",
    "checkpoint",
    "clear_cache",
    "constant",
    "constant_rule",
    "differentiable",
    "explain",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "linear_rule",
    "prepare_derivative",
    "prepare_gradient",
    "prepare_hessian",
    "prepare_hvp",
    "prepare_hvp_same_point",
    "prepare_jacobian",
    "prepare_jvp",
    "prepare_second_derivative",
    "prepare_value_and_gradient",
    "prepare_vjp",
    "reference_rule",
    "register",
    "rule",
    "scalar_rule",
    "scratch",
    "source",
    "staged_rule",
    "stats",
    "stop_gradient",
    "tangent_rule",
    "times",
    "value_and_grad",
    "vjp",
]
