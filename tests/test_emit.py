"""Emitted source: its shape on small pieces of IR, its names, literals and imports, and the way back to the user's lines."""

from __future__ import annotations

import ast
import copy
import linecache
import math
import operator
import subprocess
import sys
import textwrap
import traceback
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from adxform.analysis.stepping import interpret
from adxform.backends.python import printing
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.loading import annotate, filename, load, user_location
from adxform.backends.python.printing import Origin, Remark, to_source
from adxform.errors import UnsupportedSyntaxError
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Var
from adxform.ir.spans import Span
from adxform.ir.text import read
from adxform.ir.types import BOOL, FLOAT, INT, Array, Dim
from adxform.ir.verify import verify
from adxform.ir.walk import Names, map_op
from adxform.runtime import counters

ROW = Array("float64", (Dim("x.0"),))


def emitted(text: str, *args: Any) -> str:
    """The source for the IR `text`; on `args` it must return what the IR does. Imports are left out."""
    fn = read(text)
    verify(fn, typed=True)
    generated = emit(fn)
    assert repr(load(generated)(*copy.deepcopy(args))) == repr(interpret(fn, *args))
    body = ast.parse(generated.text).body
    first = next(stmt for stmt in body if isinstance(stmt, ast.FunctionDef))
    return "\n".join(generated.text.splitlines()[first.lineno - 1 :]) + "\n"


def code(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def test_operators_are_operators() -> None:
    text = """
    def f(x: f64[x.0, x.1], k: float):
        n: int = intrinsics.dim(x, 0)
        tmp: f64 = operator.getitem(x, (0, 1))
        tmp.1: f64 = operator.add(tmp, k)
        tmp.2: f64 = operator.mul(tmp.1, 2.0)
        operator.setitem(x, (0, slice(None, -1, None)), tmp.2)
        tmp.3: f64 = operator.getitem(x, (1, 1))
        tmp.4: f64 = operator.mul(tmp.3, k)
        operator.setitem(x, (1, 1), tmp.4)
        intrinsics.accumulate(x, (1, ...), k)
        intrinsics.deduct(x, ..., 1.5)
        operator.setitem(x, ..., -0.0)
        tmp.5: f64[x.1, x.0] = np.transpose(x)
        tmp.6: f64[x.1, x.1] = operator.matmul(tmp.5, x)
        tmp.7: f64[x.1] = np.ndarray.sum(tmp.6, axis=0)
        total: f64[x.1] = operator.neg(tmp.7)
        return total, n
    """
    assert emitted(text, np.arange(6.0).reshape(2, 3), 0.5) == code("""
        def f(x, k):
            x[0, :-1] = (x[0, 1] + k) * 2.0
            x[1, 1] *= k
            x[1, ...] += k
            x -= 1.5
            x[...] = -0.0
            total = -(x.T @ x).sum(axis=0)
            return total, x.shape[0]
        """)


def test_carried_values_that_feed_one_another_are_assigned_at_once() -> None:
    text = """
    def f(n: int):
        a: int, b: int = for i: int in range(0, n, 1) with a.1: int = 0, b.1: int = 1:
            tmp: int = operator.add(a.1, b.1)
            yield b.1, tmp
        return a
    """
    assert emitted(text, 10) == code("""
        def f(n):
            a = 0
            b = 1
            for _ in range(n):
                a, b = b, a + b
            return a
        """)


def test_a_chain_of_carried_values_needs_no_tuple() -> None:
    text = """
    def f(a: int, b: int, c: int):
        x: int, y: int, z: int = for i: int in range(0, 2, 1) with x.1: int = a, y.1: int = b, z.1: int = c:
            yield y.1, z.1, i
        return x, y, z
    """
    assert emitted(text, 1, 2, 3) == code("""
        def f(a, b, c):
            x = a
            y = b
            z = c
            for i in range(2):
                x = y
                y = z
                z = i
            return x, y, z
        """)


def test_an_older_version_that_is_read_later_keeps_its_name() -> None:
    text = """
    def f(x: float):
        y: float = operator.mul(x, 2.0)
        y.1: float = operator.add(y, 1.0)
        tmp: float = operator.mul(y, y)
        y.2: float = operator.mul(y.1, tmp)
        return y.2, y.1
    """
    assert emitted(text, 3.0) == code("""
        def f(x):
            y = x * 2.0
            y_1 = y + 1.0
            y = y_1 * (y * y)
            return y, y_1
        """)


def test_branches() -> None:
    text = """
    def f(x: float, n: int):
        c: bool = operator.lt(n, 3)
        y: float = if c:
            yield x
        else:
            y.1: float = math.sin(x)
            yield y.1
        c.1: bool = operator.eq(n, 5)
        z: float = if c.1:
            yield y
        else:
            z.2: float = math.cos(x)
            c.2: bool = operator.gt(x, 2.0)
            z.3: float = if c.2:
                z.4: float = math.exp(x)
                yield z.4
            else:
                z.5: float = operator.mul(z.2, 2.0)
                yield z.5
            yield z.3
        return y, z
    """
    assert emitted(text, 1.5, 4) == code("""
        def f(x, n):
            c = n < 3
            if c:
                y = x
            else:
                y = math.sin(x)
            c = n == 5
            if c:
                z = y
            else:
                z = math.cos(x)
                c = x > 2.0
                if c:
                    z = math.exp(x)
                else:
                    z *= 2.0
            return y, z
        """)


def test_empty_branches_are_turned_and_nested_ones_chained() -> None:
    text = """
    def f(x: f64[x.0], k: int, s: float):
        tmp: bool = operator.lt(k, 0)
        if tmp:
            pass
        else:
            operator.setitem(x, 0, 1.0)
        tmp.1: bool = operator.lt(s, 0.0)
        if tmp.1:
            pass
        else:
            operator.setitem(x, 1, 1.0)
        tmp.2: bool = operator.eq(k, 1)
        if tmp.2:
            operator.setitem(x, 0, 2.0)
        else:
            tmp.3: bool = operator.eq(k, 2)
            if tmp.3:
                operator.setitem(x, 0, 3.0)
            else:
                operator.setitem(x, 0, 4.0)
        return x
    """
    assert emitted(text, np.ones(2), 2, math.nan) == code("""
        def f(x, k, s):
            if k >= 0:
                x[0] = 1.0
            if not s < 0.0:
                x[1] = 1.0
            if k == 1:
                x[0] = 2.0
            elif k == 2:
                x[0] = 3.0
            else:
                x[0] = 4.0
            return x
        """)


def test_conditions_read_as_they_were_written() -> None:
    text = """
    def f(x: f64[x.0], n: int):
        i: int = while with i.1: int = 0:
            tmp: bool = operator.lt(i.1, n)
            tmp.2: bool = if tmp:
                tmp.3: f64 = operator.getitem(x, i.1)
                tmp.4: b8 = operator.gt(tmp.3, 0.0)
                yield tmp.4
            else:
                yield tmp
            yield tmp.2
        do with i.2: int:
            i.3: int = operator.add(i.2, 1)
            yield i.3
        tmp.5: bool = operator.gt(i, 1)
        tmp.6: int = if tmp.5:
            yield i
        else:
            tmp.7: int = operator.neg(i)
            yield tmp.7
        return tmp.6
    """
    assert emitted(text, np.array([1.0, 2.0, -1.0]), 3) == code("""
        def f(x, n):
            i = 0
            while i < n and x[i] > 0.0:
                i += 1
            return i if i > 1 else -i
        """)


def test_a_test_that_needs_statements() -> None:
    text = """
    def f(x: f64[x.0]):
        k: int = while with k.1: int = 0:
            operator.setitem(x, k.1, 0.0)
            tmp: bool = operator.lt(k.1, 2)
            yield tmp
        do with k.2: int:
            k.3: int = operator.add(k.2, 1)
            yield k.3
        return k, x
    """
    assert emitted(text, np.ones(4)) == code("""
        def f(x):
            k = 0
            while True:
                x[k] = 0.0
                if k >= 2:
                    break
                k += 1
            return k, x
        """)


def test_break_where_it_was() -> None:
    text = """
    def f(x: f64[x.0], n: int):
        total: float = for i: int in range(0, n, 1) breaks with total.1: float = 0.0:
            v: f64 = operator.getitem(x, i)
            tmp: b8 = operator.lt(v, 0.0)
            going: bool, total.2: float = if tmp:
                yield False, total.1
            else:
                total.3: float = operator.add(total.1, v)
                tmp.1: b8 = operator.gt(total.3, 9.0)
                going.1: bool = if tmp.1:
                    yield False
                else:
                    operator.setitem(x, i, 0.0)
                    yield True
                yield going.1, total.3
            yield going, total.2
        return total, x
    """
    assert emitted(text, np.array([1.0, 2.0, -1.0, 5.0]), 4) == code("""
        def f(x, n):
            total = 0.0
            for i in range(n):
                v = x[i]
                if v < 0.0:
                    break
                total += v
                if total > 9.0:
                    break
                x[i] = 0.0
            return total, x
        """)


def test_a_condition_that_is_carried_is_asked_as_it_was() -> None:
    text = """
    def f(n: int):
        a: bool, k: int = for i: int in range(0, n, 1) breaks with a.1: bool = True, k.1: int = 0:
            tmp: bool = operator.lt(i, 2)
            k.2: int = operator.add(k.1, 1)
            yield a.1, tmp, k.2
        return a, k
    """
    emitted(text, 10)


def test_what_a_write_may_change_is_read_before_it() -> None:
    text = """
    def f(x: f64[x.0], y: f64[y.0]):
        tmp: f64 = operator.getitem(x, 0)
        tmp.1: f64 = operator.getitem(y, 0)
        row: f64[x.0] = operator.getitem(x, slice(None, None, -1))
        operator.setitem(row, 0, 5.0)
        tmp.2: f64 = operator.add(tmp, tmp.1)
        tmp.3: f64 = operator.getitem(x, 1)
        builtins.print(end='')
        tmp.4: f64 = operator.mul(tmp.2, tmp.3)
        return tmp.4
    """
    assert emitted(text, np.array([1.0, 2.0]), np.array([3.0])) == code("""
        def f(x, y):
            x_0 = x[0]
            row = x[::-1]
            row[0] = 5.0
            tmp = x_0 + y[0]
            x_1 = x[1]
            print(end='')
            return tmp * x_1
        """)


def test_pops_keep_their_order() -> None:
    text = """
    def f(a: int, b: int):
        x_tape: stack = intrinsics.new_stack()
        intrinsics.push(x_tape, a)
        intrinsics.push(x_tape, b)
        intrinsics.turning_point()
        tmp: int = intrinsics.pop(x_tape)
        tmp.1: int = intrinsics.pop(x_tape)
        tmp.2: int = operator.sub(tmp.1, tmp)
        return tmp.2
    """
    assert emitted(text, 7, 4) == code("""
        def f(a, b):
            x_tape = []
            x_tape.append(a)
            x_tape.append(b)
            # reverse sweep
            tmp = x_tape.pop()
            return x_tape.pop() - tmp
        """)


def test_helpers_call_one_another() -> None:
    text = """
    def f(n: int):
        a: int, b: int = invoke g(n, 1)
        return a, b


    def g(n: int, acc: int):
        c: bool = operator.lt(n, 1)
        a: int, b: int = if c:
            yield acc, n
        else:
            tmp: int = operator.sub(n, 1)
            tmp.1: int = operator.mul(acc, n)
            a.1: int, b.1: int = invoke g(tmp, tmp.1)
            yield a.1, b.1
        return a, b
    """
    assert emitted(text, 5) == code("""
        def g(n, acc):
            c = n < 1
            if c:
                a = acc
                b = n
            else:
                a, b = g(n - 1, acc * n)
            return a, b


        def f(n):
            a, b = g(n, 1)
            return a, b
        """)


def test_raise_ends_its_branch() -> None:
    text = """
    def f(x: float):
        tmp: bool = operator.lt(x, 0.0)
        y: float = if tmp:
            tmp.1 = builtins.ValueError('negative')
            raise tmp.1
            yield <undefined>
        else:
            y.1: float = math.sqrt(x)
            yield y.1
        return y
    """
    assert emitted(text, 4.0) == code("""
        def f(x):
            if x < 0.0:
                tmp = ValueError('negative')
                raise tmp
            y = math.sqrt(x)
            return y
        """)
    with pytest.raises(ValueError, match="negative"):
        load(emit(read(textwrap.dedent(text))))(-1.0)


def test_what_is_undefined_is_not_assigned() -> None:
    text = """
    def f(n: int):
        y: int, z: int = for i: int in range(0, n, 1) with y.1: int = <undefined>, z.1: int = 0:
            y.2: int = operator.add(i, 1)
            z.2: int = operator.add(z.1, y.2)
            yield y.2, z.2
        return z
    """
    assert emitted(text, 3) == code("""
        def f(n):
            z = 0
            for i in range(n):
                y = i + 1
                z += y
            return z
        """)


def function(params: tuple[Var, ...], *ops: Op, results: tuple[Operand, ...], name: str = "f") -> Function:
    return Function(name, Block(params, ops, results))


def test_names_are_legal_and_hide_nothing() -> None:
    names = ("lambda", "np", "len", "match", "f", "é")
    params = tuple(Var(name, FLOAT) for name in names)
    text = Var("len.1", INT)
    array = Var("x", ROW)
    op = Call((text,), Lit(len), (array,))
    zeros = Call((Var("range", ROW),), Lit(np.zeros_like), (array,))
    fn = function((array, *params), op, zeros, results=(text, *params, Var("range", ROW)))
    generated = emit(fn)
    assert "def f(x, lambda_, np_1, len_1, match_, f_1, é):" in generated.text
    values = load(generated)(np.ones(2), 1, 2, 3, 4, 5, 6)
    assert values[:-1] == (2, 1, 2, 3, 4, 5, 6)


def test_a_function_may_be_named_as_what_it_calls() -> None:
    x, y = Var("x", INT), Var("y", INT)
    for name, fn in (("thrice", thrice), ("abs", abs), ("while", thrice)):
        generated = emit(function((x,), Call((y,), Lit(fn), (x,)), results=(y,), name=name))
        assert generated.entry == f"{name}_1"
        assert load(generated)(-2) == fn(-2)


def test_variables_that_the_user_named_differently_stay_apart() -> None:
    text = """
    def f(a: float, n: int):
        x: float, y: float = for i: int in range(0, n, 1) with x.1: float = a, y.1: float = 1.0:
            tmp: float = operator.mul(x.1, y.1)
            yield y.1, tmp
        return x, y
    """
    assert emitted(text, 3.0, 4) == code("""
        def f(a, n):
            x = a
            y = 1.0
            for _ in range(n):
                x, y = y, x * y
            return x, y
        """)


def test_blocks_that_nest_too_deeply_are_refused() -> None:
    builder = Builder(Names())
    x = builder.var("x", FLOAT)
    block = Block((), (), (x,))
    for k in range(800):
        inner = builder.nested()
        cond = inner.call(operator.lt, x, Lit(float(k)), type=BOOL)
        out = inner.var("y", FLOAT)
        inner.emit(If((out,), cond, Block((), (), (Lit(1.0),)), block))
        block = inner.block((), (out,))
    with pytest.raises(UnsupportedSyntaxError, match="nests too deeply"):
        emit(Function("f", Block((x,), block.ops, block.results)))


def test_same_base_twice_among_the_parameters() -> None:
    a, b = Var("x_ct", FLOAT), Var("x_ct.1", FLOAT)
    assert load(emit(function((a, b), results=(b, a))))(1.0, 2.0) == (2.0, 1.0)


@pytest.mark.parametrize(
    "value",
    [
        0,
        -3,
        True,
        None,
        ...,
        0.1,
        -0.0,
        1e22,
        1e-320,
        math.inf,
        -math.inf,
        math.nan,
        1j,
        -2.5j,
        complex(-0.0, 1.0),
        complex(1.0, -0.0),
        complex(math.inf, math.nan),
        "a'\"\\\n",
        b"\x00",
        (1, (2.0, "x"), ()),
        [1, [2]],
        {"a": 1, 2: (3,)},
        np.float64(0.1),
        np.float32(0.1),
        np.float32(-0.0),
        np.int8(-7),
        np.bool(True),
        np.float64("nan"),
        slice(1, None, -1),
        np.float64,
        float,
        np.linalg.norm,
        np.linalg,
        math,
        np.add.reduce,
        operator.add,
    ],
)
def test_literals_are_spelled_exactly(value: Any) -> None:
    generated = emit(function((), results=(Lit(value),)))
    assert not generated.externals
    found = load(generated)()
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_dtypes_are_their_scalar_types() -> None:
    x = Var("x", INT)
    zeros = Call((Var("y", ROW),), Lit(np.zeros), (x,), (("dtype", Lit(np.dtype("float32"))),))
    text = emit(function((x,), zeros, results=(Var("y", ROW),))).text
    assert "y = np.zeros(x, dtype=np.float32)" in text


class Namespace:
    """Something to import from."""

    @staticmethod
    def twice(x: int) -> int:
        """Twice `x`."""
        return 2 * x


def thrice(x: int) -> int:
    """Three times `x`."""
    return 3 * x


def test_opaque_functions_are_imported_where_that_is_possible() -> None:
    offset = 5
    local = lambda x: x + offset
    x, a, b, c = (Var(name, INT) for name in "xabc")
    calls = [Call((a,), Lit(thrice), (x,)), Call((b,), Lit(Namespace.twice), (a,)), Call((c,), Lit(local), (b,))]
    generated = emit(function((x,), *calls, results=(c,)))
    assert generated.text == code(f"""
        from {__name__} import Namespace, thrice


        # function: {__name__}.{local.__qualname__}, which no import reaches; given by keyword
        def f(x, *, function):
            a = thrice(x)
            b = Namespace.twice(a)
            c = function(b)
            return c
        """)
    assert dict(generated.externals) == {"function": local}
    assert load(generated)(2) == 17


def test_two_imports_of_one_name() -> None:
    first, second = math.sqrt, np.emath.sqrt
    x, a, b = (Var(name, FLOAT) for name in "xab")
    fn = function((x,), Call((a,), Lit(first), (x,)), Call((b,), Lit(second), (a,)), results=(b,))
    assert load(emit(fn))(16.0) == 2.0


def located(fn: Function, line: int = 1) -> Function:
    """`fn` with its ops on lines counted in order."""
    lines = iter(range(line, 1000))

    def block(inner: Block) -> Block:
        return Block(inner.params, tuple(map(visit, inner.ops)), inner.results)

    def visit(op: Op) -> Op:
        at = next(lines)
        return replace(map_op(op, lambda operand: operand, block), span=Span("/home/you/model.py", at, 4, at, 9))

    return replace(fn, body=block(fn.body))


DIVIDE = """
def f(x: float, n: int):
    y: float = for i: int in range(0, n, 1) with y.1: float = x:
        y.2: float = operator.truediv(y.1, 0.0)
        yield y.2
    intrinsics.turning_point()
    z: float = operator.neg(y)
    return z
"""


def test_lines_name_the_users_lines() -> None:
    assert emit(located(read(DIVIDE)), doc="What it does.").text == code('''
        def f(x, n):
            """What it does."""
            y = x
            for _ in range(n):  # model.py:1
                y /= 0.0  # model.py:2
            # reverse sweep
            z = -y  # model.py:4
            return z
        ''')


def test_tracebacks_show_generated_code_and_name_the_users_line() -> None:
    generated = emit(located(read(DIVIDE)))
    before = counters.snapshot()["py_compiles"]
    function_ = load(generated)
    assert counters.snapshot()["py_compiles"] == before + 1
    linecache.checkcache()
    with pytest.raises(ZeroDivisionError) as caught:
        function_(1.0, 3)
    shown = "".join(traceback.format_exception(caught.value))
    assert "y /= 0.0  # model.py:2" in shown
    annotate(caught.value, generated)
    annotate(caught.value, generated)
    assert caught.value.__notes__ == ["in the derivative of model.py:2"]
    span = user_location(filename(generated), 6)
    assert span is not None
    assert span.line == 4
    assert user_location("elsewhere.py", 1) is None


def test_saved_source_runs_alone(tmp_path: Any) -> None:
    text = """
    def f(x: f64[x.0]):
        tmp: f64[x.0] = np.sin(x)
        tmp.1: f64[x.0] = runtime.unbroadcast(tmp, x)
        y: f64 = np.sum(tmp.1)
        return y
    """
    generated = emit(read(text))
    assert generated.text.startswith("import numpy as np\nfrom adxform import runtime\n\n\ndef f(x):")
    path = tmp_path / "saved.py"
    path.write_text(generated.text + "\n\nprint(f(np.ones(2)) == 2 * np.sin(1.0))\n", encoding="utf-8")
    assert subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout == "True\n"


def test_long_expressions_are_cut() -> None:
    builder = Builder(Names())
    xs = [builder.var(f"quantity{k}", FLOAT) for k in range(20)]
    total: Operand = xs[0]
    for x in xs[1:]:
        total = builder.call(operator.add, total, x, type=FLOAT)
    text = emit(Function("f", builder.block(tuple(xs), (total,)))).text
    assert max(map(len, text.splitlines()[1:])) <= 100
    assert len(text.splitlines()) == 5


def test_many_live_values_stay_fast_and_distinct() -> None:
    builder = Builder(Names())
    x = builder.var("x", FLOAT)
    values = [builder.call(math.sin, x, type=FLOAT) for _ in range(1500)]
    total: Operand = Lit(0.0)
    for value in reversed(values):
        total = builder.call(operator.add, total, value, type=FLOAT, hint="x_ct")
        total = builder.call(operator.mul, total, value, type=FLOAT, hint="x_ct")
    fn = Function("f", builder.block((x,), (total,)))
    assert load(emit(fn))(0.3) == interpret(fn, 0.3)


SHAPES = '''
def f(a, b):
    """Says.

    More.
    """
    x[i, 1:, None] = (a + b) * c ** -d - (e - f) / (g / h)
    a, b = b, a
    if not (a < b and c or d):
        pass
    elif (a if b else c)[0]:
        y = [(1, 2), {}, -1.5, 'a']
    else:
        del x[0]
    while True:
        break
    return (a, b)[0], -(-x), 2 ** -1, (-2) ** 2, (a ** b) ** c, not a in b
'''


def test_both_printers_keep_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ast.parse(SHAPES)
    first = to_source(tree)
    monkeypatch.setattr(printing, "astor", None)
    second = to_source(ast.parse(SHAPES))
    assert ast.dump(ast.parse(first)) == ast.dump(tree) == ast.dump(ast.parse(second))


def test_markers_are_comments() -> None:
    one, two = ast.parse("for i in x:\n    y = i\nz = 1").body
    assert isinstance(one, ast.For)
    span = Span("/a/b.py", 7, 0, 7, 1)
    one.body = [Origin(span), Remark("inside"), *one.body]
    assert to_source(ast.Module([Origin(span), one, Remark("after"), Origin(replace(span, line=8)), two], [])) == code("""
        for i in x:  # b.py:7
            # inside
            y = i
        # after
        z = 1  # b.py:8
        """)


def test_the_same_ir_gives_the_same_bytes() -> None:
    program = (
        "import numpy as np\n"
        "from adxform.backends.python.emit import emit\n"
        "from adxform.ir.text import read\n"
        f"print(emit(read({DIVIDE!r})).text)\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(texts) == 1


def test_generated_is_data() -> None:
    generated = emit(read(DIVIDE))
    assert isinstance(generated, Generated)
    assert generated.entry == "f"
    assert generated == emit(read(DIVIDE))
