"""No derivation waits for ever, whatever upsets its process: small trials of `benchmarks.upsets`, with a time limit."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.threads import deep_recursion, locks
from adxform.threads.locks import Turn
from benchmarks.trials import Outcome, trial
from benchmarks.upsets import BY_HAND, X, deep, program
from tests.corpus import recursion

WAIT = 20.0


@pytest.mark.parametrize(
    ("kind", "seed", "rounds"),
    [("depths", 3, 6), ("forks", 1, 3), ("beginnings", 6, 4), ("signals", 2, 4), ("threads", 4, 2), ("endings", 5, 1)],
)
def test_a_process_that_is_upset_goes_on(kind: str, seed: int, rounds: int, tmp_path: Path) -> None:
    outcome = Outcome()
    trial(kind, seed, rounds, str(tmp_path / "cache"), outcome, patience=120.0)
    assert not outcome.faults, "\n".join(outcome.faults)
    assert outcome.counts["right"] + outcome.counts["refused"]


def run(*works: Callable[[], Any]) -> list[threading.Thread]:
    """Threads that do `works`."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


FORKED = """
import importlib.abc, os, signal, sys, threading, time
import numpy as np
import adxform

engine, slow = sys.argv[1:]
reached = threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == slow and not reached.is_set():
            reached.set()
            time.sleep(1.0)

def walk(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * x[i]
    return total

def other(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * x[i] * 2.0
    return total

sys.meta_path.insert(0, Slow())
x = np.linspace(0.1, 2.0, 2000)
once = np.cos(x) * x + np.sin(x)
thread = threading.Thread(target=lambda: adxform.grad(walk, engine=engine)(x))
thread.start()
while thread.is_alive() and not reached.wait(0.01):
    pass
print("met" if reached.is_set() else "not imported", flush=True)
child = os.fork()
if not child:
    signal.alarm(60)
    found = adxform.grad(other, engine=engine)(x), adxform.grad(walk, engine=engine)(x)
    os._exit(0 if np.allclose(found, (2.0 * once, once)) else 1)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.parametrize(
    ("engine", "slow", "met"),
    [
        ("python", "diskcache.core", True),
        ("python", "numpy.ma.core", False),
        ("auto", "numba.core.types", True),
        ("numba", "llvmlite.binding", True),
        ("numba", "adxform.backends.numba.machine.kernels", True),
    ],
)
def test_a_fork_waits_for_what_a_first_call_imports(engine: str, slow: str, met: bool, tmp_path: Path) -> None:
    script = tmp_path / "forked.py"
    script.write_text(FORKED, encoding="utf-8")
    around = {
        **os.environ,
        "ADXFORM_ENGINE": "auto",
        "ADXFORM_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(Path(adxform.__file__).parent.parent),
    }
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, script, engine, slow], env=around, capture_output=True, text=True, timeout=150, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == ("met" if met else "not imported")
    assert time.monotonic() - start < locks.PATIENCE


def test_who_imports_may_fork_in_a_thread_that_it_waits_for() -> None:
    start = time.monotonic()

    def forks() -> None:
        locks.before_fork()
        locks.after_fork()

    locks.importing(forks)
    locks.importing(lambda: deep_recursion.in_thread(forks))
    assert time.monotonic() - start < 5.0


def test_a_fork_waits_until_another_thread_has_imported() -> None:
    begun, told = threading.Event(), list[str]()

    def bring() -> None:
        begun.set()
        time.sleep(0.3)
        told.append("imported")

    (thread,) = run(lambda: locks.importing(bring))
    assert begun.wait(WAIT)
    locks.before_fork()
    told.append("forked")
    locks.after_fork()
    thread.join(WAIT)
    assert told == ["imported", "forked"]


def test_a_turn_is_one_makers_at_a_time() -> None:
    turn, inside, most = Turn(), [0], [0]

    def work() -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.02)
        inside[0] -= 1

    for thread in run(*[lambda: turn.alone(work)] * 5):
        thread.join(WAIT)
    assert most == [1]


def test_who_would_close_a_circle_does_not_wait() -> None:
    one, other, both = Turn(), Turn(), threading.Barrier(2)
    done: list[str] = []

    def first() -> None:
        both.wait(WAIT)
        other.alone(lambda: done.append("first"))

    def second() -> None:
        both.wait(WAIT)
        one.alone(lambda: done.append("second"))

    for thread in run(lambda: one.alone(first), lambda: other.alone(second)):
        thread.join(WAIT)
    assert sorted(done) == ["first", "second"]


def test_a_turn_whose_thread_was_struck_is_free() -> None:
    """The statement that gives it back may be what an interrupt strikes: that the frame is left is enough."""
    turn = Turn()

    def struck() -> None:
        claim = locks.Claim(locks.maker(), threading.get_ident(), sys._getframe())
        claim.gate.acquire()
        turn._claim = claim

    struck()
    (thread,) = run(lambda: turn.alone(lambda: None))
    thread.join(WAIT)
    assert not thread.is_alive()


def test_a_thread_with_more_stack_has_the_turns_of_the_one_that_waits_for_it() -> None:
    turn = Turn()
    assert turn.alone(lambda: deep_recursion.in_thread(lambda: turn.alone(lambda: 3))) == 3


@pytest.mark.parametrize("left", range(20, 420, 40))
def test_the_depth_of_a_first_call_does_not_matter(left: int) -> None:
    """Where less than is needed to start a thread is left, Python's own error comes out."""
    frame: Any = sys._getframe()
    calls = sys.getrecursionlimit() - deep_recursion.depth(frame) - left

    def inner(x: Any) -> Any:
        return np.sum(np.sin(x) * x)

    def slope(x: Any) -> Any:
        return np.sum(adxform.grad(inner)(x) ** 2)

    x = np.array([0.3, 1.1])
    once, twice = np.cos(x) * x + np.sin(x), 2.0 * np.cos(x) - x * np.sin(x)
    adxform.clear_cache()
    try:
        found = deep(calls, lambda: adxform.grad(slope)(x))
    except RecursionError:
        assert left < 100
    else:
        np.testing.assert_allclose(found, 2.0 * once * twice, rtol=1e-12)
    assert sys.getrecursionlimit() < deep_recursion.LIMIT


def test_a_recursion_that_needs_more_stack_gets_it() -> None:
    """It has enough to begin with, and runs out where functions that call one another are followed."""
    frame: Any = sys._getframe()
    calls = sys.getrecursionlimit() - deep_recursion.depth(frame) - deep_recursion.ENOUGH - 20
    program, x = recursion.mutual_recursion_that_writes, recursion.POINT
    expected = adxform.hvp(program)(x, np.ones_like(x))
    adxform.clear_cache()
    found = deep(calls, lambda: adxform.hvp(program, mode="reverse-over-reverse")(x, np.ones_like(x)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


class Node:
    """A node of a search tree."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.left: Any = None
        self.right: Any = None

    def insert(self, value: Any) -> None:
        """Put `value` into the tree."""
        if value < self.value:
            if self.left is None:
                self.left = Node(value)
            else:
                self.left.insert(value)
        elif self.right is None:
            self.right = Node(value)
        else:
            self.right.insert(value)

    def walk(self, depth: int = 0) -> Any:
        """The sum of all values, each times its depth."""
        total = self.value * (depth + 1)
        for one in (self.left, self.right):
            if one is not None:
                total += one.walk(depth + 1)
        return total


def tree_of_the_run(x: Any) -> Any:
    """Which of 2, 14, 132, … trees it is only the run knows."""
    tree = Node(x[0])
    for v in x[1:]:
        tree.insert(v)
    return tree.walk()


def test_trees_of_which_only_the_run_knows_where_they_branch() -> None:
    """Those of a few nodes are followed, each by its branches; larger ones are refused, and not for ever looked at."""
    np.testing.assert_allclose(adxform.grad(tree_of_the_run)(np.array([1.3, 0.7, 2.4, 0.9])), [1.0, 2.0, 2.0, 3.0])
    with pytest.raises(adxform.errors.UnsupportedOperationError, match="nested too deep"):
        adxform.grad(tree_of_the_run)(np.cos(np.arange(12) * 5.0))


def test_a_recursion_whose_lists_grow_without_an_end_is_refused() -> None:
    def total(items: list[Any], step: Any, left: Any) -> Any:
        if left <= 0:
            return np.sum(np.array(items)) * step
        items.append(step * left)
        return total(items, step, left - step)

    with pytest.raises(adxform.errors.UnsupportedOperationError, match="calls itself too deeply") as caught:
        adxform.grad(lambda x: total([x[0]], x[1], x[2]))(np.array([0.4, 0.9, 2.0]))
    assert caught.value.span.line > 0


@pytest.mark.parametrize("left", [*range(65, 130, 10), 200, 300])
@pytest.mark.parametrize("engine", ["python", "auto"])
def test_a_chain_of_branches_is_derived_and_its_engine_chosen_where_little_of_the_stack_is_left(
    left: int, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ADXFORM_ENGINE", raising=False)
    frame: Any = sys._getframe()
    calls = sys.getrecursionlimit() - deep_recursion.depth(frame) - left
    chain = program(40)["chain"]
    adxform.clear_cache()
    found = deep(calls, lambda: adxform.grad(chain, engine=engine)(X))
    np.testing.assert_allclose(found, BY_HAND["chain"](X), rtol=1e-12)


def test_the_limit_stays_while_the_stack_of_another_thread_is_beyond_it() -> None:
    usual, beyond, leave = sys.getrecursionlimit(), threading.Event(), threading.Event()

    def stay() -> None:
        beyond.set()
        leave.wait(WAIT)

    with deep_recursion.higher_limit():
        (thread,) = run(lambda: deep(usual + 50, stay))
        assert beyond.wait(WAIT)
    assert sys.getrecursionlimit() == deep_recursion.LIMIT
    leave.set()
    thread.join(WAIT)
    with deep_recursion.higher_limit():
        pass
    assert sys.getrecursionlimit() == usual


FIRST = """
import os, signal, sys, threading, time
import adxform

def own_part(x):
    return x * x

asking = threading.Thread(target=lambda: adxform.grad)
asking.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if child == 0:
    signal.alarm(60)
    print(adxform.grad(own_part)(3.0), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.parametrize("delay", [0.0, 0.003, 0.02])
def test_a_fork_waits_for_what_the_first_name_of_the_package_loads(delay: float, tmp_path: Path) -> None:
    script = tmp_path / "first.py"
    script.write_text(FIRST, encoding="utf-8")
    around = {**os.environ, "ADXFORM_CACHE_DIR": "off", "PYTHONPATH": str(Path(adxform.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, script, str(delay)], env=around, capture_output=True, text=True, timeout=150, check=False
    )
    assert done.stdout.split() == ["6.0", "0"], done.stderr


class Cell:
    """A square that holds a body, or four squares."""

    def __init__(self, x: float, y: float, half: float) -> None:
        self.x, self.y, self.half = x, y, half
        self.mass = 0.0
        self.children: list[Cell] | None = None
        self.body: Any = None

    def insert(self, body: Any) -> None:
        """Put `body` in."""
        if self.children is None and self.body is None:
            self.body = body
        else:
            if self.children is None:
                h = self.half / 2
                self.children = [Cell(self.x + (h if q & 1 else -h), self.y + (h if q & 2 else -h), h) for q in range(4)]
                old, self.body = self.body, None
                self.children[self.quadrant(old)].insert(old)
            self.children[self.quadrant(body)].insert(body)
        self.mass += body[2]

    def quadrant(self, body: Any) -> int:
        """Which of the four squares `body` is in."""
        return (1 if body[0] > self.x else 0) + (2 if body[1] > self.y else 0)


def heaviest_square(x):  # type: ignore[no-untyped-def]
    root = Cell(0.0, 0.0, 2.0)
    for k in range(3):
        root.insert((x[k], x[k + 1], x[k] ** 2))
    return root.mass


def test_a_tree_that_calls_build_where_the_run_says_is_refused() -> None:
    """Each call may make four more objects, and call itself for one of them."""
    with pytest.raises(adxform.errors.UnsupportedSyntaxError, match="`insert` calls itself for what it makes"):
        adxform.grad(heaviest_square)(np.array([0.3, -0.4, 0.5, -0.6]))


def places_in_boxes(x):  # type: ignore[no-untyped-def]
    boxes = []

    def divide(part, low, high):  # type: ignore[no-untyped-def]
        if len(part) <= 1:
            boxes.append((low, high))
        else:
            middle = (low + high) / 2
            divide([v for v in part if v < middle], low, middle)
            divide([v for v in part if v >= middle], middle, high)

    divide(list(x), 0.0, 1.0)
    return sum(high - low for low, high in boxes) * x[0]


def test_lists_that_calls_divide_where_the_run_says_are_refused() -> None:
    """Each call makes two more lists, and calls itself for both."""
    with pytest.raises(adxform.errors.AdxError):
        adxform.grad(places_in_boxes)(np.array([0.3, 0.4, 0.5, 0.9]))
