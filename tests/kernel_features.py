"""What kernels of the corpus hold, and programs that have all of it between them: those that every run of the tests compiles.

Kernels of every program are run by CPython. Machine code can say something else where Numba or LLVM make something else of a
function for numbers of a kind, of a loop or a branch, of what kernels take and return. Each of these is compiled at least once.
"""

from __future__ import annotations

from collections.abc import Iterator

from adxform.backends.numba.compiled_rule import CompiledForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.ir.walk import all_ops

COVERING = frozenset(
    """
    scalars.python_math scalars.more_python_math scalars.numpy_on_scalars scalars.absolute_minimum_maximum
    control_flow.array_defined_in_a_loop loops.range_with_step loops.return_from_loop loops.while_a_test_and_a_number
    call_forms.differences_of_ends_and_truths call_forms.put_in_places_from_the_end linear_algebra.batched_matmul
    writes.overlapping_slices writes.made_anew_and_written_between_reads writes.made_anew_while_it_is_small
    closures.closure_writes_captured_array broadcasting.vector_on_the_left call_forms.trapezoid_over_places_of_other_ranks
    call_forms.covariances_of_columns_of_two call_forms.copysign_of_truths linear_algebra.inverse_and_determinant
    linear_algebra.log_determinant linear_algebra.gaussian_log_density linear_algebra.reductions lists.it_combinations
    lists.it_chain lists.it_starmap lists.sets_and_dicts_have_operators lists.tolist_loop
    lists.places_by_a_key_of_two_parts lists.lists_of_times_and_values structures.shape_arithmetic structures.ndarray_methods
    structures.tuples_in_order derivatives.methods_with_derivatives dtypes.integers_beyond_the_precision_of_floats
    edge_cases.piecewise_constant edge_cases.argmax_picks edge_cases.angle_of_short_sides
    edge_cases.inverse_hyperbolic_sine_far_out edge_cases.inverse_hyperbolic_cosine_far_out
    edge_cases.sum_of_exponentials_far_out encounters.argwhere_loop floats_in_counts.until_a_float_says_so
    kinds.extreme_with_a_default left_out.missing_measurements left_out.scores_of_known_rows lengths.places_from_to
    models.logistic_regression models.heat_in_two_dimensions_by_loops optional.optional_mask own_values.log_of_a_sum_of_nothing
    own_values.powers_of_several_matrices own_values.wider_reductions own_values.sum_over_a_grid singular.distances_by_matmul
    own_values.own_value_of_complex_numbers scalars.single_precision_scalars writes.single_precision_writes
    dtypes.single_elementwise dtypes.single_matmul dtypes.number_beside_singles own_values.part_of_a_complex_number
    singular.distances_of_three_kinds
    chosen_lists.cells_up_to_the_largest heaps.first_few iterators.numbers_change_while_triples_are_walked_over
    iterators.rows_in_pairs_are_written deques.deques_of_tuples deques.full_window_until_a_sum_is_reached
    """.split()  # noqa: SIM905 - a line for each would say no more
)


def kind(type_: Type) -> str:
    """A type without lengths."""
    match type_:
        case Array(dtype, shape):
            return f"{dtype}[{None if shape is None else len(shape)}]"
        case Scalar(dtype):
            return dtype
        case _:
            return type(type_).__name__


def held(form: CompiledForm) -> Iterator[str]:
    """What the kernels of a function hold: calls, by what they give; constructs; what is taken and returned."""
    for kernel in form.function.helpers:
        if kernel.name not in form.outlined.kernels:
            continue
        yield "places from the front" if form.outlined.kernels[kernel.name] else "places from either end"
        yield f"{min(len(kernel.results), 3)} results"
        yield from (f"takes {kind(param.type)}" for param in kernel.params)
        yield from (f"returns {kind(result.type)}" for result in kernel.results if isinstance(result, Var))
        for op in all_ops(kernel.body):
            yield called(op) if isinstance(op, Call) else type(op).__name__


def called(op: Call) -> str:
    """What `op` calls, and the kinds of what comes of it."""
    fn = callee(op)
    name = f"{getattr(fn, '__module__', '')}.{getattr(fn, '__qualname__', None) or getattr(fn, '__name__', fn)}"
    return " ".join([name, *(kind(out.type) for out in op.outs)])
