"""Derivatives that are derived once and called for ever: all is built when they are prepared, nothing when they are called."""

from adxform.api.prepared.gradients import prepare_gradient, prepare_value_and_gradient
from adxform.api.prepared.hessian_products import prepare_hvp
from adxform.api.prepared.jvp import prepare_jvp
from adxform.api.prepared.matrices.matrix_doors import prepare_hessian, prepare_jacobian
from adxform.api.prepared.same_point import prepare_hvp_same_point
from adxform.api.prepared.scalar_slopes import prepare_derivative, prepare_second_derivative
from adxform.api.prepared.vjp import prepare_vjp

__all__ = [
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
]
