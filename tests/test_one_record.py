"""One record: no module but the primitives lists functions, and what follows for an elementwise one follows from one line."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from scipy import special

import adxform
from adxform.primitives import table
from adxform.primitives.completeness import lacks
from adxform.primitives.declare import floating, scalar
from adxform.primitives.facets import Gives, Kernel
from adxform.primitives.record import Primitive
from adxform.primitives.table import TABLE, having, meaning_of, record_of

PACKAGE = Path(adxform.__file__).parent
OPERATORS = "how Python writes its operators: syntax, on the way in, on the way out and in messages"
MEANING = "what the front end does with a call itself, before there is an op: one function of it for each"
FORM = "the code of this layer for each function, of which all else is in its record"
STAYS = {
    "analysis/kept_values.py INFIX": OPERATORS,
    "backends/python/syntax.py BINARY": OPERATORS,
    "backends/python/syntax.py IN_PLACE": OPERATORS,
    "backends/python/syntax.py COMPARE": OPERATORS,
    "backends/python/syntax.py UNARY": OPERATORS,
    "backends/python/syntax.py _OWN": OPERATORS,
    "frontend/known/container_operators.py SIGNS": OPERATORS,
    "frontend/known/container_operators.py _SET_UPDATES": OPERATORS,
    "frontend/lowering/operator_functions.py BINARY": OPERATORS,
    "frontend/lowering/operator_functions.py UNARY": OPERATORS,
    "frontend/lowering/operator_functions.py COMPARE": OPERATORS,
    "frontend/lowering/operator_functions.py INPLACE": OPERATORS,
    "frontend/calls/none_given.py _NONE_AWARE": MEANING,
    "frontend/evaluate/pure_functions.py _TEXTS": MEANING,
    "frontend/known/arrays.py TABLE": MEANING,
    "frontend/known/number_classes.py TABLE": MEANING,
    "frontend/known/of_objects/attribute_functions.py TABLE": MEANING,
    "frontend/known/of_objects/classes.py TABLE": MEANING,
    "frontend/known/of_objects/texts.py TABLE": MEANING,
    "frontend/known/items/reducing.py TABLE": MEANING,
    "frontend/known/object_operators.py TABLE": MEANING,
    "frontend/known/small_products.py TABLE": MEANING,
    "frontend/known/subscripts.py TABLE": MEANING,
    "backends/numba/kernel_solvers.py FORMS": FORM,
    "passes/arrays/diagonals.py DIAGONALS": FORM,
    "passes/arrays/joined_arrays.py JOINS": FORM,
    "passes/arrays/lookups.py LOOKUPS": FORM,
    "sparse/stores.py HANDLERS": FORM,
}
"""The lists of functions outside of the primitives, and why each is none of what a function means. It gets no longer."""

METHODS = "methods of containers of Python, which have names in common with functions of NumPy"
UNRULED = "functions without a record, which are told by their names"
NAMED = {
    "frontend/types/sampled_types.py DATA_DEPENDENT": UNRULED,
    "frontend/types/unruled_types.py _NOT_PURE": UNRULED,
    "frontend/types/unruled_types.py _BY_VALUE": UNRULED,
    "frontend/containers/methods.py _TABLE": METHODS,
    "api/scipy_models/sparse_matrices/sparse_makers.py _CONVERSIONS": METHODS,
    "frontend/containers/methods.py _COUNTS": METHODS,
    "frontend/lowering/late_binding.py _KEEPERS": METHODS,
    "frontend/lowering/expressions.py _AT_ONCE": "builtins, as a program writes them, before anything is looked up",
    "frontend/evaluate/classes/protocols.py SIGNS": OPERATORS,
    "backends/numba/vector_math/catalogue.py _MODULES": FORM,
    "backends/numba/vector_math/catalogue.py QUICK_ALONE": FORM,
    "passes/loops/vector_forms.py FORMS": FORM,
    "passes/loops/vector_forms.py _IN_MATH": FORM,
    "passes/loops/vector_forms.py _IN_SPECIAL": FORM,
}
"""The lists of names of functions outside of the primitives, and why."""

HOMES = {"np": np, "numpy": np, "math": math, "operator": operator, "builtins": builtins}


def library_function(node: ast.expr) -> str | None:
    """The name of the library's function that `node` is, such as ``np.linalg.norm``; a type is none."""
    name = ast.unparse(node)
    home, *path = name.split(".")
    found: Any = HOMES.get(home)
    for step in path:
        found = getattr(found, step, None)
    if not path:
        found = getattr(builtins, name, None) if isinstance(node, ast.Name) else None
    return name if callable(found) and not isinstance(found, type) else None


def lists_of_functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The constants of a module that list three functions or more, in any display, by name and line."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        found: set[str] = set()
        for node in ast.walk(statement.value):
            match node:
                case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                    found.update(name for item in items if (name := library_function(item)))
                case ast.Dict(keys=keys, values=values):
                    pairs = [item for item in (*keys, *values) if item is not None]
                    found.update(name for item in pairs if (name := library_function(item)))
        if len(found) >= 3:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            yield ast.unparse(target), statement.lineno


def test_no_module_but_the_primitives_lists_functions() -> None:
    seen = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE)
        if where.parts[0] == "primitives":
            continue
        for name, line in lists_of_functions(ast.parse(path.read_text(encoding="utf-8"))):
            seen.add(f"{where.as_posix()} {name}")
            assert f"{where.as_posix()} {name}" in STAYS, f"{where}:{line}: say it in the records of these functions"
    assert seen == set(STAYS), "what is listed nowhere any more leaves `STAYS`"


NAMES = frozenset(name for name in dir(np) if library_function(ast.Attribute(ast.Name("np"), name)) and name[0] != "_")


def lists_of_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The constants of a module that hold three names or more of functions of NumPy, as text."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        texts = {
            node.value for node in ast.walk(statement.value) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        if len(texts & NAMES) >= 3:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            yield ast.unparse(target), statement.lineno


def test_no_module_but_the_primitives_lists_names_of_functions() -> None:
    seen = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE)
        if where.parts[0] == "primitives":
            continue
        for name, line in lists_of_names(ast.parse(path.read_text(encoding="utf-8"))):
            seen.add(f"{where.as_posix()} {name}")
            assert f"{where.as_posix()} {name}" in NAMED, f"{where}:{line}: say it in the records of these functions"
    assert seen == set(NAMED), "what is listed nowhere any more leaves `NAMED`"


@pytest.fixture
def own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of rules in which a test may register some."""
    monkeypatch.setattr(table, "own", MappingProxyType({}))


POINTS = np.linspace(-1.25, 1.5, 6)
LINES = {
    "with a kernel": (floating(special.expit, lambda y, x: y * (1.0 - y), (POINTS,)), ()),
    "without": (scalar(special.cosm1, lambda y, x: -np.sin(x), (POINTS,)), ("kernels",)),
}


@pytest.mark.usefixtures("own_table")
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("engine", ["python", "numba"])
def test_one_line_is_all_that_a_new_elementwise_function_takes(line: str, engine: Any) -> None:
    record, missing = LINES[line]
    function = record.fn
    table.register(record)
    assert lacks(record) == missing

    def f(x: Any) -> Any:
        return np.sum(function(x) * x)

    def g(x: Any) -> Any:
        return function(x) * 2.0

    def slope(x: Any) -> Any:
        return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6

    slopes = np.array([slope(np.array([x])) for x in POINTS])
    rows = np.eye(POINTS.size)[:3]
    assert np.allclose(adxform.grad(f, engine=engine)(POINTS), slopes, atol=1e-8)
    assert np.allclose(adxform.jvp(f, (POINTS,), (np.ones_like(POINTS),), engine=engine)[1], slopes.sum(), atol=1e-8)
    _, found = adxform.prepare_jvp(f, POINTS, engine=engine).batch((POINTS,), (rows,))
    assert np.allclose(found, rows @ slopes, atol=1e-8)
    assert (adxform.prepare_jacobian(g, POINTS, sparse=True).pattern.toarray() == np.eye(POINTS.size)).all()
    out = np.empty_like(POINTS)
    assert adxform.prepare_gradient(f, POINTS, engine=engine)(POINTS, out=out) is out
    assert np.allclose(out, slopes, atol=1e-8)
    if engine == "numba":
        around = adxform.source(f, POINTS, engine=engine).partition("@kernel")[0] + _outside(
            adxform.source(f, POINTS, engine=engine)
        )
        assert (f"{function.__name__}(" in around) == ("kernels" in missing)


def _outside(source: str) -> str:
    """The functions of `source` that are no kernels."""
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    return "\n".join(map(ast.unparse, functions))


def elementwise_ufuncs() -> list[Primitive]:
    """The elementwise functions of NumPy that do not say that kernels lack them; those of floats."""
    others = Gives.TRUTH, Gives.LOOP  # those of truth values, and SciPy's, of which `test_scipy_kernels` is
    ufuncs = having(lambda record: isinstance(record.fn, np.ufunc) and meaning_of(record.fn).gives not in others)
    own = [record_of(fn) for fn in ufuncs if record_of(fn).name.startswith("np.")]  # those of SciPy join when they are met
    return sorted((record for record in own if "kernels" not in lacks(record)), key=lambda record: record.name)


@pytest.mark.parametrize("record", elementwise_ufuncs(), ids=lambda record: record.name)
def test_kernels_hold_what_does_not_say_that_they_lack_it(record: Primitive) -> None:
    function = record.fn
    points = np.linspace(1.25, 1.75, 8) if function is np.arccosh else np.linspace(0.125, 0.5, 8)

    def f(x: Any) -> Any:
        return np.sum(np.where(function(x) > 0.25, x, 2.0 * x))

    def g(x: Any) -> Any:
        return np.sum(np.where(function(x, 2.0 * x) > 0.25, x, 2.0 * x))

    source = adxform.source(f if function.nin == 1 else g, points, engine="numba")
    assert "@kernel" in source
    assert f"{function.__name__}(" not in _outside(source)


def test_a_rule_for_a_known_function_leaves_what_it_means(own_table: None) -> None:
    @adxform.rule(np.sinh)
    def _(x: Any) -> Any:
        def pullback(ct: Any) -> Any:
            return ct * np.cosh(x)

        return np.sinh(x), pullback

    assert record_of(np.sinh).kernel is TABLE[np.sinh].kernel is Kernel.FLOATS
