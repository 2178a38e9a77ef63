"""Programs that cannot be differentiated: the error says which construct, on which line, and what to do."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import adxform
from adxform.errors import AdxError, GlobalMutationError, UnsupportedOperationError, UnsupportedSyntaxError
from tests.corpus import refused
from tests.corpus.case import Program, programs_of

REFUSED = tuple(programs_of(refused))


def marked_line(program: Program) -> int:
    """Return the number of the line of the program that ends in ``# here``."""
    lines, first = inspect.getsourcelines(program.function)
    return next(first + i for i, line in enumerate(lines) if line.rstrip().endswith("# here"))


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.name)
def test_error_is_located(program: Program) -> None:
    assert program.raises is not None
    args = program.points[0].args
    with pytest.raises(AdxError) as caught:
        adxform.grad(program.function, argnums=program.wrt)(*args)
    error = caught.value
    assert type(error) is program.raises, str(error)
    assert error.span.file == inspect.getsourcefile(program.function)
    text = linecache.getline(error.span.file, error.span.line).rstrip()
    assert error.span.line == marked_line(program), f"points at: {text}"
    assert 0 <= error.span.column < len(text)
    assert error.help
    assert f"{error.span.line}:{error.span.column + 1}" in str(error)
    assert "^" in str(error)


LATER = (
    "generator",
    "generator_after_a_loop_left_it",
    "axis_that_only_the_run_knows",
    "neighbours_of_a_written_array",
    "chosen_from_a_written_array",
    "global_dictionary_read_back",
    "recursion_without_an_end",
    "derivative_of_itself_in_each_call",
    "product_of_planar_vectors",
    "floats_in_a_list_of_counts_that_is_held_twice",
    "array_that_may_be_of_whole_numbers",
    "float_stored_where_a_whole_number_may_have_made_integers",
    "filled_like_what_a_whole_number_may_have_made",
)
"""Refused by a look at the function as a whole, by the stages after it, or by the run."""
FOLLOWED = [
    program
    for program in REFUSED
    if program.raises in (UnsupportedOperationError, UnsupportedSyntaxError, GlobalMutationError)
    and program.name.rpartition(".")[2] not in LATER
]


def one_after_the_other(first: Program, second: Program) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    one, other, count = first.function, second.function, len(first.points[0].args)

    def both(*args: Any) -> Any:
        return one(*args[:count]), other(*args[count:])

    return both, (*first.points[0].fresh(), *second.points[0].fresh())


@pytest.mark.parametrize(("first", "second"), list(pairwise(FOLLOWED)), ids=lambda program: program.name)
def test_two_refusals_are_told_together(first: Program, second: Program) -> None:
    both, args = one_after_the_other(first, second)
    with pytest.raises(AdxError) as caught:
        adxform.vjp(both, *args)
    told = [error.span.line for error in (caught.value, *caught.value.also)]
    assert told == [marked_line(first), marked_line(second)], str(caught.value)
    assert str(caught.value).count("\nhelp: ") == 2


def declared_and_more(x):  # type: ignore[no-untyped-def]
    total = 0.0

    def inner(y):  # type: ignore[no-untyped-def]
        nonlocal total
        total = total + y
        return total

    try:
        x = x * total
    except* ValueError:
        pass
    return any((last := v) > 1.0 for v in (x, inner(x))), last


def test_what_is_declared_is_told_with_the_rest() -> None:
    with pytest.raises(UnsupportedSyntaxError) as caught:
        adxform.grad(declared_and_more)(2.0)
    told = [error.message for error in (caught.value, *caught.value.also)]
    assert told == [
        "`except*` is not supported",
        "this form of comprehension is not supported",
    ]
