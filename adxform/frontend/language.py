"""The table of the language: what becomes of each statement, expression and construct of Python, an entry for each.

`adxform language` prints it. `tests/language_programs.py` has the program that shows an entry, under the name that it gives.
"""

from __future__ import annotations

from dataclasses import dataclass

from adxform.errors import (
    AdxError,
    AliasError,
    GlobalMutationError,
    MissingRuleError,
    UnsupportedOperationError,
    UnsupportedSyntaxError,
)

SUPPORTED, INACTIVE = "supported", "inactive only"
"""Derivatives flow through it; it runs as it would where none flows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A construct, the name of its program, what becomes of it, or the error, and the kinds of nodes that it is about."""

    construct: str
    program: str
    verdict: str | type[AdxError] = SUPPORTED
    nodes: str = ""

    @property
    def said(self) -> str:
        """The verdict as people read it."""
        return self.verdict if isinstance(self.verdict, str) else f"refused with {self.verdict.code}"


_SYNTAX, _OPERATION, _OUTSIDE, _RULE = UnsupportedSyntaxError, UnsupportedOperationError, GlobalMutationError, MissingRuleError

LANGUAGE: dict[str, tuple[Entry, ...]] = {
    "Statements": (
        Entry("`def`, nested, with defaults", "nested_function", SUPPORTED, "FunctionDef arguments arg"),
        Entry("`async def`", "async_function", _SYNTAX, "AsyncFunctionDef"),
        Entry("`class` of what is known beforehand", "class_statement", SUPPORTED, "ClassDef"),
        Entry("`class` of variables of the function", "class_of_local_values", _SYNTAX),
        Entry("`return`, of structures too, anywhere", "returned", SUPPORTED, "Return"),
        Entry("`del` of names, items and keys", "deleted", SUPPORTED, "Delete Del"),
        Entry("`=`, chained, nested and starred targets", "assigned", SUPPORTED, "Assign Store"),
        Entry("`name: type = value`", "annotated", SUPPORTED, "AnnAssign"),
        Entry("`+=` and its kin, on names, items, slices and attributes", "augmented", SUPPORTED, "AugAssign"),
        Entry("`for … else`, `break`, `continue`", "for_statement", SUPPORTED, "For Break Continue"),
        Entry("`async for`", "async_for", _SYNTAX, "AsyncFor"),
        Entry("`while`", "while_statement", SUPPORTED, "While"),
        Entry("`if`, `elif`, `else`", "if_statement", SUPPORTED, "If"),
        Entry("`with`, several managers, `as`", "with_statement", SUPPORTED, "With withitem"),
        Entry("`contextlib.contextmanager` inside of a function, with one `yield`", "manager_of_a_generator"),
        Entry("such a manager that goes on after its `yield`, left by `return`", "manager_with_code_after_a_return", _OPERATION),
        Entry("`contextlib.contextmanager` of a module or a class, with one `yield`", "manager_of_a_module"),
        Entry("`async with`", "async_with", _SYNTAX, "AsyncWith"),
        Entry("`match` with guards", "match_statement", SUPPORTED, "Match match_case"),
        Entry("`raise`", "raised", SUPPORTED, "Raise"),
        Entry("`raise … from …`", "raised_from"),
        Entry("`try`", "try_statement", SUPPORTED, "Try ExceptHandler"),
        Entry("`try` with `except*`", "try_group", _SYNTAX, "TryStar"),
        Entry("`assert`", "asserted", SUPPORTED, "Assert"),
        Entry("`import` and `from … import`", "imported", SUPPORTED, "Import ImportFrom alias"),
        Entry("globals that are read", "global_read"),
        Entry("`global` names that are written", "global_written", SUPPORTED, "Global"),
        Entry("`nonlocal`", "nonlocal_written", SUPPORTED, "Nonlocal"),
        Entry("`pass`, `...`, a text by itself", "passed", SUPPORTED, "Pass Expr"),
        Entry("`type` aliases and type parameters", "type_alias", _SYNTAX, "TypeAlias TypeVar ParamSpec TypeVarTuple"),
    ),
    "Expressions": (
        Entry("`and`, `or`, `not`", "boolean_operators", SUPPORTED, "BoolOp And Or Not"),
        Entry("`:=`", "assignment_expression", SUPPORTED, "NamedExpr"),
        Entry("`:=` in a comprehension of a list, set or dict", "comprehension_that_binds"),
        Entry("`:=` in a generator expression that is kept", "generator_that_binds", _SYNTAX),
        Entry("`+ - * / // % ** @`", "binary_operators", SUPPORTED, "BinOp Add Sub Mult Div FloorDiv Mod Pow MatMult"),
        Entry("`<< >> & | ^ ~`", "integer_operators", SUPPORTED, "LShift RShift BitAnd BitOr BitXor Invert"),
        Entry("`-x`, `+x`", "unary_operators", SUPPORTED, "UnaryOp USub UAdd"),
        Entry("`lambda`", "lambda_expression", SUPPORTED, "Lambda"),
        Entry("`a if c else b`", "conditional_expression", SUPPORTED, "IfExp"),
        Entry("displays of lists and tuples", "displays", SUPPORTED, "List Tuple"),
        Entry("displays of dicts, with `**`", "dict_display", SUPPORTED, "Dict"),
        Entry("displays of sets, of known elements", "set_display", SUPPORTED, "Set"),
        Entry("sets of numbers that move", "set_of_floats", _OPERATION),
        Entry("list comprehensions, with conditions, nested", "list_comprehension", SUPPORTED, "ListComp comprehension"),
        Entry("set comprehensions of known elements", "set_comprehension", SUPPORTED, "SetComp"),
        Entry("dict comprehensions", "dict_comprehension", SUPPORTED, "DictComp"),
        Entry("generator expressions, kept and passed on", "generator_expression", SUPPORTED, "GeneratorExp"),
        Entry("`yield`, in helpers, nested functions and methods", "generator_function", SUPPORTED, "Yield"),
        Entry("`yield from`", "yield_from", SUPPORTED, "YieldFrom"),
        Entry("generators that raise in a `try`, and `yield` in a `try`", "generator_in_a_try"),
        Entry("`yield` in a `try` with `finally`", "generator_with_finally", _OPERATION),
        Entry("the value of `yield` in an expression, `send`", "value_sent", _SYNTAX),
        Entry("`await`", "awaited", _SYNTAX, "Await"),
        Entry("comparisons, chained", "comparisons", SUPPORTED, "Compare Eq NotEq Lt LtE Gt GtE"),
        Entry("`is`, `in`", "identity_and_membership", SUPPORTED, "Is IsNot In NotIn"),
        Entry("calls by position, by name, with `*` and `**`", "calls", SUPPORTED, "Call keyword"),
        Entry("f-strings", "formatted_text", INACTIVE, "JoinedStr FormattedValue"),
        Entry("constants", "constants", SUPPORTED, "Constant"),
        Entry("attributes", "attributes", SUPPORTED, "Attribute"),
        Entry("subscripts, slices, `...`, `None`", "subscripts", SUPPORTED, "Subscript Slice"),
        Entry("`*` in displays, targets and calls", "starred", SUPPORTED, "Starred"),
        Entry("names", "names", SUPPORTED, "Name Load"),
    ),
    "Patterns": (
        Entry("values and alternatives", "value_patterns", SUPPORTED, "MatchValue MatchOr"),
        Entry("`None`, `True`, `False`", "singleton_patterns", SUPPORTED, "MatchSingleton"),
        Entry("sequences, with `*rest`", "sequence_patterns", SUPPORTED, "MatchSequence MatchStar"),
        Entry("mappings, with `**rest`", "mapping_patterns", SUPPORTED, "MatchMapping"),
        Entry("classes, `as`, `_`", "class_patterns", SUPPORTED, "MatchClass MatchAs"),
    ),
    "Names": (
        Entry("a captured variable that is assigned later", "closure_cell"),
        Entry("functions in a list that share the variable of a comprehension", "late_binding", _SYNTAX),
        Entry("helpers defined later in the file", "helper_defined_later"),
        Entry("nested functions in turn, as deep as is known beforehand", "mutually_recursive"),
        Entry("mutable defaults of nested functions", "mutable_default"),
        Entry("decorators of helpers, `functools.wraps`", "decorated_by_wraps"),
        Entry("`lru_cache`", "cached_function", INACTIVE),
        Entry("`lru_cache` of a nested function that only computes", "cached_nested_function"),
        Entry("`lru_cache` of a function of floats", "cached_function_of_floats", _RULE),
        Entry("attributes of functions that the program makes", "function_with_attributes"),
        Entry("methods, `staticmethod`, `classmethod`, `property`", "methods_and_properties"),
        Entry("properties with setters", "property_setter"),
        Entry("`cached_property`", "cached_property"),
        Entry("inheritance, `super()` with and without arguments", "inheritance"),
        Entry("`__call__`, `__getitem__`, `__len__`, `__iter__`, operators", "special_methods"),
        Entry("`functools.partial`", "partial_application"),
        Entry("one of several functions, as the run says", "chosen_function"),
        Entry("`functools.singledispatch`", "dispatched_function"),
    ),
    "State outside": (
        Entry("what is printed", "printed", INACTIVE),
        Entry("a list of the caller's that grows", "global_list_grows"),
        Entry("a dict of the caller's that is written", "global_dict_written"),
        Entry("an array in a global that is written", "global_array_written"),
        Entry("an attribute of an object from outside that is written", "attribute_counted"),
        Entry("arguments that are written: the caller's stay as they are", "argument_written"),
    ),
    "Containers": (
        Entry("lists: methods, slices set and deleted", "lists"),
        Entry("lists that loops fill", "lists_that_loops_fill"),
        Entry("lists of lists that grow", "lists_of_lists"),
        Entry("lists of arrays of differing shapes", "arrays_of_differing_shapes"),
        Entry("a list that grows while it is walked over", "list_grows_while_walked"),
        Entry("indices of lists known only at run time", "list_index_of_the_run"),
        Entry("adjacency lists", "adjacency_lists"),
        Entry("lists chosen at run time that grow", "cell_lists"),
        Entry("lists of lists that grow on conditions", "groups"),
        Entry("lists filled and replaced in a loop, put into another", "runs"),
        Entry("lists stored where only the run knows in a list of lists", "cells_replaced"),
        Entry("dicts", "dicts"),
        Entry("classes of the program that are lists", "own_list"),
        Entry("classes of the program that are dicts", "own_dict"),
        Entry("`math.prod` of the values of a dict", "product_of_a_dict"),
        Entry("keys of dicts known only at run time", "dict_index_of_the_run"),
        Entry("keys of dicts, and attributes of objects, that some paths give", "keys_of_some_paths"),
        Entry("keys that the run chooses among texts of the program", "keys_of_a_few_texts"),
        Entry("dicts of which only the run knows the keys: whole numbers, and tuples of those", "dict_keyed_by_run"),
        Entry("dicts of lists under such keys: `setdefault`, `defaultdict(list)`", "lists_keyed_by_run"),
        Entry("dicts with floats or texts that only the run knows as keys", "dict_keyed_by_floats"),
        Entry("lists of texts, as many as only the run knows", "log_of_texts"),
        Entry("lists of dicts and objects, as many as only the run knows", "records_of_the_run"),
        Entry("sets of known elements", "sets"),
        Entry("sets of whole numbers, texts and tuples of those that only the run knows", "sets_of_the_run"),
        Entry("named tuples", "named_tuples"),
        Entry("dataclasses, with texts in them", "dataclass_fields"),
        Entry("enums", "enums"),
        Entry("text that decides", "string_flags"),
        Entry("`defaultdict`", "default_dict"),
        Entry("`OrderedDict`", "ordered_dict"),
        Entry("`Counter`", "counter"),
        Entry("`deque`", "deque_inactive", INACTIVE),
        Entry("`deque` of floats", "deque_of_floats"),
        Entry("`heapq`", "heap_of_floats"),
        Entry("`bisect`", "bisected"),
        Entry("`sorted` with a key", "sorted_by_key"),
        Entry("`zip(*rows)`", "transposed_lists"),
        Entry("`iter`, `next`, and what is left", "iterators"),
        Entry("`zip`, `map`, `filter`, `enumerate`, `reversed`, `itertools`", "iterator_functions"),
        Entry("`itertools.zip_longest` of lists, arrays and tuples", "zip_longest"),
        Entry("`itertools.groupby`", "grouped_items"),
        Entry("iterators without an end", "unbounded_iterators"),
        Entry("classes with `__next__`", "iterator_class"),
    ),
    "Arrays": (
        Entry("masks and integer arrays, for load, store and `+=`", "masks_and_integer_arrays"),
        Entry("views, written through", "views"),
        Entry("`x.shape = …`, of an array that the function made", "shape_assigned"),
        Entry("`x.shape = …`, of an array that a list, a tuple or an object of the function holds", "shape_assigned_in_a_list"),
        Entry("`x.shape = …`, of an array that a nested function reads", "shape_assigned_before_a_closure", AliasError),
        Entry("`np.ndarray(shape, dtype)`", "array_by_its_class"),
        Entry("`.flat`, by numbers, slices, masks, and walked over", "flat_iterator"),
        Entry("`.flat[k] = …`, `.flat = …`", "flat_written"),
        Entry("`.flat` by a number after it was walked over", "flat_walked_and_indexed", _RULE),
        Entry("`np.nditer`, by rows: walked over, with `multi_index`, written through", "nditer_walked"),
        Entry(
            "`np.nditer`, in the order of memory where that is not by rows", "nditer_in_memory_order", UnsupportedOperationError
        ),
        Entry("`np.ndindex`, `np.ndenumerate`", "ndindex_walked"),
        Entry("`np.vectorize`", "vectorized"),
        Entry("`np.frompyfunc`, made numbers by `astype`", "from_python_function"),
        Entry("arrays of objects, which `np.frompyfunc` gives, as they are", "objects_from_python_function", _OPERATION),
        Entry("`np.apply_along_axis`", "along_an_axis"),
        Entry("`np.piecewise`", "piecewise"),
        Entry("`np.r_`, `np.c_`, `np.ix_`", "joined_by_indexing"),
        Entry("`copyto`, `put`, `place`, `put_along_axis`, `add.at`, `fill_diagonal`", "stores_by_functions"),
        Entry("`sort` and `partition` in place", "sorted_in_place"),
        Entry("`where=` of an elementwise function, with `out=`", "where_and_out"),
        Entry("`where=` of an elementwise function, without `out=`", "where_alone", _OPERATION),
        Entry("structured arrays, no floats that move in them", "structured_inactive", INACTIVE),
        Entry("structured arrays of one axis that the function makes", "structured_by_field"),
        Entry("sorts, joins and several fields of those of floats that move", "structured_as_a_whole", _OPERATION),
        Entry("`np.matrix`", "matrices_by_name", _RULE),
        Entry("joins of arrays that loops fill", "joins_of_filled_lists"),
        Entry("ranges known at run time, backwards", "ranges_as_indices"),
        Entry("no elements, no axes", "empty_and_zero_dimensional"),
        Entry("Fortran order", "fortran_order"),
    ),
    "Numbers": (
        Entry("an int that becomes a float in a loop", "kinds_along_a_loop"),
        Entry("`float`, `int`, `bool`, `complex`", "conversions"),
        Entry("`round`, `divmod`", "rounded"),
        Entry("numbers written as text, and read from it", "parsed", INACTIVE),
        Entry("`Fraction` and `Decimal`", "exact_numbers", INACTIVE),
        Entry("`Decimal` of a float that moves", "decimals_of_floats", _RULE),
        Entry("complex numbers", "complex_numbers"),
    ),
}
"""The entries by their groups."""

NEVER_INSIDE = frozenset({"Module", "Interactive", "Expression", "FunctionType", "TypeIgnore"})
"""Kinds of nodes that stand around functions, and in none."""
