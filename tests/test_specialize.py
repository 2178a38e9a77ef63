"""Specialisation: programs run as typed IR, and what is inferred, folded, guarded, hidden and promoted."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adxform.analysis.stepping import interpret
from adxform.errors import AdxError, GlobalMutationError, NonScalarOutputError, UnsupportedOperationError
from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.rule_bodies.expander import RuleExpander
from adxform.frontend.signature import Fixed, Leaf, Node, describe, sign
from adxform.frontend.signature.access import Access, guards_hold
from adxform.frontend.specialize import specialize
from adxform.frontend.specialized import Specialized
from adxform.ir.ops import Call, Function, If, Lit, Pack, Var
from adxform.ir.types import FLOAT, INT, Array, Dim, Scalar
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops
from adxform.primitives.record import General
from tests.specialize_programs import CASES


def no_derivatives(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    raise AssertionError(kind)


def specialized(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Specialized:
    signature, leaves = sign(f, args, kwargs)
    found = specialize(f, signature, leaves, no_derivatives)
    verify(found.function, typed=True)
    return found


def run(found: Specialized, f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """The leaves of the result of the typed function on these arguments."""
    leaves = sign(f, args, kwargs)[1]
    known = dict(found.promoted)
    values = [leaf for position, leaf in enumerate(leaves) if position not in known]
    out = interpret(found.function, *values, *(access.read(f) for access in found.hidden))
    return (out,) if len(found.function.results) == 1 else tuple(out)


def calls(function: Function) -> list[Any]:
    return [op.fn.value for op in all_ops(function.body) if isinstance(op, Call) and isinstance(op.fn, Lit)]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_typed_ir_gives_what_the_program_gives(f, args):
    found = specialized(f, *copy.deepcopy(args))
    assert guards_hold(found.guards, f)
    got = run(found, f, *copy.deepcopy(args))
    want = describe(f(*copy.deepcopy(args)))[1]
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype or not isinstance(other, np.ndarray)


# Types


def test_python_numbers_are_weak_and_numpy_numbers_are_not():
    found = specialized(lambda x, y: (x * 2, y * 2), 1.5, np.float32(2.0))
    assert [result.type for result in found.function.results] == [FLOAT, Scalar("float32")]


def test_lengths_follow_slices():
    found = specialized(lambda x: (x[1:], x[:-1], x[1:-1], x[1:] - x[:-1]), np.ones(4))
    shapes = [result.type.shape for result in found.function.results]
    assert shapes == [(Dim("x.0", -1),), (Dim("x.0", -1),), (Dim("x.0", -2),), (Dim("x.0", -1),)]


def test_lengths_follow_sizes():
    def f(x):
        n = len(x)
        return np.zeros(n - 1) + x[1:], np.ones((n, 3))

    found = specialized(f, np.ones(4))
    assert [r.type.shape for r in found.function.results] == [(Dim("x.0", -1),), (Dim("x.0"), 3)]


def test_a_length_of_one_is_known():
    found = specialized(lambda x, y: x + y, np.ones((1, 3)), np.ones((4, 1)))
    assert found.function.results[0].type == Array("float64", (Dim("y.0"), Dim("x.1")))


def test_element_and_view():
    found = specialized(lambda x: (x[0, 1], x[0], x[..., None]), np.ones((2, 3)))
    element, row, more = (result.type for result in found.function.results)
    assert element == Scalar("float64")
    assert row == Array("float64", (Dim("x.1"),))
    assert more == Array("float64", (Dim("x.0"), Dim("x.1"), 1))


def test_number_and_array_join_to_unknown_rank():
    found = specialized(lambda x: x if x[0] > 0 else 0.0, np.ones(2))
    assert found.function.results[0].type == Array("float64", None)


def test_integer_start_of_a_float_sum_is_a_float():
    def f(x):
        total = 0
        for v in x:
            total += v
        return total

    assert specialized(f, np.ones(2)).function.results[0].type == Scalar("float64")


# Folding


def test_known_branches_leave_no_trace():
    def f(x, mode="double"):
        if mode == "double" and isinstance(x, float):
            return x * 2
        return x

    ops = list(all_ops(specialized(f, 1.0).function.body))
    assert len(ops) == 1
    assert not any(isinstance(op, If) for op in ops)


def test_augmented_store_is_one_op():
    def f(x, v):
        x[0] += v
        x[1:] -= v
        x *= v
        return x

    names = [fn.__name__ for fn in calls(specialized(f, np.ones(3), 2.0).function)]
    assert names == ["accumulate", "deduct", "mul", "setitem"]


def test_a_write_between_load_and_update_keeps_the_order_of_python():
    def change(x):
        x[0] = 10.0
        return 1.0

    def f(x):
        x[0] += change(x)
        return x

    assert run(specialized(f, np.ones(2)), f, np.ones(2))[0][0] == f(np.ones(2))[0] == 2.0


# What lies outside


def test_numbers_outside_are_read_at_each_call():
    scale, table = 2.0, np.array([1.0, 2.0])

    def f(x, factor=3.0):
        return x * scale * table.sum() * factor

    found = specialized(f, 1.0)
    assert {str(access) for access in found.hidden} == {"scale", "table", "factor"}
    assert guards_hold(found.guards, f)
    scale = -4.0
    assert guards_hold(found.guards, f)
    assert run(found, f, 1.0)[0] == f(1.0)
    scale = np.ones(2)
    assert not guards_hold(found.guards, f)


def test_two_closures_of_one_code_share_guards_and_another_helper_does_not():
    def make(helper, k):
        return lambda x: helper(x) * k

    def square(x):
        return x * x

    def cube(x):
        return x**3

    first = make(square, 2.0)
    found = specialized(first, 1.0)
    assert guards_hold(found.guards, make(square, 5.0))
    assert run(found, make(square, 5.0), 3.0)[0] == 45.0
    assert not guards_hold(found.guards, make(cube, 2.0))


@dataclasses.dataclass
class Model:
    weight: float
    names: tuple[str, ...] = ("a",)

    def predict(self, x):
        return self.weight * x


def test_attributes_of_self_are_hidden_parameters():
    model = Model(2.0)
    found = specialized(model.predict, 3.0)
    assert [str(access) for access in found.hidden] == ["__self__.weight"]
    other = Model(5.0)
    assert guards_hold(found.guards, other.predict)
    assert run(found, other.predict, 3.0)[0] == 15.0
    other.weight = 5
    assert not guards_hold(found.guards, other.predict)


def test_an_integer_that_must_be_known_is_promoted():
    found = specialized(lambda x, axis: np.sum(x, axis=axis), np.ones((2, 3)), 1)
    assert found.promoted == ((1, Lit(1)),)
    assert len(found.function.params) == 1
    assert found.function.results[0].type == Array("float64", (Dim("x.0"),))


def test_a_hidden_integer_that_must_be_known_is_guarded():
    axis = 0

    def f(x):
        return np.sum(x, axis=axis)

    found = specialized(f, np.ones((2, 3)))
    assert found.hidden == ()
    assert guards_hold(found.guards, f)
    axis = 1
    assert not guards_hold(found.guards, f)


def test_a_flag_that_chooses_a_function_is_promoted():
    found = specialized(lambda x, flag: (math.sin if flag else math.cos)(x), 1.0, True)
    assert found.promoted == ((1, Lit(True)),)


# Structures


def test_result_tree():
    found = specialized(lambda x: {"a": (x, None), "b": [x * 2, "name"]}, 1.0)
    tree = found.result
    assert isinstance(tree, Node)
    assert (tree.kind, tree.keys) == ("dict", ("a", "b"))
    assert tree.children[0] == Node("tuple", tuple, (0, 1), (Leaf(FLOAT), Fixed(Lit(None))))
    assert len(found.function.results) == 2


def test_leaf_names():
    found = specialized(lambda p, q: p["w"] * q[0], {"w": 1.0}, (2.0,))
    assert found.names == ("p['w']", "q[0]")
    assert [param.name for param in found.function.params] == ["p_w", "q_0"]


def test_signature_tells_numbers_apart_by_type():
    assert sign(lambda x: x, (1,), {})[0] != sign(lambda x: x, (1.0,), {})[0]
    assert sign(lambda x: x, (1,), {})[0] == sign(lambda x: x, (2,), {})[0]
    assert sign(lambda x: x, (True,), {})[0] != sign(lambda x: x, (1,), {})[0]
    assert sign(lambda x: x, ("a",), {})[0] != sign(lambda x: x, ("b",), {})[0]


# Recursion


def test_recursion_is_a_function_of_its_own():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    found = specialized(power, 2.0, 5)
    assert len(found.function.helpers) == 1
    assert run(found, power, 2.0, 5)[0] == 32.0


def test_recursion_on_constants_is_unrolled():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    found = specialized(lambda x: power(x, 3), 2.0)
    assert found.function.helpers == ()


def test_recursion_in_a_class_of_mutual_functions():
    def even(x, n):
        return x if n == 0 else odd(x + 1.0, n - 1)

    def odd(x, n):
        return x * 2 if n == 0 else even(x * x, n - 1)

    found = specialized(even, 1.5, 3)
    assert run(found, even, 1.5, 3)[0] == even(1.5, 3)


# Errors


def error_of(f: Callable[..., Any], *args: Any) -> AdxError:
    with pytest.raises(AdxError) as caught:
        specialized(f, *args)
    return caught.value


def line_of(f: Callable[..., Any], offset: int) -> int:
    return f.__code__.co_firstlineno + offset


HELD = {"table": np.ones(3)}
SETTINGS = {"a": 1.0}


def test_a_write_to_an_array_in_a_global_dict_is_refused():
    def f(x):
        row = HELD["table"][1:]
        row[0] = x
        return row.sum()

    error = error_of(f, 1.0)
    assert isinstance(error, GlobalMutationError)
    assert (error.span.line, error.span.column) == (line_of(f, 2), 8)


def test_a_global_dict_that_is_read_back_is_refused():
    def f(x):
        SETTINGS["a"] = x
        return x * SETTINGS["a"]

    assert isinstance(error_of(f, 1.0), GlobalMutationError)


def test_a_value_of_two_kinds_is_refused_where_it_is_used():
    def f(x):
        y = x if x[0] > 0 else "small"
        z = 1.0
        return y * z

    error = error_of(f, np.ones(2))
    assert isinstance(error, UnsupportedOperationError)
    assert error.span.line == line_of(f, 3)


def test_in_place_addition_of_what_may_be_a_number_is_refused():
    def f(x):
        y = x if x[0] > 0 else 0.0
        y += x
        return y

    assert error_of(f, np.ones(2)).span.line == line_of(f, 2)


def test_a_list_of_unlike_objects_of_a_length_that_only_a_run_can_tell_is_refused():
    def f(x):
        out = []
        for v in x:
            if v > 0:
                out.append({"value": v} if v > 1 else {"value": v, "small": True})
        return out[0]["value"]

    assert isinstance(error_of(f, np.ones(2)), UnsupportedOperationError)


def test_a_number_kept_in_an_unknown_object_is_refused():
    def f(x):
        box = np.empty(1, object)
        box[0] = x
        return box[0] * x

    assert error_of(f, 2.0).span.line == line_of(f, 2)


# Derivatives inside


class Gradient(Operator):
    def __call__(self, *args: Any) -> Any:
        raise AssertionError


def tripled(kind: str, function: Function, wrt: tuple[int, ...]) -> Function:
    """A stand-in for the derivative: the results, and three times each parameter, whatever the cotangents."""
    from adxform.ir.build import Builder
    from adxform.ir.ops import Block
    from adxform.ir.walk import Names

    builder = Builder(Names.of(function))
    ct = builder.var("ct", FLOAT)
    gradients = tuple(builder.call(np.multiply, function.params[k], Lit(3.0), type=function.params[k].type) for k in wrt)
    body = Block((*function.params, ct), (*function.body.ops, *builder.ops), (*function.results, *gradients))
    return Function("derived", body)


def test_the_inner_function_takes_what_it_captures_as_parameters():
    scale = 5.0

    def f(x):
        def inner(y):
            return y * x * scale

        return Gradient("grad", inner)(x * 2.0)

    del f
    operator = Gradient("grad", lambda y: y * scale)

    def g(x):
        return operator(x) + 1.0

    signature, leaves = sign(g, (2.0,), {})
    found = specialize(g, signature, leaves, tripled)
    assert run(found, g, 2.0)[0] == 7.0
    assert guards_hold(found.guards, g)
    operator = Gradient("grad", lambda y: y * scale, argnums=(0,))
    assert not guards_hold(found.guards, g)


def test_the_gradient_of_an_array_is_refused():
    operator = Gradient("grad", lambda y: y * 2.0)
    signature, leaves = sign(lambda x: operator(x), (np.ones(2),), {})
    with pytest.raises(NonScalarOutputError):
        specialize(lambda x: operator(x), signature, leaves, tripled)


# Rules as IR


def test_expand_gives_a_result_for_each_leaf():
    expander = RuleExpander(no_derivatives)
    x, y = Var("x", FLOAT), Var("y", Array("float64", (Dim("y.0"),)))
    function = expander.expand(lambda a, b: (b, None, a * b), (x, y), ())
    assert function.results[0] == function.params[1]
    assert function.results[1] == Lit(None)
    assert function.results[2].type == y.type
    assert expander.expand is not None


def test_expand_rule_shares_residuals():
    def rule(a, b):
        s = np.sin(a)

        def pullback(ct):
            return ct * np.cos(a) * b, ct * s

        return s * b, pullback

    x, y = Var("x", FLOAT), Var("y", FLOAT)
    forward, pullback = RuleExpander(no_derivatives).expand_rule(General(rule), (x, y), ())
    value, *residuals = interpret(forward, 0.5, 3.0)
    assert value == np.sin(0.5) * 3.0
    assert interpret(pullback, *residuals, 2.0) == (2.0 * np.cos(0.5) * 3.0, 2.0 * np.sin(0.5))


def test_expand_folds_what_is_static():
    def body(x, axis):
        return x if axis is None else np.sum(x, axis=axis) * np.ndim(x)

    x = Var("x", Array("float64", (Dim("x.0"), Dim("x.1"))))
    function = RuleExpander(no_derivatives).expand(body, (x, Lit(0)), ())
    assert len(function.params) == 1
    assert [fn.__name__ for fn in calls(function)] == ["sum", "mul"]
    taken = RuleExpander(no_derivatives).expand(lambda x, index: x[index], (x, Pack("tuple", (Lit(0), Var("i", INT)))), ())
    assert taken.results[0].type == Scalar("float64")


def test_access_reads_through_cells_defaults_and_items():
    inside = {"k": (1.0, 2.0)}

    def f(x, y=3.0):
        return x * inside["k"][1] * y

    assert Access().to("cell", "inside").to("item", "k").to("item", 1).read(f) == 2.0
    assert Access().to("default", "y").read(f) == 3.0


def test_a_list_given_twice_may_be_read_but_not_changed():
    def read(a, b):
        return a[0] * b[0]

    def write(a, b):
        a[0] = a[0] * 2
        return a[0] * b[0]

    both = [3.0]
    assert run(specialized(read, both, both), read, both, both)[0] == 9.0
    assert error_of(write, both, both).span.line == line_of(write, 1)
    assert sign(write, (both, both), {})[0] != sign(write, ([3.0], [3.0]), {})[0]


@pytest.mark.parametrize("look", [locals, globals, vars])
def test_what_sees_the_running_program_is_refused(look):
    error = error_of(lambda x: look()["x"] * x, 2.0)
    assert isinstance(error, UnsupportedOperationError)


def test_lists_of_numbers_are_arrays_where_numpy_makes_them_so():
    def f(x):
        y = np.zeros(3)
        y[:2] = [x[0], x[1] * 2.0]
        y[1:] += [1.0, x[0]]
        return y * [x[0], 2, 3.0]

    found = specialized(f, np.array([2.0, 3.0]))
    assert np.array in calls(found.function)
    np.testing.assert_array_equal(run(found, f, np.array([2.0, 3.0]))[0], f(np.array([2.0, 3.0])))
