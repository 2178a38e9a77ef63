"""What a prepared function reaches by name, watched: is it what it was?

The guards of a specialisation say what it assumed of helpers, globals, closures and defaults: a `Trail` watches them. Numbers
and arrays outside of the arguments are read at every call, and checked like arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from adxform.api.prepared.calls.arguments import Check, check_of, fitted, line, misfit, static_described
from adxform.frontend.calls.callbacks.left_alone import LeavesAlone
from adxform.frontend.signature import Leaf, describe
from adxform.frontend.signature.access import Access, Equals, Guard, HasCode, HasLength, Is, LooksLike
from adxform.frontend.signature.watched_access import Trail, cell_of, trail
from adxform.frontend.specialized import Specialized
from adxform.ir.ops import Call, Function, Lit
from adxform.ir.walk import all_ops
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.effects import functions
from adxform.primitives.table import registered
from adxform.runtime.dispatch.derivation import DerivedRule


@dataclass(frozen=True, slots=True)
class Hidden:
    """A number or an array outside of the arguments, read at every call."""

    access: Access
    leaf: Leaf
    read: Callable[[], Any]
    check: Check


@dataclass(frozen=True, slots=True)
class Watch:
    """What `fn` reaches by name, and where it was found."""

    fn: Callable[..., Any]
    trail: Trail
    hidden: tuple[Hidden, ...]

    def append_hidden(self, leaves: list[Any]) -> bool:
        """Append what is read outside of the arguments, as far as it is of the types that it was of."""
        return all(self._append(hidden, leaves) for hidden in self.hidden)

    def _append(self, hidden: Hidden, leaves: list[Any]) -> bool:
        try:
            value = hidden.read()
        except Exception:  # whatever the lookup raises, the assumption does not hold
            return False
        if hidden.check(value, leaves):
            return True
        if misfit(hidden.leaf, describe(value, hidden.access.hint)[0], "") is not None:
            return False
        leaves.append(fitted(value, hidden.leaf.type))
        return True

    def misfits(self) -> Iterator[str]:
        """A line for each name that no longer is what it was."""
        seen: set[str] = set()
        for guard in self.trail.guards:
            name = str(guard.access)
            if name not in seen and not guard.holds(self.fn):
                seen.add(name)
                yield self._line(guard)
        for hidden in self.hidden:
            name = str(hidden.access)
            if name not in seen and not self._append(hidden, []):
                yield self._line(Guard(hidden.access, LooksLike(hidden.leaf, name)))

    def _line(self, guard: Guard) -> str:
        name = shown(guard.access)
        try:
            value = guard.access.read(self.fn)
        except Exception:  # whatever the lookup raises, it is gone
            return f"{name} is gone since"
        match guard.expectation:
            case HasCode():
                return f"{name} was redefined since"
            case Equals(lit):
                return f"{name}: expected {static_described(lit.value)}, got {static_described(value)}"
            case LooksLike(tree):
                found = misfit(tree, describe(value, name)[0], name.strip("`"))
                return line(*found) if found is not None else f"{name} was changed since"
            case HasLength(axis, length):
                return line(name.strip("`"), f"{length} along axis {axis}", str(value.shape[axis]))
            case LeavesAlone() as expectation:
                return expectation.misfit
            case _:
                return f"{name} was changed since"


def shown(access: Access) -> str:
    """The name at the end of a path, as the user knows it: an operator's function has no name in the operator."""
    steps = access.steps
    while steps[:2] == (("cell", "operator"), ("attribute", "fn")):
        steps = steps[2:]
    known = bool(steps) or (access.root is not None and isinstance(access.root.value, type))
    return f"`{Access(steps, access.root)}`" if known else "the function"


def watch(fn: Callable[..., Any], specialized: Specialized) -> Watch:
    """What `specialized` assumed of the surroundings of `fn`, and where it is found now."""
    trees = {guard.access: guard.expectation.tree for guard in specialized.guards if isinstance(guard.expectation, LooksLike)}
    hidden: list[Hidden] = []
    for access in specialized.hidden:
        leaf = trees[access]
        assert isinstance(leaf, Leaf)
        hidden.append(Hidden(access, leaf, reader(fn, access), check_of(leaf, iter([None]))))
    read = set(specialized.hidden)
    guards = (g for g in specialized.guards if not (isinstance(g.expectation, LooksLike) and g.access in read))
    return Watch(fn, trail(fn, guards), tuple(hidden))


def reader(fn: Callable[..., Any], access: Access) -> Callable[[], Any]:
    """Reads what `access` leads to from `fn`."""
    match access:
        case Access((("cell", _),), None):
            return partial(getattr, cell_of(fn, access.steps[0][1]), "cell_contents")
        case Access((("global", name),), None) if name in fn.__globals__:
            return partial(operator.getitem, fn.__globals__, name)
        case _:
            return partial(access.read, fn)


def dependencies(watch: Watch, specialized: Specialized, rules: Iterable[DerivedRule]) -> frozenset[Any]:
    """Every function that `rules` call or were made from: a rule registered for one of them would change `rules`."""
    bodies = (body for rule in rules for body in (rule.typed, rule.adjoint))
    called = (fn for body in (specialized.function, *bodies) for fn in called_functions(body))
    named = (guard.expectation.value for guard in watch.trail.guards if isinstance(guard.expectation, Is))
    return frozenset(fn for fn in (*called, *named, *(fn for fn, _ in watch.trail.codes)) if hashable(fn))


def called_functions(fn: Function) -> Iterator[Any]:
    """The callables in `fn` and its helpers."""
    for function in functions(fn).values():
        for op in all_ops(function.body):
            if isinstance(op, Call) and isinstance(op.fn, Lit):
                yield op.fn.value


def hashable(value: Any) -> bool:
    """Whether `value` can be looked up among rules."""
    try:
        hash(value)
    except (TypeError, ValueError):  # the latter of what looks into memory that may be written
        return False
    return True


def registered_since(then: Mapping[Any, Any], reached: Container[Any]) -> Iterator[str]:
    """A line for each function among those `reached`, or that a definition stands for, that has another rule than `then`."""
    for fn, record in registered().items():
        if then.get(fn) is not record and (fn in reached or fn in DEFINITIONS):
            yield f"a rule for `{record.name}` was registered since"
