"""What generated code calls beside NumPy, under one name: each function in the module of what it is about."""

from __future__ import annotations

import math  # examples in docstrings run with what is named here
from types import FunctionType

import numpy as np

from adxform.runtime.beliefs import Beliefs, check_array, check_entry, check_number, check_seen, seen
from adxform.runtime.buffers import BufferStack, GrowingBuffer, Tape, allocate, allocate_like, allocate_product
from adxform.runtime.complex_spectra import (
    as_complex,
    complex_eigenpairs,
    complex_eigenvalues,
    complex_roots,
    phases,
    places_among,
)
from adxform.runtime.derivatives.eigenvalues import (
    divided_differences,
    eigenvalues_cotangent,
    eigenvalues_tangent,
    eigenvectors_cotangent,
    eigenvectors_tangent,
    inverted,
    is_dependent,
    is_rounding,
    left_vectors_cotangent,
    left_vectors_tangent,
    over_gaps,
    over_sums,
    over_values,
    singular_values_cotangent,
    singular_values_tangent,
    sums_over_gaps,
)
from adxform.runtime.derivatives.masked import (
    ONE_THREAD,
    check_finite,
    masked_cross,
    masked_einsum,
    masked_matmul,
    masked_outer,
    masked_product,
    masked_tensordot,
)
from adxform.runtime.derivatives.matrix_derivatives import (
    cholesky_cotangent,
    cofactor_change,
    cofactor_turn,
    cofactors,
    inverse,
    inverse_change,
    pairing,
)
from adxform.runtime.derivatives.shapes import (
    add_along_axis,
    add_diagonal,
    broadcast_like,
    diagonal,
    gather_last,
    partition_places,
    scatter_last,
    sum_padding,
    sum_repeats,
    sum_tiles,
    sum_windows,
    tile_like,
    unbroadcast,
)
from adxform.runtime.derivatives.slopes import (
    arctan_slope,
    gaussian,
    length_cotangent,
    length_tangent,
    log_or_zero,
    polygamma,
    power,
    quotient,
    rate,
    ratio,
    side_cotangent,
    side_tangent,
    sinc_slope,
    squared_size,
    turn,
)
from adxform.runtime.derivatives.spectra import of_length, spectrum_counts
from adxform.runtime.language.contexts import check_errors, check_errors_at, entered, instance, left
from adxform.runtime.language.cursors import Cursor, advance, check_walked, item_of, strictly, walked_together
from adxform.runtime.language.outcomes import (
    attempt,
    caught,
    error_of,
    is_caught,
    raised_by,
    raised_by_storing,
    raised_by_writing,
    raised_from,
    raised_under,
    tried,
    value_of,
)
from adxform.runtime.language.outside import (
    change_outside,
    computed,
    fill_outside,
    found_outside,
    kept_outside,
    set_outside,
    try_outside,
    written_outside,
)
from adxform.runtime.language.python_values import (
    TextAsItIs,
    add_up,
    aggregate,
    appended,
    appended_row,
    chained,
    differing_rows,
    elements,
    exact_shares,
    exact_sum,
    first_largest,
    first_smallest,
    from_front,
    in_order,
    is_key,
    larger,
    missing_compared,
    missing_in_order,
    nan_key,
    negative_zero_key,
    new_key,
    no_order,
    not_put_in_order,
    place,
    place_of_key,
    places_in_order,
    position,
    python_number,
    ranks,
    record,
    sequence,
    set_of_tuples,
    smaller,
    trip_count,
    unpacked,
    value_or_none,
    whole_elements,
)
from adxform.runtime.random_numbers import drawn_beside, variates_beside
from adxform.runtime.run_time_checks import (
    absent,
    another_path,
    answered,
    cast_error,
    check_exact,
    check_power,
    check_whole_power,
    cotangent,
    empty_list,
    fewer_values,
    no_number,
    not_cast,
    nothing_apart,
    number,
    of_kind,
    of_kinds,
    planar,
    real_number,
    rectangular,
    some,
    tangent,
    undefined,
    unshifted,
    whole_items,
    whole_number,
    without_derivative,
)
from adxform.runtime.series_matrices import converted_series, of_unit_rows, series_of, series_products
from adxform.runtime.staging import Argument, built, staged, told
from adxform.runtime.strides import by_rows, cotangent_view, filled, laid_out, own, own_copy, private, shares_memory, tangent_view
from adxform.runtime.written import ContentsAfter, check_apart, check_shape_set

# Generated code says `runtime.name`, and so do the files of cached rules: each thing has its name from here.
for _thing in list(globals().values()):
    if isinstance(_thing, FunctionType | type) and _thing.__module__.startswith(f"{__name__}."):
        _thing.__module__ = __name__
