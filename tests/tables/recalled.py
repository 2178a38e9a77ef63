"""What a function keeps in an object outside, by code that nobody looks into or in its arrays, and what it reads of it then.

Each program is made anew for each call, since it leaves something outside. Its value, what it leaves in `C`, and its slopes in
both modes are compared with those of plain calls; where an object of a library is read and changed, also once the pullback is
called when the object has changed.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import adxform
from tests.oracle import central_jacobian
from tests.tables.cell import Cell, Raised, differs, outcome, program, refusal

PRELUDE = """import array, collections, contextvars, copy, ctypes, dataclasses, functools, io, math, operator, queue
import threading, types
import scipy.interpolate, scipy.sparse, scipy.sparse.linalg
class Listed(list): pass
class Box: pass
@dataclasses.dataclass
class Fields:
    w: object
def scaled(v, k):
    return v * k
def attribute(**given):
    box = Box()
    vars(box).update(given)
    return box
"""
SEQUENCES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "deque": (
        "collections.deque([1.0])",
        (
            *("C.append(V)", "C.appendleft(V)", "C.extend([V])", "collections.deque.append(C, V)", "H.c.append(V)", "bound(V)"),
            *("_ = C.append(V)", "list(map(C.append, [V]))", "put(V)", "C[-1] = V"),
        ),
    ),
    "list of a class": ("Listed([1.0])", ("C.append(V)", "C.insert(1, V)", "C[-1] = V", "C += [V]")),
    "list": ("[1.0]", ("C.append(V)", "bound(V)", "C[-1] = V", "H.c.append(V)", "list.append(C, V)")),
    "array.array": ("array.array('d', [1.0])", ("C.append(V)", "C[-1] = V", "C.fromlist([V])")),
    "UserList": ("collections.UserList([1.0])", ("C.append(V)", "C.data.append(V)", "C.data[-1] = V")),
    "array": ("np.array([1.0])", ("C[-1] = V", "C.fill(V)", "np.copyto(C, V)", "H.c[-1] = V", "np.put(C, 0, V)")),
}
READS = (
    *("C.pop()", "C[-1]", "list(C)[-1]", "sum(C)", "[*C][-1]", "max(C)", "np.asarray(C)[-1]", "np.sum(C)", "C.copy().pop()"),
    *("(C * 1)[-1]", "(C + C)[-1]", "copy.copy(C)[-1]", "copy.deepcopy(C)[-1]", "C.__getitem__(-1)", "unbound()", "H.c.pop()"),
    *("operator.methodcaller('pop')(C)", "operator.itemgetter(-1)(C)", "type(C).pop(C)", "next(iter(C))", "math.fsum(C)"),
    *("functools.reduce(lambda a, b: b, C)", "float(repr(C).split('[')[1].split(']')[0].split(',')[-1])", "get()"),
)
HOLDERS: Mapping[str, tuple[str, str, str]] = {
    "context variable": ("contextvars.ContextVar('C', default=1.0)", "C.set(V)", "C.get()"),
    "context variable with a tuple": ("contextvars.ContextVar('C', default=(1.0,))", "C.set((V, 1))", "C.get()[0]"),
    "queue": ("queue.Queue()", "C.put(V)", "C.get()"),
    "simple queue": ("queue.SimpleQueue()", "C.put(V)", "C.get()"),
    "set": ("set()", "C.add(float(V))", "C.pop()"),
    "text": ("io.StringIO()", "C.write(repr(float(V)))", "float(C.getvalue())"),
    "printed": ("io.StringIO()", "print(float(V), file=C)", "float(C.getvalue())"),
    "of this thread": ("threading.local()", "C.v = V", "C.v"),
    "number of C": ("ctypes.c_double()", "C.value = V", "C.value"),
    "default dict": ("collections.defaultdict(float)", "C['v'] += V", "C.pop('v')"),
    "chained dicts": ("collections.ChainMap({})", "C['v'] = V", "C['v']"),
    "fields as a tuple": ("Fields(np.ones(1))", "C.w[0] = V", "dataclasses.astuple(C)[0].sum()"),
    "fields as a dict": ("Fields(np.ones(1))", "C.w[0] = V", "dataclasses.asdict(C)['w'].sum()"),
    "copied object": ("attribute(w=np.ones(1))", "C.w[0] = V", "copy.deepcopy(C).w.sum()"),
    "namespace": ("types.SimpleNamespace(w=np.ones(1))", "C.w[0] = V", "vars(C)['w'][0]"),
    "result": ("collections.deque()", "C.append(V)", "(C.pop(), 1.0)[0]"),
    "window on an array.array": ("attribute(a=array.array('d', [1.0]))", "W[0] = V", "C.a[0]"),
    "view of memory": ("np.ones(2)", "C[0] = V", "M[0]"),
    "flat iterator": ("np.ones(2)", "C[0] = V", "C_FLAT[0]"),
    "array of objects": ("np.ones(2)", "C[0] = V", "O[0][0]"),
    "partial": ("functools.partial(scaled, k=1.0)", "C.keywords['k'] = V", "C(2.0)"),
    "partial, by its keywords": ("functools.partial(scaled, k=1.0)", "KEYWORDS['k'] = V", "C(2.0)"),
    "sparse sum": ("scipy.sparse.csr_matrix(np.eye(2))", "C.data[0] = V", "C.sum()"),
    "sparse item": ("scipy.sparse.csr_matrix(np.eye(2))", "C.data[:1] *= V", "C[0, 0]"),
}
VALUES = {"element": "x[0]", "computed": "np.sin(x[0]) * x[1]", "not moving": "2.5"}
MODELS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "sparse product": (
        "scipy.sparse.csr_matrix(np.eye(3))",
        "np.sum((C @ x) * x)",
        ("C.data[0] = 3.0", "C.data *= 2.0", "C.setdiag(4.0)", "np.multiply(C.data, 2.0, out=C.data)", "C.data[0] = x[1]"),
    ),
    "sparse product, made": (
        "scipy.sparse.csr_matrix(np.eye(3))",
        "np.sum(C.multiply(x[0]) @ x)",
        ("C.data[0] = 3.0", "C.setdiag(4.0)", "C.data[0] = x[1]"),
    ),
    "sparse transpose": (
        "scipy.sparse.csr_matrix(np.eye(3))",
        "np.sum((x @ C) * x)",
        ("C.data[0] = 3.0", "C.setdiag(4.0)", "C.data = C.data * 2.0"),
    ),
    "sparse sum": ("scipy.sparse.csr_matrix(np.eye(3))", "np.sum((C + C) @ x * x)", ("C.data[0] = 3.0",)),
    "sparse solution": (
        "scipy.sparse.csc_matrix(np.eye(3) * 2)",
        "np.sum(scipy.sparse.linalg.spsolve(C, x) * x)",
        ("C.data[0] = 3.0", "C.setdiag(4.0)", "C.data[0] = x[1]"),
    ),
    "interpolant": (
        "scipy.interpolate.interp1d(np.arange(4.0), np.array([1.0, 3.0, 2.0, 5.0]))",
        "np.sum(C(x))",
        ("C.y[0] = 9.0", "C.y[1] = x[0]"),
    ),
    "spline": (
        "scipy.interpolate.CubicSpline(np.arange(4.0), np.array([1.0, 3.0, 2.0, 5.0]))",
        "np.sum(C(x))",
        ("C.c[:, 0] = 9.0", "C.c[3, 0] = x[1]"),
    ),
    "polynomial": ("np.polynomial.Polynomial([1.0, 2.0, 0.5])", "np.sum(C(x))", ("C.coef[1] = 5.0", "C.coef[1] = x[1]")),
}
ORDERS = {
    "changed before": "{change}\n    y = {read}",
    "changed after": "y = {read}\n    {change}",
    "changed between": "y = {read}\n    {change}\n    y = y * {read}",
    "changed in a loop": "y = 1.0\n    for i in range(2):\n        y = y * {read}\n        {change}",
}
LATE = ("C.data[0] = 50.0", "C.data *= 3.0", "C.data[:] = 0.5")
TEXT = """{prelude}C = {made}
H = attribute(c=C)
W = np.frombuffer(C.a) if hasattr(C, "a") else None
M, C_FLAT = (memoryview(C), C.flat) if isinstance(C, np.ndarray) else (None, None)
KEYWORDS = getattr(C, "keywords", None)
O = np.empty(1, object)
O[0] = C
bound, unbound = getattr(C, "append", None), getattr(C, "pop", None)
def put(v):
    C.append(v)
def get():
    return C[-1]
def f(x):{globals}
    {body}
"""
X = np.array([0.6, 1.7, 2.2])


def cells() -> Iterator[Cell]:
    """Every store into each kind of object, by what is stored and how it is read; and models that are read and changed."""
    for (kind, (made, stores)), (value, number) in itertools.product(SEQUENCES.items(), VALUES.items()):
        for store, read in itertools.product(stores, READS):
            yield _cell(
                f"{kind}, {store}, {read}, {value}", made, f"{store.replace('V', number)}\n    return {read} * x[1] + x[2]"
            )
    for (kind, (made, store, read)), (value, number) in itertools.product(HOLDERS.items(), VALUES.items()):
        yield _cell(f"{kind}, {value}", made, f"{store.replace('V', number)}\n    return {read} * x[1] + x[2]")
    for kind, (made, read, changes) in MODELS.items():
        for change, (order, body) in itertools.product(changes, ORDERS.items()):
            yield _cell(f"{kind}, {change}, {order}", made, body.format(change=change, read=read) + "\n    return y * x[2]")
        for late in LATE if kind.startswith("sparse") else ():
            text = _text(made, f"return {read} * x[2]")
            yield Cell(
                f"{kind}, {late}, before the pullback",
                program(text, __name__="recalled_cell"),
                (X,),
                judged_by=partial(_called_late, text, late),
            )


def _text(made: str, body: str) -> str:
    scope = "\n    global C" if "C +=" in body else ""
    return TEXT.format(prelude=PRELUDE, made=made, body=body, globals=scope)


def _cell(name: str, made: str, body: str) -> Cell:
    text = _text(made, body)
    return Cell(name, program(text, __name__="recalled_cell"), (X,), judged_by=partial(_made_anew, text))


def _made_anew(text: str, cell: Cell) -> tuple[str, str]:
    plain, left = _run(text, lambda f: f(X.copy()))
    got, here = _run(text, lambda f: adxform.value_and_grad(f)(X.copy()))
    pushed, there = _run(text, lambda f: adxform.jvp(f, (X.copy(),), (np.array([0.3, -0.7, 1.1]),)))
    for mode, found, state in (("reverse", got, here), ("forward", pushed, there)):
        if (said := refusal(found)) is not None:
            return said
        if said := differs(plain, found if isinstance(found, Raised) else found[0]):
            return "wrong", f"{mode}: value: {said}"
        if state != left:
            return "wrong", f"{mode}: leaves {state}, plainly {left}"
    if isinstance(plain, Raised):
        return "right", ""
    slopes = central_jacobian(lambda x: np.array([program(text, __name__="recalled_cell")(x)]), X, step=1e-4)[0][0]
    if not np.allclose(slopes, got[1], rtol=1e-6, atol=1e-7):
        return "wrong", f"the gradient is {got[1]!r}, by differences {slopes!r}"
    along = float(slopes @ np.array([0.3, -0.7, 1.1]))
    return ("right", "") if np.isclose(along, pushed[1], rtol=1e-6, atol=1e-7) else ("wrong", f"tangent {pushed[1]}, not {along}")


def _called_late(text: str, change: str, cell: Cell) -> tuple[str, str]:
    f, late = program(text, __name__="recalled_cell"), program(text, __name__="recalled_cell")
    expected = outcome(lambda: adxform.grad(f)(X.copy()))
    if (said := refusal(expected)) is not None:
        return said
    for made in (adxform.vjp, lambda f, x: adxform.prepare_vjp(f, x)(x)):
        _, pull = made(late, X.copy())
        before = copy.deepcopy(late.__globals__["C"])
        exec(change, late.__globals__)
        found = pull(1.0)
        late.__globals__["C"].data[:] = before.data
        if not np.array_equal(found[0], expected):
            return "wrong", f"the pullback gives {found!r}, the gradient was {expected!r}"
    return "right", ""


def _run(text: str, call: Any) -> tuple[Any, str]:
    f = program(text, __name__="recalled_cell")
    return outcome(lambda: call(f)), _shown(f.__globals__["C"])


def _shown(value: Any) -> str:
    """What an object that was kept holds now."""
    match value:
        case np.ndarray():
            return repr(value.tolist())
        case _ if hasattr(value, "getvalue"):
            return str(value.getvalue())
        case _ if hasattr(value, "toarray"):
            return repr(value.toarray().tolist())
        case _ if hasattr(value, "__iter__"):
            return repr([float(item) if isinstance(item, float) else item for item in value])
        case _:
            return repr({key: _shown(item) for key, item in getattr(value, "__dict__", {}).items()})
