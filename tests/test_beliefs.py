"""``ADXFORM_DEBUG=1``: what the analyses believed is compared with the run, and each kind of false belief is found.

Faults are planted in an analysis or in IR, one for each check. Programs of the corpus that are about memory run with the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api import checked_engine
from adxform.autodiff.checkpointing.checkpointed_loops import CheckpointReversal, LoopMemory
from adxform.autodiff.reverse import joint
from adxform.autodiff.reverse.sources import _NEVER, Sources
from adxform.backends.python.emit import emit
from adxform.backends.python.loading import load
from adxform.errors import BeliefError
from adxform.ir.ops import Lit
from adxform.ir.text import read
from adxform.passes.pipeline import with_checks
from adxform.primitives import effects
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.record import PURE
from adxform.runtime import beliefs, defects
from adxform.runtime.persistence import versions
from tests.corpus.case import Program
from tests.corpus.catalogue import CORPUS, PROGRAMS
from tests.derived import anew

X = np.linspace(0.3, 0.9, 4)
ABOUT_MEMORY = ("aliases", "loops", "overwritten", "recursion", "views", "writes")
SAMPLE = [program for program in PROGRAMS if program.name.partition(".")[0] in ABOUT_MEMORY][::6]


@pytest.fixture(autouse=True)
def debugging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(beliefs, "_DEBUGGING", True)
    with anew():
        yield


def overwriting(x: Any) -> Any:
    y = x.copy()
    total = 0.0
    for i in range(3):
        total = total + np.sum(y * y * y)
        y[i] = y[i + 1] * 2.0
    return total


def loading(x: Any) -> Any:
    y = x.copy()
    total = 0.0
    for i in range(3):
        total += y[i] * y[i] * x[i]
        y[i + 1] = total
        y[i] = 0.5 * total
    return total


def flattening(x: Any) -> Any:
    y = x.copy()
    flat = np.ravel(y)
    flat[0] = x[1] * x[2]
    return np.sum(y * flat)


def stepping(x: Any) -> Any:
    u = x.copy()
    kept = np.zeros(4)
    for i in range(9):
        u = np.sin(u) * 1.1 + kept
        kept[i % 4] += u[0] * 0.1
    return np.sum(u * kept)


# -- faults in analyses ------------------------------------------------------------------------------------------------


def views_are_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    found = effects.record_called

    def record_called(call: Any) -> Any:
        return replace(found(call), effect=PURE) if call.fn == Lit(np.ravel) else found(call)

    monkeypatch.setattr(effects, "record_called", record_called)


def nothing_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "must_undo", lambda *_: lambda number, path: False)


def loads_are_good_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sources, "own_limit", lambda self, var: _NEVER)


def written_memory_is_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    found = CheckpointReversal.touched

    def touched(self: CheckpointReversal, op: Any) -> LoopMemory:
        return replace(found(self, op), kept=())

    monkeypatch.setattr(CheckpointReversal, "touched", touched)


@pytest.mark.parametrize(
    ("program", "plant", "said"),
    [
        (flattening, views_are_copies, "shares memory with an array that it was believed to be apart from"),
        (overwriting, nothing_is_restored, "which the reverse of"),
        (loading, loads_are_good_anywhere, "which the reverse of"),
        (stepping, written_memory_is_no_state, "with which an iteration begins again"),
    ],
)
def test_a_fault_of_an_analysis_is_found(
    program: Callable[[Any], Any], plant: Callable[[pytest.MonkeyPatch], None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program, as it is, runs with the checks; the error of the planted fault has a line of the program."""
    steps = {"checkpoint_steps": 2} if program is stepping else {}
    right = adxform.grad(program, **steps)(X)
    monkeypatch.setattr(beliefs, "_DEBUGGING", False)
    with anew():
        assert np.array_equal(right, adxform.grad(program, **steps)(X))
    monkeypatch.setattr(beliefs, "_DEBUGGING", True)
    plant(monkeypatch)
    with anew(), pytest.raises(BeliefError, match="internal: an analysis believed what does not hold") as caught:
        adxform.grad(program, **steps)(X)
    assert said in caught.value.message
    first = program.__code__.co_firstlineno
    assert first < caught.value.span.line < first + 10
    assert caught.value.code == "ADX903"


def test_a_report_is_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(defects, "_saved", {})
    nothing_is_restored(monkeypatch)
    with pytest.raises(BeliefError) as caught:
        adxform.grad(overwriting)(X)
    (saved,) = tmp_path.glob("adxform-defect-*.txt")
    assert saved.name in caught.value.help
    text = saved.read_text(encoding="utf-8")
    assert "y[i] = y[i + 1] * 2.0" in text
    assert "runtime.check_seen" in text
    assert "adxform" in text.splitlines()[0]


# -- beliefs that IR states --------------------------------------------------------------------------------------------


def run(text: str, *args: Any, wrong: Callable[[Aliases], Aliases] = lambda aliases: aliases) -> Any:
    """The result of the function of this text with checks, whose alias classes are made `wrong`."""
    fn = read(text)
    checked, aliases = with_checks(fn, wrong(alias_classes(fn)))
    return load(emit(checked, aliases=aliases))(*args)


COPIED = """
def f(x: f64[n]):
    y: f64[n] = np.ndarray.copy(x)
    return y"""


@pytest.mark.parametrize(
    ("body", "args", "said"),
    [
        ("y: f64[3] = np.zeros(2)", (), "has the lengths (2,)"),
        ("y: f64[2, 2] = np.zeros(2)", (), "has 1 axes"),
        ("y: f32[2] = np.zeros(2)", (), "is an array of float64"),
        ("y: f64[2] = np.add(1.0, 1.0)", (), "is np.float64(2.0), of class float64"),
        ("y: float = np.zeros(2)", (), "of class ndarray"),
        ("y: int = operator.add(1.0, 1.0)", (), "is 2.0, of class float"),
        ("y: f64[n] = operator.getitem(x, slice(1, None, None))", (np.zeros(3),), "has the lengths (2,)"),
        ("y: f64[n-1] = np.ndarray.copy(x)", (np.zeros(3),), "has the lengths (3,)"),
    ],
)
def test_what_a_type_states_is_checked(body: str, args: tuple[Any, ...], said: str) -> None:
    head = "def f(x: f64[n]):" if args else "def f():"
    with pytest.raises(BeliefError) as caught:
        run(f"\n{head}\n    {body}\n    return y", *args)
    assert said in caught.value.message
    assert body[:20] in caught.value.message


def test_names_of_lengths_are_those_of_an_iteration() -> None:
    """A length that an iteration makes is another one in the next; one from outside is the same."""
    text = """
def f(x: f64[n]):
    for i: int in range(0, 3, 1):
        part: f64[?m] = operator.getitem(x, slice(i, None, None))
        twice: f64[?m] = operator.add(part, part)
    return x"""
    assert run(text, np.zeros(5)).shape == (5,)


def test_memory_of_another_class_is_found_wherever_it_comes_from() -> None:
    text = """
def f(x: f64[n]):
    y: f64[n] = np.ndarray.copy(x)
    z: f64[n] = np.ndarray.copy(y)
    w: f64[n] = np.ravel(y)
    return z"""

    def like_the_copy(aliases: Aliases) -> Aliases:
        return aliases.refined({"w": aliases._of["z"]})

    assert run(text, np.zeros(3)).shape == (3,)
    with pytest.raises(BeliefError, match="w: f64"):
        run(text, np.zeros(3), wrong=like_the_copy)


def test_what_a_function_is_given_is_as_it_was() -> None:
    text = """
def f(x: f64[n]):
    operator.setitem(x, 0, 2.0)
    return x"""
    assert run(text, np.zeros(3))[0] == 2.0
    with pytest.raises(BeliefError, match="which `f` does not write to"):
        run(text, np.zeros(3), wrong=lambda aliases: replace(aliases, written=frozenset()))


def test_what_is_given_twice_may_be_read_and_not_written() -> None:
    x = np.zeros(3)
    added = "\ndef f(x: f64[n], y: f64[n]):\n    z: f64[n] = operator.add(x, y)\n    v: f64[n] = np.ravel(x)\n    return z"
    written = "\ndef f(x: f64[n], y: f64[n]):\n    operator.setitem(x, 0, 2.0)\n    return y"
    assert np.array_equal(run(added, x, x), x)
    assert np.array_equal(run(written, x.copy(), x), x)
    with pytest.raises(BeliefError, match="is given arrays that share memory, and writes to one of them"):
        run(written, x, x[1:][:0].base[:])


# -- where checks are --------------------------------------------------------------------------------------------------


def test_the_source_shows_the_checks_and_is_pythons() -> None:
    assert checked_engine("numba").name == checked_engine("auto").name == "python"
    assert checked_engine("interpret").name == "interpret"
    text = adxform.source(overwriting, X, engine="numba")
    assert text.count("runtime.check_seen") > 2
    assert "runtime.check_array(known, y, " in text


def test_what_is_on_the_disk_is_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    versions.environment.cache_clear()
    checked = versions.environment()
    monkeypatch.setattr(versions, "is_debugging", lambda: False)
    versions.environment.cache_clear()
    assert checked != versions.environment() or checked is None
    versions.environment.cache_clear()


# -- programs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", SAMPLE, ids=lambda program: program.name)
def test_what_is_believed_of_a_program_holds(program: Program) -> None:
    point = program.points[0]
    with np.errstate(all="ignore"):
        out, pullback = adxform.vjp(program.function, *point.fresh())
        first, second = pullback(out), pullback(out)
    assert str(first) == str(second)


CHECKED: dict[str, Callable[[Program], Any]] = {
    "control_flow.open_rank_in_a_while": lambda one: adxform.grad(one.function),
    "frames.frames_without_their_mean": lambda one: adxform.grad(one.function),
    "lists.append_while_init": lambda one: adxform.grad(one.function, checkpoint_steps=2),
    "lists.appended_in_an_inner_loop": lambda one: adxform.grad(one.function),
    "loops.triangular_loops": lambda one: adxform.hessian(one.function, mode="reverse-over-reverse"),
    "writes.forward_substitution": lambda one: adxform.hessian(one.function, mode="reverse-over-reverse"),
}
"""What was believed of these once and did not hold: of memory, and of lengths that had one name and were several."""


@pytest.mark.parametrize("name", CHECKED)
def test_what_was_believed_and_did_not_hold_does(name: str) -> None:
    (program,) = (program for program in CORPUS if program.name == name)
    assert np.size(CHECKED[name](program)(*program.points[0].fresh()))
