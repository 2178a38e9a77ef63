"""What a function finds outside of its arguments: constants to guard, and numbers to read again at every call."""

from __future__ import annotations

import builtins
import functools
import types
from collections import defaultdict
from typing import Any

import numpy as np

from adxform.errors import AdxError, GlobalMutationError, UnsupportedOperationError
from adxform.frontend.derivative_operators import Decorated
from adxform.frontend.evaluate.classes.class_contents import refuse_named_tuple
from adxform.frontend.evaluate.outside.settled import is_listed, may_change
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FoundOutside, Static, Tuple, Value
from adxform.frontend.signature import FEW, INSTANCES, Leaf, Tree, describe, leaf_type, parts
from adxform.frontend.signature.access import (
    Access,
    Equals,
    HasClass,
    HasCode,
    HasLength,
    Holds,
    Is,
    LooksLike,
    Raises,
    SameAs,
    path_to,
)
from adxform.frontend.signature.access import Guard as _Guard
from adxform.frontend.signature.class_meaning import changes, meaning
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Array, Dim, Scalar, Size, Type

_IDENTITIES = (
    type,
    types.ModuleType,
    types.BuiltinFunctionType,
    np.ufunc,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
)


def guard(interp: Interpreter, access: Access | None, expectation: Any) -> None:
    """Assume `expectation` of what `access` leads to."""
    if access is not None:
        interp.outer.guards.setdefault(_Guard(access, expectation))


def guard_class(interp: Interpreter, cls: type) -> None:
    """Assume that `cls`, the class of an object that the function meets, means to each call what it means now."""
    if id(cls) not in interp.outer.classes:
        interp.outer.classes[id(cls)] = cls
        if changes(cls):
            guard(interp, Access((), Lit(cls)), meaning(cls))


def missing(interp: Interpreter, access: Access | None, error: Exception, raised: Exception | None = None) -> Value:
    """Let the `error` be `raised` that reading what `access` leads to raises, as long as it does."""
    guard(interp, access, Raises(type(error), str(error)))
    raised = raised or error
    return interp.fail(type(raised), str(raised))


def from_outside(interp: Interpreter, value: Any, access: Access | None) -> Value:
    """The object `value`, found by `access`, with what is assumed of it guarded."""
    if access is None:
        return constant(interp, value)
    known = interp.outer.known.get((access, id(value)))
    if known is None:
        known = _from_outside(interp, value, access)
        interp.outer.known[access, id(value)] = known
    interp.outer.asked += isinstance(known, Var) and known in interp.outer.objects
    return known


def _from_outside(interp: Interpreter, value: Any, access: Access) -> Value:
    if _leaf_type(interp, value, access.hint) is not None:
        return _hidden(interp, value, access)
    guard_class(interp, type(value))
    if isinstance(value, type):
        guard_class(interp, value)
    changed = _changed(interp, value, access)
    if changed is not None:
        return changed
    structure = parts(value)
    if structure is not None and structure[0] not in INSTANCES:
        guard(interp, access, LooksLike(_described(interp, value, access.hint), access.hint))
        return _structure(interp, value, access)
    if isinstance(value, str | bytes | np.dtype | type(None) | type(...)):
        guard(interp, access, Equals(Lit(value)))
        return Lit(value)
    if isinstance(value, _IDENTITIES):
        guard(interp, access, Is(value))
        return Static(value, access)
    of_a_method = access.steps[-1:] == (("attribute", "__self__"),)  # the object by whose name the method is read
    first = access if of_a_method else interp.outer.paths.setdefault(id(value), access)
    if first != access:  # one object by two names is one as long as each call finds it so
        guard(interp, access, SameAs(first))
        return Static(value, first)
    guard(interp, access, HasCode(value.__code__) if isinstance(value, types.FunctionType) else HasClass(type(value)))
    return Static(value, access)


def _leaf_type(interp: Interpreter, value: Any, name: str) -> Type | None:
    try:
        return leaf_type(value, name)
    except UnsupportedOperationError as error:
        raise interp.error(error.message, error.help) from None


def _described(interp: Interpreter, value: Any, name: str) -> Tree:
    try:
        return describe(value, name)[0]
    except UnsupportedOperationError as error:
        raise interp.error(error.message, error.help) from None


def _changed(interp: Interpreter, value: Any, access: Access) -> Var | None:
    """What stands for the list or dict `value`, found by `access`, if the function changes it."""
    found = interp.outer.containers.get(id(value))
    first = interp.knowledge.containers[id(value)].access if found is not None else access
    if access != first:
        guard(interp, access, SameAs(first))
    return found


def _structure(interp: Interpreter, value: Any, access: Access) -> Value:
    structure = parts(value)
    assert structure is not None
    kind, keys, children = structure
    positions = range(len(children)) if kind == "namedtuple" else keys
    items = tuple(from_outside(interp, child, access.to("item", key)) for key, child in zip(positions, children, strict=True))
    made: Value
    if kind in ("tuple", "namedtuple"):
        refuse_named_tuple(interp, type(value))
        made = Tuple(items, type(value))
    else:
        made = interp.heap.foreign("list" if kind == "list" else "dict", type(value), keys, items, default_of(interp, value))
    interp.identify(made, FoundOutside(value, access))
    return made


def _hidden(interp: Interpreter, value: Any, access: Access) -> Value:
    """A number or an array that every call reads again."""
    known = Lit(value) if _is_switch(value, access) else interp.knowledge.hidden.get(access)
    if known is not None and known == Lit(value):
        guard(interp, access, Equals(known))
        return known
    found = interp.outer.hidden.get(access)
    if found is None:
        name = interp.names.fresh(access.hint)
        type_ = leaf_type(value, name)
        assert type_ is not None
        guard(interp, access, LooksLike(Leaf(type_), name))
        found = Var(name, _with_lengths(interp, type_, value, access))
        interp.outer.hidden[access] = found
        interp.parameters[name] = found
        interp.outer.hidden_values[found] = value
        if isinstance(type_, Scalar) and isinstance(value, bool | int | np.bool_ | np.integer):
            interp.integers.origins[found] = frozenset((found,))
    return found


def _is_switch(value: Any, access: Access) -> bool:
    """Whether `value` is a truth value by default or of a module, which says once and for all what a program leaves out."""
    return isinstance(value, bool) and access.steps[-1:] != () and access.steps[-1][0] in ("default", "global")


def _with_lengths(interp: Interpreter, type_: Type, value: Any, access: Access) -> Type:
    """`type_`, with the lengths of `value` that had to be known; where they had not, and it is short, they may have to be."""
    if not isinstance(type_, Array) or type_.shape is None:
        return type_
    sizes: list[Size] = []
    for axis, size in enumerate(type_.shape):
        known = interp.knowledge.lengths.get((access, axis))
        if known is not None and known == value.shape[axis]:
            guard(interp, access, HasLength(axis, known))
            sizes.append(known)
            continue
        sizes.append(size)
        if isinstance(size, Dim) and value.shape[axis] <= FEW:
            interp.integers.note_argument(size.base, value.shape[axis])
            interp.outer.hidden_axes[size.base] = access, axis
    return Array(type_.dtype, tuple(sizes))


def itself(interp: Interpreter, value: Any) -> Value:
    """An object that is known, and the same at every call; what a program may change in it each call reads again."""
    holds = parts(value) is not None and not isinstance(value, tuple)
    return from_outside(interp, value, Access((), Lit(value))) if holds else constant(interp, value)


def looked_up(interp: Interpreter, value: Value) -> Value:
    """`value`, given that each call looks up what is asked of it, if it is an object that holds something."""
    found = itself(interp, value.value) if isinstance(value, Lit) else value
    return found if isinstance(found, Static) and found.access is not None else value


def constant(interp: Interpreter, value: Any) -> Value:
    """An object that is the same at every call; lists and dicts among them were made now, and nobody else has them."""
    leaf = _leaf_type(interp, value, "k")
    if isinstance(value, np.ndarray):
        return from_outside(interp, value, Access((), Lit(value)))
    guard_class(interp, type(value))
    if isinstance(value, type):
        guard_class(interp, value)
    structure = parts(value)
    if structure is None or structure[0] in INSTANCES:
        if leaf is not None or isinstance(value, str | bytes | np.dtype | slice | range | type(None) | type(...)):
            return Lit(value)
        if isinstance(value, types.FunctionType) and not written_in(value).startswith("adxform."):
            return from_outside(interp, value, Access((), Lit(value)))
        return rooted(value)
    kind, keys, children = structure
    if kind in ("tuple", "namedtuple"):
        refuse_named_tuple(interp, type(value))
        return Tuple(tuple(itself(interp, child) for child in children), type(value))
    items = tuple(constant(interp, child) for child in children)
    return interp.heap.foreign("list" if kind == "list" else "dict", type(value), keys, items, default_of(interp, value))


def rooted(value: Any) -> Static:
    """An object that is known; what a program may change in it each call finds from the object itself."""
    return Static(value, None if _is_fixed(value) else Access((), Lit(value)))


def _is_fixed(value: Any) -> bool:
    """Whether nothing that a program may reach through `value` changes: it is a library's, and holds nothing of a program's."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _FIXED
    if isinstance(value, functools.partial):
        return all(map(_is_fixed, (value.func, *value.args, *value.keywords.values())))
    if isinstance(value, types.FunctionType):
        return written_in(value).partition(".")[0] in _FIXED
    named = value if isinstance(value, type) else type(value)
    return named.__module__.partition(".")[0] in _FIXED and not isinstance(value, types.MethodType) and not may_change(value)


_FIXED = ("builtins", "numpy", "scipy", "math", "adxform")
"""Libraries whose classes stay what they are."""


def default_of(interp: Interpreter, value: Any) -> Value | None:
    """What `value` calls for a missing key, if it is a ``defaultdict``."""
    return constant(interp, value.default_factory) if type(value) is defaultdict else None


def is_kept(interp: Interpreter, fn: Decorated, access: Access | None) -> bool:
    """Whether the decorated function `fn`, found by `access`, is kept behind a boundary: each call must find it so."""
    kept = fn.__adx_boundary__
    guard(interp, path_to(access, ("attribute", "__adx_boundary__")), Equals(Lit(kept)))
    return kept


def outside_write(interp: Interpreter, what: str) -> AdxError:
    """The error for a change to something that belongs to the caller's program."""
    message = f"{what} from outside the function is changed"
    return interp.error(message, "return the new value, or pass the object as an argument", GlobalMutationError)


def pin(interp: Interpreter, value: Static) -> Any:
    """The object itself; each call must find the same one."""
    guard(interp, value.access, Is(value.value))
    return value.value


def settle(interp: Interpreter, value: Static) -> Any:
    """The object itself, from which something is told now: each call must find the same one, and the same in it."""
    found = pin(interp, value)
    if is_listed(found):
        guard(interp, value.access, Holds(Lit(tuple(found))))
    if isinstance(found, set | frozenset | tuple):
        for cls in {type(item) for item in found}:
            guard_class(interp, cls)
    return found


def free_name(interp: Interpreter, name: str) -> Value:
    """What the function being run finds under `name` outside of itself."""
    frame = interp.frames[-1]
    if name in frame.captured:
        return frame.captured[name]
    scope = frame.scope
    if scope is None:
        return interp.fail(NameError, f"name '{name}' is not defined")
    fn, access = scope.fn, scope.access
    if name in fn.__code__.co_freevars:
        cell = fn.__closure__[fn.__code__.co_freevars.index(name)]  # type: ignore[index]
        try:
            found = cell.cell_contents
        except ValueError as error:
            return missing(interp, path_to(access, ("cell", name)), error, NameError(f"cannot access free variable '{name}'"))
        return from_outside(interp, found, path_to(access, ("cell", name)))
    if name in fn.__globals__:
        found = fn.__globals__[name]
    elif hasattr(builtins, name):
        found = getattr(builtins, name)
    else:
        path = path_to(access, ("global", name))
        return missing(interp, path, NameError(f"name '{name}' is not defined"))
    if access is not None:
        first = interp.outer.modules.setdefault(id(fn.__globals__), access)
        if first != access:
            guard(interp, access.to("attribute", "__globals__"), SameAs(first.to("attribute", "__globals__")))
        access = first
    return from_outside(interp, found, path_to(access, ("global", name)))
