"""What a call looks like before it runs: the structure of its arguments and the type of each leaf.

Floats, integers, booleans, complex numbers, NumPy scalars and arrays are leaves. Tuples, lists, dicts, named tuples,
dataclasses and what is registered with `optree` are nodes. Everything else is fixed, and compared by value or identity.
"""

from __future__ import annotations

import dataclasses
import sys
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import optree

from adxform.errors import UnsupportedOperationError
from adxform.frontend.derivative_operators import Operator
from adxform.ir.kinds import dtype_name, scalar_type
from adxform.ir.ops import Lit
from adxform.ir.own_class import is_of_its_class
from adxform.ir.spans import own_signature
from adxform.ir.types import Array, Dim, Object, Size, Type

NUMERIC = "biufc"
SHORT = 4
FEW = 64
"""How long an axis is at most whose length is known when compiling, where nothing else helps."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array."""

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """Anything known when compiling: equal to what has the same type and value, or is the same object."""

    lit: Lit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and same_static(self.lit.value, other.lit.value)

    def __hash__(self) -> int:
        value = self.lit.value
        return hash((type(value), value)) if _by_value(value) else id(value)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A structure of known shape: `keys` are positions, dict keys or field names; `cls` is its class.

    `meta` is what else it takes to make one: the default factory of a ``defaultdict``, what `optree` keeps of a user's class. Of
    a dataclass it is the names of the attributes that an instance has beside its fields, if it has some.
    """

    kind: Literal["tuple", "list", "dict", "namedtuple", "dataclass", "registered"]
    cls: type
    keys: tuple[Any, ...]
    children: tuple[Tree, ...]
    meta: Fixed | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Node)
            and (self.kind, self.cls, self.keys, self.meta) == (other.kind, other.cls, other.keys, other.meta)
            and self.children == other.children
            and (self.kind != "dict" or all(map(_same_key, self.keys, other.keys)))
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.cls, self.keys, self.children))


def _same_key(a: Any, b: Any) -> bool:
    """Whether equal keys are one for a program that walks over them: ``1``, ``1.0`` and ``True`` are three."""
    return a is b or (type(a) is type(b) and (type(a) is str or Lit(a) == Lit(b)))


Tree = Leaf | Fixed | Node
INSTANCES = ("dataclass", "registered")
MUTABLE = ("list", "dict", "dataclass", "registered")


@dataclass(frozen=True, slots=True)
class Signature:
    """The descriptions of a call's positional and keyword arguments.

    `shared` are the lists, dicts and dataclasses, counted in order, that occur more than once, each with the first that is
    the same object: a change to one would be seen in the other. `lengths` says which axes are equally long, where that is to be
    known: see `equal_lengths`. With `assumed`, lengths of slices are taken to be what they probably are, and checked: see
    `adxform.frontend.signature.assumed_lengths`.
    """

    args: tuple[Tree, ...]
    kwargs: tuple[tuple[str, Tree], ...] = ()
    shared: frozenset[tuple[int, int]] = frozenset()
    lengths: tuple[int, ...] = ()
    assumed: bool = False


def _by_value(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, np.dtype)
        or type(value) in (str, bytes, bool, int, float, complex, type(...))
        or (isinstance(value, tuple | frozenset) and all(map(_by_value, value)))
    )


def same_static(a: Any, b: Any) -> bool:
    """Whether static values are interchangeable: one object, or equal values of one type (``1``, ``1.0``, ``True`` differ)."""
    if a is b:
        return True
    return type(a) is type(b) and _by_value(a) and _by_value(b) and Lit(a) == Lit(b)


def python_class(dtype: str, weak: bool) -> type:
    """The class of a number of type ``Scalar(dtype, weak)``."""
    if weak:
        return {"float64": float, "int64": int, "bool": bool, "complex128": complex}[dtype]
    return np.dtype(dtype).type


@lru_cache(maxsize=4096)
def _array_type(dtype: np.dtype[Any], ones: tuple[bool, ...], name: str) -> Array:
    shape: tuple[Size, ...] = tuple(1 if one else Dim(f"{name}.{axis}") for axis, one in enumerate(ones))
    return Array(dtype_name(dtype), shape)


def refused_arrays() -> tuple[type, ...]:
    """The subclasses of arrays that no argument may be of: masked ones once NumPy has imported them, for none exist before."""
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return (np.matrix,) if masked is None else (np.matrix, masked)


def leaf_type(value: Any, name: str) -> Type | None:
    """The type of a number or an array called `name`; ``None`` for anything else."""
    cls = type(value)
    if cls is not np.ndarray and cls is not float and not is_of_its_class(value):
        raise UnsupportedOperationError(
            f"`{name}` answers by code of its own which class it is of", help="give what it stands for, a proxy's object, say"
        )
    if isinstance(value, np.ndarray):
        if isinstance(value, refused_arrays()):
            forgets = "which forgets what is masked: pass the mask too, `np.ma.getmaskarray(x)`, for `where=~mask`"
            help_ = f"pass it as an ndarray, `np.asarray(x)`{'' if isinstance(value, np.matrix) else ', ' + forgets}"
            raise UnsupportedOperationError(f"`{name}` is a {type(value).__qualname__}", help=help_)
        if type(value) is not np.ndarray and not _is_plain_array(type(value)):
            return None
        if value.dtype.kind not in NUMERIC:
            return Object()
        return _array_type(value.dtype, tuple(length == 1 for length in value.shape), name)
    return scalar_type(value)


def _is_plain_array(cls: type) -> bool:
    """Whether a subclass of arrays changes nothing of what arrays do."""
    own = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    return issubclass(cls, np.memmap) or not any(vars(base).keys() - _HARMLESS for base in own)


_HARMLESS = frozenset(
    {"__module__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__", "__annotations__",
     "__annotate_func__", "__annotations_cache__", "__slots__", "__new__", "__init__"}
)  # fmt: skip


def parts(
    value: Any,
) -> tuple[Literal["tuple", "list", "dict", "namedtuple", "dataclass", "registered"], tuple[Any, ...], tuple[Any, ...]] | None:
    """The kind, keys and children of a structure; ``None`` for anything else."""
    cls = type(value)
    if cls is tuple:
        return "tuple", tuple(range(len(value))), value
    if cls is list:
        return "list", tuple(range(len(value))), tuple(value)
    if isinstance(value, dict):
        return ("dict", tuple(value), tuple(value.values())) if cls in DICTS else None
    if isinstance(value, tuple) and optree.is_namedtuple(value):
        return "namedtuple", cls._fields, tuple(value)
    entry = registration(cls)
    if entry is not None:
        children, keys, _ = flattened(entry, value)
        return "registered", keys, children
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Operator):
        names = tuple(field.name for field in dataclasses.fields(value))
        return "dataclass", names, tuple(getattr(value, name) for name in names)
    return None


DICTS = (dict, OrderedDict, defaultdict)


def registration(cls: type) -> Any:
    """How `optree` takes instances of the user's class `cls` apart, if it is registered for all namespaces."""
    entry = _registered(cls)
    return entry if entry is not None and entry.kind is optree.PyTreeKind.CUSTOM else None


_registered: Callable[[type], Any] = optree.register_pytree_node.get


def flattened(entry: Any, value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], Any]:
    """The children of `value`, of a class registered by `entry`, their keys, and what else it takes to make one."""
    children, meta, *entries = entry.flatten_func(value)
    children = tuple(children)
    keys = tuple(entries[0]) if entries and entries[0] is not None else tuple(range(len(children)))
    return children, keys, meta


def meta_of(value: Any) -> Fixed | None:
    """What it takes to make a structure like `value`, beside its class, keys and children."""
    if type(value) is defaultdict:
        return Fixed(Lit(value.default_factory))
    entry = registration(type(value))
    if entry is not None:
        return Fixed(Lit(flattened(entry, value)[2]))
    if isinstance(value, dict):
        return None
    beside = beside_fields(value)
    return Fixed(Lit(beside)) if beside else None


def beside_fields(instance: Any) -> tuple[str, ...]:
    """The names of the attributes that an instance of a dataclass has beside its fields."""
    own = getattr(instance, "__dict__", None)
    return tuple(sorted(own.keys() - type(instance).__dataclass_fields__.keys())) if own else ()


def describe(value: Any, name: str = "x") -> tuple[Tree, list[Any]]:
    """The tree of `value`, called `name`, and its leaves in order."""
    leaves: list[Any] = []
    return _describe(value, name, leaves, ()), leaves


def _describe(value: Any, name: str, leaves: list[Any], inside: tuple[int, ...]) -> Tree:
    type_ = leaf_type(value, name)
    if type_ is not None:
        leaves.append(value)
        return Leaf(type_)
    structure = parts(value)
    if structure is None:
        return Fixed(Lit(value))
    if id(value) in inside:
        raise UnsupportedOperationError(f"`{name}` contains itself", help="pass structures without cycles")
    kind, keys, children = structure
    trees = tuple(
        _describe(child, child_name(name, key), leaves, (*inside, id(value))) for key, child in zip(keys, children, strict=True)
    )
    return Node(kind, type(value), keys, trees, meta_of(value) if kind in ("dict", *INSTANCES) else None)


def child_name(name: str, key: Any) -> str:
    """The variable name of a part of the structure called `name`."""
    text = str(key)
    return f"{name}_{text}" if text.isidentifier() or text.isdigit() else f"{name}_k"


def leaf_types(tree: Tree) -> Iterable[Type]:
    """The types of the leaves of `tree`, in order."""
    match tree:
        case Leaf(type_):
            yield type_
        case Node(children=children):
            for child in children:
                yield from leaf_types(child)
        case Fixed():
            return


def leaf_paths(tree: Tree, name: str) -> Iterable[str]:
    """How a user would write each leaf of the argument called `name`: ``p['w']``, ``p.mean``, ``p[0]``."""
    match tree:
        case Leaf():
            yield name
        case Node(kind, _, keys, children):
            for key, child in zip(keys, children, strict=True):
                path = f"{name}.{key}" if kind in ("namedtuple", "dataclass") else f"{name}[{key!r}]"
                yield from leaf_paths(child, path)
        case Fixed():
            return


def _code_names(code: types.CodeType, skip: int) -> tuple[str, ...]:
    return code.co_varnames[skip : code.co_argcount]


def parameter_names(fn: Callable[..., Any], count: int) -> tuple[str, ...]:
    """Names for `count` positional arguments of `fn`: those of its parameters, then ``args_0``, ``args_1``, …"""
    skip = 0
    target: Any = fn
    if isinstance(target, types.MethodType):
        target, skip = target.__func__, 1
    if isinstance(target, types.FunctionType):
        names = _code_names(target.__code__, skip)
    else:
        try:
            names = tuple(
                parameter.name
                for parameter in own_signature(fn).parameters.values()
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            )
        except (TypeError, ValueError):
            names = ()
    if len(names) < count and hasattr(target, "__wrapped__"):
        return parameter_names(target.__wrapped__, count)
    return names[:count] + tuple(f"args_{index}" for index in range(count - len(names)))


def sign(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Signature, list[Any]]:
    """The signature of the call ``fn(*args, **kwargs)`` and its leaves in order."""
    leaves: list[Any] = []
    names = parameter_names(fn, len(args))
    trees = tuple(_describe(arg, name, leaves, ()) for name, arg in zip(names, args, strict=True))
    named = tuple((name, _describe(arg, name, leaves, ())) for name, arg in kwargs.items())
    structured = any(isinstance(tree, Node) for tree in (*trees, *(tree for _, tree in named)))
    return Signature(trees, named, shared((*args, *kwargs.values())) if structured else frozenset()), leaves


def equal_lengths(leaves: Iterable[Any]) -> tuple[int, ...]:
    """A number for each axis of the arrays in `leaves` that is not of length one: the same for equal lengths; none if all differ.

    The last axis of a matrix, or of more axes, that is short has its own length, negative: it holds coordinates, most likely.

    >>> equal_lengths([np.ones((5, 5)), 2.0, np.ones((1, 6)), np.ones(5)]), equal_lengths([np.ones((5, 1)), np.ones(3)])
    ((0, 0, 1, 0), ())
    >>> equal_lengths([np.ones((9, 3)), np.ones(3)])
    (0, -3, 1)
    """
    known: dict[int, int] = {}
    found: list[int] = []
    for leaf in leaves:
        if is_numeric(leaf):
            *ahead, last = leaf.shape or (1,)
            found += [known.setdefault(n, len(known)) for n in ahead if n != 1]
            if last != 1:
                found.append(-last if ahead and 0 < last <= SHORT else known.setdefault(last, len(known)))
    return tuple(found) if len(known) < len(found) else ()


def is_numeric(leaf: Any) -> bool:
    """Whether `leaf` is an array of numbers."""
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in NUMERIC


def shared(values: tuple[Any, ...]) -> frozenset[tuple[int, int]]:
    """The lists, dicts and dataclasses in `values`, counted in order, that occur more than once, each with the first one."""
    found = containers_in(values)
    return frozenset((k, found.index(container)) for k, container in enumerate(found) if found.count(container) > 1)


def containers_in(values: tuple[Any, ...]) -> list[int]:
    """The places in memory of the lists, dicts and dataclasses in `values`."""
    found: list[int] = []
    for value in values:
        _containers(value, found)
    return found


def _containers(value: Any, found: list[int]) -> None:
    structure = None if isinstance(value, np.ndarray) else parts(value)
    if structure is None:
        return
    kind, _, children = structure
    if kind in MUTABLE:
        found.append(id(value))
    for child in children:
        _containers(child, found)
