"""Callbacks of code that adxform cannot look into, and what they find outside: exchanged between two calls, replaced during one.

Each program is judged against itself: every call of the derivative has the value that the plain program has, or is refused.
"""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.frontend.calls.callbacks import reached
from adxform.frontend.calls.callbacks.objects_held import all_in
from tests.tables.cell import Raised, outcome, program

FOUND = """
import array, collections, contextlib, contextvars, dataclasses, functools, itertools, operator, threading, types, weakref
import numpy as np, scipy.integrate, scipy.interpolate, scipy.optimize

A, BUF, DATA = np.array([2.0, 0.5, 1.0]), np.zeros(3), {1.0: 2.0}
def quiet(t): return t
def loud(t):
    A[0] = 7.0
    return t
class Quiet:
    def act(self, t): return t
class Loud:
    def act(self, t): return loud(t)
class Box: pass
class Caller:
    def __init__(self, act): self.act, self.acts = act, [act]
    def one(self, t): return self.act(t)
    def first(self, t): return self.acts[0](t)
    def __call__(self, t): return self.act(t)
def calls_first(acts): return lambda t: acts[0](t)
def of_first(acts, t): return acts[0](t)
def three(a, b, c): return 1.0
table, hooks, queue, things = {"a": quiet}, [quiet], collections.deque([quiet]), [Quiet()]
parts, bound = [functools.partial(quiet)], [Quiet().act]
held, caller, BUFFERS, KIND = Box(), Caller(quiet), [np.zeros(3)], object
class Registry(dict): pass
registry, rows, keys, NAME = Registry(), np.array([np.zeros(3), None], dtype=object), {quiet: 1}, "ac" + "ts"
held.acts, held.act, held.row, held.op, held.np = [quiet], quiet, np.zeros(3), np.add, np
OPS, op_add, filled = [np.add], np.add, functools.partial(np.add, A, 1.0, A)
"""
CALLERS = {
    "quad": "scipy.integrate.quad({}, 0.1, 1)[0]",
    "along": "np.apply_along_axis({}, 0, np.ones(1))[0]",
    "root": "scipy.optimize.brentq({}, -1.0, 2.0)",
}
MODES: dict[str, Callable[..., object]] = {
    "reverse": lambda f, x: adxform.value_and_grad(f)(x)[0],
    "forward": lambda f, x: adxform.jvp(f, (x,), (1.0,))[0],
}


def judged(text: str, mode: str, change: str = "") -> list[str]:
    """What three calls of the derivative did, of which `change` comes before the second, up to one that is refused."""
    plain, derived = program(text), program(text)
    outcomes = []
    for number in range(3):
        if number == 1:
            exec(change, plain.__globals__)
            exec(change, derived.__globals__)
        value, found = plain(2.0), outcome(lambda: MODES[mode](derived, 2.0))
        if isinstance(found, Raised):
            assert isinstance(found.error, AdxError)  # where the callback is followed, of one kind or another
            assert found.error.span is not None
            return [*outcomes, "refused"]
        assert found == value
        outcomes.append("right")
    return outcomes


EXCHANGED = [
    ("def callback(t): return table['a'](t)", "callback", "table['a'] = loud"),
    ("def callback(t): return hooks[0](t)", "callback", "hooks[0] = loud"),
    ("def callback(t):\n    for act in hooks: t = act(t)\n    return t", "callback", "hooks.append(loud)"),
    ("def callback(t): return queue[0](t)", "callback", "queue[0] = loud"),
    ("def callback(t): return held.acts[0](t)", "callback", "held.acts[0] = loud"),
    ("def callback(t): return held.act(t)", "callback", "held.act = loud"),
    ("def callback(t): return things[0].act(t)", "callback", "things[0] = Loud()"),
    ("def callback(t): return parts[0](t)", "callback", "parts[0] = functools.partial(loud)"),
    ("def callback(t): return bound[0](t)", "callback", "bound[0] = Loud().act"),
    ("def callback(t, acts=hooks): return acts[0](t)", "callback", "hooks[0] = loud"),
    ("def callback(t, act=quiet): return act(t)", "callback", "callback.__defaults__ = (loud,)"),
    ("callback = calls_first(hooks)", "callback", "hooks[0] = loud"),
    ("callback = functools.partial(of_first, hooks)", "callback", "hooks[0] = loud"),
    ("", "caller.first", "caller.acts[0] = loud"),
    ("", "caller.one", "caller.act = loud"),
    ("", "caller.one", "caller = Caller(loud)"),
    ("", "caller", "caller = Caller(loud)"),
    ("def callback(t):\n    BUF[0] = 7.0\n    return t", "callback", "BUF = A"),
    ("def callback(t):\n    BUF[0] = 7.0\n    return t", "callback", "BUF = A[:2]"),
    ("def callback(t):\n    BUF[0] += 7.0\n    return t", "callback", "A = BUF"),
    ("def callback(t):\n    held.row[0] = 7.0\n    return t", "callback", "held.row = A"),
    ("def callback(t):\n    BUFFERS[0][0] = 7.0\n    return t", "callback", "BUFFERS[0] = A"),
    ("def callback(t, row=BUF):\n    row[0] = 7.0\n    return t", "callback", "callback.__defaults__ = (A,)"),
    ("def callback(t): return held.__dict__['act'](t)", "callback", "held.act = loud"),
    ("def callback(t): return getattr(held, NAME)[0](t)", "callback", "held.acts[0] = loud"),
    ("get = operator.attrgetter('act')\ndef callback(t): return get(held)(t)", "callback", "held.act = loud"),
    ("rest = itertools.cycle([hooks])\ndef callback(t): return next(rest)[0](t)", "callback", "hooks[0] = loud"),
    ("registry.acts = [quiet]\ndef callback(t): return registry.acts[0](t)", "callback", "registry.acts[0] = loud"),
    ("acts = np.array([quiet, None])\ndef callback(t): return acts[0](t)", "callback", "acts[0] = loud"),
    ("def callback(t):\n    rows[0][0] = 7.0\n    return t", "callback", "rows[0] = A"),
    ("view = types.MappingProxyType(table)\ndef callback(t): return view['a'](t)", "callback", "table['a'] = loud"),
    ("def callback(t):\n    for act in keys: act(t)\n    return t", "callback", "keys[loud] = 1"),
    ("refs = [weakref.ref(held)]\ndef callback(t): return refs[0]().act(t)", "callback", "held.act = loud"),
    ("refs = [weakref.WeakMethod(caller.one)]\ndef callback(t): return refs[0]()(t)", "callback", "caller.act = loud"),
    ("ref = weakref.proxy(held)\ndef callback(t): return ref.act(t)", "callback", "held.act = loud"),
    ("chain = collections.ChainMap(table)\ndef callback(t): return chain['a'](t)", "callback", "table['a'] = loud"),
    ("var = contextvars.ContextVar('var', default=quiet)\ndef callback(t): return var.get()(t)", "callback", "var.set(loud)"),
    ("local = threading.local()\nlocal.act = quiet\ndef callback(t): return local.act(t)", "callback", "local.act = loud"),
    ("def callback(t, op=three):\n    op(A, t, A)\n    return t", "callback", "callback.__defaults__ = (np.add,)"),
]  # fmt: skip
"""A callback, how it is called, and what comes between two calls of the derivative."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("callback", "name", "change"), EXCHANGED)
def test_what_a_callback_finds_is_exchanged_between_two_calls(
    callback: str, name: str, change: str, caller: str, mode: str
) -> None:
    called = CALLERS[caller].format(name)
    text = f"{FOUND}\n{callback}\ndef f(x): return A[0] * x + {called} + A[0] * x**2\n"
    assert judged(text, mode, change) in (["right", "refused"], ["refused"])


UNKNOWN = [
    "apply(np.add, t)", "held.op(A, t, A)", "OPS[0](A, t, A)", "for op in (np.add,): op(A, t, A)", "op_add(A, t, A)",
    "held.np.multiply(A, t, A)", "default(A, t, A)", "default(*(A, t, A))", "captured(A, t, A)", "unary(A, A)",
    "functools.partial(np.add, A, t)(A)", "filled()", "getattr(np, 'add')(A, t, A)", "list(map(np.add, [A], [t], [A]))",
    "reduce(np.ones((2, 3)), 0, None, A)",
    "o = np.array([A, None], dtype=object); o[0] += t", "o = np.array([A, None], object); o[0] += t",
    "o = np.array([A, None], KIND); o[0] += t", "o = np.empty(1, dtype='O'); o[0] = A; o[0] += t",
    "o = np.full(1, None); o[0] = A; o[0] += t", "for row in np.array([A, None], dtype=object)[:1]: row += t",
    "o = np.array([A, None], dtype=object)[:1]; np.add(o[0], t, o[0])",
]  # fmt: skip
AROUND = """
def apply(op, t): op(A, t, A)
def around(captured):
    def callback(t, default=np.add, unary=np.tanh, reduce=np.add.reduce):
"""
"""Functions of NumPy that reach a callback by other ways than their names, and arrays of objects."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("statement", UNKNOWN)
def test_a_callback_calls_what_only_the_run_knows(statement: str, caller: str, mode: str) -> None:
    around = f"{AROUND}        {statement}\n        return t\n    return callback\ncallback = around(np.add)"
    text = f"{FOUND}\n{around}\ndef f(x): return A[0] * x + {CALLERS[caller].format('callback')} + A[0] * x**2\n"
    assert judged(text, mode) == ["refused"]


WITHIN = """
spline = scipy.interpolate.CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
A = spline.c[0]
class Pool:
    def __init__(self, row): self.row = row
    def zeros(self, n): return self.row
    def cumsum(self): return self.row
    def copy(self): return self.row
    def step(self, t):
        row = self.pool.zeros(3)
        row[0] = 7.0
        return t
class Made:
    def __new__(cls, t):
        loud(t)
        return object.__new__(cls)
class Meta(type):
    def __call__(cls, t): return loud(t)
class ByMeta(metaclass=Meta): pass
def loud_forever():
    while True: yield loud(1.0)
def shifted(rows):
    rows = rows.copy()
    rows[0] += 7.0
pool, many, default, rest = Pool(A), loud_forever(), collections.defaultdict(lambda: loud(1.0)), map(loud, [1.0] * 10_000)
pool.pool, flat, seen = pool, A.flat, memoryview(A)
"""
STATEMENTS = [
    "pool.step(t)", "row = default_pool.zeros(3); row[0] = 7.0", "row = default_pool.cumsum(); row[0] = 7.0",
    "row = default_pool.copy(); row[0] = 7.0", "shifted([A])", "shifted(held.rows)", "Made(t)", "ByMeta(t)", "next(many)",
    "next(rest)", "default[t]", "flat[0] = 7.0", "seen[0] = 7.0", "one, other = np.array([A, None], dtype=object); one[0] = 7.0",
    "spline.c[0, 0] = 7.0", "callback.__globals__['A'] = np.ones(3)",
]  # fmt: skip
"""What a callback comes by in objects that are neither lists nor dicts, and methods that are named as those of arrays are."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_callback_comes_by_an_array_within_other_objects(statement: str, mode: str) -> None:
    text = f"{FOUND}{WITHIN}held.rows = [A]\ndef callback(t, default_pool=pool):\n    {statement}\n    return t\n"
    assert judged(f"{text}def f(x): return A[0] * x + {CALLERS['quad'].format('callback')} + A[0] * x**2\n", mode) == ["refused"]


@pytest.mark.parametrize("mode", MODES)
def test_an_array_lies_in_a_slot_of_what_a_callback_comes_by(mode: str) -> None:
    text = f"{FOUND}\nclass Slotted:\n    __slots__ = ('row',)\nslotted = Slotted()\nslotted.row = A\n"
    text += "def callback(t):\n    LAST[0] = t\n    return slotted.row[1] * t\nLAST = [0.0]\n"
    assert judged(f"{text}def f(x): return x + {CALLERS['quad'].format('callback')} + x**2\n", mode) == ["right"] * 3
    text += "def callback(t):\n    slotted.row[0] = 7.0\n    return t\n"
    assert judged(f"{text}def f(x): return A[0] * x + {CALLERS['quad'].format('callback')} + A[0] * x**2\n", mode) == ["refused"]


@pytest.mark.parametrize("mode", MODES)
def test_a_callback_writes_where_an_array_lies_that_is_read(mode: str) -> None:
    text = f"{FOUND}\nnumbers = array.array('d', [2.0, 3.0])\nA = np.frombuffer(numbers)\n"
    text += "def callback(t):\n    numbers[0] = 7.0\n    return t\n"
    assert judged(f"{text}def f(x): return A[0] * x + {CALLERS['quad'].format('callback')} + A[0] * x**2\n", mode) == ["refused"]


CLASSES = """
import contextlib, functools, operator, types
import numpy as np, scipy.integrate, scipy.optimize

class Model:
    def step(self, x): return x * 2.0
    def other(self, x): return x * 3.0
class Other(Model):
    def step(self, x): return x * 5.0
class Counter:
    def __init__(self): self.n, self._last = 0.0, 0.0
    def value(self, x): return x * 2.0
    def counted(self, t):
        self.n += 1.0
        self.last = t
        return t
    @property
    def last(self): return self._last
    @last.setter
    def last(self, t): self._last = t
class Slotted:
    __slots__ = ("n",)
    def __init__(self): self.n = 0.0
    def value(self, x): return x * 2.0
    def counted(self, t):
        self.n += 1.0
        return t
def scaled(x, k=2.0): return x * k
def scaled_more(x, k=3.0): return x * k
def patch(cls): cls.step = Model.other
@contextlib.contextmanager
def patched(cls):
    cls.step = Model.other
    yield
NAME = "st" + str("ep")
MODULE = types.ModuleType("module")
MODULE.scaled = scaled
model, other, counter, slotted = Model(), Other(), Counter(), Slotted()
"""
USED = "model.step(x) + other.step(x) + scaled(x) + MODULE.scaled(x) + counter.value(x) + slotted.value(x)"
REPLACING = [
    "Model.step = Model.other", "type(model).step = Model.other", "cls = type(model); cls.step = cls.other",
    "for cls in (Model,): cls.step = Model.other", "[Model][0].step = Model.other", "patch(Model)", "list(map(patch, [Model]))",
    "with patched(Model): pass", "held.step = Model.other", "setattr(Model, 'step', Model.other)",
    "setattr(Model, NAME, Model.other)",
    "setattr(*(Model, 'step', Model.other))", "list(map(setattr, [Model], ['step'], [Model.other]))",
    "functools.partial(setattr, Model, 'step')(Model.other)", "type.__setattr__(Model, NAME, Model.other)",
    "type.__setattr__(Model, 'step', Model.other)", "Model.__getattribute__ = lambda self, name: (lambda x: x * 9.0)",
    "del Other.step", "delattr(Other, 'step')", "model.__class__ = Other", "object.__setattr__(model, '__class__', Other)",
    "setattr(model, '__cl' + 'ass__', Other)", "model.step = lambda x: x * 9.0", "vars(model)['step'] = lambda x: x * 9.0",
    "model.__dict__.update(step=lambda x: x * 9.0)", "model.__dict__ = {'step': lambda x: x * 9.0}",
    "operator.setitem(vars(model), 'step', lambda x: x * 9.0)", "object.__setattr__(model, 'step', lambda x: x * 9.0)",
    "scaled.__defaults__ = (5.0,)", "scaled.__code__ = scaled_more.__code__", "MODULE.scaled = scaled_more",
    "globals()['scaled'] = scaled_more", "exec('Model.step = Model.other')",
]  # fmt: skip
"""What replaces a method, a class or a function; of `held`, a default that is the class."""


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("statement", REPLACING)
def test_a_callback_replaces_what_the_function_calls(statement: str, caller: str) -> None:
    bodies = f"    {statement}\n    return t\n", f"        {statement}\n        return t\n"
    forms = {
        "callback": f"def callback(t, held=Model):\n{bodies[0]}",
        "functools.partial(inner, Model)": f"def inner(held, t):\n{bodies[0]}",
        "by_method.callback": f"class ByMethod:\n    def callback(self, t, held=Model):\n{bodies[1]}by_method = ByMethod()\n",
        "made": f"def around(held):\n    def inner(t):\n{bodies[1]}    return inner\nmade = around(Model)\n",
    }
    for (name, form), mode in zip(forms.items(), itertools.cycle(MODES), strict=False):
        text = f"{CLASSES}\n{form}\ndef f(x):\n    y = {USED}\n    return y + {CALLERS[caller].format(name)} + {USED}\n"
        plain, derived = program(text), program(text)
        outcome(lambda: plain(2.0))
        found = outcome(lambda: MODES[mode](derived, 2.0))
        assert isinstance(found, Raised)
        assert isinstance(found.error, AdxError)


@pytest.mark.parametrize("name", ["counter.counted", "slotted.counted"])
def test_a_callback_may_set_data_of_an_object_whose_methods_are_called(name: str) -> None:
    text = f"{CLASSES}\ndef f(x): return {USED} + {CALLERS['quad'].format(name)} + {USED}\n"
    assert judged(text, "reverse") == ["right"] * 3


COMPUTING = """
from numpy import add, dot
LIST = [1.0]
class Scaled:
    def __init__(self, act): self.k, self.act, self.acts = 2.0, act, {"a": np.cos}
    def total(self, a, b, c): return a + b + c
    def called(self, t): return self.total(t, self.k, LIST[0]) + self.act(t) + self.acts["a"](t) + A[1]
class Vector:
    def __init__(self, a): self.a = a
    def __add__(self, other): return Vector(self.a + other.a)
@dataclasses.dataclass(frozen=True)
class Frozen:
    k: float
def around(a, act, three): return lambda t: a * act(t) + three(t, a, LIST[0]) + A[1]
made, scaled = around(2.0, np.sin, lambda a, b, c: a + b + c), Scaled(np.sin)
acts, vectorized = [np.sin, np.cos, quiet], np.vectorize(lambda t: t * LIST[0])
def callback(t):
    out = np.zeros(2, dtype=A.dtype)
    out[0] = A[1]
    out[0] += LIST[0]
    for act in acts: t = act(t)
    total = Frozen(1.0).k + (Vector(1.0) + Vector(A[1])).a + add(1.0, out[0]) + dot(A, A)
    total += sum(map(np.maximum, [1.0], [2.0])) + np.apply_along_axis(np.sum, 0, np.ones((2, 3)))[0]
    values, vectors = np.linalg.eigh(np.outer(A, A))
    values[0] = vectors[0, 0] = 0.0
    return t * total + float(np.sum(vectorized(t))) + values[1]
def shifted(row):
    row = row.copy()
    row[0] -= A[1]
    return row
def along(t): return np.apply_along_axis(shifted, 0, np.ones(3))[0] * t
"""
KEPT = [
    "def given(row):\n    row[0] = 7.0\n    row = row.copy()\n    return 0.0",
    "def given(row):\n    if row[1] > 9.0: row = row.copy()\n    row[0] = 7.0\n    return 0.0",
    "def given(row):\n    try: row = row.copied()\n    except AttributeError: pass\n    row[0] = 7.0\n    return 0.0",
    "def given(row):\n    row = row.reshape(3)\n    row[0] = 7.0\n    return 0.0",
    "def given(row):\n    row = np.abs(row.fill(7.0) or 0.0)\n    return 0.0",
    "def given(row):\n    first, second = np.split(row, [1])\n    first[0] = 7.0\n    return 0.0",
    "def given(row):\n    while row[0] != 7.0:\n        row[0] = 7.0\n        row = row.copy()\n    return 0.0",
]
"""Functions that write to what they are given, and not to what they made of it, or not only to that."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["made", "scaled.called", "callback", "along"])
def test_callbacks_that_only_compute_are_called(name: str, mode: str) -> None:
    called = CALLERS["quad"].format(name)
    text = f"{FOUND}\n{COMPUTING}\ndef f(x): return A[0] * x + LIST[0] * x + {called} + A[0] * x**2\n"
    assert judged(text, mode, "scaled.k, acts[0], LIST[0] = 3.0, np.cos, 2.0") == ["right"] * 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("given", KEPT)
def test_a_callback_writes_to_what_it_is_given(given: str, mode: str) -> None:
    text = f"{FOUND}\n{given}\ndef callback(t):\n    given(A)\n    return t\n"
    called = CALLERS["quad"].format("callback")
    assert judged(f"{text}\ndef f(x): return A[0] * x + {called} + A[0] * x**2\n", mode) == ["refused"]


def test_a_prepared_derivative_says_that_a_callback_changes_what_it_reads() -> None:
    f = program(
        f"{FOUND}\ndef callback(t): return hooks[0](t)\ndef f(x): return A[0] * x + {CALLERS['quad'].format('callback')}\n"
    )
    derivative = adxform.prepare_gradient(f, 2.0)
    np.testing.assert_allclose(derivative(3.0), 2.0)
    exec("hooks[0] = loud", f.__globals__)
    with pytest.raises(AdxError, match="`quad` may now change what it reads"):
        derivative(3.0)


def test_code_without_end_is_refused_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "MOST_CODE", 20)
    source = "\n".join(f"def f{k}(t): return f{k + 1}(t)" for k in range(40))
    source += "\ndef f40(t): return t\nclass Meta(type):\n    def __call__(cls, v): return super().__call__(f0(v))\n"
    source += "class Made(metaclass=Meta):\n    def __init__(self, v): self.v = v\ndef f(x): return x * Made(2.0).v\n"
    with pytest.raises(AdxError, match="too much code"):
        adxform.grad(program(source))(3.0)


def test_weak_proxies_of_what_is_no_more_hold_nothing() -> None:
    class Held:
        pass

    held = Held()
    gone = weakref.proxy(held)
    del held
    gc.collect()
    kept = [1.0]
    assert [one for one in all_in([[gone, kept], gone], None) if one is kept] == [kept]
