"""Switches of the test suite."""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Iterator
from itertools import count

import pytest

import adxform
from adxform import runtime
from adxform.runtime import kernel_scalars
from tests.corpus import catalogue
from tests.corpus.case import Program
from tests.corpus.catalogue import CORPUS

collect_ignore_glob = ["golden/*"]

# The IR is verified between the stages of every derivative that a test builds, and after each pass; no way back is silent.
os.environ.setdefault("ADXFORM_STRICT", "1")
# Derivatives run on Python unless a test says otherwise: thousands of them would be compiled.
os.environ.setdefault("ADXFORM_ENGINE", "python")
# A failure of a test is to be seen whole.
os.environ.setdefault("ADXFORM_TRACEBACK", "full")
# Nothing is kept from one run to the next, and nothing is written beside the repository.
os.environ["ADXFORM_CACHE_DIR"] = "off"
# Trees and IR come and go by the thousand, few in circles: looking for those at the usual intervals took a fifth of the time, and
# for every 50,000 objects a tenth. What `clear_cache` drops after the last test of a program, it has collected itself.
gc.set_threshold(2_000_000, 10, 10)


# What compiles, starts processes or derives by the hundred, and so has more than a few seconds in a run: files, and tests.
LONG = frozenset(
    """
    test_benchmarks test_changed_by_unseen_code test_changed_packages test_checkpoints test_complex
    test_complex_linear_algebra test_docs
    test_domain test_engine test_engine_arrays test_engine_calls test_engine_choice test_engine_columns
    test_engine_contraction test_engine_defined test_engine_dtypes test_engine_entrance test_engine_errors
    test_engine_gather test_engine_kept test_engine_loops test_engine_matrices test_engine_missing
    test_engine_multiply test_engine_out_parameters test_engine_privatise test_engine_products
    test_engine_reciprocal_division test_engine_recurrences test_engine_release test_engine_results
    test_engine_scalar_expansion test_engine_scratch test_engine_sizes test_engine_solvers test_engine_strip_mine
    test_engine_tables test_engine_tapes test_engine_tiling test_engine_worth test_engine_wrapped_integers
    test_examples test_fits test_kernel_engines test_lengths_at_zero test_list_slices test_long_loops
    test_lower_random test_machine_code test_memory test_never_hangs test_operators_inside test_orders
    test_persistence test_persistence_private test_polynomial_objects test_prepared test_prepared_inside
    test_prepared_keeping test_prepared_memory test_prepared_mismatch test_prepared_out test_prepared_pickle
    test_prepared_sweeps test_race test_random_draws test_random_programs test_refused test_repeated_eigenvalues
    test_rules test_rules_that_write test_same_point test_scipy_arrays test_scipy_constrained_minima
    test_scipy_distributions test_scipy_further test_scipy_global_minima test_scipy_interpolants test_scipy_kernels
    test_scipy_models test_scipy_path_events test_scipy_paths test_scipy_rotations test_scipy_solver_options test_scipy_sparse
    test_scipy_special test_scipy_users_curves test_scipy_users_samples test_sparse test_tables test_time_limits
    test_undefined test_vector_math
    test_alone::test_saved_source_runs_in_another_process
    test_batch::test_any_number_of_vectors
    test_batch::test_rows_are_single_products_bit_for_bit_where_sums_keep_their_order
    test_changed_state::test_another_process_sees_its_own_class
    test_changed_state::test_another_process_sees_what_is_there
    test_cli::test_a_wrong_rule_makes_check_fail
    test_cli::test_as_a_process
    test_complex_powers::test_kernels_leave_to_python_what_is_complex
    test_containers::test_prepared_in_another_process
    test_decided::test_a_definition_gives_the_value_and_the_derivatives
    test_exact_sums::test_second_derivatives_of_exact_sums_are_exact_compiled
    test_nothing_left::test_means_of_nothing_move_nothing_at_second_order
    test_nothing_left::test_only_what_moves_something_has_an_undefined_slope
    test_packed::test_gradients_and_products
    test_several_results::test_both_modes_and_all_second_orders_agree_with_differences
    test_spread_in_loops::test_read_in_loops
    test_unruled_types::test_what_a_function_without_a_rule_returns_is_an_array
    test_workspace::test_a_warm_call_makes_no_array
    """.split()  # noqa: SIM905 - a line for each would say no more
)
FEW = 50
CHOSEN = frozenset(program.name for program in CORPUS[::FEW])
PLACES = {program.name: place for place, program in enumerate(CORPUS)}

TURNS = {
    "test_batch::test_cotangents": 34,
    "test_batch::test_products": 34,
    "test_batch::test_tangents": 34,
    "test_benchmarks::test_a_section_at_its_smallest_size": 13,
    "test_boundary::test_keeping_every_call_changes_no_derivative": 6,
    "test_checkpoints::test_corpus": 14,
    "test_checkpoints::test_in_differentiated_functions": 12,
    "test_checkpoints::test_same_bits_as_without": 12,
    "test_checkpoints::test_second_order": 12,
    "test_class_protocols::test_a_method_that_leaves_a_comparison_open_is_no_answer": 6,
    "test_complex::test_first_order": 3,
    "test_complex::test_second_order": 8,
    "test_complex_linear_algebra::test_both_modes": 6,
    "test_complex_linear_algebra::test_second_derivatives": 26,
    "test_corpus::test_reverse_over_reverse": 26,
    "test_decided::test_a_definition_gives_the_value_and_the_derivatives": 18,
    "test_domain::test_a_random_program_is_right_or_refused": 24,
    "test_element_walks::test_elements_come_in_the_order_of_rows": 3,
    "test_element_walks::test_views_without_axes_in_lists_stay_views": 3,
    "test_engine::test_compiled": 6,
    "test_engine::test_compiled_or_python_the_same": 6,
    "test_engine::test_kernels_say_what_the_rule_says": 27,
    "test_engine_arrays::test_matrices": 10,
    "test_engine_arrays::test_short_axes": 3,
    "test_engine_columns::test_slices_that_may_be_cut_off": 12,
    "test_engine_contraction::test_gradients_through_rows": 12,
    "test_engine_defined::test_kernels_are_given_arrays_that_are_not_there": 6,
    "test_engine_defined::test_what_is_not_defined_is_an_error_on_both_engines": 3,
    "test_engine_dtypes::test_derivatives_are_those_of_python": 6,
    "test_engine_errors::test_errors_of_values_and_lengths_are_those_of_numpy": 11,
    "test_engine_gather::test_random_nests_compute_the_same": 3,
    "test_engine_gather::test_the_same_gradient_at_every_extent": 5,
    "test_engine_interchange::test_random_nests_compute_the_same": 2,
    "test_engine_kept::test_kept_pullbacks": 2,
    "test_engine_loops::test_corpus": 32,
    "test_engine_loops::test_hard_cases": 5,
    "test_engine_matrices::test_as_in_python": 20,
    "test_engine_multiply::test_kernels_with_several_nests": 2,
    "test_engine_multiply::test_the_same_gradient_at_every_extent": 5,
    "test_engine_out_parameters::test_equal_to_differences_and_for_other_lengths_and_layouts_to_python": 7,
    "test_engine_out_parameters::test_second_derivatives": 3,
    "test_engine_privatise::test_gradients_are_right": 14,
    "test_engine_products::test_every_layout_and_extent": 4,
    "test_engine_products::test_gradients_with_products_are_kernels": 3,
    "test_engine_products::test_operands_that_share_memory_in_every_layout": 18,
    "test_engine_recurrences::test_functions_in_recurrences": 4,
    "test_engine_release::test_what_gives_up_releases_all": 7,
    "test_engine_results::test_products_and_what_is_like_arrays_inside": 48,
    "test_engine_results::test_results_are_those_of_python": 3,
    "test_engine_scalar_expansion::test_gradients_are_right": 6,
    "test_engine_scalar_expansion::test_machine_code_gives_what_python_does": 8,
    "test_engine_scalar_expansion::test_random_loops": 6,
    "test_engine_scratch::test_derivatives_are_those_of_python": 8,
    "test_engine_sizes::test_every_pattern_of_lengths": 3,
    "test_engine_sizes::test_lengths_that_follow_from_numbers": 3,
    "test_engine_sizes::test_slices_of_too_few_elements_are_empty": 6,
    "test_engine_sizes::test_slices_with_variable_bounds": 8,
    "test_engine_solvers::test_cotangents_of_cholesky": 4,
    "test_engine_solvers::test_every_layout_and_size": 14,
    "test_engine_solvers::test_gradients_are_kernels": 12,
    "test_engine_solvers::test_products_with_hessians": 3,
    "test_engine_strip_mine::test_machine_code_gives_what_python_does": 6,
    "test_engine_tables::test_gradients_are_right": 3,
    "test_engine_tables::test_other_derivatives_are_right": 2,
    "test_engine_tables::test_what_no_pass_evaluates_counts_for_nothing": 2,
    "test_engine_tapes::test_arrays_say_what_stacks_said": 7,
    "test_engine_tiling::test_as_in_python": 32,
    "test_engine_worth::test_problems_of_the_race_that_loop_are_compiled_as_ever": 3,
    "test_engine_wrapped_integers::test_numbers_wrap_as_those_of_numpy": 5,
    "test_fits::test_a_program_is_fitted": 10,
    "test_flat_entries::test_entries_come_in_the_order_of_the_axes": 8,
    "test_known_lengths::test_derivatives": 3,
    "test_lengths_at_zero::test_by_tangents_alone_it_is_the_same": 3,
    "test_lengths_at_zero::test_what_does_not_move_has_a_second_derivative_of_zero": 3,
    "test_lists_given::test_they_are_right_or_refused": 11,
    "test_long_loops::test_a_program_is_right": 6,
    "test_lower_random::test_random_programs": 5,
    "test_memory_order::test_sums_of_what_is_copied_have_the_bits_of_the_function": 3,
    "test_methods_of_numbers::test_both_modes_and_second_order": 5,
    "test_methods_of_numbers::test_special_methods_asked_for_by_name": 4,
    "test_missing_in_containers::test_an_object_equals_itself_or_the_run_refuses": 4,
    "test_nested::test_every_operator_inside_every_other": 4,
    "test_never_hangs::test_a_chain_of_branches_is_derived_and_its_engine_chosen_where_little_of_the_stack_is_left": 8,
    "test_never_hangs::test_a_fork_waits_for_what_a_first_call_imports": 4,
    "test_never_hangs::test_a_process_that_is_upset_goes_on": 4,
    "test_none_given::test_a_use_is_right_or_refused": 5,
    "test_nothing_left::test_means_of_nothing_move_nothing_at_second_order": 7,
    "test_one_of_several::test_what_is_chosen_has_its_derivative": 6,
    "test_operators_inside::test_an_operator_inside_is_the_operator_outside": 16,
    "test_operators_inside::test_under_second_order": 5,
    "test_opt::test_random_programs_compute_the_same": 3,
    "test_oracle::test_program_is_smooth_at_its_points": 7,
    "test_orders::test_every_scalar_program": 34,
    "test_orders::test_hard_programs_against_differences": 3,
    "test_orders::test_inside_differentiated_functions": 6,
    "test_orders::test_prepared_programs": 5,
    "test_overwrite::test_prepared_into_arrays_and_pulled_back_again": 4,
    "test_own_rules::test_every_form_for_every_kind_of_function": 4,
    "test_own_rules::test_structures_as_arguments": 5,
    "test_packed::test_gradients_and_products": 4,
    "test_persistence::test_changes_are_seen": 6,
    "test_persistence::test_damaged_files_are_no_error": 6,
    "test_persistence::test_it_can_be_switched_off": 3,
    "test_persistence_private::test_nothing_is_written_under_the_working_directory": 3,
    "test_polynomial_objects::test_programs": 6,
    "test_prepared::test_a_thousand_calls_build_nothing": 6,
    "test_prepared::test_every_call_runs_what_was_built": 3,
    "test_prepared::test_threads_share_one_preparation": 8,
    "test_prepared_inside::test_preparing_anywhere": 16,
    "test_prepared_inside::test_preparing_inside_is_the_operator": 8,
    "test_prepared_kinds::test_cotangents": 5,
    "test_prepared_kinds::test_tangents": 5,
    "test_prepared_memory::test_a_warm_call_makes_no_array": 8,
    "test_prepared_memory::test_a_warm_matrix_makes_no_array": 10,
    "test_prepared_memory::test_batches_are_the_same_wherever_they_go": 23,
    "test_prepared_memory::test_forward_over_forward_is_the_same_wherever_it_goes": 5,
    "test_prepared_memory::test_products_at_one_point_are_the_same_wherever_they_go": 26,
    "test_prepared_memory::test_the_same_numbers_wherever_they_go": 26,
    "test_prepared_memory::test_what_a_users_function_keeps_stays_as_it_is": 3,
    "test_prepared_mismatch::test_a_cleared_cache_changes_nothing": 5,
    "test_prepared_mismatch::test_a_wrong_argument_is_one_line_of_an_error": 5,
    "test_prepared_mismatch::test_a_wrong_vector_is_refused": 11,
    "test_prepared_mismatch::test_loosely_prepared_it_is_answered_or_refused_as_the_plain_operator_does": 11,
    "test_prepared_mismatch::test_what_was_redefined_since_is_told": 5,
    "test_prepared_out::test_lengths_of_what_the_kernel_makes": 3,
    "test_prepared_pickle::test_all_forms_survive": 4,
    "test_prepared_sweeps::test_each_row_is_a_single_product": 4,
    "test_python_modules::test_a_call_has_its_value_and_its_derivatives": 12,
    "test_race::test_generated": 6,
    "test_read_while_written::test_views_of_the_target_are_refused": 4,
    "test_read_while_written::test_what_is_apart_is_written": 3,
    "test_recursion::test_third_order": 12,
    "test_repeated_eigenvalues::test_vectors_beside_singular_values_of_zero": 5,
    "test_rules::test_rule": 8,
    "test_rules::test_rule_in_machine_code": 50,
    "test_rules_allocate_nothing::test_elementwise": 12,
    "test_rules_allocate_nothing::test_programs_in_place": 3,
    "test_same_point::test_every_scalar_program": 17,
    "test_scipy_arrays::test_fft": 3,
    "test_scipy_arrays::test_linalg": 8,
    "test_scipy_arrays::test_ndimage": 14,
    "test_scipy_arrays::test_signal": 6,
    "test_scipy_arrays::test_single_precision_stays": 4,
    "test_scipy_arrays::test_spatial": 4,
    "test_scipy_constrained_minima::test_minima_under_conditions": 3,
    "test_scipy_designs::test_designs": 4,
    "test_scipy_distributions::test_a_number_outside_of_the_support_does_not_move": 5,
    "test_scipy_distributions::test_discrete_distributions": 5,
    "test_scipy_distributions::test_extremes_of_shapes_about_zero": 5,
    "test_scipy_distributions::test_functions_of_a_distribution": 7,
    "test_scipy_distributions::test_moments_of_a_distribution": 4,
    "test_scipy_estimates::test_fits_of_curves": 3,
    "test_scipy_further::test_value_and_derivatives": 4,
    "test_scipy_interpolants::test_interpolants_of_vectors": 4,
    "test_scipy_interpolants::test_splines": 4,
    "test_scipy_interpolants::test_surfaces": 3,
    "test_scipy_interpolants::test_values_are_of_their_own_kind": 3,
    "test_scipy_kernels::test_derivatives_of_loops_are_those_of_python": 4,
    "test_scipy_models::test_discrete_distributions": 4,
    "test_scipy_models::test_functions_of_a_distribution": 15,
    "test_scipy_models::test_functions_of_the_program": 6,
    "test_scipy_models::test_integrals_of_three_variables": 2,
    "test_scipy_models::test_interpolants": 8,
    "test_scipy_models::test_minima_within_bounds": 4,
    "test_scipy_models::test_moments_of_a_distribution": 3,
    "test_scipy_models::test_objects_and_samples": 3,
    "test_scipy_models::test_what_has_no_formula_is_refused": 3,
    "test_scipy_parts::test_parts": 3,
    "test_scipy_path_events::test_events": 5,
    "test_scipy_paths::test_paths": 3,
    "test_scipy_rotations::test_rotations": 4,
    "test_scipy_sample_tests::test_of_samples": 4,
    "test_scipy_sampled::test_interpolants": 4,
    "test_scipy_solver_options::test_options_of_solvers": 3,
    "test_scipy_sparse::test_complex_entries": 3,
    "test_scipy_sparse::test_matrices_that_a_function_makes": 8,
    "test_scipy_special::test_both_modes_and_second_order": 12,
    "test_scipy_special::test_slopes_are_accurate_in_both_tails": 4,
    "test_scipy_users_curves::test_programs": 6,
    "test_scipy_users_samples::test_programs": 6,
    "test_set_shapes::test_all_names_see_the_new_shape": 3,
    "test_several_results::test_both_modes_and_all_second_orders_agree_with_differences": 8,
    "test_several_results::test_prepared_batches_patterns_pickles_and_checkpoints": 4,
    "test_several_results::test_rules_of_functions_with_several_results": 2,
    "test_sparse::test_patterns_of_random_programs_leave_nothing_out": 3,
    "test_sparse::test_patterns_of_the_corpus_leave_nothing_out": 12,
    "test_spread_in_loops::test_read_in_loops": 6,
    "test_state_outside::test_as_a_plain_call": 3,
    "test_structured_arrays::test_it_is_followed": 3,
    "test_tracebacks::test_a_defect_says_that_it_is_one_and_saves_a_reproducer": 6,
    "test_undefined::test_a_name_that_is_defined_is_none": 3,
    "test_undefined::test_a_name_that_is_not_defined_is_an_error": 11,
    "test_undefined::test_arrays_that_a_pass_deletes_have_second_derivatives": 5,
    "test_undefined::test_what_is_defined_is_read_from_a_tape_by_a_kernel": 3,
    "test_undefined::test_what_is_not_defined_is_an_error_where_a_tape_alone_is_read": 7,
    "test_values_on_paths::test_what_a_path_chose_is_what_the_function_uses": 7,
    "test_vector_math::test_double_precision": 4,
    "test_vector_math::test_single_precision": 6,
    "test_vector_math::test_special_values_are_those_of_numpy": 2,
    "test_vectorized::test_a_function_that_keeps_state_is_called_in_the_order_of_numpy_or_not_at_all": 3,
    "test_vectorized::test_it_is_followed": 3,
    "test_what_callbacks_reach::test_a_callback_calls_what_only_the_run_knows": 5,
    "test_what_callbacks_reach::test_a_callback_replaces_what_the_function_calls": 8,
    "test_what_callbacks_reach::test_what_a_callback_finds_is_exchanged_between_two_calls": 5,
    "test_where_chosen::test_chosen_elements_are_computed": 5,
    "test_whole_programs::test_derivatives": 5,
    "test_whole_programs::test_kernels_say_what_the_rule_says": 18,
    "test_workspace::test_the_same_numbers_again_and_again": 10,
    "test_written_arguments::test_a_jacobian_is_that_at_the_argument": 4,
}
"""The tests whose cases take turns: one in so many is in `make test`, from the first on; the others are marked `rest`.

What such a test judges is one mechanism, and each of its cases asks the same of it. Derivatives themselves are judged for every
program of the corpus in every run. Programs take turns by their places in the corpus; the turn of a test of programs begins one
program after that of the test before, so that the mechanisms divide the programs among them. A turn has no divisor in common with
how many values the innermost parameter has, nor with the step of a test that takes one program in so many: else the same few of
them had all the turns, or none had (`tests/test_turns.py`).
"""
WITHOUT_TURN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`, `--compile-all`, `--fast` and `--share`."""
    parser.addoption(
        "--update-golden", action="store_true", help="write the generated source into tests/golden, once the oracle agrees"
    )
    parser.addoption(
        "--compile-all", action="store_true", help="compile every program of the corpus, in every mode: half an hour"
    )
    parser.addoption(
        "--fast",
        action="store_true",
        help=f"one program of the corpus in {FEW}, through everything, and of all else what takes a few seconds at most",
    )
    parser.addoption(
        "--share",
        type=share,
        metavar="K/N",
        help="of the tests that have no turn, leave the mark from the share K of N: those whose number has the remainder K",
    )


def share(text: str) -> tuple[int, int]:
    """The number of a share, and how many there are: ``1/4``."""
    number, shares = map(int, text.split("/"))
    if not 0 <= number < shares:
        raise argparse.ArgumentTypeError(f"there are the shares 0/{shares} to {shares - 1}/{shares}")
    return number, shares


def pytest_configure(config: pytest.Config) -> None:
    """With `--fast`, make tests of the chosen programs alone: to make those of all takes longer than to run these."""
    if config.getoption("--fast"):
        catalogue.PROGRAMS = CORPUS[::FEW]


def program_of(item: pytest.Item | None) -> str:
    """The name of the program of the corpus that a test is about, if it is about one."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return next((value.name for value in params.values() if isinstance(value, Program)), "")


def name_of(item: pytest.Item) -> str:
    """The file and the function of a test, without its case."""
    return f"{item.path.stem}::{getattr(item, 'originalname', '')}"


def rest_of(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that have no turn in `make test`."""
    cases = {test: count() for test in TURNS}
    for item in items:
        test = name_of(item)
        if test in TURNS:
            program, case = program_of(item), next(cases[test])
            place = PLACES[program] + list(TURNS).index(test) if program in PLACES else case
            if place % TURNS[test]:
                yield item


def values_of(item: pytest.Function) -> list[str]:
    """The values of a test's parameters; of one about a program, those that are no programs."""
    if program_of(item):
        return [str(value) for value in item.callspec.params.values() if not isinstance(value, Program)]
    return list(item.callspec._idlist)


def without_turn(items: list[pytest.Item], rest: set[pytest.Item]) -> Iterator[str]:
    """The values of parameters that are in none of the cases that have turns, where those are enough for all values."""
    cases: dict[str, list[tuple[bool, list[str]]]] = {}
    for item in items:
        if name_of(item) in TURNS and isinstance(item, pytest.Function):
            cases.setdefault(name_of(item), []).append((item not in rest, values_of(item)))
    for test, found in cases.items():
        chosen = [values for has_turn, values in found if has_turn]
        for place in range(len(found[0][1])):
            every, reached = ({values[place] for values in some} for some in ([values for _, values in found], chosen))
            if len(reached) < len(every) <= len(chosen):
                yield f"{test}: {sorted(every - reached)}"


def is_fast(item: pytest.Item) -> bool:
    """Whether ``--fast`` runs a test."""
    program = program_of(item)
    if program:
        return program in CHOSEN
    return LONG.isdisjoint((item.path.stem, name_of(item))) and item.get_closest_marker("rest") is None


@pytest.hookimpl(tryfirst=True)  # pytest leaves out by marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the rest, and put the tests of one program next to one another, after all else: they share what one worker derives."""
    without = set(rest_of(items))
    rest = [item for item in items if item in without or item.get_closest_marker("rest") is not None]
    number, shares = config.getoption("--share") or (-1, 1)
    for place, item in enumerate(rest):
        item.own_markers = [mark for mark in item.own_markers if mark.name != "rest"]
        if place % shares != number:
            item.add_marker(pytest.mark.rest)
    fast = bool(config.getoption("--fast"))
    config.stash[WITHOUT_TURN] = list(without_turn([item for item in items if not (fast and program_of(item))], without))
    if fast:
        chosen, left = [], []
        for item in items:
            (chosen if is_fast(item) else left).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = chosen
    first = {"": 0}
    items.sort(key=lambda item: first.setdefault(program_of(item), len(first)))


def pytest_collection_finish() -> None:
    """Leave tens of thousands of tests, and all that was imported, out of collections: each walked through a million objects."""
    gc.freeze()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget what was derived of a program after its last test: thousands of rules would stay in memory.

    Each time that is much, Python's collector takes it: what the tests before the first program have left is not walked through.
    """
    program, following = program_of(item), program_of(nextitem)
    if program and program != following:
        adxform.clear_cache()
    if following and not program:
        gc.collect()
        gc.freeze()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def settled() -> None:
    """Leave what is there out of collections: to walk through all that thousands of tests have made takes a second or two."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave kernels to CPython, where numbers divided by zero are infinite as in machine code."""
    kernels = pytest.importorskip("adxform.backends.numba.machine.kernels")
    for name in ("kernel", "kernel_from_either_end"):
        monkeypatch.setattr(getattr(kernels, name), "__code__", (lambda fn: fn).__code__)
    monkeypatch.setattr(kernels.compile_for, "__code__", (lambda compiled, types: compiled).__code__)
    monkeypatch.setattr(kernel_scalars, "runtime", runtime, raising=False)  # for what stands in the place of its functions
    monkeypatch.setattr(kernel_scalars.quotient, "__code__", (lambda a, b: runtime.quotient(a, b)).__code__)
    monkeypatch.setattr(kernel_scalars.power, "__code__", (lambda a, b: runtime.power(a, b)).__code__)
