"""What a function makes at each call it makes at each call of a derivative, and what a setting decides is asked each time."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import program

MADE = {
    "bytearray": "b = bytearray(b'ab'); b.append(3)",
    "added bytearray": "b = bytearray(b'ab'); b += b'c'",
    "memoryview": "b = memoryview(bytearray(2)); b[0] = b[0] + 1; b = range(b[0])",
    "set": "b = set('ab'); b.add('c')",
    "split": "b = 'a b'.split(); b.append('c')",
    "sorted": "b = sorted('ba'); b.append('c')",
    "deque": "b = collections.deque('ab'); b.append('c')",
    "array": "b = array.array('d', [1.0]); b.append(2.0)",
    "frombuffer": "b = np.frombuffer(bytearray(b'a'), np.uint8); b[0] += 1; b = range(b[0])",
    "namespace": "b = types.SimpleNamespace(k=1); b.k += 1; b = range(b.k)",
    "itemgetter": "b = operator.itemgetter(1)(('a', 'bc'))",
    "iterator": "b = np.ndindex(2, 2); b = [p for p in b] + [p for p in b]",
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("engine", ["python", "interpret"])
def test_each_call_makes_its_own(made: str, engine: Any) -> None:
    imports = "import array, collections, operator, types\nimport numpy as np\n"
    loss = program(f"{imports}def f(x):\n    {MADE[made]}\n    return len(b) * x * x\n")
    prepared = adxform.prepare_value_and_gradient(loss, 1.3, engine=engine)
    expected = loss(1.3)
    for _ in range(3):
        for value, slope in (adxform.value_and_grad(loss, engine=engine)(1.3), prepared(1.3)):
            assert value == expected
            assert slope == pytest.approx(2 * expected / 1.3)


SETTINGS = {
    "np.getbufsize()": ("np.setbufsize(16384)", "np.setbufsize(8192)"),
    "float(A / B)": ("decimal.getcontext().prec = 3", "decimal.getcontext().prec = 28"),
    "float(decimal.Decimal(1) / decimal.Decimal(3))": ("decimal.getcontext().prec = 3", "decimal.getcontext().prec = 28"),
    "len(repr(np.float64(1.5)))": ("np.set_printoptions(legacy='1.25')", "np.set_printoptions(legacy=False)"),
    "len('%s' % C)": ("C.__qualname__ = 'Another'", "pass"),
    "len(f'{C.k}')": ("C.k = 1234", "pass"),
    "operator.attrgetter('k')(C)": ("C.k = 3", "pass"),
}


@pytest.mark.parametrize("asked", SETTINGS)
def test_what_a_setting_decides_is_asked_by_each_call(asked: str) -> None:
    state = "A = decimal.Decimal(1)\nB = decimal.Decimal(3)\nclass C:\n    k = 1\n"
    loss = program(f"import decimal, operator\nimport numpy as np\n{state}def f(x):\n    return {asked} * x * x\n")
    changed, back = SETTINGS[asked]
    assert adxform.value_and_grad(loss)(1.3) == pytest.approx((loss(1.3), 2 * loss(1.3) / 1.3))
    exec(changed, loss.__globals__)
    try:
        assert adxform.value_and_grad(loss)(1.3) == pytest.approx((loss(1.3), 2 * loss(1.3) / 1.3))
    finally:
        exec(back, loss.__globals__)
    assert decimal.getcontext().prec == 28
    assert np.getbufsize() == 8192


@pytest.mark.parametrize("one", ["[x]", "x", "V", "(1.0,)"])
def test_the_identity_of_a_value_is_refused(one: str) -> None:
    loss = program(f"V = [1.0]\ndef f(x):\n    b = {one}\n    return x if id(b) == id(b) else x * x\n")
    with pytest.raises(UnsupportedOperationError, match="identity"):
        adxform.grad(loss)(1.3)
