"""Every error a user can meet: its class, code, line, column, caret and help."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import errors

MODEL = """\
import numpy as np
from scipy.special import zeta

state = []


def scalar(x, n=2):
    return x**n


def vector(x):
    return 2.0 * x


def pair(x):
    return x, x


class Model:
    def guarded(self, x):
        y = x * 2.0
        try:
            y = y / x
        except* ValueError:
            pass
        return y


def missing(s, scale):
    return zeta(s, 1.0) * scale


def inner(x):
    return np.roots(
        x,
    )


def outer(x):
    total = 0.0
    for i in range(3):
        if i > 1:
            total = total + np.sum(inner(x))
    return total


def remembers(x):
    state.append(x * x)
    return state[0] + x


def yields(x):
    yield x


either = lambda x, flag: "word" if flag else x


def put_wrongly(x):
    y = x.copy()
    np.put(y, [9], x)
    return y.sum()


def split_wrongly(x):
    return np.sum(np.split(x, "a")[0])


def median_wrongly(x):
    return np.median(x.reshape(1, 3), axis=None or "a").sum()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("models") / "model_with_faults.py"
    path.write_text(MODEL)
    spec = importlib.util.spec_from_file_location("model_with_faults", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["model_with_faults"] = module
    spec.loader.exec_module(module)
    return module


def raised(cls: type[errors.AdxError], call: Callable[[], Any]) -> errors.AdxError:
    with pytest.raises(cls) as caught:
        call()
    assert type(caught.value) is cls
    return caught.value


def placed(error: errors.AdxError, module: ModuleType, text: str, code: str) -> None:
    """Check that `error` points at `text` in `module`, with code, caret and help."""
    lines = Path(str(module.__file__)).read_text().splitlines()
    line = next(number for number, content in enumerate(lines, 1) if text in content)
    column = lines[line - 1].index(text)
    assert (error.span.file, error.span.line, error.span.column) == (module.__file__, line, column)
    assert error.code == code
    rows = str(error).splitlines()
    assert rows[0].startswith(f"error[{code}]: ")
    assert rows[1] == f" --> {module.__file__}:{line}:{column + 1}"
    assert rows[2].endswith(lines[line - 1])
    assert rows[3].index("^") == rows[2].index(lines[line - 1]) + column
    assert rows[-1].startswith("help: ")
    assert rows[-1].endswith(f"docs/errors.md#{code.lower()}")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


@pytest.mark.parametrize(
    ("value", "word"),
    [(3, "int"), (True, "bool"), ("a", "str"), (np.arange(3), "int64 array"), ({"k": [1.0, 2]}, "int")],
)
def test_arguments_without_a_derivative(model: ModuleType, value: Any, word: str) -> None:
    error = raised(errors.NonDifferentiableError, lambda: adxform.grad(model.scalar)(value))
    assert word in error.message
    placed(error, model, "def scalar", "ADX202")


def test_arrays_of_other_classes_point_at_the_function(model: ModuleType) -> None:
    masked: Any = np.ma.masked_array([1.0, 2.0])
    prepared = adxform.prepare_jacobian(model.vector, np.ones(2))
    for call in (lambda: adxform.vjp(model.vector, masked), lambda: prepared(masked)):
        error = raised(errors.UnsupportedOperationError, call)
        assert "MaskedArray" in error.message
        assert "mask" in str(error.help)
        placed(error, model, "def vector", "ADX103")


@pytest.mark.parametrize("made", [lambda x: np.ma.masked_less(x, 0.0), np.ma.array, np.ma.log])
def test_masked_arrays_that_a_function_makes(made: Callable[[Any], Any]) -> None:
    """They are refused where they are made, and the way out that the error names has a derivative."""
    with pytest.raises(errors.MissingRuleError, match="masked arrays, here by") as told:
        adxform.grad(lambda x: np.sum(made(x)))(np.array([1.0, -2.0, 3.0]))
    assert "where=~mask" in str(told.value.help)

    def apart(x: Any) -> Any:
        mask = x < 0.0
        return np.mean(x, where=~mask) + np.sum(np.where(mask, 0.0, x)) + np.sum(x[~mask] ** 2)

    np.testing.assert_allclose(adxform.grad(apart)(np.array([1.0, -2.0, 3.0])), [3.5, 0.0, 7.5])


def test_the_path_to_the_leaf_is_named(model: ModuleType) -> None:
    error = raised(errors.NonDifferentiableError, lambda: adxform.grad(model.scalar)({"k": [1.0, 2]}))
    assert "`x['k'][1]`" in error.message


def test_non_scalar_output(model: ModuleType) -> None:
    error = raised(errors.NonScalarOutputError, lambda: adxform.grad(model.vector)(np.ones((2, 3))))
    assert "(2, 3)" in error.message
    placed(error, model, "def vector", "ADX203")
    for operator in (adxform.value_and_grad, adxform.hessian):
        raised(errors.NonScalarOutputError, lambda: operator(model.vector)(np.ones(3)))
    raised(errors.NonScalarOutputError, lambda: adxform.hvp(model.vector)(np.ones(3), np.ones(3)))
    raised(errors.NonScalarOutputError, lambda: adxform.grad(model.pair)(1.0))
    raised(errors.NonScalarOutputError, lambda: adxform.grad(model.vector, has_aux=True)(1.0))


@pytest.mark.parametrize(
    ("primal", "tangent", "word"),
    [
        (np.ones(3), np.ones(2), "(2,)"),
        (np.ones(3), np.ones(3, np.float32), "float32"),
        (np.ones(3), np.ones(3, int), "int64"),
        (np.ones(3), 1.0, "float"),
        (1.0, np.ones(3), "(3,)"),
        (1.0, None, "None"),
        (1.0, "a", "'a'"),
        ([1.0], (1.0,), "tuple"),
        ({"a": 1.0}, {"b": 1.0}, "dict"),
        (1.0, 1j, "complex"),
        (np.float32(1.0), np.float64(1.0), "float64"),
    ],
)
def test_tangents_that_do_not_fit(model: ModuleType, primal: Any, tangent: Any, word: str) -> None:
    def call() -> Any:
        return adxform.jvp(lambda x: adxform.stop_gradient(2.0), (primal,), (tangent,))

    assert word in raised(errors.TangentMismatchError, call).message


def test_a_tangent_error_points_at_the_function(model: ModuleType) -> None:
    error = raised(errors.TangentMismatchError, lambda: adxform.jvp(model.vector, (np.ones(3),), (np.ones(2),)))
    placed(error, model, "def vector", "ADX204")
    _, pullback = adxform.vjp(model.vector, np.ones(3))
    placed(raised(errors.TangentMismatchError, lambda: pullback(np.ones(4))), model, "def vector", "ADX204")
    call = adxform.hvp(lambda x: np.sum(x * x))
    raised(errors.TangentMismatchError, lambda: call(np.ones(3), np.ones(4)))


@pytest.mark.parametrize("argnums", [2, -3, (0, 5), (0, 0), (0, -2), True, 1.0, "x", ()])
def test_argnums(model: ModuleType, argnums: Any) -> None:
    error = raised(errors.ArgnumsError, lambda: adxform.grad(model.scalar, argnums)(2.0, 3.0))
    placed(error, model, "def scalar", "ADX205")


def test_no_source() -> None:
    space: dict[str, Any] = {}
    exec("def cube(x):\n    return x**3", space)
    error = raised(errors.SourceUnavailableError, lambda: adxform.grad(space["cube"])(2.0))
    assert error.code == "ADX101"
    assert "help: " in str(error)


def test_unsupported_syntax(model: ModuleType) -> None:
    error = raised(errors.UnsupportedSyntaxError, lambda: adxform.grad(model.Model().guarded)(2.0))
    placed(error, model, "try:", "ADX102")
    with pytest.raises((errors.UnsupportedSyntaxError, errors.UnsupportedOperationError)):
        adxform.grad(model.yields)(2.0)


def test_unknown_primitive(model: ModuleType) -> None:
    error = raised(errors.MissingRuleError, lambda: adxform.grad(model.missing)(2.0, 3.0))
    placed(error, model, "zeta(s, 1.0)", "ADX201")
    assert "zeta" in error.message
    assert adxform.grad(model.missing, 1)(2.0, 3.0) == pytest.approx(np.pi**2 / 6.0)


def test_unknown_primitive_in_a_callee_in_a_loop(model: ModuleType) -> None:
    error = raised(errors.MissingRuleError, lambda: adxform.grad(model.outer)(np.ones(3)))
    placed(error, model, "np.roots(", "ADX201")


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("put_wrongly", IndexError, "np.put(y, [9], x)"),
        ("split_wrongly", TypeError, 'np.split(x, "a")'),
        ("median_wrongly", errors.AdxError, 'np.median(x.reshape(1, 3), axis=None or "a")'),
    ],
)
def test_an_error_in_a_definition_is_at_its_call(model: ModuleType, name: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        adxform.grad(getattr(model, name))(np.ones(3))
    if isinstance(caught.value, errors.AdxError):
        placed(caught.value, model, text, caught.value.code)
    else:
        assert text in caught.value.__notes__[0]


def test_global_mutation(model: ModuleType) -> None:
    error = raised(errors.GlobalMutationError, lambda: adxform.grad(model.remembers)(2.0))
    placed(error, model, "state[0]", "ADX104")
    assert not model.state


def test_a_result_of_no_type(model: ModuleType) -> None:
    call = adxform.grad(model.either)
    with pytest.raises(errors.AdxError) as caught:
        call(2.0, True)
    assert caught.value.span.line


def test_an_error_leaves_nothing_behind(model: ModuleType) -> None:
    for _ in range(2):
        raised(errors.MissingRuleError, lambda: adxform.grad(model.missing)(2.0, 3.0))
    assert adxform.grad(model.scalar)(3.0) == 6.0


def test_not_a_function() -> None:
    with pytest.raises(TypeError):
        adxform.grad(3.0)(2.0)
